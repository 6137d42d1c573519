/**
 * The reconciler of uploads: `uploads/<session>/<message>/`, or `uploads/<message>/` of an earlier version. A message's
 * files are kept while one of its jobs, or the question that it answered, is in the live state, and removed by the next
 * sweep after that. Files of a message that never became a job because of a crash are removed too, and fetched again.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { State } from "../../../core/state.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { Files } from "../../../host/files/files.ts";

export interface UploadRemovalOptions {
  engine: Pick<Engine, "state">;
  files: Pick<Files, "sweep">;
  /** Whether a message's files are being fetched. */
  isUnderWay(messageId: string): boolean;
  clock: Clock;
  log: Log;
}

export interface UploadRemoval {
  close(): void;
}

/** Matches the message id in the path of an uploaded file. */
const UPLOADED = /\/uploads\/(?:\d{1,20}\/)?(\d{17,20})\//g;
const LOOK_EVERY_MS = 6 * 3_600_000;

/** Sweeps once, and then every six hours. Resolves after the first sweep; no files should be fetched before it. */
export async function keepUploads({
  engine,
  files,
  isUnderWay,
  clock,
  log,
}: UploadRemovalOptions): Promise<UploadRemoval> {
  let forget = (): void => undefined;
  let closed = false;

  async function look(): Promise<void> {
    const { jobs, threads, channels } = engine.state;
    const messages = Object.values(jobs).map(({ discord_message_id }) => discord_message_id);
    const needed = new Set([
      ...messages,
      ...answersWithFiles(engine.state),
      ...Object.keys(threads),
      ...Object.keys(channels),
    ]);
    try {
      const removed = await files.sweep((id) => needed.has(id) || isUnderWay(id));
      if (removed > 0) log.info("files of jobs that are gone were removed", { messages: removed });
    } catch (error) {
      log.failure("files of jobs that are gone could not be removed", error);
    }
    if (!closed) forget = clock.after(LOOK_EVERY_MS, () => void look());
  }

  await look();
  return {
    close() {
      closed = true;
      forget();
    },
  };
}

/** The ids of messages whose files are named in answers. */
function answersWithFiles({ decisions }: State): string[] {
  const words = Object.values(decisions).flatMap(({ answers }) => answers.map((answer) => answer?.words ?? ""));
  return words.flatMap((text) => [...text.matchAll(UPLOADED)].map(([, id = ""]) => id));
}
