/**
 * A long and ordinary history, for measuring replay with what the daemon really does with its events: fifty threads
 * whose jobs are written, run, answered and posted, one after the other.
 */
import { emptyState, type RecordedEvent, type State } from "../src/core/state.ts";
import type { Event } from "../src/core/slices.ts";
import { evolve } from "../src/core/evolve.ts";
import type { Replayed } from "./journal.ts";

const THREADS = 50;
const PER_JOB = 9;
const FIRST_THREAD = 1_359_000_000_000_000_000n;

export const history: Replayed = {
  draft: (index) => (index < THREADS * 2 ? beginning(index) : ordinary(index - THREADS * 2)),
  begin() {
    const state: State = emptyState();
    return { apply: (event) => evolve(state, event as unknown as RecordedEvent) };
  },
};

function beginning(index: number): Event {
  const number = index >> 1;
  const start = {
    request_id: String(number),
    project_name: "app",
    tool: "claude",
    channel_id: "1",
    guild_id: "2",
    bot_id: "3",
  };
  if (index % 2 === 0) return { type: "SessionRequested", payload: start };
  return { type: "SessionCreated", payload: { thread_id: threadId(number), ...start } };
}

function ordinary(index: number): Event {
  const job = Math.floor(index / PER_JOB);
  const thread_id = threadId(job % THREADS);
  const job_id = `job_20260226_${String(job).padStart(4, "0")}`;
  const message = String(FIRST_THREAD + BigInt(job) * 1000n + 7n);
  const posted = (part: string): Event => ({
    type: "PostRecorded",
    payload: {
      subject: job_id,
      part,
      channel_id: thread_id,
      message_id: message,
      hash: "0123456789abcdef0123456789abcdef",
      is: "said",
    },
  });
  const ref = { job_id, thread_id };
  const usage = { input_tokens: 1234, output_tokens: 56, cost_usd: 0.012, duration_ms: 1800 };
  const steps: (() => Event)[] = [
    () => ({
      type: "JobEnqueued",
      payload: {
        ...ref,
        discord_message_id: message,
        prompt: "please mend the tests and tell me why they broke",
        attempt: 1,
        tool: "claude",
        retry_of: null,
        first: false,
        files: [],
        mode: "prompt",
      },
    }),
    () => ({ type: "JobStarted", payload: { ...ref, tool: "claude", after_crash_of: null } }),
    () => ({ type: "JobProgress", payload: { ...ref, kind: "process", pid: 4242, start_time: "123456@abcdef01" } }),
    () => ({
      type: "JobProgress",
      payload: { ...ref, kind: "session_key", adapter_state: { session_id: "6d3040e7-7186-4cfc-b5f1-36b24e8e3400" } },
    }),
    () => posted("card"),
    () => ({
      type: "JobCompleted",
      payload: {
        ...ref,
        result_excerpt: "The tests are mended. ".repeat(6),
        result_sha256: "ab".repeat(32),
        model: "a-model",
        usage,
      },
    }),
    () => ({ type: "JobProgress", payload: { ...ref, kind: "gone" } }),
    () => posted("end"),
    () => ({ type: "ChannelRead", payload: { channel_id: thread_id, through: message } }),
  ];
  return (steps[index % PER_JOB] ?? steps[0]!)();
}

function threadId(number: number): string {
  return String(FIRST_THREAD + BigInt(number));
}
