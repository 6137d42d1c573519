/** What Claude says of usage limits: the fields of 2.1.329, and the words of all versions, on clocks of many zones. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resetsAtOf } from "../../../src/agents/claude/messages.ts";
import type { TurnEnded } from "../../../src/agents/contract/updates.ts";
import { textOf } from "../stage.ts";
import { linesOf, translate } from "./streams.ts";

const key = "6d3040e7-7186-4cfc-b5f1-36b24e8e3400";
const init = { type: "system", subtype: "init", session_id: key, model: "m" };
const done = { type: "result", subtype: "success", is_error: false, session_id: key, result: "fine" };
const failing = (result: string): object => ({
  ...done,
  is_error: true,
  terminal_reason: "api_error",
  api_error_status: 429,
  result,
});
const rejected = { status: "rejected", resetsAt: 1_800_000_000, rateLimitType: "five_hour", isUsingOverage: false };

function detailsOf(ends: readonly TurnEnded[]): Record<string, unknown> {
  const [end] = ends;
  return end?.outcome === "failed" ? end.details : {};
}

/** 07:32 in UTC, 02:32 in New York, 16:32 in Seoul. */
const now = Date.parse("2026-11-21T07:32:24Z");
const at = (iso: string): number => Date.parse(iso) + 60_000;

describe("a true stream", () => {
  it.each([
    ["limit-today", 1_795_249_344_000],
    ["limit-later", 1_800_246_347_000],
  ])(
    "of %s is a usage limit with its exact time, told once before the end, and its words are no answer",
    (name, resets_at) => {
      const { updates, ends, unknown } = translate(linesOf(name));
      expect(ends).toMatchObject([{ outcome: "failed", code: "E_USAGE_LIMIT", details: { resets_at, status: 429 } }]);
      expect(detailsOf(ends)).not.toHaveProperty("temporary");
      expect(textOf(updates)).toBe("");
      expect(unknown).toEqual([]);
    },
  );

  it.each(["limit-today", "limit-later"])("of %s says the same without its fields, to the minute", (name) => {
    const { api_error: _, ...last } = JSON.parse(linesOf(name).at(-1) ?? "") as Record<string, unknown>;
    const { ends } = translate([init, last], null, now);
    expect(ends).toMatchObject([{ code: "E_USAGE_LIMIT" }]);
    const late = Number(detailsOf(ends)["resets_at"]) - Number(detailsOf(translate(linesOf(name)).ends)["resets_at"]);
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThanOrEqual(60_000);
  });
});

