import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentText } from "../../../src/discord/text/agent-text.ts";
import { growingAnswer, wholeAnswer, type AnswerConfig } from "../../../src/discord/views/jobs/answer.ts";
import { IncrementalRendering } from "../../../src/discord/text/incremental-rendering.ts";
import { openMarkdown } from "../../../src/discord/text/markdown.ts";
import { contentOf, split } from "../../../src/discord/text/split.ts";
import { job, message, Scene, T1 } from "../../core/scene.ts";
import { readAsDiscord } from "../../fakes/discord-markdown.ts";
import { markdown } from "../markdown-corpus.ts";

const LONG = process.env["BELLHOP_TEST_LONG"] ? 20 : 1;
const LONG_TIME = LONG * 60_000;
/** Without the limit of time, which a machine that is busy elsewhere would reach. */
const md = openMarkdown((_ms, work) => work());
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const limit = fc.integer({ min: 250, max: 1000 });

describe("any Markdown in messages of any length", () => {
  test(
    "loses no character, breaks no limit, cuts no grapheme, and closes every fence it opens",
    () => {
      fc.assert(
        fc.property(markdown, limit, (source, most) => {
          const shown = agentText(source, md);
          const chunks = [...split(shown, md, most)];
          expect(chunks.map(({ body }) => body).join("")).toBe(shown.text);
          const places = new Set(Array.from(graphemes.segment(shown.text), ({ index }) => index));
          let at = 0;
          for (const chunk of chunks) {
            const content = contentOf(chunk);
            expect(content.length).toBeLessThanOrEqual(most);
            expect(at === 0 || places.has(at)).toBe(true);
            at += chunk.body.length;
            for (const { kind, text } of readAsDiscord(content)) {
              if (kind === "text") expect(text).not.toContain("```");
              expect(kind).not.toBe("link");
            }
          }
        }),
        { numRuns: 400 * LONG },
      );
    },
    LONG_TIME,
  );

  test(
    "says every word of the source, in its order where there is no table",
    () => {
      const said = (text: string): string =>
        (text.match(/[\p{L}\p{N}\p{Extended_Pictographic}\p{M}]/gu) ?? []).join("");
      fc.assert(
        fc.property(markdown, (source) => {
          const { text } = agentText(source, md);
          if (/\|\s*:?-+:?\s*\|/.test(source))
            for (const word of source.match(/[\p{L}\p{N}]{4,}/gu) ?? [])
              expect(text.includes(word) || word === "amp").toBe(true);
          else expect(said(text)).toBe(said(source));
        }),
        { numRuns: 400 * LONG },
      );
    },
    LONG_TIME,
  );
});

describe("an answer that grows", () => {
  const answered = ended();

  test.each(["file", "split"] as const)(
    "shows nothing that its end takes back (%s)",
    (long_answers) => {
      const config: AnswerConfig = { long_answers, max_file_bytes: 1e7 };
      const long = fc.array(markdown, { minLength: 1, maxLength: 8 }).map((parts) => parts.join("\n"));
      fc.assert(
        fc.property(
          long,
          fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
          (text, shares) => {
            const whole = new Map(
              wholeAnswer(answered, { text, left: 0 }, { config, markdown: md, locale: "en" }).map((part) => [
                part.number,
                part.body.content,
              ]),
            );
            for (const share of shares) {
              const { parts } = growingAnswer(text.slice(0, text.length * share), config, new IncrementalRendering(md));
              for (const part of parts) {
                expect(part.body.content.length).toBeLessThanOrEqual(2000);
                if (!part.open) expect(part.body.content).toBe(whole.get(part.number));
              }
            }
          },
        ),
        { numRuns: 60 * LONG },
      );
    },
    LONG_TIME,
  );

  test(
    "shows the same whether it was looked at once or all the time",
    () => {
      const long = fc
        .array(markdown, { minLength: 1, maxLength: 12 })
        .map((parts) => parts.join("\n").replaceAll("\n\n\n", "\r\n"));
      fc.assert(
        fc.property(long, fc.integer({ min: 2, max: 20 }), (text, looks) => {
          const incremental = new IncrementalRendering(md);
          for (let end = 0; end < text.length; end += Math.ceil(text.length / looks)) {
            const written = text.slice(0, end);
            expect(incremental.read(written, Infinity)).toEqual(new IncrementalRendering(md).read(written, Infinity));
          }
        }),
        { numRuns: 40 * LONG },
      );
    },
    LONG_TIME,
  );

  test("that begins anew is read anew", () => {
    const incremental = new IncrementalRendering(md);
    incremental.read("```ts\nconst a = 1;\n".repeat(300), Infinity);
    expect(incremental.read("Other words.\nAnd more", Infinity).contents).toEqual(["Other words.\nAnd more"]);
  });

  test("shows a long table that was read in parts with its header above every part", () => {
    const rows = Array.from({ length: 300 }, (_, n) => `| file-${n}.ts | ${n} | some words |\n`).join("");
    const text = `Before.\n\n| File | N | What |\n|---|---|---|\n${rows}\n${"After it. ".repeat(600)}\n\n${"More. ".repeat(600)}\n`;
    const incremental = new IncrementalRendering(md);
    for (let end = 0; end < text.length; end += 500) incremental.read(text.slice(0, end), Infinity);
    const { contents } = incremental.read(text, Infinity);
    expect(contents).toEqual([...split(agentText(text, md), md)].map(contentOf));
    expect(
      contents.filter((content) => /^file-/m.test(content)).every((content) => /^File +N +What$/m.test(content)),
    ).toBe(true);
  });

  test.each(["split", "file"] as const)("is read once, however often it is looked at (%s)", (long_answers) => {
    const text = Array.from(
      { length: 300 },
      (_, n) => `Paragraph ${n} ${"word ".repeat(30)}\n\n| a ${n} | b |\n|---|---|\n| 1 | 2 |\n\n`,
    ).join("");
    let read = 0;
    const count =
      <T>(reading: (source: string) => T) =>
      (source: string): T => ((read += source.length), reading(source));
    const incremental = new IncrementalRendering({ ...md, breakPoints: count(md.breakPoints), table: count(md.table) });
    for (let end = 0; end < text.length; end += 60) {
      read = 0;
      growingAnswer(text.slice(0, end), { long_answers, max_file_bytes: 1e7 }, incremental);
      // The message that is being filled, as far as it is decided and as far as it is written, and what begins behind
      // it.
      expect(read).toBeLessThan(10_000);
    }
  });
});

test.each([
  "한국어 ".repeat(70_000),
  "- item with *words* and `code`\n".repeat(6000),
  `\`\`\`ts\n${"const a = 1;\n".repeat(15_000)}\`\`\`\n`,
])("an answer of 200 kB is a file with its beginning and its end: %#", (text) => {
  const parts = wholeAnswer(
    ended(),
    { text, left: 0 },
    { config: { long_answers: "file", max_file_bytes: 1e7 }, markdown: md, locale: "en" },
  );
  expect(parts).toHaveLength(6);
  for (const { body } of parts) expect(body.content.length).toBeLessThanOrEqual(2000);
  const last = parts.at(-1)?.body.content ?? "";
  const end = (words: string): string => words.replace(/[\s`]+$/, "").slice(-100);
  expect(end(last)).toBe(end(text));
  expect(readAsDiscord(last).filter(({ kind, text: said }) => kind === "text" && said.includes("```"))).toEqual([]);
});

function ended() {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.finish(job(1));
  const one = scene.state.jobs[job(1)];
  if (!one) throw new Error("no job");
  return one;
}
