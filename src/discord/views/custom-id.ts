/**
 * The one form of custom ids: the action and what it is about, as in `q-page:<thread>:2`. All buttons, selects and
 * modals have their ids from here, and an id that is not of this form is nobody's. A message stays in Discord for ever,
 * so an action may be added, but its form on the wire and its fields never change. Its name in the code may.
 */
import { createHash } from "node:crypto";
import { entryOf } from "../../base/entry.ts";
import type { State } from "../../core/state.ts";
import { nextQuestion, type Decision } from "../../core/decisions/decision.ts";

/** What an id can name, and its form; only the last one of an id may contain a colon. */
const FIELDS = {
  /** Or an outside turn. */
  job: /^(?:job_\d{8}_\d{4,12}|turn_\d{8}_[0-9a-f]{32})$/,
  thread: /^\d{17,20}$/,
  message: /^\d{17,20}$/,
  page: /^\d{1,4}$/,
  /** A digest of what was shown with the button. */
  mark: /^[0-9a-f]{32}$/,
  project: /^.+$/s,
  question: /^\d{1,3}$/,
  detail: /^[\w.-]*$/,
  digest: /^(?:[0-9a-f]{8}|-)$/,
  ref: /^.+$/s,
  chosen: /^.+$/s,
  claude: /^[0-9A-Za-z][0-9A-Za-z-]{0,63}$/,
  verb: /^(?:stop|kill|status|model|mode|effort|commands|usage)$/,
  how: /^(?:new|compact)$/,
} as const;

/** Under a decision; see `decisions/custom-id.ts`. */
const DECISION = ["question", "detail", "digest", "ref"] as const;

/** Each action as it is called in the code, and as it is written in an id. */
const ACTIONS = {
  retry: { wire: "retry", fields: ["job"] },
  continue: { wire: "continue", fields: ["job"] },
  discard: { wire: "discard", fields: ["job"] },
  show_diff: { wire: "diff", fields: ["job"] },
  resume_thread: { wire: "unpark", fields: ["job"] },
  accept_changes: { wire: "accept", fields: ["job", "mark"] },
  new_conversation: { wire: "s-fresh", fields: ["job"] },
  confirm_conversation: { wire: "s-sure", fields: ["thread", "how"] },
  start_fresh: { wire: "fresh", fields: ["job", "mark"] },
  choose_model: { wire: "m-choose", fields: ["job"] },
  pick_model: { wire: "m-pick", fields: ["job"] },
  other_tool: { wire: "t-other", fields: ["job"] },
  pick_tool: { wire: "t-pick", fields: ["job"] },
  compact_full: { wire: "compact", fields: ["job"] },
  drop_waiting: { wire: "drop-all", fields: ["job"] },
  drop_job: { wire: "drop", fields: ["job"] },
  clear_draft: { wire: "t-clear", fields: ["job", "mark"] },
  go_on_with_budget: { wire: "b-on", fields: ["job", "mark"] },
  raise_budget: { wire: "b-raise", fields: ["job", "mark"] },
  stop_at_budget: { wire: "b-stop", fields: ["job", "mark"] },
  cancel_queued: { wire: "q-cancel", fields: ["job"] },
  move_to_front: { wire: "q-first", fields: ["job"] },
  send_queued: { wire: "q-send", fields: ["job"] },
  pick_queued: { wire: "q-pick", fields: ["thread"] },
  clear_queue: { wire: "q-clear", fields: ["thread"] },
  queue_page: { wire: "q-page", fields: ["thread", "page"] },
  confirm_clear_queue: { wire: "q-sure", fields: ["thread", "job"] },
  pending_page: { wire: "p-page", fields: ["page"] },
  take_back_answer: { wire: "p-back", fields: ["page"] },
  finish_job: { wire: "finish", fields: ["job"] },
  stop_job: { wire: "stop", fields: ["job"] },
  stop_for: { wire: "stop-for", fields: ["job", "mark"] },
  send_held: { wire: "send-held", fields: ["thread", "message"] },
  send_forward: { wire: "f-send", fields: ["thread", "message"] },
  drop_forward: { wire: "f-drop", fields: ["thread", "message"] },
  open_session: { wire: "s-open", fields: ["project"] },
  open_on_message: { wire: "s-on", fields: ["message", "project"] },
  more_projects: { wire: "s-more", fields: ["message"] },
  pick_project: { wire: "s-pick", fields: ["page"] },
  reopen_session: { wire: "s-reopen", fields: ["thread", "message"] },
  forget_session: { wire: "s-forget", fields: ["thread", "mark"] },
  remove_worktree: { wire: "w-remove", fields: ["thread", "mark"] },
  start_windows: { wire: "w-start", fields: ["project"] },
  stop_windows: { wire: "w-stop", fields: ["project"] },
  pick_window_project: { wire: "w-pick", fields: ["page"] },
  pick_agent_setting: { wire: "a-pick", fields: ["verb", "chosen"] },
  adopt_claude: { wire: "ad-take", fields: ["claude"] },
  ignore_claude: { wire: "ad-leave", fields: ["claude"] },
  release_claude: { wire: "ad-back", fields: ["thread"] },
  unlock: { wire: "unlock", fields: [] },
  choose_option: { wire: "do", fields: DECISION },
  ask_for_words: { wire: "dw", fields: DECISION },
  select_option: { wire: "ds", fields: DECISION },
  show_page: { wire: "dp", fields: DECISION },
  show_options: { wire: "dm", fields: DECISION },
  confirm_options: { wire: "dy", fields: DECISION },
  snooze_decision: { wire: "dz", fields: DECISION },
  take_back_decision: { wire: "db", fields: DECISION },
  decline_decision: { wire: "dn", fields: DECISION },
  offer_rules: { wire: "da", fields: DECISION },
  make_rule: { wire: "dr", fields: DECISION },
  rules_page: { wire: "r-page", fields: ["page"] },
  remove_rule: { wire: "r-back", fields: ["page"] },
} as const satisfies Record<string, { wire: string; fields: readonly (keyof typeof FIELDS)[] }>;

