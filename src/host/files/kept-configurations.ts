/**
 * What the owner has seen of a project's agent configuration or is asked about, on the disk:
 * `STATE_DIR/configurations/<digest>.json`, so that a later change can be shown line by line, and `<digest>.diff`, the
 * difference as shown to the owner. Each file is named by the digest of its content; one with other content is ignored.
 */
import { join } from "node:path";
import { digestOf } from "../../base/digest.ts";
import { inFolder, openFolder, readWhole, writeNew, type Disk } from "../../base/disk.ts";
import type { Configuration, ConfigurationEntry } from "../../core/projects/agent-configuration.ts";
import { configurationOf, lookAtConfiguration } from "./agent-configuration.ts";

export interface Configurations {
  /** The current configuration. @param directory absolute @param dotenv whether an agent there reads `.env` */
  currentConfiguration(directory: string, dotenv: boolean): Configuration | Promise<Configuration>;
  /** Writes and syncs. @throws what the disk throws */
  save(configuration: Configuration): Promise<void>;
  /** Null if it is missing or altered. */
  read(digest: string): Promise<ConfigurationEntry[] | null>;
  /** Writes and syncs; returns its digest. @throws what the disk throws */
  saveDifference(text: string): Promise<string>;
  /** Null if it is missing or altered. */
  readDifference(digest: string): Promise<string | null>;
}

const DIGEST = /^[0-9a-f]{64}$/;
/** @param stateDir absolute; its folder `configurations` is made if missing, and files no longer needed are removed */
export async function openConfigurations(
  disk: Disk,
  stateDir: string,
  { home, needed }: { home: string | undefined; needed: ReadonlySet<string> },
): Promise<Configurations> {
  const folder = await openFolder(disk, stateDir, "configurations");
  for (const name of await disk.readdir(folder))
    if (!needed.has(name.slice(0, 64))) await disk.unlink(join(folder, name)).catch(() => undefined);

  async function text(name: string): Promise<string | null> {
    return (await readWhole(disk, join(folder, name)).catch(() => undefined))?.toString("utf8") ?? null;
  }

  const keep = (name: string, content: string): Promise<void> =>
    inFolder(disk, folder, () => writeNew(disk, join(folder, name), Buffer.from(content)));

  return {
    currentConfiguration: (directory, dotenv) => lookAtConfiguration(directory, { home, dotenv }),
    save: ({ digest, entries }) => keep(`${digest}.json`, JSON.stringify(entries)),
    async read(digest) {
      const json = DIGEST.test(digest) ? await text(`${digest}.json`) : null;
      const entries = json === null ? null : entriesOf(json);
      return entries !== null && configurationOf(entries).digest === digest ? entries : null;
    },
    async saveDifference(difference) {
      const digest = digestOf(difference);
      await keep(`${digest}.diff`, difference);
      return digest;
    },
    async readDifference(digest) {
      const difference = DIGEST.test(digest) ? await text(`${digest}.diff`) : null;
      return difference !== null && digestOf(difference) === digest ? difference : null;
    },
  };
}

/** Only files written here match the digest in their name, so their form is not checked further. */
function entriesOf(json: string): ConfigurationEntry[] | null {
  try {
    const entries: unknown = JSON.parse(json);
    return Array.isArray(entries) &&
      entries.every((entry) => typeof entry === "object" && entry !== null && "name" in entry && "is" in entry)
      ? (entries as ConfigurationEntry[])
      : null;
  } catch {
    return null;
  }
}
