/**
 * Every sentence to a person goes through `say`: a key, the person's locale, and what fills the braces.
 * The English catalogue is the list of keys; the other three must have exactly the same ones, with the
 * same braces (`test/base/words.test.ts`).
 */
import { en } from "./en.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import { zhTW } from "./zh-tw.ts";

export type Locale = "en" | "ko" | "ja" | "zh-TW";
export type WordKey = keyof typeof en;
export type WordArgs = Record<string, string | number | boolean>;

export const catalogues: Record<Locale, Record<WordKey, string>> = { en, ko, ja, "zh-TW": zhTW };

/** The sentence under `key`; a brace without its argument stays visible, so a mistake is seen. */
export function say(locale: Locale, key: WordKey, args: WordArgs = {}): string {
  return catalogues[locale][key].replace(/\{(\w+)\}/g, (brace, name: string) => {
    const value = args[name];
    return value === undefined ? brace : String(value);
  });
}

/** The nearest of our four for any locale Discord or the environment names; English where none is near. */
export function localeFrom(tag: string | undefined): Locale {
  const lower = (tag ?? "").toLowerCase().replace("_", "-");
  if (lower.startsWith("ko")) return "ko";
  if (lower.startsWith("ja")) return "ja";
  if (lower.startsWith("zh")) return "zh-TW";
  return "en";
}
