/**
 * The keys of config.json without effect, each with its warning: unknown ones with the nearest known name, and those
 * not used yet.
 */
import * as z from "zod";
import { entryOf } from "../base/entry.ts";
import { say, type Locale } from "../base/words/say.ts";
import { schema } from "./config-schema.ts";
import { configPlace } from "./invalid.ts";
import { nearest } from "./nearest.ts";

/** One for each key without effect. */
export function unknownKeyWarnings(value: unknown, locale: Locale): string[] {
  return idleKeys(schema, value, []).map((idle) => warning(locale, idle));
}

interface Idle {
  path: string[];
  /** For an unknown key, the nearest known one; undefined if none is near. */
  near: string | undefined;
  notYet?: true;
}

/** Keys of the value without effect: those the schema does not have, and those not used yet. */
function idleKeys(of: z.core.$ZodType, value: unknown, path: string[]): Idle[] {
  const type = bare(of);
  if (typeof value !== "object" || value === null) return [];
  if (type instanceof z.ZodArray)
    return Object.values(value).flatMap((inner, index) => idleKeys(type.element, inner, [...path, String(index)]));
  if (type instanceof z.ZodRecord)
    return Object.entries(value).flatMap(([key, inner]) => idleKeys(type.valueType, inner, [...path, key]));
  if (!(type instanceof z.ZodObject)) return [];
  const shape: Record<string, z.core.$ZodType> = type.shape;
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = entryOf(shape, key);
    const here = [...path, key];
    if (!known) return [{ path: here, near: nearest(key, Object.keys(shape)) }];
    return z.globalRegistry.get(known)?.["x-not-yet"] === true
      ? [{ path: here, near: undefined, notYet: true }]
      : idleKeys(known, inner, here);
  });
}

function bare(type: z.core.$ZodType): z.core.$ZodType {
  const wrapped = type instanceof z.ZodOptional || type instanceof z.ZodDefault || type instanceof z.ZodPrefault;
  return wrapped ? bare(type.unwrap()) : type;
}

function warning(locale: Locale, { path, near, notYet: unused }: Idle): string {
  const where = configPlace(path);
  if (unused) return say(locale, "config.not_yet", { where });
  return near === undefined
    ? say(locale, "config.unknown", { where })
    : say(locale, "config.unknown_near", { where, near });
}
