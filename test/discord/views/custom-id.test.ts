/**
 * Ids of buttons, selects and modals: what stands in Discord from any version is understood, and all are made in one
 * place.
 */
import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  packPlaces,
  pressId,
  readPress,
  type DecisionVerb,
  customId,
  readCustomId,
  type Action,
} from "../../../src/discord/views/custom-id.ts";
import type { Decision } from "../../../src/core/decisions/decision.ts";

const JOB = "job_20260226_0001";
const THREAD = "1476549104412758137";
const MARK = "0123456789abcdef0123456789abcdef";
const REF = "dec_20260226_0123456789abcdef0123456789abcdef";

/** As they stand under messages of earlier versions, byte for byte. None of them may ever be changed here. */
const posted: [string, Action, Record<string, string>][] = [
  [`retry:${JOB}`, "retry", { job: JOB }],
  [`continue:${JOB}`, "continue", { job: JOB }],
  [`discard:${JOB}`, "discard", { job: JOB }],
  [`diff:${JOB}`, "show_diff", { job: JOB }],
  [`unpark:${JOB}`, "resume_thread", { job: JOB }],
  [`accept:${JOB}:${MARK}`, "accept_changes", { job: JOB, mark: MARK }],
  [`fresh:${JOB}:${MARK}`, "start_fresh", { job: JOB, mark: MARK }],
  [`drop:${JOB}`, "drop_job", { job: JOB }],
  [`q-cancel:${JOB}`, "cancel_queued", { job: JOB }],
  [`q-first:${JOB}`, "move_to_front", { job: JOB }],
  [`q-pick:${THREAD}`, "pick_queued", { thread: THREAD }],
  [`q-clear:${THREAD}`, "clear_queue", { thread: THREAD }],
  [`q-page:${THREAD}:2`, "queue_page", { thread: THREAD, page: "2" }],
  [`q-sure:${THREAD}:${JOB}`, "confirm_clear_queue", { thread: THREAD, job: JOB }],
  ["p-page:3", "pending_page", { page: "3" }],
  ["p-back:1", "take_back_answer", { page: "1" }],
  ["s-open:my-app", "open_session", { project: "my-app" }],
  [`do:0:1:89abcdef:${REF}`, "choose_option", { question: "0", detail: "1", digest: "89abcdef", ref: REF }],
  [`dw:0::-:${REF}`, "ask_for_words", { question: "0", detail: "", digest: "-", ref: REF }],
  [`dw:0:kept:-:${REF}`, "ask_for_words", { question: "0", detail: "kept", digest: "-", ref: REF }],
  [
    `ds:2:0.iAg:-:app_20260301_abc123`,
    "select_option",
    { question: "2", detail: "0.iAg", digest: "-", ref: "app_20260301_abc123" },
  ],
  [`dp:0:2:89abcdef:${REF}`, "show_page", { question: "0", detail: "2", digest: "89abcdef", ref: REF }],
  [`dm:1:0.:-:${REF}`, "show_options", { question: "1", detail: "0.", digest: "-", ref: REF }],
  [`dy:0:iAg:-:${REF}`, "confirm_options", { question: "0", detail: "iAg", digest: "-", ref: REF }],
  [`dz:0::-:${REF}`, "snooze_decision", { question: "0", detail: "", digest: "-", ref: REF }],
  [`dz:0:15m:-:${REF}`, "snooze_decision", { question: "0", detail: "15m", digest: "-", ref: REF }],
  [
    `db:0::-:~0123456789abcdef0123456789abcdef01234567`,
    "take_back_decision",
    { question: "0", detail: "", digest: "-", ref: "~0123456789abcdef0123456789abcdef01234567" },
  ],
  [
    `do:0:1:-:with:colons:in_it`,
    "choose_option",
    { question: "0", detail: "1", digest: "-", ref: "with:colons:in_it" },
  ],
];

test.each(posted)("%s is understood, and would be written the same today", (id, action, fields) => {
  expect(readCustomId(id)).toEqual({ action, fields });
  expect(customId(action, fields as never)).toBe(id);
});

test.each([
  "",
  "retry",
  "retry:",
  "retry:x",
  `retry:${JOB}:${MARK}`,
  `accept:${JOB}`,
  "q-page:1",
  `q-page:${THREAD}`,
  `q-page:${THREAD}:12345`,
  "p-page:",
  "s-open:",
  `do:0:1:-:`,
  `do:0:a b:-:${REF}`,
  `dx:0::-:${REF}`,
  "__proto__:1",
  "constructor:1",
])("%j is nobody's", (id) => {
  expect(readCustomId(id)).toBeNull();
});

describe("whatever is named", () => {
  const digits = (least: number, most: number) => fc.stringMatching(new RegExp(`^\\d{${least},${most}}$`));
  const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
  const fields: Record<string, fc.Arbitrary<string>> = {
    job: fc.stringMatching(/^job_\d{8}_\d{4,12}$/),
    thread: digits(17, 20),
    page: digits(1, 4),
    mark: hex(32),
    project: fc.stringMatching(/^[a-z0-9-_]{1,40}$/),
  };
  const shapes = [...new Map(posted.map(([, action, named]) => [action, Object.keys(named)]))].filter(
    ([, names]) => !names.includes("ref"),
  );

  test("is read back from its id, which is within Discord's limit", () => {
    const any = fc
      .constantFrom(...shapes)
      .chain(([action, names]) =>
        fc.tuple(
          fc.constant(action),
          fc.record(Object.fromEntries(names.map((name) => [name, fields[name] ?? fc.string()]))),
        ),
      );
    fc.assert(
      fc.property(any, ([action, named]) => {
        const id = customId(action, named as never);
        expect(id.length).toBeLessThanOrEqual(100);
        expect(readCustomId(id)).toEqual({ action, fields: named });
      }),
    );
  });

  test("of a decision too, whatever its id and however many options are chosen", () => {
    const verbs: DecisionVerb[] = ["option", "words", "select", "page", "pick", "done", "snooze", "back"];
    const details = fc.oneof(
      fc.nat(999).map(String),
      fc.constantFrom("", "kept", "15m"),
      fc.tuple(fc.nat(9), fc.uniqueArray(fc.nat(119))).map(([page, places]) => `${page}.${packPlaces(places)}`),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...verbs),
        details,
        fc.nat(99),
        fc.string({ minLength: 1, maxLength: 200 }),
        fc.option(hex(64)),
        (verb, detail, question, decision_id, sha256) => {
          const answers = [...Array.from({ length: question }, () => ({ places: [], words: "x" })), null];
          const decision = { decision_id, answers, subject: sha256 === null ? null : { sha256 } } as Pick<
            Decision,
            "decision_id" | "answers"
          > as Decision;
          const id = pressId(decision, verb, detail);
          expect(id.length).toBeLessThanOrEqual(100);
          expect(readPress(id)).toMatchObject({ question, detail, digest: sha256?.slice(0, 8) ?? "-" });
        },
      ),
    );
  });

  test("and anything else is read without harm", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.constantFrom(...posted.map(([id]) => id)).chain((id) => fc.nat(id.length).map((at) => id.slice(0, at))),
        ),
        (id) => {
          const read = readCustomId(id);
          if (read !== null) expect(customId(read.action, read.fields as never)).toBe(id);
        },
      ),
    );
  });
});

test("no id is written by hand", () => {
  const root = join(import.meta.dirname, "..", "..", "..", "src", "discord");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(80);
  expect(files.filter((name) => /custom_?[iI]d: ["'`]/.test(readFileSync(join(root, name), "utf8")))).toEqual([]);
});
