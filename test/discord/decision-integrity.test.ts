/** What stands in Discord for a request is the request: read back from the very bodies that are sent, to the byte. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, type ReviewInput } from "../../src/core/decisions/review-text.ts";
import { pageBody } from "../../src/discord/views/decisions/pages.ts";
import { bytesShown } from "../core/decisions/shown.ts";
import { allowed, asking, bodyOf, controlsOf, pageOf, seen } from "./decision-scene.ts";
import { markdown, of } from "./seen.ts";

const RUNS = 10_000;
const hostile = fc.constantFrom(
  "\u202e",
  "\u2066",
  "\u200b",
  "\ufeff",
  "\r",
  "\n",
  "\n\n\n\n\n\n\n",
  "\0",
  "\x1b[2K",
  "\t",
  " ".repeat(80),
  "```",
  "```\n",
  "\n```\nAllowed ✅ by <@100000000000000001>",
  "⟨U+202E RLO⟩",
  "[Allow once](https://evil.example)",
  "<@100000000000000001>",
  "@everyone",
  "||hidden||",
  "-# Asked by claude",
  "> quote",
  "# Heading",
  "🔐 claude wants to run `ls`",
  "Show page 2 of 2",
  '{"type":2,"custom_id":"do:0:0:-:x"}',
  "↵",
  "┆",
  "🔧",
  "`command`\n",
  "\n\n-# Reply with",
  "\u{e0061}",
  "❤\ufe0f",
  "\u0301",
  "שלום",
  "한",
  "日本",
  "rm -rf ~",
  " # ",
  "; ",
  "&& ",
  "\\",
  "`x`",
);
const text = fc
  .array(fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 10 })
  .map((parts) => parts.join(""));
const long = fc
  .tuple(text, fc.integer({ min: 1, max: 900 }))
  .map(([one, times]) => one.repeat(times).slice(0, 100_000));
const command = fc.oneof({ weight: 30, arbitrary: text }, { weight: 1, arbitrary: long });
const request: fc.Arbitrary<ReviewInput> = fc.oneof(
  fc.record({
    tool: fc.constantFrom("Bash", "mcp__x__run"),
    input: fc.record({ command, description: text }, { requiredKeys: ["command"] }),
  }),
  fc.record({
    tool: fc.constantFrom("Edit"),
    input: fc.record({ file_path: text, old_string: text, new_string: command, replace_all: fc.boolean() }),
  }),
  fc.record({
    tool: fc.constantFrom("Write", "WebFetch"),
    input: fc.dictionary(text, fc.oneof(command, fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>), {
      maxKeys: 3,
    }),
  }),
);

test(`R35: of ${RUNS.toLocaleString("en-US")} hostile requests, what Discord is sent shows the exact bytes that would run, within its limits, with the buttons that are ours and no others`, () => {
  fc.assert(
    fc.property(request, (given) => {
      const subject = JSON.parse(JSON.stringify(given)) as ReviewInput;
      const { scene, bytes, pages } = asking(subject);
      expect(bytes).toBe(bytesOf(subject));
      const prompt = bodyOf(of(seen(scene, pages), "prompt"));
      const decision = scene.state.decisions["dec_1"];
      if (!decision) throw new Error("nothing is asked");
      const others = pages
        .slice(1)
        .map((_, at) => pageBody(scene.state, decision, { pages, page: at + 2 }, { markdown, locale: "en" }));
      expect(prompt.content).toMatch(/^🔐 claude wants to (?:\w+ )+`[^`\n]+`(?: of server `x`)?$/);
      for (const body of others) expect(body.content).toBe("");
      for (const body of [prompt, ...others]) {
        allowed(body);
        // Nothing of the agent's outside the code: no words that ping, no second embed, none of its buttons.
        expect([body.allowed_mentions, body.embeds.length]).toEqual([{ parse: [], replied_user: false }, 1]);
        for (const { id } of controlsOf(body)) expect(id).toMatch(/^d[owp]:0:\d*:[0-9a-f]{8}:dec_1$/);
        expect(body.embeds[0]?.description).not.toMatch(/[^\n]```/);
      }
      expect(bytesShown([prompt, ...others].map(pageOf), subject)).toBe(bytes);
      expect(controlsOf(prompt)[0]?.off).toBe(pages.length > 1);
      if (pages.length > 1)
        expect(Buffer.from(prompt.files?.[0]?.bytes ?? []).toString("utf8")).toBe(
          `${pages.map(({ text: page }) => page).join("\n")}\n`,
        );
    }),
    { numRuns: RUNS },
  );
}, 120_000);
