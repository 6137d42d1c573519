/**
 * The law of consent, told by somebody who knows only what was asked, shown and written: what the owner types allows or
 * refuses what an agent wants only so. It is checked over random histories of prompts, posts and words.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { firstSnowflake } from "../../../src/base/ids.ts";
import type { Moment } from "../../../src/core/decider.ts";
import type { Command } from "../../../src/core/slices.ts";
import type { RecordedEvent, State } from "../../../src/core/state.ts";
import { job, message, rules, T1, T2 } from "../scene.ts";

export interface Core {
  decideAndEvolve(state: State, command: Command, moment: Moment): RecordedEvent[];
  emptyState(): State;
}

const DM = "100000000000000070";
const SHA = "0".repeat(64);

/** What is typed, by what it says to a permission. */
export const SAID = {
  yes: ["yes", "Yes!", "ok", "allow", "approve", "go ahead", "네", "허용해줘", "はい", "許可します", "好", "允許"],
  no: ["no", "No!", "deny", "nope", "아니요", "거부", "いいえ", "拒否します", "不要", "拒絕"],
  bare: [
    "1",
    "2",
    "A",
    "y",
    "n",
    "👍",
    "👎",
    "looks good",
    "lgtm",
    "allow?",
    "yes no",
    "좋아요",
    "<:ok:123456789012345678>",
    "stop",
    "멈춰",
    "停",
    "止めて",
    "/cancel",
  ],
  work: [
    "and then run the tests",
    "yes, but only after lunch",
    "no, use rm instead",
    "allow it after lunch",
    "what does it do?",
  ],
} as const;
type Says = keyof typeof SAID;
const saysOf = new Map<string, Says>(
  Object.entries(SAID).flatMap(([says, texts]) => texts.map((text) => [text, says as Says])),
);

interface Posted {
  channel: string;
  id: string;
  /** Which part of which decision it shows; null: anything else. */
  of: { id: string; part: string } | null;
}

type Step =
  | { do: "ask"; plan: boolean; pages: 1 | 2; thread: number }
  | { do: "show"; which: number; part: number; direct: boolean; partly: boolean; late: number }
  | { do: "post"; thread: number }
  | { do: "write"; text: string; place: number; reply: number | null; late: number }
  | { do: "press"; which: number; place: number; forged: boolean }
  | { do: "page"; which: number }
  | { do: "lapse" | "restart" };

const texts = Object.values(SAID).flat();
const nat = (max: number): fc.Arbitrary<number> => fc.nat(max);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("ask" as const),
        plan: fc.boolean(),
        pages: fc.constantFrom(1 as const, 1 as const, 2 as const),
        thread: nat(3),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("show" as const),
        which: nat(5),
        part: nat(4),
        direct: fc.boolean(),
        partly: fc.boolean(),
        late: nat(6),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("post" as const), thread: nat(1) }) },
    {
      weight: 9,
      arbitrary: fc.record({
        do: fc.constant("write" as const),
        text: fc.constantFrom(...texts),
        place: nat(3),
        reply: fc.option(nat(30)),
        late: nat(6),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("press" as const), which: nat(5), place: nat(2), forged: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("page" as const), which: nat(5) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("restart" as const) }) },
  ),
  { minLength: 6, maxLength: 40 },
);

/**
 * One history. What is posted and written has ids in the order of Discord, and may be heard of later, in another order.
 */
class History {
  readonly #core: Core;
  readonly state: State;
  readonly posted: Posted[] = [];
  /** Words that were heard before the message they reply to was known. */
  readonly #early = new Map<string, { text: string; place: string; id: string }>();
  #now = Date.parse("2026-02-26T14:00:00.000Z");
  #ids = 100;
  #asked = 0;

