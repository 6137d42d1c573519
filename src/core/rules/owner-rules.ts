/**
 * The owner's rules: what he allows or denies without being asked each time, in one thread or in one project. A rule is
 * made from the prompt of a permission; it ends when he removes it, when it was not used for thirty days, or when what
 * it was made for is gone. What it settles is a decision like any other.
 */
import { BellhopError } from "../../base/errors.ts";
import { laterBy } from "../../base/text.ts";
import { workOf } from "../decisions/asker.ts";
import type { AskCommand, Asked, DecisionEvent } from "../decisions/decision.ts";
import { decideDecision } from "../decisions/lifecycle.ts";
import type { Subject } from "../decisions/subject.ts";
import { answerEvent, noTo, PERMISSION, yesTo } from "../decisions/may-answer.ts";
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";
import { judge, offersFor, type RuleFacts, type RuleScope, type StandingRule } from "./judge.ts";

interface NewRule extends StandingRule {
  /** The decision from whose prompt it was made, and where that was asked. */
  decision_id: string;
  thread_id: string;
  /** Who made it: Discord's id. */
  author_id: string;
  /** The agent that asked; what another one asks in the same words may be something else. */
  agent: string;
  /** What it asked then, in one line. */
  title: string;
}

export interface OwnerRule extends NewRule {
  /** ISO 8601. */
  at: string;
  /** How often it has settled something, and when last. ISO 8601; null: never. */
  used: number;
  last_used: string | null;
}

export type OwnerRuleEvent =
  | { type: "RuleAdded"; payload: NewRule }
  | { type: "RuleRemoved"; payload: { rule_id: string } };

export type OwnerRuleCommand =
  /** Like `ask`, where there are rules that may settle it: with the text that is kept, and what the machine knows. */
  | { type: "ask_by_rules"; ask: AskCommand; bytes: string; facts: RuleFacts }
  /**
   * The owner answers the prompt with a rule. `by`: where it holds; `sha256`: digest of what was shown with the button.
   */
  | ({ type: "add_rule"; by: RuleScope["by"]; sha256: string } & Pick<
      NewRule,
      "rule_id" | "effect" | "root" | "cover" | "decision_id" | "author_id"
    >)
  | { type: "remove_rule"; rule_id: string };

/** A rule that allows and was not used for so long has ended. */
const UNUSED_MS = 30 * 24 * 3_600_000;

const NO_MESSAGE = { discord_message_id: null, channel_id: null };

/** The rules that have not ended, oldest first. One that denies may never be used because it is there. */
export function liveRules({ rules }: Pick<State, "rules">, at: string): OwnerRule[] {
  return Object.values(rules).filter(
    (one) => one.effect === "deny" || at < laterBy(one.last_used ?? one.at, UNUSED_MS),
  );
}

/** Those that could hold for what is asked there. */
export function rulesFor(state: State, asked: Pick<Asked, "thread_id" | "asker">, at: string): OwnerRule[] {
  const agent = agentOf(state, asked);
  const project = state.sessions[asked.thread_id ?? ""]?.project_name;
  return liveRules(state, at).filter(
    (one) =>
      one.agent === agent &&
      (one.scope.by === "thread" ? one.scope.thread_id === asked.thread_id : one.scope.project === project),
  );
}

/** Whether a rule can be made of what is asked, wherever that is. */
export function isCoverable(subject: Subject, bytes: string): boolean {
  const asked = { kind: "permission", asker: { by: "turn", turn_id: "", request_id: "" }, subject, bytes } as const;
  const nothing = {
    thread_id: null,
    project: null,
    cwd: null,
    real: new Map<string, null>(),
    files: new Set<string>(),
    definition: null,
  };
  return subject.cwd !== null && offersFor(asked, { ...nothing, root: "/" }).length > 0;
}

/** Its tool's name; undefined: it is asked in no session. */
function agentOf(
  { sessions, jobs, turns }: State,
  { thread_id, asker }: Pick<Asked, "thread_id" | "asker">,
): string | undefined {
  const work = workOf(asker) ?? "";
  return (jobs[work] ?? turns[work] ?? sessions[thread_id ?? ""])?.tool;
}

/**
 * @throws BellhopError what asking throws; E_DECISION_CLOSED if the decision is settled, its bytes are not those shown
 * or were not shown in full; or there is no such rule any more
 */
function decideOwnerRule(state: State, command: OwnerRuleCommand, at: string): (OwnerRuleEvent | DecisionEvent)[] {
  switch (command.type) {
    case "ask_by_rules":
      return askByRules(state, command, at);
    case "add_rule":
      return addRule(state, command);
    case "remove_rule": {
      const { rule_id } = command;
      if (!liveRules(state, at).some((one) => one.rule_id === rule_id)) throw new BellhopError("E_DECISION_CLOSED");
      return [{ type: "RuleRemoved", payload: { rule_id } }];
    }
  }
}

