/**
 * What a check found wrong, as data, and how it is said. Every check of the contract ends in findings, so
 * that a breach always names the place in the body, what stood there and what Discord expects.
 */
import type { ErrorObject } from "ajv";

/** One thing wrong: a JSON pointer into the body, what stands there, what should. */
export interface Finding {
  at: string;
  found: string;
  expected: string;
}

/** A finding about a value that is there. */
export function wrong(at: string, value: unknown, expected: string): Finding {
  return { at, found: show(value), expected };
}

/** A finding about what has no value of its own, such as a count. */
export function told(at: string, found: string, expected: string): Finding {
  return { at, found, expected };
}

/** One finding as a line: `/embeds/0/title: found …; expected …`. */
export function sayFinding(finding: Finding): string {
  return `${finding.at === "" ? "(whole body)" : finding.at}: found ${finding.found}; expected ${finding.expected}`;
}

/**
 * ajv's errors as findings, fit to read: the noise of `if` is dropped, where a union fitted in none of its
 * forms only the union is named, not every field of every form, and no place is named twice.
 */
export function findingsOf(errors: readonly ErrorObject[], body: unknown): Finding[] {
  const unions = errors.filter((error) => error.keyword === "anyOf" || error.keyword === "oneOf");
  const inUnion = (error: ErrorObject): boolean =>
    unions.some(
      (union) => union !== error && (isBelow(error.instancePath, union.instancePath) || isInside(error, union)),
    );
  const telling = errors.filter((error) => error.keyword !== "if" && !inUnion(error));
  const byPlace = new Map<string, Finding>();
  for (const error of telling) {
    const finding = findingOf(error, body);
    if (error.keyword === "enum" || !byPlace.has(finding.at)) byPlace.set(finding.at, finding);
  }
  return [...byPlace.values()];
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(`${above}/`);
}

function isInside(error: ErrorObject, union: ErrorObject): boolean {
  if (error.instancePath !== union.instancePath) return false;
  return !unionKeywords.has(error.keyword) || error.schemaPath.length > union.schemaPath.length;
}

const unionKeywords: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);

function findingOf(error: ErrorObject, body: unknown): Finding {
  const at = error.instancePath;
  const value = valueAt(body, at);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "required":
      return { at: `${at}/${String(params["missingProperty"])}`, found: "nothing", expected: "the field to be there" };
    case "unevaluatedProperties":
    case "additionalProperties":
      return unknownField(at, String(params["unevaluatedProperty"] ?? params["additionalProperty"]), value);
    case "enum":
      return wrong(at, value, `one of ${listed(params["allowedValues"])}`);
    case "const":
      return wrong(at, value, show(params["allowedValue"]));
    case "type":
      return wrong(at, value, `type ${listed(params["type"])}`);
    case "format":
      return wrong(at, value, `a ${String(params["format"])}`);
    case "maxLength":
    case "minLength":
      return {
        at,
        found: `${[...String(value)].length} characters`,
        expected: bound(error.keyword, params["limit"], "characters"),
      };
    case "maxItems":
    case "minItems":
      return { at, found: `${lengthOf(value)} items`, expected: bound(error.keyword, params["limit"], "items") };
    case "false schema":
      return wrong(at, value, "nothing here");
    case "anyOf":
    case "oneOf":
      return wrong(at, value, "one of the forms described, and it is none of them");
    default:
      return wrong(at, value, error.message ?? error.keyword);
  }
}

function unknownField(at: string, name: string, holder: unknown): Finding {
  return wrong(`${at}/${name}`, valueAt(holder, `/${name}`), "no such field (a typing error, or not for this place)");
}

function bound(keyword: string, limit: unknown, unit: string): string {
  return `${keyword.startsWith("max") ? "at most" : "at least"} ${String(limit)} ${unit}`;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function listed(values: unknown): string {
  const list = Array.isArray(values) ? values.map(String) : [String(values)];
  return list.length > 12 ? `${list.slice(0, 12).join(", ")} and ${list.length - 12} more` : list.join(", ");
}

/** A value as it is shown in a breach: JSON, cut at 80 characters. */
function show(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function valueAt(body: unknown, pointer: string): unknown {
  let value = body;
  for (const raw of pointer.split("/").slice(1)) {
    const key = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    value = isRecord(value) ? value[key] : undefined;
  }
  return value;
}

/** Whether a value can be asked for a key; arrays too. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The items of a list, or none where it is no list: a check must not fall over what it checks. */
export function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
