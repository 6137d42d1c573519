/**
 * `/budget`, and the buttons under what says that a budget is used up. What is typed is an amount with its unit; nothing
 * is converted. A press counts for exactly what was shown: a second one, and one after the budget was raised, change
 * nothing and say so.
 */
import { ComponentType, type APIMessageComponentInteraction } from "discord-api-types/v10";
import { isoTime } from "../../../base/clock.ts";
import { BellhopError } from "../../../base/errors.ts";
import { excerpt, oneLine } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { budgetsIn, isUsedUp, TOKENS, type Amounts } from "../../../core/jobs/budget.ts";
import type { BudgetWait } from "../../../core/projects/checkout.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { WINDOW_TOOL } from "../../../core/sessions/windows.ts";
import { customId, type ActionFields } from "../../views/custom-id.ts";
import { agentName } from "../../views/message.ts";
import { amount, shares, unitName } from "../../views/money.ts";
import { budgetMark } from "../../views/wait-notice.ts";
import { waitOf } from "../buttons/session-buttons.ts";
import type { CommandContext, InteractionAnswer, SlashCommand } from "../command.ts";
import { sessionHere } from "../find.ts";
import { failureText, openModal, plainAnswer, refuse, wordsField, type Handlers } from "../reply.ts";

const LIMIT_CHARS = 40;
/** Discord's limit for the title and the labels of a modal. */
const LABEL_CHARS = 45;
/** Of config.json too. */
const MOST = 1e12;

export const budget: SlashCommand = {
  name: "budget",
  options: [{ key: "opt_limit", max: LIMIT_CHARS, required: false }],
  ephemeral: false,
  async run({ interaction, locale, options: { limit = "" } }, context) {
    const session = sessionHere(context.engine.state, interaction.channel.id);
    const typed = limit.trim();
    const chosen = typed === "" ? [] : [await choose(session, typed, locale, context)];
    return plainAnswer([...chosen, ...stands(session, locale, context)].join("\n"));
  },
};

/** Returns what is said of it. @throws BellhopError E_BUDGET_INVALID {found} */
async function choose(
  { thread_id }: Session,
  typed: string,
  locale: Locale,
  { engine, config }: CommandContext,
): Promise<string> {
  const set = (chosen: Amounts | null): Promise<unknown> =>
    engine.submit({ type: "choose_budget", thread_id, budget: chosen });
  if (/^(?:off|none)$/i.test(typed)) return (await set({}), say(locale, "budget_off"));
  if (/^default$/i.test(typed)) return (await set(null), say(locale, "budget_default"));
  const { budget: own, spent = {} } = engine.state.threads[thread_id] ?? {};
  const told = Object.keys(spent).filter((unit) => unit !== TOKENS);
  const { unit, count } = amountIn(typed, told.length === 1 ? told[0] : undefined);
  await set({ ...(own ?? config().budget.session), [unit]: count });
  return say(locale, "budget_set", { limit: amount(unit, count, locale) });
}

function stands(session: Session, locale: Locale, context: CommandContext): string[] {
  const { thread_id, tool } = session;
  const { state } = context.engine;
  const all = budgetsIn(state, thread_id, context.engine.rules(), isoTime(context.clock.now()));
  const spent = state.threads[thread_id]?.spent ?? {};
  const [tells] = Object.keys(spent).filter((unit) => unit !== TOKENS);
  if (all.length === 0) return [say(locale, "budget_none")];
  const isOver = all.some((one) => one.of === "session" && isUsedUp(one));
  const name = agentName(state, session, locale);
  const other = all.filter(({ unit, used }) => unit !== TOKENS && tells !== undefined && unit !== tells && used === 0);
  return [
    ...all.map((one) => `💰 ${say(locale, `budget_is_${one.of}`, shares(one, locale))}`),
    ...[...new Set(other.map(({ unit }) => unit))].map(
      (unit) => `⚠️ ${say(locale, "budget_other", { unit, tool: name, tells: tells ?? "" })}`,
    ),
    ...(isOver ? [`⏸️ ${say(locale, "budget_over")}`] : []),
    ...(tool === WINDOW_TOOL ? [`⚠️ ${say(locale, "budget_window")}`] : []),
  ];
}

const SIGNS: Readonly<Record<string, string>> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₩": "KRW" };
const TIMES: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };
const TOKEN_WORDS = /^(?:tokens?|tok|토큰|トークン)$/;

/**
 * The amount in what was typed: `5 USD`, `$5`, `200k tokens`.
 * @param usual the unit if it names none; undefined: it has to name one
 * @throws BellhopError E_BUDGET_INVALID {found}
 */
