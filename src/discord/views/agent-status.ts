/** What a session's agent is at and what it has used, in the fields and the order of the specification. Pure. */
import type { APIEmbed } from "discord-api-types/v10";
import { isoTime } from "../../base/clock.ts";
import { groupDigits } from "../../base/text.ts";
import { say, type Locale, type WordKey } from "../../base/words/say.ts";
import { workOf } from "../../core/decisions/asker.ts";
import { decisionsIn, isOpen, type Decision } from "../../core/decisions/decision.ts";
import { leftToTerminal } from "../../core/decisions/settlement.ts";
import type { State } from "../../core/state.ts";
import { jobOrTurn, endedIn, workersIn } from "../../core/jobs/job-or-turn.ts";
import { sumCosts, costIn } from "../../core/jobs/cost.ts";
import type { Session } from "../../core/sessions/session.ts";
import type { AgentFacts } from "../../core/sessions/told.ts";
import type { SessionAgents, LiveAgent } from "../../engine/live.ts";
import { agentName, code, colours, plainLine, WAITING_SIGN } from "./message.ts";
import { money } from "./money.ts";
import { clock } from "./decisions/controls.ts";

type SessionAgentFacts = ReturnType<SessionAgents["agentFacts"]>;

const BAR_CELLS = 20;
/** Discord allows 1024. */
const FIELD_CHARS = 1000;

/**
 * @param attach goes on with the conversation at the machine; null: nothing does @param now milliseconds since the
 * epoch
 */
export function agentStatus(
  state: State,
  { thread_id, project_name, tool, last_activity_at }: Session,
  {
    facts,
    model,
    attach,
    now,
    locale,
  }: { facts: SessionAgentFacts; model: string | null; attach: string | null; now: number; locale: Locale },
): APIEmbed {
  const heardAt = facts === null ? last_activity_at : isoTime(now - facts.heardMs);
  const told = state.threads[thread_id]?.told?.[tool];
  const mode = facts?.mode ?? state.threads[thread_id]?.modes?.[tool]?.mode ?? told?.mode;
  const effort = facts?.effort ?? state.threads[thread_id]?.efforts?.[tool] ?? told?.effort;
  const number = state.projects[project_name]?.number;
  return {
    color: colours.runs,
    title: say(locale, "agent_status_title"),
    ...asTold(facts, told, locale),
    fields: [
      { name: say(locale, "agent_field_session"), value: code(thread_id) },
      {
        name: say(locale, "agent_field_project"),
        value: `${number === undefined ? "" : `#${number} `}${plainLine(project_name, 40)}`,
      },
      { name: say(locale, "agent_field_model"), value: model === null ? say(locale, "agent_not_told") : code(model) },
      { name: say(locale, "agent_field_state"), value: say(locale, stateOf(state, thread_id, facts)) },
      { name: say(locale, "agent_field_heard"), value: clock(heardAt, "R") },
      ...(mode === undefined ? [] : [{ name: say(locale, "agent_field_mode"), value: code(mode) }]),
      ...(effort === undefined ? [] : [{ name: say(locale, "agent_field_effort"), value: code(effort) }]),
      ...(attach === null ? [] : [{ name: say(locale, "agent_field_attach"), value: code(attach, FIELD_CHARS) }]),
    ],
  };
}

/** Of an agent that is not open, what is shown is what it last reported. */
function asTold(facts: SessionAgentFacts, told: AgentFacts | undefined, locale: Locale): { description?: string } {
  return facts === null && told !== undefined ? { description: `💤 ${say(locale, "agent_last_told")}` } : {};
}

function stateOf(state: State, threadId: string, facts: SessionAgentFacts): WordKey {
  const { closed, wait = null, hold = null } = state.threads[threadId] ?? {};
  if (closed !== undefined) return "agent_state_closed";
  if (facts?.state === "opening") return "agent_state_created";
  if (workersIn(state, threadId).length > 0)
    return isAsking(state, threadId) ? "agent_state_asking" : "agent_state_prompting";
  if (wait !== null || hold !== null) return "agent_state_held";
  return facts === null ? "agent_state_asleep" : "agent_state_active";
}

