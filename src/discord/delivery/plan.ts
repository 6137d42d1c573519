/**
 * The plan: the posts that should stand in a thread now. Runs the view with what it needs from files. An answer is read until its job is
 * closed in Discord. What an open decision would do is read once, and shown only if it is byte for byte what was asked.
 */
import { entryOf } from "../../base/entry.ts";
import { sessionSettings } from "../../config/session-settings.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Log } from "../../base/log.ts";
import { inSlices } from "../../base/slices.ts";
import { decisionsIn, isOpen, type Decision } from "../../core/decisions/decision.ts";
import type { State } from "../../core/state.ts";
import { isUnkept, jobOrTurn, workersIn } from "../../core/jobs/job-or-turn.ts";
import { END_PART } from "../../core/posts/post.ts";
import { endName } from "../../core/jobs/post-state.ts";
import { changesOf } from "../../core/jobs/run.ts";
import { WINDOW_TOOL } from "../../core/sessions/windows.ts";
import type { AnswerText } from "../../host/files/answer-writing.ts";
import { openWithin } from "../../host/time-limit.ts";
import type { Stream } from "./live-stream.ts";
import { wholeBytes } from "../views/decisions/pages.ts";
import { mayCloseItself } from "../views/jobs/answer-posts.ts";
import { isSent, PATCH_PART } from "../views/jobs/job-end.ts";
import { IncrementalRendering } from "../text/incremental-rendering.ts";
import { type Markdown, openRendering } from "../text/markdown.ts";
import type { Live, DesiredPost } from "../views/message.ts";
import type { BotContext } from "../api/bot-context.ts";
import type { FileLimit } from "../api/file-limit.ts";
import { viewThread } from "../views/thread.ts";
import { layOut } from "../../core/decisions/review-text.ts";
import type { Page } from "../../core/decisions/pages.ts";
import { askedBytes } from "../../host/files/kept-files.ts";

/** Longer answers are read at each look, so that what waits for Discord does not fill the memory. */
const REMEMBERED_CHARS = 16_000;

/** Returns what is owed to a thread. Never throws. */
export type Plan = (threadId: string) => Promise<DesiredPost[]>;

export function openPlan(context: BotContext, stream: Stream, fileLimit: FileLimit): Plan {
  const { engine, log, locale, ownerId } = context;
  const incremental = rememberIncremental(stream);
  const shown = openReviewTexts(context);
  const readAll = openAnswers(context);
  const within = openWithin();
  const attempt = openRendering({
    within,
    givenUp: (subject, error) => log.failure("a post cannot be rendered and is given up", error, { subject }),
  });
  let markdown: Markdown | undefined;

  /** Loaded when there is first something to read, so that it does not delay the start. */
  async function loadMarkdown(): Promise<void> {
    const { openMarkdown } = await import("../text/markdown.ts");
    markdown ??= openMarkdown(within);
  }

  return async (threadId) => {
    const reviewed = await shown(threadId);
    const speaks =
      reviewed.size > 0 || workersIn(engine.state, threadId).length > 0 || unread(engine.state, threadId).length > 0;
    if (speaks && !markdown) await loadMarkdown();
    const texts = await readAll(threadId);
    const changed = await unsentPatches(context, threadId);
    const files = await unsentFiles(context, threadId);
    const difference = await differenceOf(context, threadId);
    // The last thing that is awaited: whatever is asked in the meantime, Markdown is loaded.
    if (!markdown && asks(engine.state, threadId)) await loadMarkdown();
    const { long_answers, footer, terminal_turns, limits } = context.config();
    return viewThread(engine.state, threadId, {
      locale,
      liveText: (jobId) => stream.liveText(jobId),
      below: (jobId) => stream.below(jobId),
      incremental: (jobId) => (markdown ? incremental(jobId, markdown) : undefined),
      result: (jobId) => texts.get(jobId)?.text,
      bytesLeftOut: (jobId) => texts.get(jobId)?.left ?? 0,
      footer: ({ tool, thread_id }) => (tool === WINDOW_TOOL ? context.statusLine(thread_id) : null),
      patch: (jobId) => changed.get(jobId),
      attached: (jobId, place) => files.get(`${jobId} ${place}`),
      difference,
      diskFull: engine.diskFull,
      sessionAccess: (session) =>
        context.tools.toolAccess(
          session.tool,
          engine.state.projects[session.project_name]?.default_args[session.tool] ?? [],
          session,
        ),
      reviewed: (decisionId) => reviewed.get(decisionId),
      ownerId,
      config: { long_answers, footer, max_file_bytes: fileLimit.bytes() },
      terminalTurns: terminal_turns,
      isModelInConfig: (job) => isModelInConfig(job, context),
      compacts: (tool) => context.tools.compacts(tool),
      afterLimit: limits.resume_after_limit,
      markdown: markdown ?? nothingToRead,
      attempt,
    });
  };
}