const ACTION_OF: ReadonlyMap<string, Action> = new Map(
  Object.entries(ACTIONS).map(([action, { wire }]) => [wire, action as Action]),
);

export type Action = keyof typeof ACTIONS;
export type ActionFields<A extends Action> = Readonly<Record<(typeof ACTIONS)[A]["fields"][number], string>>;
export type CustomId<A extends Action = Action> = { [K in A]: { action: K; fields: ActionFields<K> } }[A];

/** At most 100 characters, unless a field is longer than any of its kind. */
export function customId<A extends Action>(action: A, fields: ActionFields<A>): string {
  const given: Readonly<Record<string, string>> = fields;
  const { wire, fields: names } = ACTIONS[action];
  return [wire, ...names.map((name) => given[name] ?? "")].join(":");
}

/** Null for an id that none of our messages has. */
export function readCustomId(id: string): CustomId | null {
  const [wire = "", ...parts] = id.split(":");
  const action = ACTION_OF.get(wire);
  if (action === undefined) return null;
  const names: readonly (keyof typeof FIELDS)[] = ACTIONS[action].fields;
  const last = names.length - 1;
  const values = [...parts.slice(0, last), parts.slice(last).join(":")];
  if (parts.length < names.length || !names.every((name, place) => FIELDS[name].test(values[place] ?? ""))) return null;
  return { action, fields: Object.fromEntries(names.map((name, place) => [name, values[place]])) } as CustomId;
}

/*
 * The custom ids of all controls under a decision. An id names the decision, the question, the verb, and the beginning
 * of the digest of what was shown. So a press means what was displayed when it was pressed, even days later and after
 * any restart, or nothing at all.
 */