/** A no of a rule wins; where the owner has allowed it for the session, that is why it is allowed. */
function askByRules(
  state: State,
  { ask, bytes, facts }: Extract<OwnerRuleCommand, { type: "ask_by_rules" }>,
  at: string,
): DecisionEvent[] {
  const events = decideDecision(state, ask, at);
  const [asked] = events;
  if (asked?.type !== "DecisionAsked" || ask.excess !== undefined) return events;
  const judgement = judge({ ...ask, bytes }, rulesFor(state, ask, at), facts);
  if (judgement === "ask" || (events.length > 1 && "allowedBy" in judgement)) return events;
  const { decision_id, thread_id } = ask;
  const [place, { rule_id }] =
    "deniedBy" in judgement ? [PERMISSION.deny, judgement.deniedBy] : [PERMISSION.once, judgement.allowedBy];
  const answers = [{ places: [place], words: null }];
  return [
    asked,
    { type: "DecisionAnswered", payload: { decision_id, thread_id, ...NO_MESSAGE, answers, by: "rule", rule_id } },
  ];
}

function addRule(
  state: State,
  { type: _type, by, sha256, ...made }: Extract<OwnerRuleCommand, { type: "add_rule" }>,
): (OwnerRuleEvent | DecisionEvent)[] {
  const decision = state.decisions[made.decision_id];
  const session = state.sessions[decision?.thread_id ?? ""];
  const agent = decision && agentOf(state, decision);
  if (decision?.kind !== "permission" || !session || agent === undefined) throw new BellhopError("E_DECISION_CLOSED");
  const answer = made.effect === "allow" ? yesTo(decision) : noTo(decision);
  const answered = answerEvent(decision, { question: 0, answer, saw: { sha256 } }, NO_MESSAGE);
  if (answered?.type !== "DecisionAnswered") throw new BellhopError("E_DECISION_CLOSED");
  const { thread_id, project_name: project } = session;
  const rule: NewRule = {
    ...made,
    scope: by === "thread" ? { by, thread_id } : { by, project },
    thread_id,
    agent,
    title: decision.subject?.title ?? "",
  };
  return [
    { type: "RuleAdded", payload: rule },
    { ...answered, payload: { ...answered.payload, rule_id: rule.rule_id } },
  ];
}

function evolveOwnerRule(state: State, event: OwnerRuleEvent, at: string): void {
  if (event.type === "RuleRemoved") return void delete state.rules[event.payload.rule_id];
  const live = new Set(liveRules(state, at));
  removeRules(state, (one) => !live.has(one));
  state.rules[event.payload.rule_id] = { ...structuredClone(event.payload), at, used: 0, last_used: null };
}

/** What it settles is a use of it, and its job counts it. */
function evolveUse(state: State, { payload }: Extract<DecisionEvent, { type: "DecisionAnswered" }>, at: string): void {
  const { by, rule_id, decision_id, answers } = payload;
  if (by !== "rule") return;
  const rule = state.rules[rule_id ?? ""];
  if (rule) {
    rule.used += 1;
    rule.last_used = at;
  }
  const decision = state.decisions[decision_id];
  const run = state.runs[(decision && workOf(decision.asker)) ?? ""];
  if (!run) return;
  run.by_rules ??= { allowed: 0, denied: 0 };
  run.by_rules[answers[0]?.places[0] === PERMISSION.deny ? "denied" : "allowed"] += 1;
}

function removeRules({ rules }: State, isOver: (rule: OwnerRule) => boolean): void {
  for (const one of Object.values(rules)) if (isOver(one)) delete rules[one.rule_id];
}

export const ownerRuleSlice: Slice<OwnerRuleCommand, OwnerRuleEvent> = {
  decide: { ask_by_rules: decideOwnerRule, add_rule: decideOwnerRule, remove_rule: decideOwnerRule },
  evolve: { RuleAdded: evolveOwnerRule, RuleRemoved: evolveOwnerRule },
  kinds: "decision",
  topic: (_state, { payload }) => ("thread_id" in payload ? payload.thread_id : payload.rule_id),
  alsoEvolves: {
    DecisionAnswered: evolveUse,
    // Whoever had the account may have made it.
    Locked: (state) => removeRules(state, ({ effect }) => effect === "allow"),
    ProjectRemoved: (state, { payload }) =>
      removeRules(state, ({ scope }) => scope.by === "project" && scope.project === payload.name),
    SessionForgotten: (state, { payload }) => removeRules(state, (one) => one.thread_id === payload.thread_id),
  },
};
