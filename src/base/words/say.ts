/**
 * Every sentence to a person goes through `say`: a key, the person's locale, and what fills the braces.
 * The English catalogue is the list of keys; the others must have exactly the same ones, with the same braces
 * (`test/base/words.test.ts`).
 */
import { once } from "../once.ts";
import { en } from "./en.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import { zhTW } from "./zh-tw.ts";

export type WordKey = keyof typeof en;
export type WordArgs = Record<string, string | number | boolean>;

/** By Discord's name for each language. The first is the one for everybody else. */
export const catalogues = { en, ko, ja, "zh-TW": zhTW } satisfies Record<string, Record<WordKey, string>>;
export type Locale = keyof typeof catalogues;
export const locales = Object.keys(catalogues) as Locale[];

const plurals = Object.fromEntries(
  locales.map((locale) => [locale, once(() => new Intl.PluralRules(locale))]),
) as Record<Locale, () => Intl.PluralRules>;

/**
 * The sentence under `key`. `{count}` is filled with that argument; `{count|file|files}` is the word for so many of
 * something: the first for one of it, the second for others. A brace without its argument stays visible, so a mistake is
 * seen.
 */
export function say(locale: Locale, key: WordKey, args: WordArgs = {}): string {
  return (catalogues[locale][key] as string).replace(BRACE, (brace, name: string, one?: string, others?: string) => {
    const value = args[name];
    if (value === undefined) return brace;
    if (one === undefined) return String(value);
    // The number may be written with commas.
    return (plurals[locale]().select(Number(String(value).replaceAll(",", ""))) === "one" ? one : others) ?? brace;
  });
}

const BRACE = /\{(\w+)(?:\|([^{|}]*)\|([^{|}]*))?\}/g;

/**
 * Why something failed, as a part of a sentence: `because` is a key of ours, which may be a later version's; `reason`
 * is somebody else's words, and in quotation marks. Undefined where neither is known.
 */
export function sayReason(
  locale: Locale,
  args: WordArgs,
  sayOurs: (key: WordKey) => string = (key) => say(locale, key, args),
): string | undefined {
  const { because, reason } = args;
  if (typeof because === "string" && Object.hasOwn(catalogues[locale], because)) return sayOurs(because as WordKey);
  return typeof reason === "string" ? say(locale, "quoted", { words: reason.replace(/\.$/, "") }) : undefined;
}

/**
 * The sentence with its reason, in the reader's language where it is ours; as it is where the sentence has it as code.
 */
export function sayWithReason(locale: Locale, key: WordKey, args: WordArgs = {}): string {
  const reason = say(locale, key).includes("`{reason}`") ? undefined : sayReason(locale, args);
  return say(locale, key, reason === undefined ? args : { ...args, reason });
}

/**
 * The word for a state, or for a failure of a request; one that has none, such as the system's `ECONNREFUSED`, stays as
 * it is.
 */
export function sayState(locale: Locale, state: string): string {
  const key = `cli.state.${state.replaceAll(" ", "_")}`;
  return Object.hasOwn(catalogues[locale], key) ? say(locale, key as WordKey) : state;
}

/** Ours for any locale that Discord or the environment names: the same language, whatever the region; else English. */
export function localeFrom(tag: string | undefined): Locale {
  const language = languageOf(tag ?? "");
  return locales.find((locale) => languageOf(locale) === language) ?? "en";
}

/** `zh` of `zh_TW.UTF-8`. */
function languageOf(tag: string): string {
  return tag.toLowerCase().split(/[-_.@]/)[0] ?? "";
}
