/**
 * `/retry`: runs a job that failed or was cut off by a crash again as a new one, in its own thread, wherever the
 * command is used. A job no longer in the live state cannot be run again.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say } from "../../../base/words/say.ts";
import { shown } from "../project-path.ts";
import { plain, Refused } from "../reply.ts";
import type { Command } from "../command.ts";
import { ranAgain, refusedRetry, retryJob } from "../retryable.ts";
import { retryChoices } from "../autocomplete.ts";

/** The id alone, or with the rest of a suggestion's label, which the user may have copied. */
const JOB_ID = /^(job_\d{8}_\d{4,12})(?: · .*)?$/;

export const retry: Command = {
  name: "retry",
  options: [{ key: "opt_job_id", max: 40, suggested: true }],
  ephemeral: false,
  async run({ interaction, options, locale }, context) {
    const typed = (options["job_id"] ?? "").trim();
    // Only a valid id is looked up in the state.
    const job_id = JOB_ID.exec(typed)?.[1];
    if (job_id === undefined) throw new BellhopError("E_JOB_NOT_RETRYABLE", { job: shown(typed) });
    const why = refusedRetry(context.engine.state, job_id);
    if (why !== null) throw new Refused("E_JOB_NOT_RETRYABLE", say(locale, why.key, why.args));
    const events = await retryJob(job_id, context);
    return plain(ranAgain(events, locale, interaction.channel.id) ?? say(locale, "discarded_before"));
  },
  complete: ({ state, option, typed, channelId }) => (option === "job_id" ? retryChoices(state, typed, channelId) : []),
};
