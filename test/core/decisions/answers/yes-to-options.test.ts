/** Yes, no and parts of names, said to a question with options: as the table has them, and as laws for any options. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAnswer } from "../../../../src/core/decisions/answers/read-answer.ts";
import { chinese, english, japanese, korean, type Row } from "../../answers/yes-to-options.ts";

const tables = { english, korean, japanese, chinese };
const cases = (
  rows: readonly Row[],
): [text: string, question: string, options: string, expected: string, all: readonly string[]][] =>
  rows.flatMap(({ question, options, texts }) =>
    Object.entries(texts).flatMap(([expected, typed]) =>
      typed.map((text): [string, string, string, string, readonly string[]] => [
        text,
        question,
        options.join(" | "),
        expected,
        options,
      ]),
    ),
  );

function read(text: string, options: readonly string[]): string {
  const reading = readAnswer(text, { options, words: true });
  if (reading.kind === "options") return reading.places.map((place) => String.fromCharCode(65 + place)).join("");
  return reading.kind === "unclear" ? reading.why : reading.kind;
}

describe.each(Object.entries(tables))("in %s", (_language, rows) => {
  test.each(cases(rows))("%j to %j of [%s] is read as %s", (text, _question, _options, expected, options) => {
    expect(read(text, options)).toBe(expected);
  });
});

/** Say yes or no and nothing else, in four languages, politely, briefly, twice, and by signs. */
const yes = [
  "yes",
  "Yes!",
  "y",
  "yeah",
  "yep",
  "ok",
  "OK.",
  "sure",
  "yes please",
  "of course",
  "go ahead",
  "👍",
  "✅",
  "네",
  "네!",
  "예",
  "응",
  "넵",
  "네네",
  "그래요",
  "좋아요",
  "알겠습니다",
  "はい",
  "うん",
  "ええ",
  "はい、お願いします",
  "了解です",
  "是",
  "是的",
  "好",
  "好的",
  "可以",
  "行",
  "對",
  "沒問題",
];
const no = [
  "no",
  "No.",
  "n",
  "nope",
  "nah",
  "no thanks",
  "👎",
  "❌",
  "아니요",
  "아니",
  "아뇨",
  "ㄴㄴ",
  "싫어요",
  "안돼요",
  "아닙니다",
  "いいえ",
  "いや",
  "だめ",
  "違います",
  "不",
  "不是",
  "不要",
  "不行",
  "否",
  "沒有",
];
const bare = fc.constantFrom(...yes, ...no);

/** Of which none begins with a yes or a no of its own. */
const names = [
  "Delete",
  "Keep",
  "Deploy",
  "Hold",
  "Approve",
  "Reject",
  "Merge it",
  "Wait for CI",
  "Use Redis",
  "Use Memcached",
  "Rename the column",
  "Do nothing",
  "OKR report",
  "Notebook",
  "Yesterday's build",
  "삭제",
  "유지",
  "지금 배포",
  "보류",
  "예약",
  "네이버",
  "아니메",
  "승인",
  "거절",
  "削除",
  "保持",
  "今すぐ実行",
  "中止",
  "はいふん",
  "刪除",
  "保留",
  "馬上執行",
  "好評",
  "不動產",
  "對象存儲",
  "行動版",
  "🚀 Ship it",
  "🗑 Drop it",
  "1. Tag",
  "2. Branch",
];
const options = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 6 });

