/**
 * The files of a forgotten session: its answers, patches, requests, logs, and what was sent to it and by it. What is
 * not there any more is no failure, so it can be done again after a crash.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf, nodeDisk } from "../../base/disk.ts";

export interface FilesOfSession {
  threadId: string;
  /** Its jobs and outside turns. */
  works: readonly string[];
  /** Each with the directory in which a file mirrors it. */
  decisions: readonly { id: string; mirrored: string | null }[];
}

/** Durable when it resolves. @throws what the disk throws */
export async function removeFilesOf(
  { stateDir, logDir }: { stateDir: string; logDir: string },
  { threadId, works, decisions }: FilesOfSession,
): Promise<void> {
  const own = new Set(works);
  const jobLogs = new Set(works.map((id) => `${id}.log`));
  const asked = new Set(decisions.map(({ id }) => `${id}.json`));
  const isFileOf = (name: string): boolean => own.has(name.replace(/^\./, "").split(".")[0] ?? "");
  await removeIn(join(stateDir, "results"), isFileOf);
  await removeIn(join(stateDir, "decisions"), (name) => asked.has(name));
  await removeIn(join(logDir, "job"), (name) => jobLogs.has(name));
  await removeIn(join(logDir, "sessions"), (name) => name === `${threadId}.log`);
  for (const folder of ["uploads", "outputs"]) await removeIn(join(stateDir, folder), (name) => name === threadId);
  for (const folder of new Set(decisions.flatMap(({ mirrored }) => mirrored ?? [])))
    await removeIn(folder, (name) => asked.has(name));
}

/** A link is removed, never what it leads to. */
async function removeIn(folder: string, isTheirs: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) !== "ENOENT") throw error;
    return [];
  });
  const theirs = names.filter(isTheirs);
  for (const name of theirs) await rm(join(folder, name), { recursive: true, force: true });
  if (theirs.length > 0) await nodeDisk.syncDirectory(folder);
}

/** Copies that a repair, or a crash during a write, has left of the journal: they may hold anything. */
export async function journalCopies(stateDir: string): Promise<string[]> {
  return (await readdir(stateDir)).filter((name) => /\.(?:torn|damaged)-\w+$/.test(name)).toSorted();
}
