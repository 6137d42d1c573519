/** The text of a settings file of Claude Code, as an object. Pure. */
import { placeOf } from "../../config/json-text.ts";

/** A settings file that is not JSON, or has hooks or a status line in a form of its own. */
export class StrangeSettings extends Error {
  override readonly name = "StrangeSettings";
  readonly line: number | null;

  constructor(line: number | null) {
    super("strange settings");
    this.line = line;
  }
}

/** @throws StrangeSettings */
export function settingsIn(source: string): Record<string, unknown> {
  const text = source.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StrangeSettings(placeOf(text, error).line);
  }
  if (!isObject(value)) throw new StrangeSettings(null);
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