describe("the words", () => {
  it.each([
    ["Claude AI usage limit reached|1800000000", 1_800_000_000_000],
    ["Claude usage limit reached. Your limit will reset at 7pm (America/New_York).", at("2026-11-22T00:00:00Z")],
    ["5-hour limit reached ∙ resets 3pm", undefined],
    ["5-hour limit reached ∙ resets 3pm (UTC)", at("2026-11-21T15:00:00Z")],
    ["Weekly limit reached ∙ resets Nov 26, 9am (Europe/Berlin)", at("2026-11-26T08:00:00Z")],
    ["Opus weekly limit reached ∙ resets Nov 26 at 9:30am (Asia/Kolkata)", at("2026-11-26T04:00:00Z")],
    // Two minutes ago: nobody waits a day for it.
    ["Session limit reached ∙ resets 2:30am (America/New_York)", at("2026-11-21T07:30:00Z")],
    ["Session limit reached ∙ resets 1:35am (America/New_York)", at("2026-11-21T06:35:00Z")],
    ["Session limit reached ∙ resets 1:30am (America/New_York)", at("2026-11-22T06:30:00Z")],
    ["You've hit your limit · resets 12am (Asia/Seoul)", at("2026-11-21T15:00:00Z")],
    ["You’ve hit your limit · resets 12pm (Pacific/Auckland)", at("2026-11-21T23:00:00Z")],
    ["You've hit your 5-hour limit · resets 3:22am (America/New_York)", at("2026-11-21T08:22:00Z")],
    ["You've hit your 5-hour limit · resets 8:32am (UTC) · progress saved", at("2026-11-21T08:32:00Z")],
    ["You've hit your weekly limit · resets Nov 23, 8:35pm (Asia/Kolkata)", at("2026-11-23T15:05:00Z")],
    ["You've hit your Opus limit · resets Jan 18, 2027, 1:25pm (Asia/Seoul)", at("2027-01-18T04:25:00Z")],
    ["You've hit your weekly limit · resets Jan 2, 5pm (America/St_Johns)", at("2027-01-02T20:30:00Z")],
    ["You're out of extra usage · resets 5:45pm (Asia/Kathmandu)", at("2026-11-21T12:00:00Z")],
    ["You've hit your limit · resets 3pm (Mars/Olympus)", null],
    ["You've hit your session limit", null],
  ])("%j are a limit, and name when it lifts", (words, resetsAt) => {
    const { ends } = translate([init, failing(words)], null, now);
    expect(ends).toMatchObject([{ outcome: "failed", code: "E_USAGE_LIMIT" }]);
    const details = detailsOf(ends);
    if (resetsAt === undefined) expect(details["resets_at"]).toEqual(expect.any(Number));
    else expect(details["resets_at"]).toBe(resetsAt ?? undefined);
  });

  it.each([
    "You've hit your monthly spend limit · ask your admin for a higher limit",
    "You're out of usage credits",
    "Your org is out of usage · contact your admin",
    "Credit balance is too low",
  ])("%j say that the account is out of credits, and not for how long", (words) => {
    const { ends } = translate([init, failing(words)], null, now);
    expect(ends).toMatchObject([{ outcome: "failed", code: "E_OUT_OF_CREDITS" }]);
    expect(detailsOf(ends)).not.toHaveProperty("resets_at");
  });

  it.each([
    "API Error: Request rejected (429) · mock error 429",
    "API Error: Server is temporarily limiting requests (not your usage limit)",
    "Budget limit reached ($5.00 of $5.00); stopping background agents.",
    "I read that Claude usage limit reached its end",
    "You've used 91% of your weekly limit · resets 3pm (UTC)",
  ])("%j with a 429 are none, but a throttle", (words) => {
    const { ends } = translate([init, failing(words)], null, now);
    expect(ends).toMatchObject([{ outcome: "failed", code: "E_SERVICE_BUSY" }]);
  });

  it("in any zone mean the minute that its clock shows, on every day of a year", () => {
    const zones = [
      "UTC",
      "America/New_York",
      "America/St_Johns",
      "Europe/Berlin",
      "Asia/Kolkata",
      "Asia/Seoul",
      "Australia/Lord_Howe",
      "Pacific/Auckland",
      "Pacific/Chatham",
    ];
    const start = Date.UTC(2026, 0, 1);
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.nat(365 * 24 * 60),
        fc.integer({ min: 1, max: 23 * 60 }),
        fc.boolean(),
        (timeZone, minute, wait, dated) => {
          const asked = start + minute * 60_000;
          // Without a date, a time of the last hour is past.
          const lifts = asked + (dated ? wait : Math.min(wait, 21 * 60)) * 60_000;
          const shown = (options: Intl.DateTimeFormatOptions): string =>
            new Intl.DateTimeFormat("en-US", { timeZone, ...options }).format(lifts);
          const time = shown({ hour: "numeric", minute: "2-digit" }).replace(
            /\s([AP])M/,
            (_, half: string) => `${half.toLowerCase()}m`,
          );
          const day = dated ? `${shown({ month: "short", day: "numeric" })}, ` : "";
          const read = resetsAtOf(`resets ${day}${time} (${timeZone})`, asked) ?? 0;
          // An hour that a change of the clocks shows twice, or skips, may be read as the other one.
          const off = Math.abs(read - 60_000 - lifts);
          expect([0, 30 * 60_000, 60 * 60_000]).toContain(off);
          if (
            changes(timeZone, asked) === changes(timeZone, lifts + 7_200_000) &&
            changes(timeZone, lifts - 7_200_000) === changes(timeZone, asked)
          )
            expect(off).toBe(0);
        },
      ),
    );
  });
});