/** Whether what works there waits for its owner's answer. */
function isAsking(state: State, threadId: string): boolean {
  const isHere = ({ asker }: Decision): boolean => workersIn(state, threadId).includes(workOf(asker) ?? "");
  return [...decisionsIn(state, threadId).filter(isOpen), ...leftToTerminal(state, threadId)].some(isHere);
}

/** The agent's own figures; of one that is not open, those of its last turns. Where it told none, that is said. */
export function agentUsage(
  state: State,
  { thread_id, tool }: Session,
  facts: SessionAgentFacts,
  locale: Locale,
): APIEmbed {
  const thread = state.threads[thread_id];
  const ended = thread === undefined ? [] : endedIn(state, thread).filter((id) => jobOrTurn(state, id)?.tool === tool);
  const told = ended.map((id) => state.runs[id]?.concluded?.usage).filter((usage) => usage != null);
  const last = told.findLast(({ context_used }) => context_used !== undefined);
  const kept = thread?.told?.[tool];
  const context =
    facts?.context ??
    kept?.context ??
    (last?.context_used !== undefined && last.context_size !== undefined
      ? { used: last.context_used, size: last.context_size }
      : null);
  const cost = facts?.cost ?? kept?.cost;
  const costs = cost === undefined ? sumCosts(told.flatMap((usage) => costIn(usage) ?? [])) : [cost];
  return {
    color: colours.runs,
    title: say(locale, "agent_usage_title"),
    ...asTold(facts, kept, locale),
    fields: [
      {
        name: say(locale, "agent_field_context"),
        value: context === null ? say(locale, "agent_not_told") : bar(context.used, context.size),
      },
      {
        name: say(locale, "agent_field_cost"),
        value:
          costs.length === 0 ? say(locale, "agent_not_told") : costs.map((cost) => money(cost, locale)).join(" + "),
      },
    ],
  };
}

function bar(used: number, size: number): string {
  const share = size > 0 ? Math.min(1, used / size) : 0;
  const full = Math.round(share * BAR_CELLS);
  return `\`${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)}\` ${Math.round(share * 100)} %\n${groupDigits(used)} / ${groupDigits(size)}`;
}

/** More than a machine usually has memory for, and few enough for one embed. */
const SHOWN = 20;
const SIGNS = { working: "⚙️", idle: "💤" } as const;

/** The agents that are open now, one line each: this thread's first, then the longest open. */
export function liveAgents(state: State, living: readonly LiveAgent[], threadId: string, locale: Locale): APIEmbed {
  const isHere = ({ thread_id }: LiveAgent): boolean => thread_id === threadId;
  const sorted = living.toSorted((a, b) => Number(isHere(b)) - Number(isHere(a)) || (a.since < b.since ? -1 : 1));
  const lines = [
    ...(living.some(isHere)
      ? []
      : [
          state.threads[threadId]?.closed === undefined
            ? say(locale, "living_none_here")
            : say(locale, "living_closed", { thread: `<#${threadId}>` }),
        ]),
    ...sorted.slice(0, SHOWN).map((one) => line(state, one, locale)),
    ...(sorted.length > SHOWN ? [say(locale, "living_more", { count: sorted.length - SHOWN })] : []),
  ];
  return {
    color: living.length === 0 ? colours.quiet : colours.runs,
    title: say(locale, "living_title", { count: living.length }),
    description: lines.join("\n"),
  };
}

function line(state: State, { state: at, since, background, bytes, ...one }: LiveAgent, locale: Locale): string {
  const asks = at === "working" && isAsking(state, one.thread_id);
  return [
    `${asks ? WAITING_SIGN : SIGNS[at]} ${agentName(state, one, locale)} <#${one.thread_id}>`,
    say(locale, asks ? "job_waits" : `living_${at}`),
    ...(background > 0 ? [say(locale, "living_background", { count: background })] : []),
    say(locale, "living_since", { since: clock(since, "R") }),
    ...(bytes === null ? [] : [`${Math.round(bytes / 1_000_000)} MB`]),
  ].join(" · ");
}
