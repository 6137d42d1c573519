/**
 * One interaction as a test sees it: facts about the app's answer, each to be waited for.
 */
import type { APIMessage } from "discord-api-types/v10";
import { isObject } from "../rest/form.ts";
import type { Interaction, Modal } from "../interactions/interaction.ts";
import { messageView } from "../messages/message-view.ts";
import type { Context } from "../context.ts";
import type { Waiting } from "./waiting.ts";

export interface InteractionHandle {
  readonly interaction: Interaction;
  /** How many ms after the press the app answered. Rejects where it missed the three seconds. */
  acknowledged(): Promise<number>;
  /** Resolves when the three seconds were missed; never otherwise. */
  failed(): Promise<void>;
  /** The first answer's message, once it is no longer just "thinking". */
  answer(): Promise<APIMessage>;
  /** Whether the answer is seen by this person only; known from the acknowledgement on. */
  ephemeral(): Promise<boolean>;
  /** The first `n` follow-ups. */
  followUps(n: number): Promise<APIMessage[]>;
  modal(): Promise<Modal>;
  choices(): Promise<{ name: string; value: string | number }[]>;
}

export function watchInteraction(context: Context, waiting: Waiting, interaction: Interaction): InteractionHandle {
  const show = (id: string): APIMessage | undefined => {
    const message =
      context.ephemerals.get(id) ?? context.world.messages[interaction.channelId]?.find((one) => one.id === id);
    return message === undefined
      ? undefined
      : (messageView(context, message, { viewerId: interaction.userId }) as unknown as APIMessage);
  };
  /** Waits for a fact, and gives up with a sentence once the interaction has failed. */
  const once = <T>(fact: () => T | undefined | false): Promise<T> =>
    waiting.until<T>(() => {
      if (interaction.failed) throw new Error(`Interaction ${interaction.id} failed: no answer within three seconds`);
      return fact();
    });
  return {
    interaction,
    acknowledged: () => once(() => interaction.acknowledgedAfterMs ?? undefined),
    failed: () => waiting.until(() => interaction.failed).then(() => undefined),
    answer: () =>
      once(() => (interaction.originalId === null || interaction.thinking ? undefined : show(interaction.originalId))),
    ephemeral: async () => {
      await once(() => interaction.callback !== null);
      return interaction.ephemeral;
    },
    followUps: (n) =>
      once(() =>
        interaction.followUps.length >= n
          ? interaction.followUps
              .slice(0, n)
              .map(show)
              .filter((one) => one !== undefined)
          : undefined,
      ),
    modal: () => once(() => interaction.modal ?? undefined),
    choices: () =>
      once(() =>
        interaction.choices
          ?.filter(isObject)
          .map((one) => ({ name: String(one["name"]), value: one["value"] as string | number })),
      ),
  };
}