export function amountIn(typed: string, usual: string | undefined): { unit: string; count: number } {
  const words = typed.normalize("NFKC").trim().toLowerCase().replace(/[￥]/g, "¥").replace(/[￦]/g, "₩");
  const [, sign = "", before = "", digits = "", times = "", after = ""] =
    /^([$€£¥₩]?)(?:([a-z]{3}) )?\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)([km]?)\s*([a-z]+|토큰|トークン)?$/.exec(
      words,
    ) ?? [];
  const named = [sign && SIGNS[sign], before, after].filter((one) => one !== undefined && one !== "");
  // `200k` alone is hardly meant as money.
  const meant = times === "" || usual === TOKENS ? usual : undefined;
  const word = named[0] ?? meant ?? "";
  const isTokens = TOKEN_WORDS.test(word) || word === TOKENS;
  const unit = isTokens ? TOKENS : word.toUpperCase();
  const exact = Number(digits.replaceAll(",", "") || "0") * (TIMES[times] ?? 1);
  const count = isTokens ? Math.round(exact) : exact;
  if (named.length > 1 || !(isTokens || /^[A-Z]{3}$/.test(unit)) || !(count > 0 && count < MOST))
    throw new BellhopError("E_BUDGET_INVALID", { found: oneLine(typed, LIMIT_CHARS) });
  return { unit, count };
}

export const budgetButtons: Handlers<"go_on_with_budget" | "stop_at_budget"> = {
  go_on_with_budget: (fields, { context }) => raise(fields, undefined, context),
  async stop_at_budget(fields, { context }) {
    const wait = usedUp(fields, context);
    const { job_id, since } = wait;
    const events = await context.engine.submit({ type: "stop_at_budget", thread_id: wait.thread_id, job_id, since });
    if (events.length === 0) throw new BellhopError("E_DECISION_CLOSED");
  },
};

/** @throws BellhopError E_DECISION_CLOSED if its thread does not wait for exactly this any more */
function usedUp(
  { job, mark }: ActionFields<"raise_budget">,
  context: CommandContext,
): BudgetWait & { thread_id: string } {
  const found = waitOf(job, "budget", context);
  if (found === null || budgetMark(found.wait) !== mark) throw new BellhopError("E_DECISION_CLOSED");
  return { ...found.wait, thread_id: found.job.thread_id };
}

/** @throws BellhopError E_DECISION_CLOSED, E_BUDGET_USED */
async function raise(
  fields: ActionFields<"raise_budget">,
  to: number | undefined,
  context: CommandContext,
): Promise<void> {
  const { thread_id, job_id, since } = usedUp(fields, context);
  const events = await context.engine.submit({
    type: "raise_budget",
    thread_id,
    job_id,
    since,
    ...(to !== undefined && { to }),
  });
  if (events.length === 0) throw new BellhopError("E_DECISION_CLOSED");
}

/** Asks for the new limit. Never throws. */
export async function askForLimit(
  interaction: APIMessageComponentInteraction,
  fields: ActionFields<"raise_budget">,
  locale: Locale,
  context: CommandContext,
): Promise<void> {
  try {
    const { unit, used, limit, more } = usedUp(fields, context);
    const label = excerpt(say(locale, "budget_raise_to", { unit: unitName(unit, locale) }), LABEL_CHARS);
    const component = { ...wordsField(LIMIT_CHARS), value: String(Math.max(limit, used) + more) };
    const description = say(locale, "budget_raise_says", { used: amount(unit, used, locale) });
    const modal = {
      custom_id: customId("raise_budget", fields),
      title: excerpt(say(locale, "budget_raise_title"), LABEL_CHARS),
      components: [{ type: ComponentType.Label as const, label, description, component }],
    };
    await openModal(interaction, modal, context);
  } catch (error) {
    await refuse(interaction, failureText(error, locale, context), context);
  }
}

/** What `answerModal` answers. @throws BellhopError */
export async function raiseToTyped(
  typed: string,
  fields: ActionFields<"raise_budget">,
  locale: Locale,
  context: CommandContext,
): Promise<InteractionAnswer> {
  const { unit } = usedUp(fields, context);
  const limit = amountIn(typed, unit);
  if (limit.unit !== unit) throw new BellhopError("E_BUDGET_UNIT", { unit });
  await raise(fields, limit.count, context);
  return plainAnswer(say(locale, "budget_raised", { limit: amount(unit, limit.count, locale) }));
}
