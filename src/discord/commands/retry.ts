/**
 * `/retry`: a job that failed or was cut off by a crash runs again as a new one, in its own thread, wherever this
 * is asked (seed B 11.9). What the live state no longer holds cannot be run again.
 */
import { BellhopError } from "../../base/errors.ts";
import { say } from "../../base/words/say.ts";
import { code } from "../body.ts";
import { shown } from "./project-path.ts";
import { plain } from "./reply.ts";
import type { Command } from "./room.ts";
import { retryChoices } from "./suggestions.ts";

const JOB_ID = /^job_\d{8}_\d{4,12}$/;

export const retry: Command = {
  name: "retry",
  ephemeral: false,
  async run({ interaction, options, locale }, { engine }) {
    const job_id = (options["job_id"] ?? "").trim();
    // The state is asked for nothing that cannot be an id.
    if (!JOB_ID.test(job_id)) throw new BellhopError("E_JOB_NOT_RETRYABLE", { job: shown(job_id) });
    const events = await engine.submit({ type: "retry", job_id });
    const queued = events.find((event) => event.type === "JobEnqueued")?.payload;
    if (!queued) return plain(say(locale, "discarded_before"));
    const job = code(queued.job_id);
    const here = queued.thread_id === interaction.channel.id;
    return plain(here ? say(locale, "retry_queued", { job }) : say(locale, "retry_queued_in", { job, thread: `<#${queued.thread_id}>` }));
  },
  complete: ({ state, option, typed, channelId }) => (option === "job_id" ? retryChoices(state, typed, channelId) : []),
};
