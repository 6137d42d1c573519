/**
 * `/cancel`: stops the job that runs in this thread and keeps the session. That it is wanted is on disk before the
 * agent is touched; the card of the job shows when it has ended. What waits goes on.
 */
import { say, type Locale } from "../../base/words/say.ts";
import type { Session } from "../../core/session.ts";
import { code, inert } from "../body.ts";
import { plain } from "./reply.ts";
import type { Answer, Command } from "./room.ts";
import { sessionHere } from "./session-here.ts";

export const cancel: Command = {
  name: "cancel",
  ephemeral: false,
  async run({ interaction, locale }, { engine }) {
    const session = sessionHere(engine.state, interaction.channel.id);
    const running = engine.state.jobs[session.running_job_id ?? ""];
    if (!running) return nothing(session, locale);
    const { job_id, prompt } = running;
    const events = await engine.submit({ type: "cancel_job", job_id, by: "owner" });
    if (events.length > 0) return plain(say(locale, "cancel_asked", { job: code(job_id), prompt: inert(prompt, 200) }));
    // Asked before and not ended yet; or it ended just now.
    return running.state === "running" ? plain(say(locale, "cancel_again", { job: code(job_id) })) : nothing(session, locale);
  },
};

function nothing({ queue }: Session, locale: Locale): Answer {
  const waiting = queue.length === 0 ? [] : [say(locale, "cancel_waiting", { count: queue.length })];
  return plain([say(locale, "cancel_none"), ...waiting].join(" "));
}
