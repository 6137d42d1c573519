/**
 * What is owed to a thread now: the view, handed what it needs from files. An answer is read when its job ends, and
 * again only after a restart; once it stands in Discord whole it is not rendered any more. What an open decision would
 * have done is read once, and shown only if it is to the byte what was asked.
 */
import type { Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import type { Results } from "../host/results.ts";
import type { AnswerConfig } from "./answer.ts";
import { openExhibits, type ExhibitsOptions } from "./exhibits.ts";
import { PATCH_PART } from "./job-end.ts";
import { Growth } from "./growth.ts";
import type { Markdown } from "./markdown.ts";
import type { Live, Owed } from "./owed.ts";
import { hashOf } from "./posting.ts";
import { viewThread } from "./view.ts";

export interface DebtsOptions extends ExhibitsOptions {
  results: Pick<Results, "read" | "readPatch">;
  /** Who is obeyed. */
  ownerId: string;
  locale: Locale;
  live(jobId: string): Live | undefined;
  config(): AnswerConfig;
  /** The file of an answer or of what was asked cannot be read, or is not what it was; the view says so in its place. */
  unreadable(subject: string, error: unknown): void;
}

/** Asks what is owed to a thread. Never throws. */
export type Debts = (threadId: string) => Promise<Owed[]>;

export function openDebts(options: DebtsOptions): Debts {
  const { engine } = options;
  const answered = new Set<string>();
  const settled = new Set<string>();
  const growth = rememberGrowths(options);
  const shown = openExhibits(options);
  let markdown: Markdown | undefined;

  /** Loaded when there is first something to read: nobody waits for it at the start. */
  async function loadMarkdown(): Promise<void> {
    const { openMarkdown } = await import("./markdown.ts");
    markdown ??= openMarkdown();
  }

  /** Jobs of the thread whose answer has to be read. */
  function unread(threadId: string, texts: ReadonlyMap<string, unknown>): string[] {
    const ended = engine.state.threads[threadId]?.ended ?? [];
    return ended.filter(
      (id) => !texts.has(id) && !answered.has(id) && engine.state.runs[id]?.result_sha256 != null,
    );
  }

  /** Remembers the ended jobs whose answer, and of those that ended well everything, stands in Discord as it is owed. */
  function note(owed: readonly Owed[]): void {
    const stands = (one: Owed): boolean => standsIn(engine.state, one);
    const jobs = Map.groupBy(owed, ({ subject }) => subject);
    for (const [jobId, parts] of jobs) {
      const answer = parts.filter(isAnswer);
      if (answer.length > 0 && answer.every(stands)) answered.add(jobId);
      const job = engine.state.jobs[jobId];
      // What a job has changed is known only when its agent is gone.
      const gone = job && engine.state.threads[job.thread_id]?.busy_job !== jobId;
      if (gone && job.state === "success" && answered.has(jobId) && parts.every(stands)) settled.add(jobId);
    }
  }

  return async (threadId) => {
    const texts = new Map<string, string | undefined>();
    const exhibited = await shown(threadId);
    const speaks = exhibited.size > 0 || engine.state.sessions[threadId]?.running_job_id != null || unread(threadId, texts).length > 0;
    if (speaks && !markdown) await loadMarkdown();
    // A job may end while we read: its answer must not be taken for one that cannot be read.
    for (let ids = unread(threadId, texts); ids.length > 0; ids = unread(threadId, texts)) {
      for (const id of ids) texts.set(id, await readAnswer(id, options));
    }
    const changed = await unsentPatches(options, threadId);
    const owed = viewThread(engine.state, threadId, {
      locale: options.locale,
      live: options.live,
      growth: (jobId) => (markdown ? growth(jobId, markdown) : undefined),
      result: (jobId) => texts.get(jobId),
      answered: (jobId) => answered.has(jobId),
      settled: (jobId) => settled.has(jobId),
      patch: (jobId) => changed.get(jobId),
      exhibited: (decisionId) => exhibited.get(decisionId),
      ownerId: options.ownerId,
      config: options.config(),
      markdown: markdown ?? nothingToRead,
    });
    note(owed);
    return owed;
  };
}

async function readAnswer(jobId: string, { results, unreadable }: DebtsOptions): Promise<string | undefined> {
  try {
    return await results.read(jobId);
  } catch (error) {
    unreadable(jobId, error);
    return undefined;
  }
}

/** What crashed jobs of the thread changed, where it is not posted yet. */
async function unsentPatches({ engine, results, unreadable }: DebtsOptions, threadId: string): Promise<Map<string, Uint8Array>> {
  const read = new Map<string, Uint8Array>();
  for (const id of engine.state.threads[threadId]?.ended ?? []) {
    const wanted = engine.state.jobs[id]?.state === "unknown_after_crash" && engine.state.runs[id]?.changes?.patch;
    if (!wanted || engine.state.posts[id]?.[PATCH_PART]) continue;
    const patch = await results.readPatch(id).catch((error: unknown) => unreadable(id, error));
    if (patch) read.set(id, patch);
  }
  return read;
}

/** Of what running jobs say, as far as it was read; gone with what they said. */
function rememberGrowths({ live }: DebtsOptions): (jobId: string, markdown: Markdown) => Growth | undefined {
  const growths = new WeakMap<Live, Growth>();
  return (jobId, markdown) => {
    const said = live(jobId);
    if (!said) return undefined;
    const known = growths.get(said) ?? new Growth(markdown);
    growths.set(said, known);
    return known;
  };
}

/** For threads in which nobody speaks. */
const nothingToRead: Markdown = { seams: () => new Map(), knots: () => [], table: () => null };

function standsIn(state: State, { subject, part, want, live }: Owed): boolean {
  return !live && want.kind === "show" && state.posts[subject]?.[part]?.hash === hashOf(want.body);
}

function isAnswer({ part }: Owed): boolean {
  return part.startsWith("answer:");
}