/**
 * - `option`: chooses this place; - `words`: asks for text, `detail` is the place it belongs to, empty, or `kept`:
 *   prefilled with the words that keep it open; - `select`: one of a select's places; - `page`: shows this page of what
 *   would be done; - `pick`: shows this page of the options, with those chosen so far; - `done`: the chosen options are
 *   the answer or, with `PRESET`, what the agent offers; - `snooze`: asks when to be asked again or, with a `detail`,
 *   sets it; - `back`: takes back the press that answered it; - `decline`: turns a form down, `detail` says how; -
 *   `rules`: shows what rules could settle it from now on, those that allow or, with `deny`, those that deny; - `rule`:
 *   makes one of them, `detail` says which and where it holds.
 */
export type DecisionVerb =
  | "option"
  | "words"
  | "select"
  | "page"
  | "pick"
  | "done"
  | "snooze"
  | "back"
  | "decline"
  | "rules"
  | "rule";

export type DecisionAction = (typeof DECISION_ACTIONS)[DecisionVerb];

/** Cannot be read as packed places. */
export const PRESET = "preset.";

export interface Pressed {
  question: number;
  detail: string;
  /** The first hex digits of the subject's digest, or `-`. */
  digest: string;
  /** The decision's id, or the id's own digest if the id is too long. */
  ref: string;
}

const DECISION_ACTIONS = {
  option: "choose_option",
  words: "ask_for_words",
  select: "select_option",
  page: "show_page",
  pick: "show_options",
  done: "confirm_options",
  snooze: "snooze_decision",
  back: "take_back_decision",
  decline: "decline_decision",
  rules: "offer_rules",
  rule: "make_rule",
} as const satisfies Record<DecisionVerb, Action>;
const LONGEST_REF = 48;
const DIGEST_REF = /^~[0-9a-f]{40}$/;

/** At most 100 characters. `detail`: letters, digits, `_`, `-`, `.`, at most 40 of them. */
export function pressId(decision: Decision, verb: DecisionVerb, detail: string | number = ""): string {
  const { decision_id } = decision;
  const ref = decision_id.length <= LONGEST_REF && !decision_id.startsWith("~") ? decision_id : digestRef(decision_id);
  return customId(DECISION_ACTIONS[verb], {
    question: String(Math.max(0, nextQuestion(decision))),
    detail: String(detail),
    digest: digestOf(decision),
    ref,
  });
}

/** Null for any other custom id. */
export function readPress(id: string): Pressed | null {
  const read = readCustomId(id);
  return read !== null && "ref" in read.fields ? pressedBy(read.fields) : null;
}

export function pressedBy({ question, ...fields }: ActionFields<DecisionAction>): Pressed {
  return { question: Number(question), ...fields };
}

/** The decision of a press, if what was shown with the press is still what the decision is about. */
export function meantBy({ ref, digest }: Pressed, { decisions }: State): Decision | undefined {
  const found = DIGEST_REF.test(ref)
    ? Object.values(decisions).find(({ decision_id }) => digestRef(decision_id) === ref)
    : entryOf(decisions, ref);
  return found !== undefined && digestOf(found) === digest ? found : undefined;
}

/** Places encoded for a custom id; the places of at most 120 options fit. */
export function packPlaces(places: readonly number[]): string {
  const bytes = Buffer.alloc(Math.ceil((Math.max(-1, ...places) + 1) / 8));
  for (const place of places) bytes[place >> 3] = (bytes[place >> 3] ?? 0) | (1 << (place & 7));
  return bytes.toString("base64url");
}

/** In ascending order. */
export function unpackPlaces(text: string): number[] {
  const bytes = Buffer.from(text, "base64url");
  return Array.from({ length: bytes.length * 8 }, (_, place) => place).filter(
    (place) => ((bytes[place >> 3] ?? 0) & (1 << (place & 7))) !== 0,
  );
}

function digestOf({ subject }: Decision): string {
  return subject?.sha256.slice(0, 8) ?? "-";
}

function digestRef(decisionId: string): string {
  return `~${createHash("sha256").update(decisionId).digest("hex").slice(0, 40)}`;
}
