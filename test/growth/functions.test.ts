/**
 * What reads or shows the words of agents, people and files does about twice the work for twice of them, whatever
 * they are. A text of eight times the size is measured beside eight texts of that size, in time of the processor spent
 * in this thread alone, the least of several runs: what grows with the square takes eight times as long, and is far
 * from everything that a busy machine does to two measurements of like length.
 */
import { describe, expect, test } from "vitest";
import { formOf } from "../../src/agents/process/elicitation.ts";
import { isModest } from "../../src/base/json-size.ts";
import { Redactor } from "../../src/base/redact.ts";
import { longestBeginning, oneLine, withoutControls } from "../../src/base/text.ts";
import { readAnswer } from "../../src/core/decisions/answers/read-answer.ts";
import { reviewText } from "../../src/core/decisions/review-text.ts";
import { agentText } from "../../src/discord/text/agent-text.ts";
import { growingAnswer, wholeAnswer } from "../../src/discord/views/jobs/answer.ts";
import { IncrementalRendering } from "../../src/discord/text/incremental-rendering.ts";
import { openMarkdown, type Markdown } from "../../src/discord/text/markdown.ts";
import { contentOf, lastChunk, split } from "../../src/discord/text/split.ts";
import { LineSplitter } from "../../src/host/processes/pipes.ts";
import { job, message, Scene, T1 } from "../core/scene.ts";

const SMALL = 8_000;
/** Twice as much, three times over. */
const TIMES = 8;
/** Fresh memory takes more than in proportion on some machines; the square would be two for each doubling. */
const MOST_GROWTH = 1.5 ** 3;
/** What takes less is fast enough, whatever the small texts take. */
const LEAST_MS = 216;
/** What seems to grow too much is measured again, this often. */
const RUNS = 5;

/** What has brought readers of Markdown, of lines and of words to their knees, or may. */
const hostile: Record<string, (size: number) => string> = {
  "a table's rule of blanks": (size) => `a|b\n${" ".repeat(size)}x`,
  blanks: (size) => " ".repeat(size),
  "lines of blanks": (size) => `${" ".repeat(40)}\n`.repeat(size / 41),
  "empty lines": (size) => "\n".repeat(size),
  "carriage returns": (size) => "\r".repeat(size),
  "one line": (size) => "a".repeat(size),
  "one line of Korean": (size) => "가".repeat(size),
  "one line of joined pictures": (size) => "👩‍👩‍👧‍👦".repeat(size / 11),
  "letters with marks": (size) => `a${"\u0301".repeat(size)}`,
  words: (size) => "word ".repeat(size / 5),
  "sentences without an end": (size) => ".".repeat(size),
  backticks: (size) => "`".repeat(size),
  "backticks in pairs": (size) => "`` ".repeat(size / 3),
  "runs of backticks of each length": (size) =>
    Array.from({ length: Math.sqrt(size * 2) }, (_, n) => "`".repeat(n)).join(" "),
  "code spans that do not close": (size) => "`a ".repeat(size / 3),
  fences: (size) => "```\n".repeat(size / 4),
  "fences in quotes": (size) => "> > ```\n".repeat(size / 8),
  tildes: (size) => `${"~".repeat(size)}\``,
  "quotes in quotes": (size) => "> ".repeat(size / 2),
  "deeper and deeper lists": (size) =>
    Array.from({ length: Math.sqrt(size) }, (_, n) => `${" ".repeat(2 * n)}- a`).join("\n"),
  "lists on one line": (size) => "- ".repeat(size / 2),
  "numbers of a list": (size) => "1. ".repeat(size / 3),
  "brackets that open": (size) => "[".repeat(size),
  "images that open": (size) => "![".repeat(size / 2),
  "links that do not close": (size) => "[a](".repeat(size / 4),
  "links in links": (size) => `${"[".repeat(size / 4)}a${"](b)".repeat(size / 8)}`,
  stars: (size) => "*".repeat(size),
  "emphasis that does not match": (size) => "*a **a ".repeat(size / 7),
  "lines between words": (size) => "a_b_".repeat(size / 4),
  "angle brackets": (size) => "<".repeat(size),
  "comments that do not close": (size) => "<!-- ".repeat(size / 5),
  addresses: (size) => "https://a.b/c ".repeat(size / 14),
  "one address": (size) => `https://a.b/${"(".repeat(size)}`,
  "addresses without a gap": (size) => "http://".repeat(size / 7),
  entities: (size) => "&amp".repeat(size / 4),
  bars: (size) => "|".repeat(size),
  "a table's head of bars": (size) => `${"|".repeat(size / 2)}\n${"|-".repeat(size / 4)}`,
  "a table of many columns": (size) =>
    `${"|a".repeat(size / 6)}|\n${"|-".repeat(size / 6)}|\n${"|b".repeat(size / 6)}|`,
  "a table of many rows": (size) => `a|b\n-|-\n${"c|d\n".repeat(size / 4)}`,
  tables: (size) => "a|b\n-|-\nc|d\n\n".repeat(size / 13),
  "heads without a table": (size) => "a|b\n".repeat(size / 4),
  "rules without a table": (size) => "-|-\n".repeat(size / 4),
  "a rule that is none": (size) => `a|b\n${"|-".repeat(size / 2)}x`,
  mentions: (size) => "@everyone <@1> ".repeat(size / 15),
  escapes: (size) => "\\".repeat(size),
  "escape sequences": (size) => "\x1b[".repeat(size / 2),
  "titles of terminals": (size) => "\x1b]0;".repeat(size / 4),
  questions: (size) => "?!".repeat(size / 2),
  commas: (size) => ", ".repeat(size / 2),
  "either or": (size) => "a or b, ".repeat(size / 8),
  "a secret's beginning": (size) => "a-very-secret".repeat(size / 13),
  directions: (size) => "\u202e".repeat(size),
};

