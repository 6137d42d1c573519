/**
 * `/lock` and `/unlock`: for a phone that is lost, or an account that somebody else has. The lock asks nothing. To open
 * it, one needs a word beside the account; what is typed goes nowhere but into the comparison.
 */
import { ComponentType } from "discord-api-types/v10";
import { say, type Locale } from "../../../base/words/say.ts";
import { lockedSince } from "../../../core/jobs/lock.ts";
import { waitingSessions } from "../../../core/sessions/session.ts";
import { LONGEST_WORD } from "../../../engine/unlock-words.ts";
import { customId } from "../../views/custom-id.ts";
import { lockedWords, timeOf } from "../../views/lock-notice.ts";
import type { CommandContext, InteractionAnswer, SlashCommand } from "../command.ts";
import { plainAnswer, wordsField } from "../reply.ts";

export const lock: SlashCommand = {
  name: "lock",
  options: [],
  ephemeral: false,
  atOnce: true,
  async run({ locale }, { engine }) {
    const events = await engine.submit({ type: "lock", by: "discord" });
    const since = lockedSince(engine.state) ?? "";
    if (!events.some(({ type }) => type === "Locked"))
      return plainAnswer(say(locale, "lock_already", { since: timeOf(since) }));
    const ended = events.filter(({ type }) => type === "JobCancelRequested").length;
    const waiting = waitingSessions(engine.state).reduce((sum, { queue }) => sum + queue.length, 0);
    return plainAnswer([`🔒 ${lockedWords(since, locale)}`, say(locale, "lock_done", { ended, waiting })].join("\n"));
  },
};

export const unlock: SlashCommand = {
  name: "unlock",
  options: [],
  ephemeral: true,
  modal(locale, { unlockWords }) {
    unlockWords.requireOpen();
    const component = wordsField(LONGEST_WORD);
    return {
      custom_id: customId("unlock", {}),
      title: say(locale, "unlock_title"),
      components: [
        {
          type: ComponentType.Label,
          label: say(locale, "unlock_word"),
          description: say(locale, "unlock_word_says"),
          component,
        },
      ],
    };
  },
};

/** What `answerModal` answers. @throws BellhopError */
export async function unlockTyped(
  typed: string,
  interactionId: string,
  locale: Locale,
  { engine, unlockWords }: CommandContext,
): Promise<InteractionAnswer> {
  await unlockWords.unlock(typed, interactionId);
  const count = waitingSessions(engine.state).length;
  const waits = count === 0 ? [] : [say(locale, "unlock_waiting", { count })];
  return plainAnswer([`🔓 ${say(locale, "unlock_done")}`, ...waits].join("\n"));
}