/** Whether config.json names its model, and the owner has chosen none in Discord. */
function isModelInConfig({ thread_id, tool }: Job, { engine: { state }, config }: BotContext): boolean {
  const { project_name = "" } = state.sessions[thread_id] ?? {};
  const project = entryOf(config().projects, project_name);
  const settings = project && sessionSettings(project, thread_id);
  const isSet = settings?.tool === tool && settings.model !== undefined;
  const args = state.projects[project_name]?.default_args[tool] ?? [];
  return (
    state.threads[thread_id]?.models?.[tool] === undefined &&
    (isSet || args.some((one) => /^(?:--model\b|-m$)/.test(one)))
  );
}

/** Whether an agent's question is open there. */
function asks(state: State, threadId: string): boolean {
  return decisionsIn(state, threadId).some((one) => one.kind === "question" && isOpen(one));
}

/** The changed configuration that the thread's owner is asked about. */
async function differenceOf({ engine, readDifference, log }: BotContext, threadId: string): Promise<string | null> {
  const wait = engine.state.threads[threadId]?.wait;
  if (wait?.kind !== "changed" || !wait.configuration) return null;
  const difference = await readDifference(wait.configuration.shown);
  if (difference === null) unreadable(log, wait.job_id, new Error("the file of a post is missing or has changed"));
  return difference;
}

/** Jobs and outside turns of the thread whose answer has to be read. */
function unread(state: State, threadId: string, texts: ReadonlyMap<string, unknown> = new Map()): string[] {
  return endedAt(state, threadId).filter((id) => !isClosed(state, id) && isSaid(state, id) && !texts.has(id));
}

/** Whether its agent said anything that is in its file, or in memory. */
function isSaid(state: State, id: string): boolean {
  const job = jobOrTurn(state, id);
  return state.runs[id]?.result_sha256 != null || (job !== undefined && isUnkept(job, state.runs[id]));
}

/** Ended jobs and outside turns of the thread, in no order. */
function endedAt({ threads }: State, threadId: string): readonly string[] {
  const { ended = [], turns = [] } = threads[threadId] ?? {};
  return turns.length === 0 ? ended : [...ended, ...turns];
}

/** Reads the answers of a thread that are to be posted, by their jobs; undefined: it cannot be read. */
function openAnswers(context: BotContext): (threadId: string) => Promise<Map<string, AnswerText | undefined>> {
  const { engine } = context;
  /** By thread: what was read for its last look, each under its job and its digest. */
  const answers = new Map<string, ReadonlyMap<string, AnswerText>>();
  return async (threadId) => {
    const texts = new Map<string, AnswerText | undefined>();
    const before = answers.get(threadId);
    const remembered = new Map<string, AnswerText>();
    // A job may end while we read: its answer must not be mistaken for one that cannot be read.
    for (let ids = unread(engine.state, threadId); ids.length > 0; ids = unread(engine.state, threadId, texts)) {
      for (const id of ids) {
        const name = `${id} ${engine.state.runs[id]?.result_sha256}`;
        const answer = before?.get(name) ?? (await readAnswer(id, context));
        texts.set(id, answer);
        if (answer !== undefined && answer.text.length <= REMEMBERED_CHARS) remembered.set(name, answer);
      }
    }
    if (remembered.size > 0) answers.set(threadId, remembered);
    else answers.delete(threadId);
    return texts;
  };
}

async function readAnswer(jobId: string, { results, log }: BotContext): Promise<AnswerText | undefined> {
  try {
    return await results.read(jobId);
  } catch (error) {
    unreadable(log, jobId, error);
    return undefined;
  }
}

