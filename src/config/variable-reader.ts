/**
 * Reads variables one by one, each in its format. The first malformed one is thrown as an error that says what was
 * found, what is expected, and how to fix it.
 */
import { isAbsolute, resolve } from "node:path";
import { isSnowflake } from "../base/ids.ts";
import { terminalLine } from "../base/terminal-text.ts";
import { catalogues, say, type Locale } from "../base/words/say.ts";
import type { VariableName } from "./environment.ts";
import { isNear, isThisMachine, underHome } from "./homes.ts";
import { invalid } from "./invalid.ts";
import type { TokenSources } from "./token.ts";

const LONGEST_POLL_SECONDS = 3600;

/** The value of a variable and where it comes from. */
export interface Given {
  value: string;
  /** The base of relative paths in it. */
  folder: string;
  /** The file it is in; null for the environment. */
  file: string | null;
}

export class Reader {
  readonly locale: Locale;
  readonly #given: (name: VariableName) => Given | undefined;
  readonly #home: string;
  readonly #warnings: string[] = [];

  /**
   * @param home what `~` means
   * @throws E_CONFIG_INVALID if the locale is not supported
   */
  constructor(given: (name: VariableName) => Given | undefined, locale: Locale | string, home: string) {
    this.#given = given;
    this.#home = home;
    this.locale = isLocale(locale) ? locale : "en";
    if (!isLocale(locale)) {
      throw invalid("en", {
        where: "BELLHOP_LOCALE",
        found: locale,
        want: "config.want.one_of",
        mend: "config.mend.variable",
        args: { names: Object.keys(catalogues).join(", "), name: "BELLHOP_LOCALE" },
      });
    }
  }

  text(name: VariableName): string | undefined {
    return this.#given(name)?.value;
  }

  tokens(): TokenSources {
    return {
      DISCORD_BOT_TOKEN: this.text("DISCORD_BOT_TOKEN"),
      DISCORD_TOKEN: this.text("DISCORD_TOKEN"),
      DISCORD_TOKEN_FILE: this.path("DISCORD_TOKEN_FILE"),
    };
  }

  id(name: VariableName): string | undefined {
    const value = this.text(name);
    if (value === undefined || isSnowflake(value)) return value;
    const owner = name === "DISCORD_OWNER_ID" || name === "DISCORD_ALLOWED_USER_ID";
    throw invalid(this.locale, {
      where: name,
      found: value,
      want: owner ? "config.want.user_id" : "config.want.snowflake",
      mend: owner ? "config.mend.user_id" : "config.mend.snowflake",
      args: { name },
    });
  }

  path(name: VariableName): string | undefined {
    const given = this.#given(name);
    return given && resolve(given.folder, underHome(given.value, this.#home));
  }

  /**
   * A JSON array of directories. Each entry counts for itself: one that can be none is left out, and `warnings` names
   * it.
   */
  paths(name: VariableName, example: string): string[] {
    const value = this.text(name);
    const entries = value === undefined ? [] : parsedJson(value);
    if (!Array.isArray(entries)) throw this.#noTexts(name, example);
    return entries.flatMap((entry: unknown, at) => {
      const path = typeof entry === "string" ? underHome(entry, this.#home) : "";
      if (isAbsolute(path) && !path.includes("\0")) return [path];
      this.#warnings.push(
        say(this.locale, "config.entry_left_out", {
          name,
          number: at + 1,
          found: terminalLine(JSON.stringify(entry), 80),
        }),
      );
      return [];
    });
  }

  /** Whole or fractional seconds, as milliseconds. */
  seconds(name: VariableName, otherwise: number): number {
    const value = this.text(name);
    const seconds = value === undefined ? otherwise : /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
    if (seconds > 0 && seconds <= LONGEST_POLL_SECONDS) return Math.max(1, Math.round(seconds * 1000));
    throw invalid(this.locale, {
      where: name,
      found: value,
      want: "config.want.seconds",
      mend: "config.mend.variable",
      args: { max: LONGEST_POLL_SECONDS, name },
    });
  }

  /** A JSON array of strings. */
  texts(name: VariableName, example: string, least: number): string[] | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const parsed = parsedJson(value);
    if (isTexts(parsed) && parsed.length >= least && parsed.every((text) => text !== "" && !text.includes("\0")))
      return parsed;
    throw this.#noTexts(name, example);
  }

  #noTexts(name: VariableName, example: string): Error {
    return invalid(this.locale, {
      where: name,
      found: this.text(name),
      want: "config.want.texts",
      mend: "config.mend.variable",
      args: { example, name },
    });
  }

  /**
   * The address of a REST API. The token is sent there, so not unencrypted over a network; and because somebody else
   * may have written a file, a file may only name Discord or this machine.
   */
  api(name: VariableName): string | undefined {
    const { value, file } = this.#given(name) ?? {};
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const safe = url !== undefined && (url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url)));
    const plain =
      url !== undefined && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
    if (safe && plain && (file === null || isNear(value))) return value.replace(/(?<!\/)\/+$/, "");
    const [want, mend] =
      safe && plain
        ? (["config.want.api_in_file", "config.mend.api_in_file"] as const)
        : (["config.want.api", "config.mend.variable"] as const);
    throw invalid(this.locale, { where: name, found: value, want, mend, args: { name, path: file ?? "" } });
  }

  /** Of what was read until now. */
  warnings(): string[] {
    const first = this.text("DISCORD_BOT_TOKEN");
    const second = this.text("DISCORD_TOKEN");
    const twoTokens = first !== undefined && second !== undefined && first !== second;
    return [
      ...(twoTokens
        ? [say(this.locale, "config.two_tokens", { first: "DISCORD_BOT_TOKEN", second: "DISCORD_TOKEN" })]
        : []),
      ...this.#warnings,
    ];
  }
}

function isLocale(text: string): text is Locale {
  return Object.hasOwn(catalogues, text);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}
