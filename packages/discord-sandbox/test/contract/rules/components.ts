/**
 * The documented rules for components that the OpenAPI description does not have: which style of button
 * needs what, rows that hold buttons or one select, ids used once, and what components v2 changes.
 * Source: components/reference.mdx.
 */
import { type Finding, isRecord, items, told, wrong } from "../finding.ts";
import { lengthOf } from "./text.ts";

/** The flag that turns components v2 on. */
export const componentsV2 = 1 << 15;

/** A component and where it stands; nested ones are listed too. */
export interface Placed {
  at: string;
  component: Record<string, unknown>;
}

/** All components of a list, at every depth: rows, containers, sections with their accessory, labels. */
export function allComponents(list: unknown, at: string): Placed[] {
  return items(list).flatMap((component, index) => withChildren(component, `${at}/${index}`));
}

function withChildren(component: unknown, at: string): Placed[] {
  if (!isRecord(component)) return [];
  const single = ["accessory", "component"].flatMap((key) => withChildren(component[key], `${at}/${key}`));
  return [{ at, component }, ...single, ...allComponents(component["components"], `${at}/components`)];
}

/** The rules of a message's components. `v2` is whether the message carries the flag. */
export function componentFindings(list: unknown, at: string, v2: boolean): Finding[] {
  const placed = allComponents(list, at);
  return [
    ...placed.flatMap(({ component, at: place }) => oneComponent(component, place)),
    ...idFindings(placed),
    ...(v2 ? modernFindings(placed, at) : legacyFindings(items(list), placed, at)),
  ];
}

/** `custom_id` (and a number given as `id`) may stand once in a message or modal. */
export function idFindings(placed: readonly Placed[]): Finding[] {
  return ["custom_id", "id"].flatMap((key) => {
    const seen = new Set<unknown>([undefined, null]);
    return placed.flatMap(({ component, at }) => {
      const value = component[key];
      const again = seen.has(value) && value !== undefined && value !== null && value !== 0;
      seen.add(value);
      return again ? [wrong(`${at}/${key}`, value, `a ${key} used once`)] : [];
    });
  });
}

function oneComponent(component: Record<string, unknown>, at: string): Finding[] {
  switch (component["type"]) {
    case 1:
      return rowFindings(items(component["components"]), at);
    case 2:
      return buttonFindings(component, at);
    case 3:
      return selectFindings(component, at);
    default:
      return [];
  }
}

function rowFindings(inside: unknown[], at: string): Finding[] {
  const types = inside.map((component) => (isRecord(component) ? component["type"] : undefined));
  const mixed = types.some((type) => type !== 2) && types.length > 1;
  return mixed ? [wrong(`${at}/components`, types, "up to five buttons, or one other component alone")] : [];
}

function buttonFindings(button: Record<string, unknown>, at: string): Finding[] {
  const { style } = button;
  const has = (key: string): boolean => button[key] !== undefined && button[key] !== null && button[key] !== "";
  const needed = style === 5 ? "url" : style === 6 ? "sku_id" : "custom_id";
  const foreign = ["url", "sku_id", "custom_id"].filter((key) => key !== needed && has(key));
  const findings = foreign.map((key) =>
    wrong(`${at}/${key}`, button[key], `no ${key} on a button of style ${String(style)}`),
  );
  if (!has(needed))
    findings.push(wrong(`${at}/${needed}`, button[needed], `a ${needed}, which style ${String(style)} needs`));
  if (style !== 6 && !has("label") && !has("emoji"))
    findings.push(wrong(`${at}/label`, button["label"], "a label or an emoji"));
  return findings;
}

/** A list to choose from: how many may be chosen fits how many there are, and every value is its own. */
export function selectFindings(select: Record<string, unknown>, at: string): Finding[] {
  const options = items(select["options"]).filter(isRecord);
  const most = typeof select["max_values"] === "number" ? select["max_values"] : 1;
  const least = typeof select["min_values"] === "number" ? select["min_values"] : 1;
  const values = options.map((option) => option["value"]);
  const chosen = options.filter((option) => option["default"] === true).length;
  return [
    ...(least > most ? [wrong(`${at}/min_values`, least, `at most max_values (${most})`)] : []),
    ...(options.length > 0 && most > options.length
      ? [wrong(`${at}/max_values`, most, `at most the ${options.length} options`)]
      : []),
    ...(new Set(values).size < values.length ? [wrong(`${at}/options`, values, "every value once")] : []),
    ...(chosen > most ? [told(`${at}/options`, `${chosen} defaults`, `at most max_values (${most})`)] : []),
  ];
}

function legacyFindings(list: unknown[], placed: readonly Placed[], at: string): Finding[] {
  const foreign = placed.filter(({ component }) => Number(component["type"]) >= 9);
  return [
    ...(list.length > 5 ? [told(at, `${list.length} rows`, "at most 5")] : []),
    ...foreign.map(({ at: place, component }) =>
      wrong(`${place}/type`, component["type"], "a component v1, since the flag for v2 (1 << 15) is not set"),
    ),
  ];
}

function modernFindings(placed: readonly Placed[], at: string): Finding[] {
  const displays = placed
    .filter(({ component }) => component["type"] === 10)
    .map(({ component }) => component["content"]);
  const shown = displays.reduce<number>((sum, content) => sum + lengthOf(content), 0);
  return [
    ...(placed.length > 40 ? [told(at, `${placed.length} components, nested ones counted`, "at most 40")] : []),
    ...(shown > 4000 ? [told(at, `${shown} characters in all text displays`, "at most 4000")] : []),
  ];
}