describe("whatever the options are", () => {
  test("a bare yes or no to options that do not say so chooses none of them, and asks which one", () => {
    fc.assert(
      fc.property(options, bare, (asked, text) => void expect(read(text, asked)).toBe("which")),
      { numRuns: 3000 },
    );
  });

  test("where only one of them says yes or no, it is not chosen by it either", () => {
    const begins = fc.constantFrom(
      "Yes, go",
      "No, leave it",
      "네, 진행",
      "아니요, 그만",
      "はい、進める",
      "いいえ、やめる",
      "是，部署",
      "否，先不要",
    );
    fc.assert(
      fc.property(options, begins, bare, (asked, one, text) => void expect(read(text, [...asked, one])).toBe("which")),
      { numRuns: 3000 },
    );
  });

  test("where one says yes and another no, these are what a bare yes and no mean, in every language and order", () => {
    const pairs = fc.constantFrom(
      ["Yes, go", "No, leave it"],
      ["네, 진행", "아니요, 그만"],
      ["はい、進める", "いいえ、やめる"],
      ["是，部署", "否，先不要"],
      ["Yes", "No"],
      ["Y", "N"],
      ["👍", "👎"],
    );
    const nodding = new Set(["알겠습니다", "아닙니다", "違います", "沒有"]);
    fc.assert(
      fc.property(
        options,
        pairs,
        fc.nat(),
        bare.filter((text) => !nodding.has(text)),
        (others, pair, nat, text) => {
          const asked = others.toSpliced(nat % (others.length + 1), 0, ...(nat % 2 === 0 ? pair : pair.toReversed()));
          expect(asked["ABCDEFGHIJ".indexOf(read(text, asked))]).toBe(pair[yes.includes(text) ? 0 : 1]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("an option that is named is chosen, with a yes before it or without, and with what changes nothing around it", () => {
    const around = [
      "%",
      "% please",
      "yes, %",
      "ok, %",
      "let's %",
      "%!",
      " % ",
      "네, %",
      "はい、%",
      "好，%",
      "“%”",
      "**%**",
    ];
    fc.assert(
      fc.property(options, fc.nat(), fc.constantFrom(...around), (asked, nat, form) => {
        const named = asked[nat % asked.length] ?? "";
        expect(asked["ABCDEF".indexOf(read(form.replace("%", named), asked))]).toBe(named);
      }),
      { numRuns: 3000 },
    );
  });

  const texts = fc.oneof(
    bare,
    fc.constantFrom(...names),
    fc.constantFrom(
      "deploy",
      "ship it",
      "redis",
      "use",
      "ci",
      "rename",
      "column",
      "nothing",
      "배포",
      "실행",
      "実行",
      "執行",
      "存儲",
      "memcache",
      "merge",
      "yes, merge",
      "no, merge it",
      "keep it",
      "later",
      "why?",
      "maybe",
    ),
  );

  test("their order changes nothing but the place", () => {
    const unnumbered = options.map((all) => all.filter((one) => !/^\d/.test(one))).filter(({ length }) => length > 0);
    fc.assert(
      fc.property(
        unnumbered.chain((one) => fc.tuple(fc.constant(one), fc.shuffledSubarray(one, { minLength: one.length }))),
        texts,
        ([one, other], text) => {
          const chosen = (asked: readonly string[]): string =>
            asked["ABCDEF".indexOf(read(text, asked))] ?? read(text, asked);
          expect(chosen(other)).toBe(chosen(one));
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("words of an option choose it only if no other option has them all, and never one that says not to", () => {
    const verbs = fc.constantFrom("delete", "archive", "rename", "publish");
    const things = fc.constantFrom("logs", "reports", "drafts", "branches");
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(verbs, things), {
          minLength: 2,
          maxLength: 5,
          selector: ([verb, thing]) => `${verb} ${thing}`,
        }),
        verbs,
        things,
        (pairs, verb, thing) => {
          const asked = pairs.map(([one, other]) => `${one} the ${other}`);
          for (const [text, fits] of [
            [verb, ([one]: [string, string]) => one === verb],
            [`${verb} them`, ([one]: [string, string]) => one === verb],
            [`${verb} ${thing}`, ([one, other]: [string, string]) => one === verb && other === thing],
          ] as const) {
            const fitting = pairs.filter(fits);
            const chosen = asked["ABCDE".indexOf(read(text, asked))];
            expect(chosen).toBe(
              fitting.length === 1 && fitting[0] ? `${fitting[0][0]} the ${fitting[0][1]}` : undefined,
            );
          }
          expect(read(`${verb} the ${thing}`, [`Do not ${verb} the ${thing}`, "Ask again"])).toBe("unknown");
        },
      ),
    );
  });
});
