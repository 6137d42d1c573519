/**
 * The parameters of a tool: what a model is told of each, and how what it sent is read. What is wrong is answered
 * with a sentence that says what to send instead, so the next try is right; nothing is guessed or quietly dropped.
 */
import { isSnowflake } from "../base/ids.ts";
import { oneLine } from "../base/text.ts";
import { nearest } from "../config/nearest.ts";

/** What was sent cannot be used; the message is for the model. */
export class WrongInput extends Error {
  override readonly name = "WrongInput";
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Parameter<T> {
  schema: JsonSchema;
  /** What holds where it is left out or null; undefined: it has to be sent. */
  otherwise?: T;
  /** @throws WrongInput */
  read(value: unknown, name: string): T;
}

export type Parameters<T> = { readonly [Name in keyof T]: Parameter<T[Name]> };

/** The object a tool takes, as JSON Schema. */
export function inputSchema<T>(parameters: Parameters<T>): { type: "object"; [key: string]: unknown } {
  const all = Object.entries(parameters) as [string, Parameter<unknown>][];
  return {
    type: "object",
    properties: Object.fromEntries(all.map(([name, one]) => [name, one.otherwise === undefined ? one.schema : { ...one.schema, default: one.otherwise }])),
    required: all.flatMap(([name, { otherwise }]) => (otherwise === undefined ? [name] : [])),
    additionalProperties: false,
  };
}

/** @throws WrongInput for the first thing that is wrong */
export function readInput<T>(parameters: Parameters<T>, given: Readonly<Record<string, unknown>>): T {
  const names = Object.keys(parameters) as (keyof T & string)[];
  const strange = Object.keys(given).find((name) => !(names as string[]).includes(name));
  if (strange !== undefined) throw new WrongInput(strangeParameter(strange, names));
  const read = names.map((name): [string, unknown] => {
    const { otherwise, read: of, schema } = parameters[name];
    const value = given[name];
    if (value !== undefined && (value !== null || otherwise === undefined)) return [name, of(value, name)];
    if (otherwise === undefined) throw new WrongInput(`${name} is missing. Send it: ${String(schema["description"])}`);
    return [name, otherwise];
  });
  return Object.fromEntries(read) as T;
}

function strangeParameter(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  const known = names.length === 0 ? "This tool takes no parameters; send {}." : `It takes: ${names.join(", ")}.`;
  return `There is no parameter ${shown(name)}.${near === undefined ? "" : ` Did you mean ${near}?`} ${known}`;
}

/** A text that says something, unless `empty` allows none. */
export function text(description: string, { most, empty = false, otherwise }: { most: number; empty?: boolean; otherwise?: string }): Parameter<string> {
  return {
    schema: { type: "string", description, maxLength: most, ...(empty ? {} : { minLength: 1 }) },
    ...(otherwise !== undefined && { otherwise }),
    read: (value, name) => readText(value, name, most, empty),
  };
}

/** A list of texts that each say something. */
export function texts(description: string, { most, longest, distinct = false, otherwise }: { most: number; longest: number; distinct?: boolean; otherwise?: string[] }): Parameter<string[]> {
  return {
    schema: { type: "array", items: { type: "string", minLength: 1, maxLength: longest }, maxItems: most, description },
    ...(otherwise !== undefined && { otherwise }),
    read(value, name) {
      if (!Array.isArray(value)) throw new WrongInput(`${name} must be an array of strings, such as ["A) Now", "B) Later"], or [] for none; what came is ${shown(value)}.`);
      if (value.length > most) throw new WrongInput(`${name} has ${value.length} entries; ${most} are the most. Send the ${most} that matter, or put the rest into the text.`);
      const read = value.map((entry, place) => readText(entry, `${name}[${place}]`, longest, false));
      const twice = distinct ? read.findIndex((entry, place) => read.findIndex((other) => other.trim() === entry.trim()) < place) : -1;
      if (twice !== -1) throw new WrongInput(`${name}[${twice}] is the same as one before it: ${shown(read[twice])}. Send each option once.`);
      return read;
    },
  };
}

/** Seconds over zero; null and nothing at all: without end. */
export function seconds(description: string, most: number): Parameter<number | null> {
  return {
    schema: { type: ["number", "null"], exclusiveMinimum: 0, maximum: most, description },
    otherwise: null,
    read(value, name) {
      if (typeof value === "number" && value > 0 && value <= most) return value;
      throw new WrongInput(`${name} must be a number of seconds over 0 and at most ${most}, or null to wait as long as it takes; what came is ${shown(value)}.`);
    },
  };
}

/** The id of a thread; null, an empty text and nothing at all: none. */
export function thread(description: string): Parameter<string | null> {
  return {
    schema: { type: ["string", "null"], description },
    otherwise: null,
    read(value, name) {
      if (isSnowflake(value)) return value;
      if (value === "") return null;
      if (typeof value === "number") throw new WrongInput(`${name} must be a string: as a number its last digits are lost. Send the thread_id of an earlier result as it stood there, in quotes.`);
      throw new WrongInput(`${name} must be the id of a Discord thread, 17 to 20 digits in a string, such as the thread_id of an earlier result, or null; what came is ${shown(value)}.`);
    },
  };
}

export function oneOf<const T extends string>(description: string, values: readonly T[], otherwise: T): Parameter<T> {
  return {
    schema: { type: "string", enum: values, description },
    otherwise,
    read(value, name) {
      const found = values.find((one) => one === value);
      if (found !== undefined) return found;
      throw new WrongInput(`${name} must be one of ${values.map((one) => `"${one}"`).join(", ")}; what came is ${shown(value)}.`);
    },
  };
}

export function flag(description: string, otherwise: boolean): Parameter<boolean> {
  return {
    schema: { type: "boolean", description },
    otherwise,
    read(value, name) {
      if (typeof value === "boolean") return value;
      throw new WrongInput(`${name} must be true or false, without quotes; what came is ${shown(value)}.`);
    },
  };
}

function readText(value: unknown, name: string, most: number, empty: boolean): string {
  if (typeof value !== "string") throw new WrongInput(`${name} must be a string; what came is ${shown(value)}.`);
  if (!empty && value.trim() === "") throw new WrongInput(`${name} is empty. Write what the owner should read there.`);
  if (value.length > most) throw new WrongInput(`${name} has ${value.length} characters; ${most} are the most. Shorten it: say what matters, and where the rest can be read.`);
  return value.toWellFormed();
}

/** As it came, on one line, cut. */
function shown(value: unknown): string {
  return oneLine(JSON.stringify(value) ?? String(value), 80);
}
