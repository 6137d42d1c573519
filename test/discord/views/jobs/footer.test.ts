/** The line below an answer: as it looks, and what it leaves out. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { footerLine } from "../../../../src/discord/views/jobs/job-end.ts";
import type { StatusLine } from "../../../../src/protocol/status-line.ts";

const AT = Date.parse("2026-02-21T09:30:00Z");
const nothing: StatusLine = { model: null, context: null, tokens: null, cost: null, session: null, weekly: null };
const all: StatusLine = {
  ...nothing,
  model: "Opus 4.6",
  context: 50,
  session: { percent: 45, resetsAt: Date.parse("2026-02-21T12:00:00Z") },
  weekly: { percent: 12, resetsAt: Date.parse("2026-02-26T12:59:00Z") },
};

test.each<[string, Partial<StatusLine>, string | null]>([
  ["everything", all, "📊 Opus 4.6 50% │ session:45%(2h30m) │ weekly:12%(5d03h)"],
  ["nothing", nothing, null],
  ["only a model", { model: "Opus 4.6" }, "📊 Opus 4.6"],
  ["only the context", { context: 0 }, "📊 0%"],
  ["only a limit", { weekly: all.weekly }, "📊 weekly:12%(5d03h)"],
  ["the model and a limit", { model: "Opus 4.6", session: all.session }, "📊 Opus 4.6 │ session:45%(2h30m)"],
  ["a limit whose reset is not known", { session: { percent: 45, resetsAt: null } }, "📊 session:45%"],
  ["a limit that was reset since", { model: "O", session: { percent: 45, resetsAt: AT } }, "📊 O"],
  [
    "a reset that is too far away",
    { session: { percent: 45, resetsAt: AT + 7 * 3_600_000 }, weekly: { percent: 1, resetsAt: AT + 9 * 86_400_000 } },
    "📊 session:45% │ weekly:1%",
  ],
  ["a reset in a moment", { session: { percent: 100, resetsAt: AT + 1 } }, "📊 session:100%(1m)"],
  ["a weekly reset today", { weekly: { percent: 3, resetsAt: AT + 3 * 3_600_000 + 60_000 } }, "📊 weekly:3%(3h01m)"],
  [
    "formatting and a mention",
    { model: "*O* <@1> @everyone `x` [a](b)" },
    "📊 \\*O\\* \\<\\@1\\> \\@everyone \\`x\\` \\[a\\]\\(b\\)",
  ],
  ["lines and a very long name", { model: `a\n# b\u0007${"x".repeat(10_000)}` }, `📊 a \\# b${"x".repeat(34)}…`],
])("%s", (_what, said, expected) => {
  expect(footerLine({ ...nothing, ...said }, AT)).toBe(expected);
});

test("it is one short line, whatever was said", () => {
  const limit = fc.option(fc.record({ percent: fc.integer({ min: 0, max: 100 }), resetsAt: fc.option(fc.integer()) }));
  const said = fc.record({
    tokens: fc.constant(null),
    cost: fc.constant(null),
    model: fc.option(fc.string({ unit: "binary", maxLength: 60 })),
    context: fc.option(fc.integer({ min: 0, max: 100 })),
    session: limit,
    weekly: limit,
  });
  fc.assert(
    fc.property(said, fc.integer(), (line, at) => {
      expect(footerLine(line, at) ?? "📊 ").toMatch(/^📊 .{0,160}$/u);
    }),
    { numRuns: 50 },
  );
});
