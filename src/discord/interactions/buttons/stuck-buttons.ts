/**
 * The buttons under what a thread is stuck with that ask for more than a press: another model, another tool, and what
 * waits dropped. Each names the job; the state decides at the press whether it is stuck with that still, so a press
 * after it is over, and a second one, change nothing and say so.
 */
import {
  ComponentType,
  type APIMessageComponentInteraction,
  type APIMessageTopLevelComponent,
} from "discord-api-types/v10";
import { BellhopError } from "../../../base/errors.ts";
import { excerpt } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { otherTools } from "../../../core/jobs/waiting.ts";
import type { StuckCause } from "../../../core/projects/checkout.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { customId, type ActionFields } from "../../views/custom-id.ts";
import { choiceMade, ID_CHARS, offeredChoices, offeredIn } from "../agents.ts";
import type { CommandContext, InteractionAnswer } from "../command.ts";
import { changeTool } from "../commands/jobs.ts";
import { compactFull } from "../commands/new-and-compact.ts";
import { acknowledge, failureText, openModal, plainAnswer, refuse, wordsField, type Handlers } from "../reply.ts";
import { waitOf } from "./session-buttons.ts";

/** Discord's limits: the options of a select, and the characters of a modal's title. */
const MOST = 25;
const TITLE_CHARS = 45;

export const stuckButtons: Handlers<"pick_model" | "other_tool" | "pick_tool" | "compact_full" | "drop_waiting"> = {
  async pick_model({ job }, { values: [model = ""], reply, locale, context }) {
    const answer = await choiceMade(
      stuckSession(job, ["model"], context),
      { what: "model", id: model },
      locale,
      context,
    );
    await reply.respond({ ...answer, components: [] });
  },
  async other_tool({ job }, { reply, locale, context }) {
    const { thread_id } = stuckSession(job, ACCOUNT, context);
    const tools = otherTools(context.engine.state, thread_id).slice(0, MOST);
    if (tools.length === 0) throw new BellhopError("E_DECISION_CLOSED");
    const options = tools.map((tool) => ({ value: tool, label: tool }));
    const components = [select(customId("pick_tool", { job }), say(locale, "stuck_tool_pick"), options)];
    await reply.ephemeral({ ...plainAnswer(say(locale, "stuck_tool")), components });
  },
  async pick_tool({ job }, { values: [tool = ""], reply, locale, context }) {
    const answer = await changeTool(stuckSession(job, ACCOUNT, context), tool, locale, context);
    await reply.respond({ ...answer, components: [] });
  },
  async compact_full({ job }, { interaction, reply, locale, context }) {
    const session = stuckSession(job, ["full"], context);
    await reply.ephemeral(await compactFull(session, interaction.message, locale, context));
  },
  async drop_waiting({ job }, { reply, locale, context }) {
    const { thread_id } = stuckSession(job, ["full"], context);
    const events = await context.engine.submit({ type: "clear_queue", thread_id });
    const count = events.filter(({ type }) => type === "JobCancelled").length;
    if (count === 0) throw new BellhopError("E_DECISION_CLOSED");
    await reply.ephemeral(say(locale, "stuck_dropped", { count }));
  },
};

/** Where another tool's account helps. */
const ACCOUNT: readonly StuckCause[] = ["login", "credits"];

/** @throws BellhopError E_DECISION_CLOSED if its thread does not wait for one of these any more */
function stuckSession(job: string, causes: readonly StuckCause[], context: CommandContext): Session {
  const found = waitOf(job, "stuck", context);
  const session = context.engine.state.sessions[found?.job.thread_id ?? ""];
  if (!session || !found || !causes.includes(found.wait.cause)) throw new BellhopError("E_DECISION_CLOSED");
  return session;
}

function select(
  custom_id: string,
  placeholder: string,
  options: { value: string; label: string }[],
): APIMessageTopLevelComponent {
  const menu = { type: ComponentType.StringSelect as const, custom_id, placeholder, options };
  return { type: ComponentType.ActionRow, components: [menu] };
}

/** Offers what the agent offers, or asks for a name where nobody knows that. Never throws. */
export async function chooseModel(
  interaction: APIMessageComponentInteraction,
  { job }: ActionFields<"choose_model">,
  locale: Locale,
  context: CommandContext,
): Promise<void> {
  try {
    const known = offeredIn(stuckSession(job, ["model"], context), "model", context) ?? [];
    const options = offeredChoices(known, "").map(({ value, name }) => ({ value, label: name }));
    if (options.length === 0) return void (await openModal(interaction, nameModal(job, locale), context));
    const reply = await acknowledge(interaction, "button", context);
    const words = say(locale, known.length > options.length ? "stuck_model_more" : "stuck_model");
    const components = [
      select(customId("pick_model", { job }), say(locale, "stuck_model_pick"), options.slice(0, MOST)),
    ];
    await reply?.ephemeral({ ...plainAnswer(words), components });
  } catch (error) {
    await refuse(interaction, failureText(error, locale, context), context);
  }
}

function nameModal(job: string, locale: Locale): Parameters<typeof openModal>[1] {
  const component = wordsField(ID_CHARS);
  return {
    custom_id: customId("choose_model", { job }),
    title: excerpt(say(locale, "button_choose_model"), TITLE_CHARS),
    components: [
      { type: ComponentType.Label, label: excerpt(say(locale, "stuck_model_name"), TITLE_CHARS), component },
    ],
  };
}

/** What `answerModal` answers where a model is named. @throws BellhopError */
export async function chooseModelNamed(
  typed: string,
  { job }: ActionFields<"choose_model">,
  locale: Locale,
  context: CommandContext,
): Promise<InteractionAnswer> {
  const session = stuckSession(job, ["model"], context);
  return choiceMade(session, { what: "model", id: typed.trim() }, locale, context);
}
