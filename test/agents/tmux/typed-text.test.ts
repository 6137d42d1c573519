/** What is typed of a prompt: as Claude would take a paste of it, and never what its terminal reads as a command. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isReport, isSame, keysFor, typedText } from "../../../src/agents/tmux/typing.ts";

const PASTE = new RegExp(String.raw`\u001b\[200~([\s\S]*?)\u001b\[201~`, "g");

test.each([
  ["a\r\nb\rc\u2028d", "a\nb\nc\nd"],
  ["a\tb", "a    b"],
  ["  a  \n \n", "  a"],
  ["a\u001b[201~b\u0007\u009b\u007f", "a[201~b"],
  ["\u202eabc\u200b\ufeff", "abc"],
  ["e\u0301", "é"],
  ["葛\u{e0100}a\u{e0d46}", "葛a"],
  ["👩🏽‍💻 👨‍👩‍👧", "👩🏽‍💻 👨‍👩‍👧"],
  ["a\ud800b", "a\ufffdb"],
  ["#1 @a ~ $(id) `id`; {x}", "#1 @a ~ $(id) `id`; {x}"],
  ["what is \\", "what is \\"],
])("%j is typed as %j", (prompt, text) => {
  expect(typedText(prompt)).toEqual({ text });
});

test.each([
  ["!ls", "!"],
  ["/exit", "/"],
  ["  /exit", "/"],
  ["\n!ls", "!"],
  ["\u200b/exit", "/"],
  ["& do", "&"],
  ["/", "/"],
  ["/ x", "/"],
  ["/tmp is full", "/"],
  ["/app:deploy/now", "/"],
  ["exit", "exit"],
  ["quit", "quit"],
  [":q", ":q"],
  [":q!", ":q!"],
  [":wq", ":wq"],
  [":wq!", ":wq!"],
  [" exit\t\n", "exit"],
  ["ex\u200bit", "exit"],
  ["\u001bquit\r\n", "quit"],
])("%j would be a command", (prompt, command) => {
  expect(typedText(prompt)).toEqual({ command });
});

test.each([
  "Exit",
  "EXIT",
  "exit.",
  "exit please",
  "exit\nnow",
  "quit now",
  ":x",
  ":w",
  "bye",
  "/etc/hosts is what",
  "/etc/hosts",
  "/home/me/a b.txt\nread it",
  "#note",
  "@app what",
])("%j is a prompt like any other", (prompt) => {
  expect(typedText(prompt)).toEqual({ text: prompt });
});

test.each([
  ["<task-notification>\n<task-id>b8tux0bo3</task-id>\n</task-notification>", true],
  ["what is a <task-notification>?", false],
])("%j is a report of Claude's: %s", (prompt, is) => {
  expect(isReport(prompt)).toBe(is);
});

test("whatever the prompt, its keys are pastes and nothing else, and what it says is typed once", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 3000 }), (prompt) => {
      const typed = typedText(prompt);
      if ("command" in typed) return;
      const keys = keysFor(typed.text);
      expect(keys.replace(PASTE, "")).toBe("");
      expect([...keys.matchAll(PASTE)].map(([, piece]) => piece).join("")).toBe(`${typed.text} `);
      expect(typed.text).toMatch(/^[^\p{Cc}]*(?:\n[^\p{Cc}]*)*$/u);
      expect(typedText(typed.text)).toEqual(typed);
      expect(isSame(typed.text, typed.text)).toBe(true);
    }),
  );
});

test.each([
  ["please ultraplan it", ["please ultra", "plan it "]],
  ["/a/b.png\n/c.JPEG and d.webp", ["/a/b.", "png\n/c.", "JPEG and d.", "webp "]],
  ["a.txt, b.pngx.", ["a.txt, b.", "pngx. "]],
])("what Claude would make something else of when it is pasted in one piece is in two: %j", (prompt, pieces) => {
  expect([...keysFor(prompt).matchAll(PASTE)].map(([, piece]) => piece)).toEqual(pieces);
});

test("a prompt is confirmed by its own text, not by another", () => {
  expect(isSame("a\n  b", "a b ")).toBe(true);
  expect(isSame("a b", "a c")).toBe(false);
  expect(isSame("do it", "do it not")).toBe(false);
});
