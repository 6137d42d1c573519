/**
 * `/cancel`: stops the job that runs in this thread, or what its agent does by itself, and keeps the session. The
 * request is on disk before the agent is touched; the message that closes the job shows when it has ended. Queued jobs
 * continue.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { jobOrTurn, workersIn } from "../../../core/jobs/job-or-turn.ts";
import { underWay } from "../../../core/jobs/sending.ts";
import { code, inert } from "../../views/body.ts";
import { plain } from "../reply.ts";
import type { Answer, Command } from "../command.ts";
import { sessionHere } from "../find.ts";

export const cancel: Command = {
  name: "cancel",
  options: [],
  // The thread keeps only the message that closes the job.
  ephemeral: true,
  async run({ interaction, locale }, { engine }) {
    const { state } = engine;
    const session = sessionHere(state, interaction.channel.id);
    const job_id = workersIn(state, session.thread_id).at(-1) ?? "";
    const running = jobOrTurn(state, job_id);
    if (!running) return nothing(session, locale);
    const isOutside = state.turns?.[job_id] !== undefined;
    const events = await engine.submit({ type: "cancel_job", job_id, by: "owner" });
    const sending = underWay(state, session.thread_id).length;
    const also = sending === 0 ? [] : [say(locale, "cancel_sending", { count: sending })];
    if (events.length > 0)
      return plain(
        [
          isOutside
            ? say(locale, "cancel_outside")
            : say(locale, "cancel_asked", { job: code(job_id), prompt: inert(running.prompt, 200) }),
          ...also,
        ].join("\n"),
      );
    // Cancelled before and not ended yet; or it ended just now.
    if (jobOrTurn(state, job_id)?.state !== "running") return nothing(session, locale);
    return plain(isOutside ? say(locale, "cancel_outside_again") : say(locale, "cancel_again", { job: code(job_id) }));
  },
};

function nothing({ queue }: Session, locale: Locale): Answer {
  const waiting = queue.length === 0 ? [] : [say(locale, "cancel_waiting", { count: queue.length })];
  return plain([say(locale, "cancel_none"), ...waiting].join(" "));
}
