/** What a status line says is believed part by part: what makes no sense is left out, and nothing else with it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readStatusLine } from "../../src/protocol/status-line.ts";

const nothing = { model: null, context: null, tokens: null, cost: null, session: null, weekly: null };
const read = (value: unknown): unknown => readStatusLine(JSON.stringify(value));
const limits = (five_hour: unknown, seven_day?: unknown): object => ({ rate_limits: { five_hour, seven_day } });

test("what Claude Code sends is read", () => {
  expect(
    readStatusLine(
      readFileSync(join(import.meta.dirname, "..", "fixtures", "claude-hooks", "statusLine.json"), "utf8"),
    ),
  ).toEqual({
    ...nothing,
    model: "Opus 5.5",
    context: 0,
    tokens: { used: 1334, size: 1_000_000 },
    cost: 0.024304000000000003,
  });
});

test.each([
  [{}, nothing],
  [
    { model: { display_name: "Opus 4.6" }, context_window: { used_percentage: 49.6 } },
    { ...nothing, model: "Opus 4.6", context: 50 },
  ],
  [{ model: { display_name: " \n\u001b[2J " }, context_window: { used_percentage: null } }, nothing],
  [{ model: "Opus", context_window: 50, rate_limits: [] }, nothing],
  [
    { model: { display_name: "O" }, context_window: { used_percentage: 101 } },
    { ...nothing, model: "O" },
  ],
  [{ context_window: { used_percentage: -1 } }, nothing],
  [
    { context_window: { used_percentage: null, total_input_tokens: 10, context_window_size: 100 } },
    { ...nothing, tokens: { used: 10, size: 100 } },
  ],
  [
    { context_window: { used_percentage: 7, total_input_tokens: 10, context_window_size: 0 } },
    { ...nothing, context: 7 },
  ],
  [
    { context_window: { used_percentage: 7, total_input_tokens: 10 }, cost: { total_cost_usd: -1 } },
    { ...nothing, context: 7 },
  ],
  [{ cost: { total_cost_usd: 0.5 } }, { ...nothing, cost: 0.5 }],
  [{ context_window: { used_percentage: "50" } }, nothing],
  [
    limits(
      { used_percentage: 45, resets_at: 1_771_675_200 },
      { used_percentage: 12.4, resets_at: "2026-02-25T12:00:00Z" },
    ),
    {
      ...nothing,
      session: { percent: 45, resetsAt: 1_771_675_200_000 },
      weekly: { percent: 12, resetsAt: 1_772_020_800_000 },
    },
  ],
  [
    limits({ used_percentage: 45, resets_at: "soon" }, { resets_at: 1_771_675_200 }),
    { ...nothing, session: { percent: 45, resetsAt: null } },
  ],
  [
    limits({ used_percentage: 45, resets_at: -1 }, { used_percentage: 1e300 }),
    { ...nothing, session: { percent: 45, resetsAt: null } },
  ],
  [limits({ used_percentage: 45, resets_at: 1e18 }, null), { ...nothing, session: { percent: 45, resetsAt: null } }],
])("%j", (value, expected) => {
  expect(read(value)).toEqual(expected);
});

test.each(["", "null", "[]", "1", '{"context_window":{"used_percentage":NaN}}', "[".repeat(10_000)])(
  "%s is no status line",
  (body) => {
    expect(readStatusLine(body)).toBeUndefined();
  },
);

test("a number that is none in JavaScript is left out", () => {
  expect(readStatusLine('{"context_window":{"used_percentage":1e999}}')).toEqual(nothing);
});

test("whatever is sent, a name is one short line and a share is a whole number up to 100", () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 3 }),
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.double(),
      (other, name, share) => {
        const line = readStatusLine(
          JSON.stringify({ other, model: { display_name: name }, context_window: { used_percentage: share } }),
        );
        expect(line?.model ?? "x").toMatch(/^[^\n\r\u0000-\u001f]{1,40}$/u);
        expect([...Array(101).keys(), null]).toContain(line?.context);
      },
    ),
    { numRuns: 50 },
  );
});
