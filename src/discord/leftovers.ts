/**
 * The keeper of uploads: a message's files stay for as long as one of its jobs is in the live state, and go at the
 * next look after that. What a crash left of a message that never became a job goes too, and is fetched anew.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Engine } from "../engine/engine.ts";
import type { Files } from "../host/files.ts";

export interface LeftoversOptions {
  engine: Pick<Engine, "state">;
  files: Pick<Files, "sweep">;
  /** Whether a message's files are being taken right now. */
  isUnderWay(messageId: string): boolean;
  clock: Clock;
  log: Log;
}

export interface Leftovers {
  close(): void;
}

const LOOK_EVERY_MS = 6 * 3_600_000;

/** Looks once, and then every six hours. Resolves after the first look, before which no files should be taken. */
export async function keepUploads({ engine, files, isUnderWay, clock, log }: LeftoversOptions): Promise<Leftovers> {
  let forget = (): void => undefined;
  let closed = false;

  async function look(): Promise<void> {
    const needed = new Set(Object.values(engine.state.jobs).map(({ discord_message_id }) => discord_message_id));
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
