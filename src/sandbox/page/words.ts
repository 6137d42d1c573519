/** The page's sentences in the reader's language; English where none of the four is near. */
import { localeFrom, type Locale, type WordArgs } from "../../base/words/say.ts";
import { en } from "../../base/words/page/en.ts";
import { ja } from "../../base/words/page/ja.ts";
import { ko } from "../../base/words/page/ko.ts";
import { zhTW } from "../../base/words/page/zh-tw.ts";

export type PageWord = keyof typeof en;

export const pageCatalogues: Record<Locale, Record<PageWord, string>> = { en, ko, ja, "zh-TW": zhTW };

/** The sentence under `key` for a browser's locale tag, its braces filled. */
export function wordsFor(tag: string, key: PageWord, args: WordArgs = {}): string {
  return pageCatalogues[localeFrom(tag)][key].replace(/\{(\w+)\}/g, (brace, name: string) => String(args[name] ?? brace));
}
