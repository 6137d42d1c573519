/**
 * A bench for the post sync alone: what is owed is what the test says, and it says so at once.
 */
import type { DesiredPost } from "../../src/discord/views/message.ts";
import { openPostBench, type PostBench, type Process, type View } from "./post-bench.ts";

/** What the bot has said in a channel, oldest first. */
export const contents = (bench: PostBench, channelId?: string): string[] =>
  bench.said(channelId).map(({ content }) => content);
/** What is recorded of a subject. */
export const posts = (process: Process, subject: string) => process.engine.state.posts[subject] ?? {};

/** A view of what a test says, whenever it says so. */
function board(): { desired: DesiredPost[]; view: View } {
  const made = {
    desired: [] as DesiredPost[],
    view: ((_engine, threadId) => made.desired.filter(({ thread_id }) => thread_id === threadId)) as View,
  };
  return made;
}

/** A job that runs in a thread, an post sync, and a board on which a test writes what is owed. */
export async function openOutboxBench(options: { refusals?: boolean } = {}) {
  const bench = await openPostBench(options);
  const { desired, view } = board();
  const process = bench.start(view);
  const job = await bench.job(process);
  const owe = async (...more: DesiredPost[]): Promise<void> => {
    desired.splice(0, desired.length, ...more);
    process.postSync.syncThread(bench.threadId);
    await bench.run(process.postSync.idle());
  };
  return { bench, desired, view, process, job, owe };
}
