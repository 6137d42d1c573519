/**
 * Imports questions that an earlier installation left open in its files: once, on the first start, as disconnected
 * questions. They stay in their threads, answers written there meanwhile count, and asking one again picks it up.
 */
import { join } from "node:path";
import { readWhole, writeAtomically, type Disk } from "../../base/disk.ts";
import { isSnowflake } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { PROMPT_PART, UNKNOWN } from "../../core/posts/post.ts";
import type { Engine } from "../../engine/engine.ts";
import type { PendingFiles } from "./question-files.ts";

export interface EarlierQuestionsOptions {
  engine: Pick<Engine, "submit">;
  files: Pick<PendingFiles, "readAll">;
  disk: Disk;
  log: Log;
  stateDir: string;
  /** The directory of the files. */
  pendingDir: string;
  channelId: string | undefined;
  botId: string;
}

interface Earlier {
  question_id: string;
  project: string;
  question: string;
  context: string;
  options: string[];
  thread_id: string;
  message_id: string | null;
  /** ISO 8601; undefined: not in the file. */
  asked_at: string | undefined;
}

/** Its existence means that the import was done. */
const MARK = "earlier-questions-imported";
/** The hash of a post that another program wrote: the next sync replaces it with our prompt. */
const FOREIGN = "foreign";

export async function importEarlierQuestions(options: EarlierQuestionsOptions): Promise<void> {
  const { disk, stateDir, log, pendingDir } = options;
  const mark = join(stateDir, MARK);
  if ((await readWhole(disk, mark)) !== undefined) return;
  try {
    const all = [...(await options.files.readAll(pendingDir))];
    const earlier = all.flatMap(([name, content]) => readEarlier(name, content) ?? []);
    for (const one of earlier) await take(options, one);
    if (earlier.length > 0)
      log.info("open questions of an earlier installation were imported", {
        questions: earlier.length,
        directory: pendingDir,
      });
    await writeAtomically(disk, mark, Buffer.from(""));
  } catch (error) {
    log.failure("the questions of an earlier installation could not be imported", error, { directory: pendingDir });
  }
}

async function take(
  { engine, pendingDir, channelId, botId }: EarlierQuestionsOptions,
  earlier: Earlier,
): Promise<void> {
  const { question_id: decision_id, thread_id, message_id, project, question, context, options, asked_at } = earlier;
  // Recorded before the question, so that the question stays where it was posted.
  await engine.submit({
    type: "record_post",
    subject: decision_id,
    part: PROMPT_PART,
    channel_id: thread_id,
    message_id,
    hash: FOREIGN,
    is: UNKNOWN,
  });
  await engine.submit({
    type: "ask",
    decision_id,
    kind: "question",
    thread_id: null,
    asker: {
      by: "mcp",
      project,
      pending_dir: pendingDir,
      timeout_seconds: null,
      wanted_thread: null,
      channel_id: channelId ?? null,
      bot_id: botId,
    },
    context,
    questions: [
      { question, header: "", options: options.map((label) => ({ label, description: "" })), many: false, words: true },
    ],
    subject: null,
    lapses_at: null,
    ...(asked_at !== undefined && { asked_at }),
  });
  await engine.submit({ type: "disconnect", decision_id });
}

/** Undefined for anything but an open question with a thread. */
function readEarlier(name: string, content: unknown): Earlier | undefined {
  if (typeof content !== "object" || content === null) return undefined;
  const { question_id, project, question, context, options, thread_id, message_id, status, asked_at } =
    content as Record<string, unknown>;
  const isOpen = status === "pending" || status === "disconnected";
  if (
    !isOpen ||
    question_id !== name ||
    typeof question !== "string" ||
    question.trim() === "" ||
    !isSnowflake(thread_id)
  )
    return undefined;
  return {
    question_id: name,
    project: typeof project === "string" && project !== "" ? project : "project",
    question,
    context: typeof context === "string" ? context : "",
    options: Array.isArray(options)
      ? options.filter((one): one is string => typeof one === "string" && one.trim() !== "")
      : [],
    thread_id,
    message_id: isSnowflake(message_id) ? message_id : null,
    asked_at: timeOf(asked_at),
  };
}

/** Discord's ids start in 2015: an older time, or an invalid one, is ignored. */
function timeOf(text: unknown): string | undefined {
  const at = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return at > Date.UTC(2015, 0) && at < Date.UTC(2100, 0) ? new Date(at).toISOString() : undefined;
}
