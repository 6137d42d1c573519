/**
 * The catalogue of projects: config.json, which is its owner's, and the state, kept the same. What the file says is
 * recorded at the start and whenever it is edited; what a command says is written into the file, as it stands at
 * that moment, and a write that a crash cut off is finished at the next start. A file that cannot be read while
 * the daemon runs changes nothing until it can.
 */
import { watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import type { Clock } from "../base/clock.ts";
import { readWhole, writeAtomically, type Disk } from "../base/disk.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import { defaultConfig, readConfig, type Config } from "../config/config-file.ts";
import { mergeProjects } from "../config/project-merge.ts";
import type { Engine } from "../engine/engine.ts";

export interface CatalogueOptions {
  disk: Disk;
  /** Absolute path of config.json. */
  path: string;
  clock: Clock;
  locale: Locale;
  log: Log;
}

export interface Catalogue {
  /** What the file said when it was last readable. */
  readonly config: Config;
  /** From now on file and state are kept the same; resolves when they first are. */
  keep(engine: Engine): Promise<void>;
  close(): Promise<void>;
}

/** Editors write a file in several steps; we look when they are done. */
const SETTLE_MS = 100;

/** @throws E_CONFIG_INVALID with the place, what was found and what was expected */
export async function openCatalogue(options: CatalogueOptions): Promise<Catalogue> {
  const { disk, path, locale, log } = options;
  let config = await read();
  let engine: Engine | null = null;
  let work = Promise.resolve();
  let watcher: FSWatcher | null = null;
  let unwatch = (): void => {};
  let forget = (): void => {};

  async function read(): Promise<Config> {
    const text = await readWhole(disk, path);
    if (text === undefined) return defaultConfig();
    const { config, warnings } = readConfig(text.toString("utf8"), locale);
    for (const warning of warnings) log.warn(warning);
    return config;
  }

  /** One after another: two writes at once would each keep what it had read, and lose the other's. */
  function queue(task: () => Promise<void>): Promise<void> {
    work = work.then(task).catch((error: unknown) => log.failure("config.json", error));
    return work;
  }

  async function write(house: Engine): Promise<void> {
    const unsaved = Object.values(house.state.projects).filter((project) => project.unsaved);
    if (unsaved.length === 0) return;
    const text = (await readWhole(disk, path))?.toString("utf8") ?? null;
    const held = text === null ? {} : readConfig(text, locale).config.projects;
    const created = unsaved
      .filter(({ name }) => !held[name])
      .map(({ number: _number, unsaved: _unsaved, ...project }) => project);
    if (created.length > 0) await writeAtomically(disk, path, Buffer.from(mergeProjects(text, { created })));
    await house.submit({ type: "projects_saved", names: unsaved.map(({ name }) => name) });
  }

  async function adopt(house: Engine): Promise<void> {
    config = await read();
    const projects = Object.values(config.projects);
    await house.submit({ type: "adopt_projects", projects });
  }

  async function keep(house: Engine): Promise<void> {
    engine = house;
    await queue(() => write(house));
    await queue(() => adopt(house));
    unwatch = house.watch((topics) => {
      if (topics.has("projects")) void queue(() => write(house));
    });
    watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === basename(path)) lookLater();
    });
    watcher.on("error", (error) => log.failure("config.json is no longer watched", error));
  }

  function lookLater(): void {
    forget();
    forget = options.clock.after(SETTLE_MS, () => {
      const house = engine;
      if (house) void queue(() => adopt(house));
    });
  }

  async function close(): Promise<void> {
    forget();
    unwatch();
    watcher?.close();
    engine = null;
    await work;
  }

  return {
    get config() {
      return config;
    },
    keep,
    close,
  };
}
