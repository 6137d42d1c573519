/**
 * Keeps the projects in config.json, which belongs to its owner, and those in the state the same. The file's content is
 * recorded at the start and after each edit; a command's change, and what the owner chose for a thread of a project
 * with a channel, is written into the file as it is at that moment, and a write interrupted by a crash is finished at
 * the next start. If the file cannot be read while the daemon runs, nothing changes until it can.
 */
import { unwatchFile, watchFile } from "node:fs";
import { realpath } from "node:fs/promises";
import { errnoOf, readWhole, type Disk } from "../base/disk.ts";
import type { Clock } from "../base/clock.ts";
import { BellhopError, theirWords } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { say, type Locale } from "../base/words/say.ts";
import { unavailable, defaultConfig, readConfig, type Config } from "../config/config-file.ts";
import { mergeProjects } from "../config/edit-config.ts";
import { fileChoice, type FileChoice } from "../config/session-settings.ts";
import type { Command } from "../core/slices.ts";
import type { State } from "../core/state.ts";
import type { Project } from "../core/projects/project.ts";
import { unsavedThreads } from "../core/sessions/thread.ts";
import { ReadOnly, replaceOwners } from "../host/files/kept-files.ts";
import { refusedPassEnv } from "../host/processes/environment.ts";
import type { Engine } from "./engine.ts";
import { reconcile, type Reconciler } from "./reconcile.ts";

export interface ConfigProjectsOptions {
  disk: Disk;
  /** Absolute path of config.json. */
  path: string;
  locale: Locale;
  clock: Clock;
  log: Log;
}

const LOOK_EVERY_MS = 500;
const FILE = "config.json";
/** An owner who edits it all the time is not waited for. */
const TRIES = 5;
const NOTHING = { config: null, warnings: [] };

export class ConfigProjects {
  readonly #options: ConfigProjectsOptions;
  #config = defaultConfig();
  #loop: Reconciler | null = null;
  /** It is to be read again. */
  #isEdited = true;
  /** It is left alone until it is edited again. */
  #isInvalid = false;

  private constructor(options: ConfigProjectsOptions) {
    this.#options = options;
  }

  /** @throws E_CONFIG_INVALID with the place, what was found and what was expected */
  static async open(options: ConfigProjectsOptions): Promise<ConfigProjects> {
    const projects = new ConfigProjects(options);
    await projects.#read();
    return projects;
  }

  /** The content of the file when it was last readable. */
  get config(): Config {
    return this.#config;
  }

  /** Starts keeping file and state the same; resolves when they first are. */
  async startSyncing(engine: Engine): Promise<void> {
    const { path, clock, log } = this.#options;
    this.#loop = reconcile({
      engine,
      clock,
      log,
      failure: FILE,
      details: () => ({}),
      follows: {
        kinds: ["project", "choice"],
        all: () => [FILE],
        about: (topic, { threads }) => (topic === "projects" || threads[topic]?.unsaved ? [FILE] : []),
      },
      step: () =>
        this.#isEdited ||
        (!this.#isInvalid && (unsavedIn(engine.state).length > 0 || choicesIn(engine.state, this.#config).length > 0))
          ? this.#bring(engine)
          : null,
    });
    this.#loop.start();
    await this.#loop.whenIdle();
    // Polled rather than watched: the journal beside it is written all the time.
    watchFile(path, { persistent: false, interval: LOOK_EVERY_MS }, this.#edited);
  }

  async close(): Promise<void> {
    unwatchFile(this.#options.path, this.#edited);
    await this.#loop?.whenIdle();
    await this.#loop?.close();
  }

  /** The state's projects go into the file first: what is not in it yet would seem to be removed. */
  async #bring(engine: Engine): Promise<void> {
    const isEdited = this.#isEdited;
    this.#isEdited = false;
    try {
      await this.#write(engine);
      if (isEdited) await this.#adopt(engine);
      this.#isInvalid = false;
    } catch (error) {
      this.#isInvalid = error instanceof BellhopError && error.code === "E_CONFIG_INVALID";
      this.#isEdited ||= isEdited && !this.#isInvalid;
      if (error instanceof BellhopError && error.code === "E_CONFIG_WRITE") await this.#warnThreads(engine, error);
      if (!this.#isInvalid) throw error;
      this.#options.log.failure(FILE, error);
    }
  }

  /** Each thread whose settings it does not hold says so. */
  async #warnThreads(engine: Engine, { code, details }: BellhopError): Promise<void> {
    const threads = choicesIn(engine.state, this.#config).map(({ chosen }) => chosen.thread_id);
    await Promise.all(
      threads.map((thread_id) => engine.submit({ type: "settings_refused", thread_id, code, details })),
    );
  }

  async #read(): Promise<void> {
    const { disk, path, locale, log } = this.#options;
    const text = await readWhole(disk, path);
    const { config, warnings } = text === undefined ? NOTHING : readConfig(text.toString("utf8"), locale);
    for (const warning of warnings) log.warn(warning);
    for (const { entry } of refusedPassEnv(config?.pass_env ?? []))
      log.warn(say(locale, "config.pass_env_refused", { entry }));
    this.#config = config ?? defaultConfig();
  }