/** The next unposted file of each ended job and outside turn. */
async function unsentFiles({ engine, results, log }: BotContext, threadId: string): Promise<Map<string, Uint8Array>> {
  const read = new Map<string, Uint8Array>();
  // A copy: one may leave the live state while a file is read.
  for (const id of [...endedAt(engine.state, threadId)]) {
    const attachments = engine.state.runs[id]?.attachments;
    if (!attachments?.length) continue;
    for (const [place, { why }] of attachments.entries()) {
      if (isSent(engine.state, id, place)) continue;
      const bytes =
        why === null && (await results.readAttached(id, place).catch((error: unknown) => unreadable(log, id, error)));
      if (bytes) read.set(`${id} ${place}`, bytes);
      break;
    }
  }
  return read;
}

/** The unposted changes of the thread's crashed jobs. */
async function unsentPatches({ engine, results, log }: BotContext, threadId: string): Promise<Map<string, Uint8Array>> {
  const read = new Map<string, Uint8Array>();
  for (const id of engine.state.threads[threadId]?.ended ?? []) {
    const wanted = engine.state.jobs[id]?.state === "unknown_after_crash" && changesOf(engine.state.runs[id])?.patch;
    if (!wanted || engine.state.posts[id]?.[PATCH_PART]) continue;
    const patch = await results.readPatch(id).catch((error: unknown) => unreadable(log, id, error));
    if (patch) read.set(id, patch);
  }
  return read;
}

/** The renderings of running jobs' live text so far; dropped together with that text. */
function rememberIncremental(stream: Stream): (jobId: string, markdown: Markdown) => IncrementalRendering | undefined {
  const rememberedByLive = new WeakMap<Live, IncrementalRendering>();
  return (jobId, markdown) => {
    const said = stream.liveText(jobId);
    if (!said) return undefined;
    const known = rememberedByLive.get(said) ?? new IncrementalRendering(markdown);
    rememberedByLive.set(said, known);
    return known;
  };
}

/** For threads without agents' text. */
const nothingToRead: Markdown = { breakPoints: () => new Map(), unbreakable: () => [], table: () => null };

/** Whether nothing that shows its answer is still to be posted or edited. */
function isClosed(state: State, jobId: string): boolean {
  const end = state.posts[jobId]?.[END_PART];
  const job = state.jobs[jobId];
  return end !== undefined && (job === undefined || !mayCloseItself(state, job) || end.is === endName(state, job));
}

/**
 * Logs that a file of this subject, a job or a decision, cannot be read. The view says so where it would have shown it.
 */
function unreadable(log: Log, subject: string, error: unknown): void {
  log.failure("the file of a post cannot be read", error, { subject });
}

/** Returns the pages of a thread's decisions, by their ids. Never throws: what cannot be read is left out. */
export type ReviewTexts = (threadId: string) => Promise<ReadonlyMap<string, readonly Page[]>>;

/**
 * What the open permissions and plans of a thread would do, as shown: read from their files once, forgotten when they
 * are settled, and shown only if it is byte for byte what was asked.
 */
export function openReviewTexts(context: BotContext): ReviewTexts {
  const known = new Map<string, readonly Page[] | null>();
  return async (threadId) => {
    const pages = new Map<string, readonly Page[]>();
    for (const decision of decisionsIn(context.engine.state, threadId)) {
      const { decision_id, subject } = decision;
      if (subject === null) continue;
      if (!isOpen(decision)) known.delete(decision_id);
      else {
        if (!known.has(decision_id)) known.set(decision_id, await pagesOf(decision, context));
        const found = known.get(decision_id);
        if (found) pages.set(decision_id, found);
      }
    }
    return pages;
  };
}

async function pagesOf(decision: Decision, { decisionFiles, log }: BotContext): Promise<readonly Page[] | null> {
  try {
    const bytes = await askedBytes(decisionFiles, decision);
    if (bytes === null) throw new Error("the file of a request is missing or has changed");
    const pages = await inSlices(layOut(bytes));
    if (pages !== null && pages.length > 1) await inSlices(wholeBytes(pages));
    return pages;
  } catch (error) {
    unreadable(log, decision.decision_id, error);
    return null;
  }
}
