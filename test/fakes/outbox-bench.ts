/**
 * A bench for the outbox alone: what is owed is what the test says, and it says so at once.
 */
import type { Owed } from "../../src/discord/owed.ts";
import { openPostBench, type PostBench, type Process, type View } from "./post-bench.ts";

/** What the bot has said in a channel, oldest first. */
export const contents = (bench: PostBench, channelId?: string): string[] => bench.said(channelId).map(({ content }) => content);
/** What is recorded of a subject. */
export const posts = (process: Process, subject: string) => process.engine.state.posts[subject] ?? {};

/** A view of what a test says, whenever it says so. */
function board(): { owed: Owed[]; view: View } {
  const made = { owed: [] as Owed[], view: ((_engine, threadId) => made.owed.filter(({ thread_id }) => thread_id === threadId)) as View };
  return made;
}

/** A job that runs in a thread, an outbox, and a board on which a test writes what is owed. */
export async function openOutboxBench(options: { refusals?: boolean } = {}) {
  const bench = await openPostBench(options);
  const { owed, view } = board();
  const process = bench.start(view);
  const job = await bench.job(process);
  const owe = async (...more: Owed[]): Promise<void> => {
    owed.splice(0, owed.length, ...more);
    process.outbox.look(bench.threadId);
    await bench.run(process.outbox.idle());
  };
  return { bench, owed, view, process, job, owe };
}