  async #write(engine: Engine): Promise<void> {
    for (let left = TRIES; left > 0; left -= 1) if (await this.#tryToWrite(engine)) return;
    throw new BellhopError("E_CONFIG_WRITE", { path: this.#options.path, reason: theirWords("EAGAIN") });
  }

  /** False if its owner has edited it meanwhile. */
  async #tryToWrite(engine: Engine): Promise<boolean> {
    const { disk, path, locale } = this.#options;
    const { state } = engine;
    const unsaved = unsavedIn(state);
    if (unsaved.length === 0 && choicesIn(state, this.#config).length === 0) return true;
    const was = (await readWhole(disk, path)) ?? null;
    const text = was?.toString("utf8") ?? null;
    const held = text === null ? defaultConfig() : readConfig(text, locale).config;
    const created = unsaved
      .filter(({ name }) => !Object.hasOwn(held.projects, name))
      .map(({ number: _number, unsaved: _unsaved, ...project }) => project);
    const choices = choicesIn(state, held);
    const merged = mergeProjects(text, { created, threads: choices.map(({ chosen }) => chosen) });
    const next = Buffer.from(merged);
    if (was === null ? created.length > 0 : !was.equals(next)) {
      if (!(await this.#replace(was, next))) return false;
      // What is chosen must not be without effect until the file is read again.
      this.#config = readConfig(merged, locale).config;
    }
    const saved: Command[] = choices.map(({ chosen: { thread_id, tool, model }, parked }) => ({
      type: "settings_saved",
      thread_id,
      settings: { tool, ...(model !== undefined && { model }) },
      ...(parked && { parked }),
    }));
    await Promise.all(
      [
        ...(unsaved.length > 0 ? [{ type: "projects_saved" as const, names: unsaved.map(({ name }) => name) }] : []),
        ...saved,
      ].map((command) => engine.submit(command)),
    );
    return true;
  }

  async #replace(was: Buffer | null, next: Buffer): Promise<boolean> {
    const { path, locale, log } = this.#options;
    try {
      return await replaceOwners(was === null ? path : await realpath(path), was, next);
    } catch (error) {
      const refused = new BellhopError(
        "E_CONFIG_WRITE",
        { path, reason: theirWords(error instanceof ReadOnly ? "EACCES" : errnoOf(error)) },
        { cause: error },
      );
      log.failure(say(locale, refused.code, refused.details), refused);
      throw refused;
    }
  }

  async #adopt(engine: Engine): Promise<void> {
    await this.#read();
    const projects = Object.values(this.#config.projects);
    await engine.submit({ type: "adopt_projects", projects });
    for (const { name, path } of await unavailable(projects)) {
      const { locale, log } = this.#options;
      log.warn(say(locale, "config.project_unavailable", { project: name, path }), { error_code: "E_INVALID_PATH" });
    }
  }

  readonly #edited = (): void => {
    this.#isEdited = true;
    this.#loop?.markChanged(FILE);
  };
}

/** What the file has a place for. */
function choicesIn(state: State, { projects }: Config): FileChoice[] {
  return unsavedThreads(state).flatMap(({ thread_id, models }) => {
    const session = state.sessions[thread_id];
    return session
      ? (fileChoice(projects, {
          project_name: session.project_name,
          thread_id,
          tool: session.tool,
          model: models?.[session.tool],
        }) ?? [])
      : [];
  });
}

function unsavedIn({ projects }: State): Project[] {
  return Object.values(projects).filter(({ unsaved }) => unsaved);
}
