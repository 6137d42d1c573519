/** What a thread says whose budget is used up, what the end of a job says of budgets, and amounts as people write them. */
import { ComponentType } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { locales } from "../../../src/base/words/say.ts";
import type { BudgetRules } from "../../../src/core/jobs/budget.ts";
import { dayAt } from "../../../src/base/local-time.ts";
import { amountIn } from "../../../src/discord/interactions/commands/budget.ts";
import { amount } from "../../../src/discord/views/money.ts";
import type { DesiredPost } from "../../../src/discord/views/message.ts";
import type { WaitOptions } from "../../../src/discord/views/wait-notice.ts";
import { job, message, Scene, T1, T2 } from "../../core/scene.ts";
import { description, of, view } from "../seen.ts";

const NONE: BudgetRules = { session: {}, day: {}, stops_now: false, dayAt: (at) => dayAt(at, "UTC") };

/** What its agent tells uses up a budget; it is still at work. */
function usedUp(budget: Partial<BudgetRules>, amounts: Record<string, number>): Scene {
  const scene = new Scene({ budget: { ...NONE, ...budget } }).withSessions(T1, T2);
  scene.hear(T1, message(1));
  scene.learn(job(1), { kind: "used", amounts });
  return scene;
}

function notice(scene: Scene, options: Partial<WaitOptions> = {}): DesiredPost {
  const found = view(scene, options).find(({ part }) => part.startsWith("budget:"));
  if (!found) throw new Error("no notice");
  return found;
}

function labels({ want }: DesiredPost): string[] {
  const rows = want.kind === "show" ? want.body.components : [];
  return rows.flatMap((row) =>
    row.type === ComponentType.ActionRow
      ? row.components.flatMap((one) => ("label" in one && one.label ? [one.label] : []))
      : [],
  );
}

function press(scene: Scene, type: "raise_budget" | "stop_at_budget"): void {
  const wait = scene.state.threads[T1]?.wait;
  if (wait?.kind !== "budget") throw new Error("it waits for no budget");
  scene.do({ type, thread_id: T1, job_id: wait.job_id, since: wait.since });
}

describe("the notice", () => {
  test("names what is used of what, and what becomes of what runs; rings; and has three buttons", () => {
    const scene = usedUp({ session: { tokens: 200_000 } }, { tokens: 210_500 });
    const seen = notice(scene);
    expect(description(seen)).toBe(
      "This session's budget is used up\n**210,500 tokens** of **200,000 tokens** is used. Nothing new starts here, and what you write waits.\n" +
        "What is running goes on to its end.",
    );
    expect(labels(seen)).toEqual(["Go on (200,000 tokens more)", "Raise to…", "Stop here"]);
    expect(seen.news).toEqual({ kind: "waits" });
  });

  test("says that what ran was stopped, where that is the rule", () => {
    const scene = usedUp({ session: { USD: 5 }, stops_now: true }, { USD: 6 });
    expect(description(notice(scene))).toContain("What was running is stopped.");
    const { is } = notice(scene);
    scene.do({ type: "cancelled", job_id: job(1) });
    expect([notice(scene).is, description(notice(scene)).split("\n").length]).toEqual([is, 3]);
  });

  test("of the day says until when, and rings in one thread only", () => {
    const scene = usedUp({ day: { EUR: 5 } }, { EUR: 5 });
    const until = Date.parse("2026-02-27T00:00:00.000Z") / 1000;
    expect(description(notice(scene))).toContain(`before <t:${until}:t>`);
    scene.hear(T2, message(2));
    const beside = view(scene, {}, T2).find(({ part }) => part.startsWith("budget:"));
    expect(beside && labels(beside)).toEqual(["Go on (€5.00 more)", "Raise to…", "Stop here"]);
    expect(beside?.news).toBeUndefined();
  });

  test("is another post when its owner stops there, and when it goes on", () => {
    const scene = usedUp({ session: { USD: 5 } }, { USD: 6 });
    const names = [notice(scene).is];
    press(scene, "stop_at_budget");
    names.push(notice(scene).is);
    expect(labels(notice(scene))).toEqual(["Go on ($5.00 more)", "Raise to…"]);
    expect(description(notice(scene))).toContain("you have stopped here");
    scene.do({ type: "cancelled", job_id: job(1) });
    expect(notice(scene).is).toBe(names[1]);
    scene.post(job(1), message(900), notice(scene).part);
    press(scene, "raise_budget");
    names.push(notice(scene).is);
    expect(new Set(names).size).toBe(3);
    expect(labels(notice(scene))).toEqual([]);
  });
});

test.each(locales)("in %s, every brace is filled", (locale) => {
  for (const budget of [{ session: { USD: 5 } }, { day: { USD: 5 } }, { session: { tokens: 5 } }]) {
    const scene = usedUp(budget, { USD: 6, tokens: 6 });
    expect(JSON.stringify(notice(scene, { locale }))).not.toMatch(/\{\w+[}|]/);
    scene.fail(job(1));
    const ended = of(view(scene, { locale }), "end");
    expect(JSON.stringify(ended)).toContain("💰");
    expect(JSON.stringify(ended)).not.toMatch(/\{\w+[}|]/);
  }
});

describe("an amount", () => {
  test.each([
    ["5 USD", "USD", 5],
    ["usd 5", "USD", 5],
    ["$2.50", "USD", 2.5],
    ["€1,200.5", "EUR", 1200.5],
    ["￥500", "JPY", 500],
    ["５ USD", "USD", 5],
    ["200k tokens", "tokens", 200_000],
    ["1.5M tokens", "tokens", 1_500_000],
    ["3,000,000 토큰", "tokens", 3_000_000],
    ["10 トークン", "tokens", 10],
    ["1 token", "tokens", 1],
    ["7", "USD", 7],
  ])("%s is read", (typed, unit, count) => {
    expect(amountIn(typed, "USD")).toEqual({ unit, count });
    const written = amount(unit, count, "en");
    if (unit === "tokens" || unit === "USD") expect(amountIn(written, undefined)).toEqual({ unit, count });
  });

  test.each([
    ...[
      "0",
      "-1",
      "0 USD",
      "0.4 tokens",
      "",
      "five",
      "5 USD EUR",
      "$5 EUR",
      "5 dollars",
      "1e9 USD",
      // Of tokens, most likely.
      "200k",
      "2m",
      "5,0 USD",
      "0x5 USD",
    ],
    ...[
      "Infinity USD",
      "NaN",
      "1 000 USD",
      "5.5.5 USD",
      "1e400 USD",
      "9".repeat(30),
      "5 USD; rm -rf",
      "USD",
      "k tokens",
    ],
  ])("%j is refused", (typed) => {
    expect(() => amountIn(typed, "USD")).toThrow("E_BUDGET_INVALID");
  });

  test("without a unit is refused where nobody knows which", () => {
    expect(() => amountIn("5", undefined)).toThrow("E_BUDGET_INVALID");
  });
});
