/**
 * `/ask`: a prompt for the session's agent, with the agent's own commands completed. It becomes a job like a message,
 * and the answer to the command is that message: it gets the job's reaction.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say } from "../../../base/words/say.ts";
import { code } from "../../views/body.ts";
import { choicesOf } from "../autocomplete.ts";
import { sessionHere } from "../find.ts";
import { plain, Refused } from "../reply.ts";
import type { Command } from "../command.ts";

/** It fits into a message whole. */
const PROMPT_CHARS = 1_500;
/** It would log the owner's agent out on the machine, where nobody can log it in again from Discord. */
const LOGOUT = "logout";
const LOGS_OUT = /^\/?logout(?![\w-])/i;

export const ask: Command = {
  name: "ask",
  options: [{ key: "opt_prompt", max: PROMPT_CHARS, suggested: true }],
  ephemeral: false,
  run({ interaction, options, locale }, { engine }) {
    sessionHere(engine.state, interaction.channel.id);
    const prompt = (options["prompt"] ?? "").trim();
    if (prompt === "") throw new BellhopError("E_EMPTY_PROMPT");
    if (LOGS_OUT.test(prompt)) throw new Refused("E_ARGUMENT_REFUSED", say(locale, "ask_logout"));
    return Promise.resolve(plain(`💬 ${code(prompt, PROMPT_CHARS)}`));
  },
  async stands({ id, channel_id }, _answer, { options }, { engine }) {
    const prompt = (options["prompt"] ?? "").trim();
    if (LOGS_OUT.test(prompt)) return;
    await engine.submit({
      type: "hear",
      thread_id: channel_id,
      discord_message_id: id,
      prompt,
      files: [],
      refused_files: [],
      reply_to: null,
      is_prompt: true,
    });
  },
  complete: ({ option, typed, agent }) =>
    option !== "prompt"
      ? []
      : choicesOf(
          agent.commands
            .filter(({ name }) => name !== LOGOUT)
            .map(({ name, description, hint }) => ({
              value: `/${name}`,
              by: `/${name}\n${description}`,
              label: () =>
                [`/${name}`, ...(hint === "" ? [] : [hint]), ...(description === "" ? [] : [`· ${description}`])].join(
                  " ",
                ),
            })),
          typed,
        ),
};
