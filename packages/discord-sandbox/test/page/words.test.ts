/** The page's sentences: four languages, equal keys, equal braces. */
import { expect, test } from "vitest";
import { pageCatalogues, wordsFor } from "../../src/page/words/words.ts";

const braces = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map((m) => m[0]).sort();

test.each(["ko", "ja", "zh-TW"] as const)("%s says everything English says, with the same braces", (locale) => {
  expect(Object.keys(pageCatalogues[locale])).toEqual(Object.keys(pageCatalogues.en));
  for (const [key, english] of Object.entries(pageCatalogues.en)) {
    const said = pageCatalogues[locale][key as keyof typeof pageCatalogues.en];
    expect(said.trim(), key).not.toBe("");
    expect(braces(said), key).toEqual(braces(english));
  }
});

test("a browser's tag finds its language, and a brace without its argument stays visible", () => {
  expect(wordsFor("ko-KR", "send")).toBe("보내기");
  expect(wordsFor("de-DE", "send")).toBe("Send");
  expect(wordsFor("en", "replyingTo")).toBe("Replying to {name}");
});
