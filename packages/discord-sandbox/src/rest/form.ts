/**
 * Reads a request body field by field the way Discord does: every wrong field is noted with its place and
 * Discord's own code, and all of them are refused together (50035). Unknown fields are ignored, as Discord does.
 */
import { addError, badForm, type ErrorTree } from "./refusals.ts";

export type Json = Record<string, unknown>;

export interface TextRule {
  min?: number;
  max?: number;
  required?: boolean;
  pattern?: RegExp;
}

export interface NumberRule {
  min?: number;
  max?: number;
  required?: boolean;
}

export interface ListRule {
  min?: number;
  max?: number;
  required?: boolean;
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A JSON object under inspection. Getters give `undefined` for what is absent or wrong, `null` where null was given.
 */
export class Form {
  readonly value: Json;
  readonly #path: readonly string[];
  readonly #tree: ErrorTree;
  readonly #count: { errors: number };

  constructor(value: unknown, path: readonly string[] = [], tree: ErrorTree = {}, count = { errors: 0 }) {
    this.#path = path;
    this.#tree = tree;
    this.#count = count;
    this.value = isObject(value) ? value : {};
    if (!isObject(value)) this.fail("", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType");
  }

  /** Whether the field was given at all (null counts). */
  has(key: string): boolean {
    return this.value[key] !== undefined;
  }

  /** Notes an error at `key` (dotted; empty: at this object itself). */
  fail(key: string, code: string, message: string): void {
    this.#count.errors += 1;
    addError(this.#tree, [...this.#path, ...(key === "" ? [] : key.split("."))], { code, message });
  }

  /** Whether anything has been noted so far, here or in any part of the same body. */
  get failed(): boolean {
    return this.#count.errors > 0;
  }

  /** Throws 50035 if anything was noted. */
  done(): void {
    if (this.failed) throw badForm(this.#tree);
  }

  text(key: string, rule: TextRule = {}): string | null | undefined {
    const value = this.#present(key, rule.required);
    if (value === undefined || value === null) return value;
    if (typeof value === "string") return this.#measured(key, value, rule);
    this.fail(key, "STRING_TYPE_CONVERT", `Could not interpret "${JSON.stringify(value)}" as string.`);
    return undefined;
  }

  integer(key: string, rule: NumberRule = {}): number | null | undefined {
    const value = this.#present(key, rule.required);
    if (value === undefined || value === null) return value;
    if (typeof value !== "number" || !Number.isInteger(value)) {
      this.fail(key, "NUMBER_TYPE_COERCE", `Value ${JSON.stringify(value)} is not int.`);
      return undefined;
    }
    if (rule.max !== undefined && value > rule.max) {
      this.fail(key, "NUMBER_TYPE_MAX", `int value should be less than or equal to ${rule.max}.`);
    } else if (rule.min !== undefined && value < rule.min) {
      this.fail(key, "NUMBER_TYPE_MIN", `int value should be greater than or equal to ${rule.min}.`);
    }
    return value;
  }

  boolean(key: string): boolean | null | undefined {
    const value = this.#present(key, false);
    if (value === undefined || value === null || typeof value === "boolean") return value;
    this.fail(key, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.");
    return undefined;
  }

  choice<T extends string | number>(key: string, allowed: readonly T[], required = false): T | null | undefined {
    const value = this.#present(key, required);
    if (value === undefined || value === null) return value;
    const found = allowed.find((one) => one === value);
    if (found === undefined) {
      this.fail(key, "BASE_TYPE_CHOICES", `Value must be one of {${allowed.join(", ")}}.`);
    }
    return found;
  }

  snowflake(key: string, required = false): string | null | undefined {
    const value = this.#present(key, required);
    if (value === undefined || value === null) return value;
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && /^\d{1,20}$/.test(text)) return text;
    this.fail(key, "NUMBER_TYPE_COERCE", `Value ${JSON.stringify(value)} is not snowflake.`);
    return undefined;
  }

  url(key: string, schemes: readonly string[], max: number, required = false): string | null | undefined {
    const text = this.text(key, { max, required });
    if (typeof text !== "string") return text;
    if (!URL.canParse(text)) {
      this.fail(key, "URL_TYPE_INVALID_URL", "Not a well formed URL.");
      return undefined;
    }
    if (!schemes.includes(new URL(text).protocol.slice(0, -1))) {
      this.fail(
        key,
        "URL_TYPE_INVALID_SCHEME",
        `Scheme "${new URL(text).protocol.slice(0, -1)}" is not supported. Scheme must be one of (${schemes.map((one) => `'${one}'`).join(", ")}).`,
      );
      return undefined;
    }
    return text;
  }

  object<T>(key: string, read: (form: Form) => T, required = false): T | null | undefined {
    const value = this.#present(key, required);
    if (value === undefined || value === null) return value;
    return read(this.#part(key, value));
  }

  list<T>(key: string, rule: ListRule, read: (form: Form, index: number) => T): T[] | null | undefined {
    const values = this.values(key, rule);
    if (!Array.isArray(values)) return values;
    return values.map((value, index) => read(this.#part(`${key}.${index}`, value), index));
  }

  /** A list of plain values, its length checked. */
  values(key: string, rule: ListRule): unknown[] | null | undefined {
    const value = this.#present(key, rule.required);
    if (value === undefined || value === null) return value;
    if (!Array.isArray(value)) {
      this.fail(key, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
      return undefined;
    }
    const [min, max] = [rule.min ?? 0, rule.max ?? Number.POSITIVE_INFINITY];
    if (value.length < min || value.length > max) {
      const [code, message] = lengthError(min, max);
      this.fail(key, code, message);
    }
    return value;
  }

  #part(key: string, value: unknown): Form {
    return new Form(value, [...this.#path, ...key.split(".")], this.#tree, this.#count);
  }

  #present(key: string, required: boolean | undefined): unknown {
    const value = this.value[key];
    if (required === true && (value === undefined || value === null)) {
      this.fail(key, "BASE_TYPE_REQUIRED", "This field is required");
      return undefined;
    }
    return value;
  }

  #measured(key: string, text: string, rule: TextRule): string {
    const [min, max] = [rule.min ?? 0, rule.max ?? Number.POSITIVE_INFINITY];
    const length = characters(text);
    if (length === 0 && min > 0) this.fail(key, "BASE_TYPE_REQUIRED", "This field is required");
    else if (length < min || length > max) this.fail(key, ...lengthError(min, max));
    else if (rule.pattern !== undefined && !rule.pattern.test(text)) {
      this.fail(key, "STRING_TYPE_REGEX", "String value did not match validation regex.");
    }
    return text;
  }
}

/** Length as Discord counts it: code points. */
export function characters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff && index + 1 < text.length) index += 1;
    count += 1;
  }
  return count;
}

function lengthError(min: number, max: number): [code: string, message: string] {
  if (max === Number.POSITIVE_INFINITY) return ["BASE_TYPE_MIN_LENGTH", `Must be ${min} or more in length.`];
  if (min === 0) return ["BASE_TYPE_MAX_LENGTH", `Must be ${max} or fewer in length.`];
  return ["BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${max} in length.`];
}
