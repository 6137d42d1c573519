import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { agentText } from "../../../src/discord/text/agent-text.ts";
import { openMarkdown, widthOf } from "../../../src/discord/text/markdown.ts";
import { contentOf, split } from "../../../src/discord/text/split.ts";
import { table } from "../markdown-corpus.ts";

const md = openMarkdown();
const shown = (source: string): string[] => agentText(source, md).text.split("\n");
const messages = (source: string, limit?: number): string[] =>
  Array.from(split(agentText(source, md), md, limit), contentOf);

describe("a table", () => {
  test("is laid out in columns as wide as a terminal draws them: Korean, Japanese, Chinese, emoji, marks upon letters", () => {
    const source = [
      "| 이름 | 상태 | time |",
      "|:--|:-:|--:|",
      "| 장바구니 | ✅ | 1.2s |",
      "| 決済テスト | ❌ | 12.5s |",
      "| 中文 | ⚠️ | 0.3s |",
      "| 家族 👩‍👩‍👧‍👦 | 🇰🇷 | 9s |",
      "| nai\u0308ve | 👍🏽 | 1s |",
    ].join("\n");
    expect(shown(source)).toEqual([
      "```",
      "이름        상태   time",
      "----------  ----  -----",
      "장바구니     ✅    1.2s",
      "決済テスト   ❌   12.5s",
      "中文         ⚠️    0.3s",
      "家族 👩‍👩‍👧‍👦      🇰🇷      9s",
      "nai\u0308ve        👍🏽      1s",
      "```",
    ]);
  });

  test("ends every column of its rows at the same place, whatever is in it", () => {
    fc.assert(
      fc.property(table, (source) => {
        const lines = shown(source.replaceAll("---:", "---").replace(/(?<=\|) (:--|--:|:-:) (?=\|)/g, " :-- "));
        const rule = lines[2] ?? "";
        if (lines[0] !== "```" || !/^-[- ]*$/.test(rule)) return;
        const ends = [...rule.matchAll(/-+/g)].map((match) => match.index).slice(1);
        for (const line of [lines[1] ?? "", ...lines.slice(3, -1)]) {
          expect(stringWidth(line)).toBeLessThanOrEqual(rule.length);
          for (const end of ends) if (stringWidth(line) > end) expect(cellAt(line, end - 2)).toBe("  ");
        }
      }),
      { numRuns: 300 },
    );
  });

  test("of plain ASCII is as wide as it has characters", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        (text) =>
          void (
            /[\p{Cc}[\p{Cf}--\p{Default_Ignorable_Code_Point}]]/v.test(text) ||
            expect(widthOf(text)).toBe(stringWidth(text))
          ),
      ),
    );
  });

  test.each([
    ["\u{13430}", 0],
    ["a\u{600}", 1],
    ["\u{fff9}한글\u{fffb}", 4],
  ])("with format characters such as %j has a width", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  test("too wide for a line becomes a list of its rows, each value with its column's name, links with where they lead", () => {
    const source = `| Endpoint | What it does | Since |\n|---|---|---|\n| \`GET /a\\|b\` | ${"words ".repeat(10)}[docs](https://example.com/x) | 1.4 |\n| **b** | | 1.0 |`;
    expect(shown(source)).toEqual([
      "**Endpoint** **GET /a\\|b**",
      `- **What it does**: ${"words ".repeat(10)}[docs]\\(<https://example.com/x>)`,
      "- **Since**: 1.4",
      "",
      "**Endpoint** **b**",
      "- **Since**: 1.0",
    ]);
  });

  test("as a list leaves an address as it is, whatever letters it has", () => {
    const source = `| Page | What it is about |\n|---|---|\n| [docs](https://example.com/a_b_c*d**e) and a_b | ${"words ".repeat(12)} |`;
    expect(shown(source)[0]).toBe("**Page** **docs (<https://example.com/a_b_c%2Ad%2A%2Ae>) and a\\_b**");
  });

  test("as a list still names a column that has nothing but its name", () => {
    const source = `| a | ${"long ".repeat(15)}| empty |\n|---|---|---|\n| 1 | x | |\n| 2 | y | |`;
    expect(shown(source).filter((line) => line.includes("empty"))).toEqual(["- **empty**: –", "- **empty**: –"]);
  });

  test("that says nothing leaves no empty code behind", () => {
    expect(shown("|  |\n|---|\n|  |\n\nb")).toEqual(["", "", "b"]);
  });

  test("whose header says nothing has none", () => {
    expect(shown("| | |\n|---|---|\n| a | b |")).toEqual(["```", "a  b", "```"]);
  });

  test("in a quote and in a list stays there", () => {
    expect(shown("> | a | b |\n> |---|---|\n> | 1 | 2 |\n>\n> more")).toEqual([
      "> ```",
      "> a  b",
      "> -  -",
      "> 1  2",
      "> ```",
      ">",
      "> more",
    ]);
    expect(shown("- | a | b |\n  |---|---|\n  | 1 | 2 |\n- more")).toEqual([
      "-",
      "```",
      "a  b",
      "-  -",
      "1  2",
      "```",
      "- more",
    ]);
  });

  test("of any length is read whole, and what comes below it is not taken for a row", () => {
    for (const rows of [0, 1, 19, 20, 21, 40, 41, 100]) {
      const body = Array.from({ length: rows }, (_, n) => `| ${n} | x |`);
      for (const below of ["", "\nwords", "\n# Title", "\n> quote", "\n```\ncode\n```"]) {
        const laid = md.table(["| a | b |", "|---|---|", ...body].join("\n") + below.replace("\nwords", "\n\nwords"));
        expect(laid?.body).toHaveLength(rows);
        expect(laid?.lines).toBe(rows + 2);
      }
    }
  });

  test("that is cut has its header above every part, and no row is cut", () => {
    const rows = Array.from({ length: 200 }, (_, n) => `| file-${n}.ts | ${n * 7} | 완료 |`);
    const parts = messages(`Before.\n\n| File | Lines | 상태 |\n|---|--:|---|\n${rows.join("\n")}\n\nAfter.`);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      const lines = part.split("\n");
      const opens = lines.indexOf("```");
      expect(lines[opens + 1]).toMatch(/^File +Lines {2}상태$/);
      expect(lines[opens + 2]).toMatch(/^-+ {2}-+ {2}-+$/);
      expect(lines.filter((line) => line === "```")).toHaveLength(2);
      for (const line of lines.slice(opens + 3, lines.indexOf("```", opens + 1)))
        expect(line).toMatch(/^file-\d+\.ts +\d+ {2}완료$/);
    }
    expect(parts.join("\n").match(/^file-\d+/gm)).toHaveLength(200);
  });

  test("that fits into the next message is not cut", () => {
    const rows = Array.from({ length: 40 }, (_, n) => `| file-${n}.ts | ${n * 7} |`);
    const parts = messages(`${"prose ".repeat(230)}\n\n| File | Lines |\n|---|---|\n${rows.join("\n")}\n`);
    expect(parts).toHaveLength(2);
    expect(parts[1]?.match(/^file-/gm)).toHaveLength(40);
  });
});

/** The two columns of a line from this one on. */
function cellAt(line: string, from: number): string {
  let column = 0;
  let found = "";
  for (const { segment } of new Intl.Segmenter("en").segment(line)) {
    if (column >= from && column < from + 2) found += segment;
    column += stringWidth(segment);
  }
  return found;
}