/** The offset of a zone at an instant, as a word. */
function changes(timeZone: string, when: number): string {
  return (
    new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
      .formatToParts(when)
      .find(({ type }) => type === "timeZoneName")?.value ?? ""
  );
}

describe("the fields", () => {
  it("go before the words, on whichever line they stand", () => {
    const event = { type: "rate_limit_event", rate_limit_info: rejected };
    const spoken = {
      type: "assistant",
      session_id: key,
      is_api_error_message: true,
      message: { id: "x", content: [] },
      api_error_params: { rate_limit_info: rejected },
    };
    for (const before of [[event], [spoken], [event, spoken]]) {
      const { ends } = translate([init, ...before, failing("You've hit your limit · resets 3pm (UTC)")], null, now);
      expect(ends).toMatchObject([{ code: "E_USAGE_LIMIT", details: { resets_at: 1_800_000_000_000 } }]);
    }
  });

  it("of a warning, or of an account that credits carry on, are no limit", () => {
    for (const info of [
      { ...rejected, status: "allowed_warning" },
      { ...rejected, isUsingOverage: true },
    ]) {
      const { ends } = translate([init, { type: "rate_limit_event", rate_limit_info: info }, done]);
      expect(ends).toMatchObject([{ outcome: "done" }]);
    }
  });

  it("of a limit that a run got over do not make its good end a failure", () => {
    const { ends } = translate([init, { type: "rate_limit_event", rate_limit_info: rejected }, done]);
    expect(ends).toMatchObject([{ outcome: "done", result: "fine" }]);
  });

  it("without a time are a limit without one", () => {
    const { resetsAt: _, ...timeless } = rejected;
    const { ends } = translate([init, { type: "rate_limit_event", rate_limit_info: timeless }, failing("limit")]);
    expect(ends).toMatchObject([{ code: "E_USAGE_LIMIT" }]);
  });
});

it.each([[{ a: 1 }], [12], [["a"]]])("an answer that is %j is no answer, so the job fails", (result) => {
  expect(translate([init, { ...done, result }]).ends).toMatchObject([{ outcome: "failed", code: "E_ADAPTER_PARSE" }]);
});

it("a piece of an answer that is no text makes it one that is not known", () => {
  const message = { id: "m", role: "assistant", content: [{ type: "text", text: { a: 1 } }] };
  expect(
    translate([init, { type: "assistant", session_id: "s", message }, { ...done, result: "" }]).ends,
  ).toMatchObject([{ outcome: "failed", code: "E_ADAPTER_PARSE" }]);
});

it.each([
  "Not logged in · Please run /login",
  "Invalid API key · Please run /login",
  "OAuth token revoked · Please run /login",
])("%j names the command for the machine's terminal, and not one that Discord would take for its own", (result) => {
  const { ends } = translate([init, { ...done, is_error: true, terminal_reason: "api_error", result }]);
  expect(ends).toMatchObject([{ outcome: "failed", code: "E_AGENT_LOGIN", details: { login: "claude auth login" } }]);
  expect(JSON.stringify(ends)).not.toContain("/login");
});

describe("a failure that passes by itself", () => {
  it.each([
    [529, "API Error: Repeated 529 Overloaded errors", true],
    [
      500,
      "API Error: 500 mock error 500. This is a server-side issue, usually temporary — try again in a moment.",
      true,
    ],
    [undefined, "API Error: Connection closed mid-response.", true],
    [429, "API Error: Server is temporarily limiting requests (not your usage limit)", true],
    [429, "API Error: Request rejected (429) · slow down", undefined],
    [400, "API Error: 400 the prompt is too long", undefined],
    [401, "Invalid API key · Please run /login", undefined],
  ])("%s %j: %s", (api_error_status, result, temporary) => {
    const { ends } = translate([
      init,
      { ...done, is_error: true, terminal_reason: "api_error", api_error_status, result },
    ]);
    expect(detailsOf(ends)["temporary"]).toBe(temporary);
  });
});