  constructor(core: Core) {
    this.#core = core;
    this.state = core.emptyState();
    this.#do({
      type: "create_project",
      project: {
        name: "app",
        path: "/srv/app",
        enabled_tools: ["claude"],
        default_tool: "claude",
        default_args: { claude: [] },
      },
    });
    for (const [index, thread_id] of [T1, T2].entries()) {
      this.#do({
        type: "start_session",
        request_id: thread_id,
        project_name: "app",
        channel_id: "100000000000000002",
        guild_id: "3",
        bot_id: "4",
      });
      this.#do({ type: "open_session", request_id: thread_id, thread_id });
      this.#do({
        type: "hear",
        thread_id,
        discord_message_id: message(1 + index),
        prompt: "do it",
        files: [],
        refused_files: [],
        reply_to: null,
      });
    }
    this.#do({ type: "open_channel", channel_id: DM, guild_id: null, bot_id: "4", kind: "direct", since: message(0) });
  }

  #do(command: Command): RecordedEvent[] {
    this.#now += 1000;
    return this.#core.decideAndEvolve(this.state, structuredClone(command), {
      at: new Date(this.#now).toISOString(),
      rules,
    });
  }

  /** `late`: it is heard of after what follows it. No two messages have one id: these are even. */
  #id(late: number): string {
    this.#ids += 14;
    return message(this.#ids - 2 * late);
  }

  open(): State["decisions"][string][] {
    return Object.values(this.state.decisions).filter(({ state }) => state === "open" || state === "disconnected");
  }

  #picked(which: number): string {
    const ids = Object.keys(this.state.decisions);
    return ids[which % Math.max(1, ids.length)] ?? "";
  }

  take(step: Step): void {
    switch (step.do) {
      case "ask":
        return this.#ask(step);
      case "show":
        return this.#show(step);
      case "post":
        this.posted.push({ channel: step.thread === 0 ? T1 : T2, id: this.#id(0), of: null });
        return;
      case "write":
        return this.#write(step);
      case "press":
        return this.#press(step);
      case "page":
        this.#nothingBut(this.#do({ type: "see_page", decision_id: this.#picked(step.which), page: 2 }), []);
        return;
      default:
        this.#nothingBut(this.#do({ type: "restart" }), []);
    }
  }

  #ask({ plan, pages, thread }: Extract<Step, { do: "ask" }>): void {
    const options = (plan ? ["Approve", "Reject"] : ["Allow once", "Allow for this session", "Deny"]).map((label) => ({
      label,
      description: "",
    }));
    const id = `d${(this.#asked += 1)}`;
    this.#do({
      type: "ask",
      decision_id: id,
      kind: plan ? "plan" : "permission",
      thread_id: thread === 3 ? T2 : T1,
      context: "",
      lapses_at: null,
      asker: { by: "job", job_id: job(thread === 3 ? 2 : 1), request_id: id },
      questions: [{ question: "", header: "", options, many: false, words: false }],
      subject: { tool: "Bash", title: id, sha256: SHA, pages, grant_until: "2026-03-26T14:00:00.000Z" },
    });
  }

  #show({ which, part, direct, partly, late }: Extract<Step, { do: "show" }>): void {
    const decision = this.state.decisions[this.#picked(which)];
    if (!decision) return;
    const { decision_id, thread_id, kind } = decision;
    const name = part === 0 ? "reminder:1" : part === 1 && kind === "plan" ? "page:1" : "prompt";
    const early = [...this.#early.keys()].at(-1);
    const id = late === 6 && early !== undefined ? early : this.#id(late);
    const channel = direct && part < 3 ? DM : (thread_id ?? DM);
    const before = structuredClone(decision);
    const happened = this.#do({
      type: "record_post",
      subject: decision_id,
      part: name,
      channel_id: channel,
      message_id: id,
      hash: `h${this.#ids}`,
      is: "said",
      ...(partly && part === 2 && { partly: true as const }),
    });
    const words = this.#early.get(id);
    // A message is one post.
    this.#early.delete(id);
    this.posted.push({ channel, id, of: { id: decision_id, part: name } });
    if (before.state !== "open" && before.state !== "disconnected") return;
    for (const event of happened) {
      if (event.type !== "DecisionAnswered" && event.type !== "QuestionAnswered") continue;
      ok(words !== undefined, "a post settles what nobody replied to");
      this.#judge(event, { ...words, reply: id });
    }
  }

  #write({ text, place, reply, late }: Extract<Step, { do: "write" }>): void {
    const asked = this.open().at(-1)?.thread_id ?? T1;
    const where = [asked, asked, T2, DM][place] ?? asked;
    const id = this.#id(late);
    const unknown = message(this.#ids + 7);
    const to =
      reply === null
        ? null
        : reply === 30
          ? unknown
          : (this.posted[reply % Math.max(1, this.posted.length)]?.id ?? null);
    if (to === unknown) this.#early.set(unknown, { text, place: where, id });
    const says = saysOf.get(text) ?? "work";
    const before = this.open();
    const wanted = to === null ? undefined : this.#allowedBy(to, where, says);
    const only = this.#onlyOneAt(where, id, to);
    const happened = this.#do({
      type: "hear",
      thread_id: where,
      discord_message_id: id,
      prompt: text,
      files: [],
      refused_files: [],
      reply_to: to,
    });
    const answers = happened.filter((event) => event.type === "DecisionAnswered" || event.type === "QuestionAnswered");
    for (const event of answers) this.#judge(event, { text, place: where, reply: to, only });
    if (wanted !== undefined)
      deepEqual(
        answers.map(({ payload }) => payload.decision_id),
        [wanted],
        "a yes that counts is not heard",
      );
    const openHere = before.some(({ thread_id }) => thread_id === where);
    if (openHere && says !== "work")
      equal(
        happened.some(({ type }) => type === "JobEnqueued"),
        false,
        `${text} is a job while something is open`,
      );
  }

  #press({ which, place, forged }: Extract<Step, { do: "press" }>): void {
    const decision_id = this.#picked(which);
    try {
      const happened = this.#do({
        type: "answer",
        decision_id,
        question: 0,
        answer: { places: [place], words: null },
        sha256: forged ? "f".repeat(64) : SHA,
      });
      if (happened.length > 0) equal(forged, false, "a press counts for other bytes than were shown");
    } catch (error) {
      ok(error instanceof Error && error.message.includes("E_DECISION_CLOSED"));
    }
  }

  /** The decision that a yes here allows. */
  #allowedBy(to: string, where: string, says: Says): string | undefined {
    if (says !== "yes") return undefined;
    const post = this.#standing().find(({ id, of }) => id === to && of !== null && isPrompt(of.part));
    const decision = this.open().find(({ decision_id }) => decision_id === post?.of?.id);
    return decision !== undefined && this.#isWhole(decision, where) ? decision.decision_id : undefined;
  }

  /** What stands in Discord: of each part the last message. */
  #standing(): Posted[] {
    const last = new Map<string, Posted>();
    for (const one of this.posted) if (one.of !== null) last.set(`${one.of.id} ${one.of.part}`, one);
    return [...last.values()];
  }

  #isWhole({ decision_id, shown: { pages }, subject }: State["decisions"][string], where: string): boolean {
    const shown = this.#standing().filter(({ of }) => of?.id === decision_id && isPrompt(of.part));
    return shown.length > 0 && shown.every(({ channel }) => channel === where) && pages >= (subject?.pages ?? 1);
  }

  /**
   * The only permission or plan that is open there, if its prompt stands above or the message replies to what was
   * posted of it.
   */
  #onlyOneAt(where: string, id: string, to: string | null): string | undefined {
    const here = this.open().filter(({ thread_id }) => thread_id === where || where === DM);
    const [only, ...more] = here;
    if (only === undefined || more.length > 0) return undefined;
    const isMeant = this.#standing().some(({ id: posted, of }) => posted === to && of?.id === only.decision_id);
    return isMeant || (only.shown.first !== null && BigInt(only.shown.first) < BigInt(id))
      ? only.decision_id
      : undefined;
  }

  /** An answer in words is one that the law gives. */
  #judge(
    { payload }: Extract<RecordedEvent, { type: "DecisionAnswered" | "QuestionAnswered" }>,
    { text, place, reply, only }: { text: string; place: string; reply: string | null; only?: string | undefined },
  ): void {
    const decision = this.state.decisions[payload.decision_id];
    const says = saysOf.get(text);
    const answer = "answers" in payload ? payload.answers[0] : undefined;
    ok(decision && answer, "a permission has one answer");
    const standing = this.#standing().find(({ id, of }) => id === reply && of?.id === payload.decision_id);
    const isReply = standing?.of != null && isPrompt(standing.of.part);
    const no = decision.kind === "plan" ? 1 : 2;
    if (answer.places[0] === no) {
      equal(says, "no", `${text} refuses`);
      ok(isReply || only === payload.decision_id, "a no for what it was not written to");
      return;
    }
    deepEqual(answer, { places: [0], words: null }, "words allow more than once");
    equal(says, "yes", `${text} allows`);
    ok(isReply, "a yes that replies to no prompt allows");
    ok(this.#isWhole(decision, place), "a yes allows what is not shown whole there");
  }

  #nothingBut(events: readonly RecordedEvent[], types: readonly string[]): void {
    for (const { type } of events)
      ok(
        !/^(?:DecisionAnswered|QuestionAnswered)$/.test(type) || types.includes(type),
        `${type} without a word or a press`,
      );
  }
}

