/**
 * The documented rules for a modal and for autocomplete's answer that the OpenAPI description lacks: it lets
 * 40 top components through where the documentation says five. Source: interactions/receiving-and-responding.mdx.
 */
import { type Finding, isRecord, items, told, wrong } from "../finding.ts";
import { allComponents, idFindings, selectFindings } from "./components.ts";
import { lengthOf, tooLong } from "./text.ts";

/** The data of a callback of type 9. */
export function modalFindings(data: unknown, at: string): Finding[] {
  if (!isRecord(data)) return [];
  const top = items(data["components"]);
  const placed = allComponents(top, `${at}/components`);
  return [
    ...(top.length >= 1 && top.length <= 5 ? [] : [told(`${at}/components`, `${top.length} components`, "1 to 5")]),
    ...idFindings(placed),
    ...placed.flatMap(({ component, at: place }) => oneComponent(component, place)),
  ];
}

function oneComponent(component: Record<string, unknown>, at: string): Finding[] {
  switch (component["type"]) {
    case 3:
    case 22:
      return selectFindings(
        component["type"] === 22
          ? { ...component, max_values: component["max_values"] ?? items(component["options"]).length }
          : component,
        at,
      );
    case 4:
      return inputFindings(component, at);
    case 21:
      return radioFindings(items(component["options"]).filter(isRecord), at);
    default:
      return [];
  }
}

function inputFindings(input: Record<string, unknown>, at: string): Finding[] {
  const { min_length: least, max_length: most, value } = input;
  const crossed = typeof least === "number" && typeof most === "number" && least > most;
  const over = typeof value === "string" && typeof most === "number" && lengthOf(value) > most;
  return [
    ...(crossed ? [wrong(`${at}/min_length`, least, `at most max_length (${most})`)] : []),
    ...(over ? [wrong(`${at}/value`, value, `at most max_length (${most}) characters`)] : []),
    ...tooLong(input["placeholder"], 100, `${at}/placeholder`),
  ];
}

function radioFindings(options: Record<string, unknown>[], at: string): Finding[] {
  const values = options.map((option) => option["value"]);
  const chosen = options.filter((option) => option["default"] === true).length;
  return [
    ...(new Set(values).size < values.length ? [wrong(`${at}/options`, values, "every value once")] : []),
    ...(chosen > 1 ? [told(`${at}/options`, `${chosen} defaults`, "at most one")] : []),
  ];
}

/** The data of a callback of type 8. */
export function choiceFindings(data: unknown, at: string): Finding[] {
  const choices = isRecord(data) ? items(data["choices"]) : [];
  return choices.flatMap((choice, index) => {
    if (!isRecord(choice)) return [];
    const place = `${at}/choices/${index}`;
    const empty =
      lengthOf(choice["name"]) === 0 ? [wrong(`${place}/name`, choice["name"], "a name of 1 to 100 characters")] : [];
    return [
      ...empty,
      ...tooLong(choice["name"], 100, `${place}/name`),
      ...tooLong(choice["value"], 100, `${place}/value`),
    ];
  });
}
