/**
 * The buttons under a job that ended badly. A button names its job and what is wanted of it; whether that is still
 * to be had is decided by the state when it is pressed, so it works days later and after a restart, and a second
 * press changes nothing.
 */
import type { APIMessageComponentInteraction } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { pressQueue } from "./queue.ts";
import { acknowledge, failureText } from "./reply.ts";
import type { CommandRoom } from "./room.ts";

const BUTTON = /^(retry|discard):(job_\d{8}_\d{4,})$/;

/** A press of one of ours, or of one that nobody knows. Never throws. */
export async function choose(
  interaction: APIMessageComponentInteraction,
  locale: Locale,
  room: CommandRoom,
): Promise<void> {
  if (interaction.data.custom_id.startsWith("q-")) return pressQueue(interaction, locale, room);
  const reply = await acknowledge(interaction, "button", room);
  if (!reply) return;
  try {
    const said = await press(interaction.data.custom_id, locale, room);
    if (said !== null) await reply.whisper(said);
  } catch (error) {
    await reply.whisper(failureText(error, locale, room));
  }
}

/** What the person is told beside what the thread shows anyway; null for nothing. */
async function press(customId: string, locale: Locale, { engine }: CommandRoom): Promise<string | null> {
  const [, wanted, job_id = ""] = BUTTON.exec(customId) ?? [];
  switch (wanted) {
    case "retry":
      await engine.submit({ type: "retry", job_id });
      return null;
    case "discard": {
      const events = await engine.submit({ type: "discard", job_id });
      return events.length === 0 ? say(locale, "discarded_before") : null;
    }
    default:
      throw new BellhopError("E_DECISION_CLOSED");
  }
}
