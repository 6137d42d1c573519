/**
 * How a job's posts are owed: what is posted in its thread, and what is removed from it.
 */
import type { Job } from "../../../core/jobs/job.ts";
import { REMOVED } from "../../../core/posts/post.ts";
import { systemBody } from "../body.ts";
import type { Body, DesiredPost } from "../desired-posts.ts";

/** What differs among the posts of one job. */
export interface JobPost extends Pick<DesiredPost, "part" | "is" | "priority" | "since"> {
  body: Body;
  live?: boolean;
}

/** Silent by default; a post that rings overrides that. */
export function jobPost(
  { job_id, thread_id }: Job,
  { part, is, body, priority, since, live = false }: JobPost,
): DesiredPost {
  return { subject: job_id, part, thread_id, priority, want: { kind: "show", body }, is, rings: false, since, live };
}

/**
 * The existing message is to be removed. @param unrecorded what it shows, if it may stand although that was not
 * recorded
 */
export function takenAway(job: Job, part: string, since: number, unrecorded?: Body): DesiredPost {
  return {
    ...jobPost(job, { part, is: REMOVED, body: systemBody({}), priority: "cosmetic", since }),
    want: { kind: "remove", ...(unrecorded && { unrecorded }) },
  };
}
