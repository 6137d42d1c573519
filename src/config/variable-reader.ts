/**
 * Reads one variable after another, each in its form. The first that is malformed is thrown as an error that says
 * what was found, what belongs there, and how to mend it.
 */
import { resolve } from "node:path";
import { isSnowflake } from "../base/ids.ts";
import { catalogues, say, type Locale } from "../base/words/say.ts";
import { variables, type VariableName } from "./environment.ts";
import { invalid } from "./invalid.ts";
import type { TokenSources } from "./token.ts";

const LONGEST_POLL_SECONDS = 3600;

export class Reader {
  readonly locale: Locale;
  readonly #value: (name: VariableName) => string | undefined;

  /** @throws E_CONFIG_INVALID when the locale is none of ours */
  constructor(value: (name: VariableName) => string | undefined, locale: Locale | string) {
    this.#value = value;
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
    return this.#value(name);
  }

  tokens(): TokenSources {
    return {
      DISCORD_BOT_TOKEN: this.text("DISCORD_BOT_TOKEN"),
      DISCORD_TOKEN: this.text("DISCORD_TOKEN"),
      DISCORD_TOKEN_FILE: this.text("DISCORD_TOKEN_FILE"),
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

  path(name: VariableName, cwd: string): string | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : resolve(cwd, value);
  }

  /** Whole or broken seconds, as milliseconds. */
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

  /** A JSON array of texts. */
  texts(name: VariableName, example: string, least: number): string[] | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const parsed = parsedJson(value);
    if (isTexts(parsed) && parsed.length >= least && parsed.every((text) => text !== "" && !text.includes("\0"))) return parsed;
    throw invalid(this.locale, { where: name, found: value, want: "config.want.texts", mend: "config.mend.variable", args: { example, name } });
  }

  /** An address of a REST API; the token goes there, so not in the clear over a network. */
  api(name: VariableName): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const loopback = url !== undefined && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
    const safe = url !== undefined && (url.protocol === "https:" || (url.protocol === "http:" && loopback));
    const plain = url !== undefined && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
    if (safe && plain) return value.replace(/\/+$/, "");
    throw invalid(this.locale, { where: name, found: value, want: "config.want.api", mend: "config.mend.variable", args: { name } });
  }

  warnings(): string[] {
    const names = Object.keys(variables) as VariableName[];
    const idle = names.filter((name) => variables[name].notYet === true && this.text(name) !== undefined);
    const first = this.text("DISCORD_BOT_TOKEN");
    const second = this.text("DISCORD_TOKEN");
    const twoTokens = first !== undefined && second !== undefined && first !== second;
    return [
      ...(twoTokens ? [say(this.locale, "config.two_tokens", { first: "DISCORD_BOT_TOKEN", second: "DISCORD_TOKEN" })] : []),
      ...idle.map((where) => say(this.locale, "config.not_yet", { where })),
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