const scene = new Scene().withSessions(T1);
scene.hear(T1, message(1), "do it");
scene.finish(job(1));
const answered = scene.state.jobs[job(1)]!;
const config = { long_answers: "split", max_file_bytes: 1e7 } as const;
const asked = { options: ["1 replica", "3 replicas", "none"], many: true, words: true };
const redactor = new Redactor(["a-very-secret-token-of-ours", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]);

const form = (properties: object) => ({ mode: "form", requestedSchema: { properties } });

type Work = (text: string, markdown: Markdown) => unknown;

const works: Record<string, Work> = {
  "an answer in messages": (text, markdown) =>
    wholeAnswer({ ...answered }, { text, left: 0 }, { config, markdown, locale: "en" }),
  "an answer with a file": (text, markdown) =>
    wholeAnswer(
      { ...answered },
      { text, left: 0 },
      { config: { ...config, long_answers: "file" }, markdown, locale: "en" },
    ),
  "the end of an answer": (text, markdown) => contentOf(lastChunk(agentText(text, markdown), markdown, 0, 1400)),
  "an answer that grows": (text, markdown) => {
    const growth = new IncrementalRendering(markdown);
    for (let at = 1; at <= 20; at += 1)
      growingAnswer(text.slice(0, (text.length * at) / 20), { ...config, long_answers: "file" }, growth);
  },
  "the first message alone": (text, markdown) => split(agentText(text, markdown), markdown).next(),
  "words without controls": (text) => withoutControls(text),
  "one line of them": (text) => oneLine(text, 200),
  "their beginning": (text) => longestBeginning(text, 1900),
  "them without secrets": (text) => redactor.redactText(text),
  "them without secrets, in pieces": (text) => {
    const stream = redactor.stream();
    for (const piece of text.match(/[^]{1,1000}/g) ?? []) stream.write(Buffer.from(piece));
    return stream.flush();
  },
  "an owner's answer": (text) => readAnswer(text, asked),
  "a command that waits for a yes": (text) => reviewText(JSON.stringify({ tool: "Bash", input: { command: text } })),
  "a plan that waits for a yes": (text) => reviewText(JSON.stringify({ plan: text })),
  "a change that waits for a yes": (text) =>
    reviewText(JSON.stringify({ tool: "Edit", input: { old_string: text, new_string: `${text}\nb` } })),
  "a line's size": (text) => isModest(text),
  "a line's size in a string": (text) => isModest(JSON.stringify({ text })),
  "a form's fields": (text) =>
    formOf(form(Object.fromEntries(Array.from(text, (_, place) => [`question_${place}_custom`, {}])))),
  "a form's choices": (text) =>
    formOf(
      form({ which: { type: "string", oneOf: Array.from(text, (title, place) => ({ const: String(place), title })) } }),
    ),
  "a form's choices that differ": (text) =>
    formOf(
      form({
        which: { type: "string", oneOf: Array.from(text, (title, place) => ({ const: "1", title: title + place })) },
      }),
    ),
  lines: (text) => new LineSplitter().push(Buffer.from(text)).length,
};

describe.each(Object.entries(works))("%s", (_name, work) => {
  test.each(Object.entries(hostile))("of %s", { timeout: 120_000 }, (_kind, make) => {
    const large = make(SMALL * TIMES);
    const first = least(work, [large], LEAST_MS, 1);
    if (first <= LEAST_MS) return;
    const small = Array.from({ length: TIMES }, () => make(SMALL));
    const most = Math.max(MOST_GROWTH * least(work, small, 0, 2), LEAST_MS);
    if (first > most) expect(least(work, [large], most, RUNS)).toBeLessThanOrEqual(most);
  });
});

/** Milliseconds of the processor; the least of some runs, or the first that is good enough. */
function least(work: Work, texts: readonly string[], enough: number, runs: number): number {
  let best = Infinity;
  for (let run = 0; run < runs && best > enough; run += 1) {
    // What was read before is not read again, nor an answer of the same job.
    const markdowns = texts.map(() => openMarkdown());
    const before = process.threadCpuUsage();
    for (const [place, text] of texts.entries()) work(text, markdowns[place]!);
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
