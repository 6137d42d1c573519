/**
 * The reconciler that names a session's thread after the first words of its first message, once, because Discord allows
 * only two renames in ten minutes. A thread that its owner made, or has renamed meanwhile, keeps its name. The name is
 * on disk before it is sent to Discord.
 */
import type { APIThreadChannel } from "discord-api-types/v10";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { beginning, withoutControls } from "../../base/text.ts";
import type { State } from "../../core/state.ts";
import type { Engine } from "../../engine/engine.ts";
import { reconcile, type Reconciling } from "../../engine/reconcile.ts";
import type { Rest } from "../api/rest.ts";
import { failureKind } from "../api/rest-failure.ts";

export interface ThreadNamesOptions {
  engine: Reconciling["engine"] & Pick<Engine, "submit">;
  rest: Pick<Rest, "call">;
  clock: Clock;
  log: Log;
  botId: string;
}

/** The post part that records that a thread has its name, or keeps its owner's. */
const NAMED_PART = "named";
const NAME_CHARS = 60;
/** How much of a message is read. */
const READ_CHARS = 2_000;

/** Checks every thread once: what an earlier run left undone is done. */
export function openThreadNames(options: ThreadNamesOptions): { close(): void } {
  const { engine, botId } = options;

  function step(threadId: string, again: boolean): Promise<void> | null {
    const thread = engine.state.threads[threadId];
    if (
      !thread ||
      thread.kind !== undefined ||
      thread.bot_id !== botId ||
      !engine.state.sessions[threadId] ||
      engine.state.posts[threadId]?.[NAMED_PART]
    )
      return null;
    const wanted = thread.name ?? firstName(engine.state, threadId);
    return wanted ? give(threadId, wanted, again) : null;
  }

  async function give(threadId: string, name: string, again: boolean): Promise<void> {
    const known = engine.state.threads[threadId]?.name !== undefined;
    if (!known) await engine.submit({ type: "name_session", thread_id: threadId, name });
    await rename(options, threadId, { name, inherited: again && known });
    await engine.submit({
      type: "record_post",
      subject: threadId,
      part: NAMED_PART,
      channel_id: threadId,
      message_id: null,
      hash: NAMED_PART,
      is: NAMED_PART,
    });
  }

  const names = reconcile({
    ...options,
    failure: "a thread could not be named",
    details: (thread_id) => ({ thread_id }),
    follows: "sessions",
    step,
  });
  names.start();
  return names;
}

/** The first words of a message, on one line, as a name; empty if there are none. */
export function nameFrom(words: string): string {
  const line = withoutControls(beginning(words, READ_CHARS))
    .toWellFormed()
    .replace(/<(?:@[!&]?|#|a?:\w{2,32}:)\d{17,20}>/g, " ")
    .replace(/[`*]|^[ \t]*[#>]+[ \t]/gm, "")
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= NAME_CHARS) return line;
  const cut = beginning(line, NAME_CHARS - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > NAME_CHARS / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** The name for a session in which no job has ended yet: its first message may still wait. Null without a message. */
function firstName({ sessions, threads, jobs }: State, threadId: string): string | null {
  const session = sessions[threadId];
  if (!session || (threads[threadId]?.ended.length ?? 0) > 0) return null;
  const first = jobs[session.running_job_id ?? session.queue[0] ?? ""];
  return first === undefined ? null : nameFrom(first.prompt);
}

/** Renames the thread, unless it was renamed since we first tried. */
async function rename(
  { rest, log }: ThreadNamesOptions,
  threadId: string,
  { name, inherited }: { name: string; inherited: boolean },
): Promise<void> {
  const path = `/channels/${threadId}` as const;
  try {
    if (inherited && (await isRenamed(rest, threadId))) return;
    await rest.call({ method: "PATCH", path, body: { name }, priority: "cosmetic" });
  } catch (error) {
    const kind = failureKind(error);
    if (kind === null || kind === "closed" || kind === "unauthorized" || kind === "unavailable") throw error;
    log.info("a thread keeps its name", { thread_id: threadId, reason: String(error) });
  }
}

/** Whether its name differs from the initial one. */
async function isRenamed(rest: Pick<Rest, "call">, threadId: string): Promise<boolean> {
  const { name = "" } = await rest.call<Partial<APIThreadChannel>>({
    method: "GET",
    path: `/channels/${threadId}`,
    priority: "cosmetic",
  });
  return !isInitialName(name);
}

/** Whether a thread of ours has this name because it has not been named yet: it ends with the date and the time. */
export function isInitialName(name: string): boolean {
  return / · \d{4}-\d{2}-\d{2} \d{2}:\d{2}$/.test(name);
}
