/**
 * Questions that an earlier installation left open in seed A's files: taken over once, on the first start, as questions
 * nobody hears at the moment. They stay in the threads they stand in, what was answered there meanwhile counts, and
 * asking one again picks it up.
 */
import { join } from "node:path";
import { readWhole, writeAtomically, type Disk } from "../base/disk.ts";
import { isSnowflake } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { PROMPT_PART } from "../core/post.ts";
import type { Engine } from "../engine/engine.ts";
import type { PendingFiles } from "../host/pending-files.ts";

export interface EarlierQuestionsOptions {
  engine: Pick<Engine, "submit">;
  files: Pick<PendingFiles, "readAll">;
  disk: Disk;
  log: Log;
  stateDir: string;
  /** Where the files are. */
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
}

/** Its being there means that it was done. */
const MARK = "earlier-questions-imported";
/** Of a post that stands there as another program wrote it: the next look puts our prompt in its place. */
const FOREIGN = "foreign";

export async function importEarlierQuestions(options: EarlierQuestionsOptions): Promise<void> {
  const { disk, stateDir, log, pendingDir } = options;
  const mark = join(stateDir, MARK);
  if ((await readWhole(disk, mark)) !== undefined) return;
  try {
    const all = [...(await options.files.readAll(pendingDir))];
    const earlier = all.flatMap(([name, content]) => readEarlier(name, content) ?? []);
    for (const one of earlier) await take(options, one);
    if (earlier.length > 0) log.info("open questions of an earlier installation were taken over", { questions: earlier.length, directory: pendingDir });
    await writeAtomically(disk, mark, Buffer.from(""));
  } catch (error) {
    log.failure("the questions of an earlier installation could not be taken over", error, { directory: pendingDir });
  }
}

async function take({ engine, pendingDir, channelId, botId }: EarlierQuestionsOptions, earlier: Earlier): Promise<void> {
  const { question_id: decision_id, thread_id, message_id, project, question, context, options } = earlier;
  // Before the question itself: where it stands is where it stays.
  await engine.submit({ type: "record_post", subject: decision_id, part: PROMPT_PART, channel_id: thread_id, message_id, hash: FOREIGN });
  await engine.submit({
    type: "ask",
    decision_id,
    kind: "question",
    thread_id: null,
    asker: { by: "mcp", project, pending_dir: pendingDir, timeout_seconds: null, wanted_thread: null, channel_id: channelId ?? null, bot_id: botId },
    context,
    questions: [{ question, header: "", options: options.map((label) => ({ label, description: "" })), many: false, words: true }],
    subject: null,
    lapses_at: null,
  });
  await engine.submit({ type: "disconnect", decision_id });
}

/** Undefined for what is no open question with a thread. */
function readEarlier(name: string, content: unknown): Earlier | undefined {
  if (typeof content !== "object" || content === null) return undefined;
  const { question_id, project, question, context, options, thread_id, message_id, status } = content as Record<string, unknown>;
  const isOpen = status === "pending" || status === "disconnected";
  if (!isOpen || question_id !== name || typeof question !== "string" || question.trim() === "" || !isSnowflake(thread_id)) return undefined;
  return {
    question_id: name,
    project: typeof project === "string" && project !== "" ? project : "project",
    question,
    context: typeof context === "string" ? context : "",
    options: Array.isArray(options) ? options.filter((one): one is string => typeof one === "string" && one.trim() !== "") : [],
    thread_id,
    message_id: isSnowflake(message_id) ? message_id : null,
  };
}