function isPrompt(part: string): boolean {
  return part === "prompt" || part.startsWith("page:");
}

const LIMIT_MS = Date.parse("2026-02-26T15:00:00.000Z");

/**
 * A question with a limit, whose answer is written at any time around it by Discord's clock and heard at any time by
 * ours: it counts only if it was written in time.
 * @throws where it does not hold
 */
export function checkDeadline({ decideAndEvolve: step, emptyState }: Core, numRuns: number): void {
  const ms = fc.integer({ min: -3_600_000, max: 3_600_000 });
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: -2, max: 2 }), ms), ms, (written, heard) => {
      const state = emptyState();
      const act = (command: Command, at: number): RecordedEvent[] =>
        step(state, command, { at: new Date(at).toISOString(), rules });
      const options = ["Now", "Later"].map((label) => ({ label, description: "" }));
      const asker = {
        by: "mcp",
        project: "app",
        pending_dir: "/p",
        timeout_seconds: 60,
        wanted_thread: null,
        channel_id: "100000000000000002",
        bot_id: "4",
      } as const;
      const questions = [{ question: "When?", header: "", options, many: false, words: true }];
      act(
        {
          type: "ask",
          decision_id: "q",
          kind: "question",
          thread_id: null,
          asker,
          context: "",
          questions,
          subject: null,
          lapses_at: new Date(LIMIT_MS).toISOString(),
        },
        LIMIT_MS - 60_000,
      );
      act(
        {
          type: "place_decision",
          decision_id: "q",
          thread_id: T1,
          channel_id: "100000000000000002",
          guild_id: "3",
          bot_id: "4",
          since: T1,
        },
        LIMIT_MS - 60_000,
      );
      act(
        {
          type: "record_post",
          subject: "q",
          part: "prompt",
          channel_id: T1,
          message_id: message(1),
          hash: "h",
          is: "said",
        },
        LIMIT_MS - 60_000,
      );
      const events = act(
        {
          type: "hear",
          thread_id: T1,
          discord_message_id: firstSnowflake(LIMIT_MS + written),
          prompt: "Now",
          files: [],
          refused_files: [],
          reply_to: null,
        },
        LIMIT_MS + heard,
      );
      equal(
        events.some(({ type }) => type === "DecisionAnswered"),
        written <= 0,
        `written ${written} ms after the limit`,
      );
    }),
    { numRuns },
  );
}

/**
 * @param seed of a run that is expected to throw: then the first history that does is enough, and is not made smaller
 * @throws where the law is broken
 */
export function checkConsent(core: Core, numRuns: number, seed?: number): void {
  fc.assert(
    fc.property(steps, (all) => {
      const history = new History(core);
      for (const step of all) history.take(step);
    }),
    { numRuns, ...(seed !== undefined && { seed, endOnFailure: true }) },
  );
}
