/**
 * `/session forget`: removes all that was said in a session from this machine. It first says, to its owner only, what
 * is removed and what stays; his press counts for exactly that.
 */
import { createHash } from "node:crypto";
import { ButtonStyle } from "discord-api-types/v10";
import { BellhopError } from "../../../base/errors.ts";
import { sayWhatStays, type Stays } from "../../../base/what-stays.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { isBusy } from "../../../core/jobs/forgetting.ts";
import type { State } from "../../../core/state.ts";
import { customId } from "../../views/custom-id.ts";
import { button, buttonRows, plainLine } from "../../views/message.ts";
import type { InteractionAnswer, SlashCommand } from "../command.ts";
import { sessionChoices } from "../autocomplete.ts";
import { sessionHere } from "../find.ts";
import { plainAnswer, type Handlers } from "../reply.ts";
import { sessionNamed } from "./sessions.ts";

const TITLE_CHARS = 60;

export const sessionForget: SlashCommand = {
  name: "session forget",
  options: [{ key: "opt_session_id", max: 100, suggested: true, required: false }],
  ephemeral: true,
  async run({ interaction, options, locale }, context) {
    const { state } = context.engine;
    const typed = options["session_id"]?.trim() ?? "";
    const { thread_id } = typed === "" ? sessionHere(state, interaction.channel.id) : sessionNamed(state, typed);
    const stays = await context.forgetting.stays(thread_id);
    const thread = state.threads[thread_id];
    if (thread?.forgetting) throw new BellhopError("E_SESSION_FORGETTING");
    if (!thread || isBusy(state, thread)) throw new BellhopError("E_SESSION_BUSY");
    return asked(state, thread_id, stays, locale);
  },
  complete: ({ state, option, typed }) => (option === "session_id" ? sessionChoices(state, typed) : []),
};

function asked(state: State, threadId: string, stays: Stays, locale: Locale): InteractionAnswer {
  const link = `<#${threadId}>`;
  const name = state.threads[threadId]?.name;
  const lines = [
    say(locale, "forget_asks", { title: name === undefined ? link : `${link} (${plainLine(name, TITLE_CHARS)})` }),
    say(locale, "forget_goes"),
    ...sayWhatStays(locale, stays),
  ];
  const id = customId("forget_session", { thread: threadId, mark: forgetMark(state, threadId, stays) });
  return {
    ...plainAnswer(lines.join("\n")),
    components: buttonRows([button(id, say(locale, "forget_button"), ButtonStyle.Danger)]),
  };
}

/** Names what he was shown, and the session as it was then. */
export function forgetMark({ sessions, threads }: State, threadId: string, stays: Stays): string {
  return createHash("sha256")
    .update(JSON.stringify([sessions[threadId], threads[threadId]?.closed ?? null, stays]))
    .digest("hex")
    .slice(0, 32);
}

export const forgetButtons: Handlers<"forget_session"> = {
  /** Under what is removed and what stays. */
  async forget_session({ thread, mark }, { reply, locale, context }) {
    const { engine, forgetting } = context;
    const shown = await forgetting.stays(thread);
    if (mark !== forgetMark(engine.state, thread, shown)) throw new BellhopError("E_DECISION_CLOSED");
    const { events, stays } = await forgetting.forget(thread);
    const lines = [say(locale, "forget_done", { count: events }), ...sayWhatStays(locale, stays)];
    await reply.respond({ ...plainAnswer(lines.join("\n")), components: [] });
  },
};
