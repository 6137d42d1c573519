/** The page's sentences in the reader's language; English where none of the four is near. */
import { en } from "./en.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import { zhTW } from "./zh-tw.ts";

export type Locale = "en" | "ko" | "ja" | "zh-TW";
export type PageWord = keyof typeof en;
export type WordArgs = Record<string, string | number | boolean>;

export const pageCatalogues: Record<Locale, Record<PageWord, string>> = { en, ko, ja, "zh-TW": zhTW };

/** The sentence under `key` for a browser's locale tag, its braces filled. */
export function wordsFor(tag: string, key: PageWord, args: WordArgs = {}): string {
  return pageCatalogues[localeFrom(tag)][key].replace(/\{(\w+)\}/g, (brace, name: string) =>
    String(args[name] ?? brace),
  );
}

/** The nearest of the four for a language tag; English where none is near. */
function localeFrom(tag: string): Locale {
  const lower = tag.toLowerCase();
  if (lower.startsWith("ko")) return "ko";
  if (lower.startsWith("ja")) return "ja";
  if (lower.startsWith("zh")) return "zh-TW";
  return "en";
}
