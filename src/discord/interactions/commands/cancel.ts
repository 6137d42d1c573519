/**
 * `/cancel`: stops the job that runs in this thread and keeps the session. The request is on disk before the agent is
 * touched; the message that closes the job shows when it has ended. Queued jobs continue.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { code, inert } from "../../views/body.ts";
import { plain } from "../reply.ts";
import type { Answer, Command } from "../command.ts";
import { sessionHere } from "../find-session.ts";

export const cancel: Command = {
  name: "cancel",
  options: [],
  // The thread keeps only the message that closes the job.
  ephemeral: true,
  async run({ interaction, locale }, { engine }) {
    const session = sessionHere(engine.state, interaction.channel.id);
    const running = engine.state.jobs[session.running_job_id ?? ""];
    if (!running) return nothing(session, locale);
    const { job_id, prompt } = running;
    const events = await engine.submit({ type: "cancel_job", job_id, by: "owner" });
    if (events.length > 0) return plain(say(locale, "cancel_asked", { job: code(job_id), prompt: inert(prompt, 200) }));
    // Cancelled before and not ended yet; or it ended just now.
    return running.state === "running" ? plain(say(locale, "cancel_again", { job: code(job_id) })) : nothing(session, locale);
  },
};

function nothing({ queue }: Session, locale: Locale): Answer {
  const waiting = queue.length === 0 ? [] : [say(locale, "cancel_waiting", { count: queue.length })];
  return plain([say(locale, "cancel_none"), ...waiting].join(" "));
}
