/**
 * The catalogue of projects: config.json, which is its owner's, and the state, kept the same. What the file says is
 * recorded at the start and whenever it is edited; what a command says is written into the file, as it stands at
 * that moment, and a write that a crash cut off is finished at the next start. A file that cannot be read while
 * the daemon runs changes nothing until it can.
 */
import { unwatchFile, watchFile } from "node:fs";
import { readWhole, writeAtomically, type Disk } from "../base/disk.ts";
import type { Log } from "../base/log.ts";
import { say, type Locale } from "../base/words/say.ts";
import { unavailable } from "../config/availability.ts";
import { defaultConfig, readConfig, type Config } from "../config/config-file.ts";
import { mergeProjects } from "../config/project-merge.ts";
import type { Engine } from "../engine/engine.ts";
import { refusedPassEnv } from "../host/environment.ts";

export interface CatalogueOptions {
  disk: Disk;
  /** Absolute path of config.json. */
  path: string;
  locale: Locale;
  log: Log;
}

const LOOK_EVERY_MS = 500;
const NOTHING = { config: null, warnings: [] };

export class Catalogue {
  readonly #options: CatalogueOptions;
  #config = defaultConfig();
  #engine: Engine | null = null;
  #work = Promise.resolve();
  #unwatch = (): void => undefined;

  private constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  /** @throws E_CONFIG_INVALID with the place, what was found and what was expected */
  static async open(options: CatalogueOptions): Promise<Catalogue> {
    const catalogue = new Catalogue(options);
    await catalogue.#read();
    return catalogue;
  }

  /** What the file said when it was last readable. */
  get config(): Config {
    return this.#config;
  }

  /** From now on file and state are kept the same; resolves when they first are. */
  async keep(engine: Engine): Promise<void> {
    const { path } = this.#options;
    this.#engine = engine;
    await this.#queue(() => this.#write(engine));
    await this.#queue(() => this.#adopt(engine));
    this.#unwatch = engine.watch((topics) => {
      if (topics.has("projects")) void this.#queue(() => this.#write(engine));
    });
    // Looked at rather than listened to: the journal beside it is written all the time.
    watchFile(path, { persistent: false, interval: LOOK_EVERY_MS }, this.#edited);
  }

  async close(): Promise<void> {
    unwatchFile(this.#options.path, this.#edited);
    this.#unwatch();
    this.#engine = null;
    await this.#work;
  }

  async #read(): Promise<void> {
    const { disk, path, locale, log } = this.#options;
    const text = await readWhole(disk, path);
    const { config, warnings } = text === undefined ? NOTHING : readConfig(text.toString("utf8"), locale);
    for (const warning of warnings) log.warn(warning);
    for (const { entry } of refusedPassEnv(config?.pass_env ?? [])) log.warn(say(locale, "config.pass_env_refused", { entry }));
    this.#config = config ?? defaultConfig();
  }

  /** One after another: two writes at once would each keep what it had read, and lose the other's. */
  #queue(task: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(task).catch((error: unknown) => this.#options.log.failure("config.json", error));
    return this.#work;
  }

  async #write(engine: Engine): Promise<void> {
    const { disk, path, locale } = this.#options;
    const unsaved = Object.values(engine.state.projects).filter((project) => project.unsaved);
    if (unsaved.length === 0) return;
    const text = (await readWhole(disk, path))?.toString("utf8") ?? null;
    const held = text === null ? {} : readConfig(text, locale).config.projects;
    const created = unsaved
      .filter(({ name }) => !Object.hasOwn(held, name))
      .map(({ number: _number, unsaved: _unsaved, ...project }) => project);
    if (created.length > 0) await writeAtomically(disk, path, Buffer.from(mergeProjects(text, { created })));
    await engine.submit({ type: "projects_saved", names: unsaved.map(({ name }) => name) });
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
    const engine = this.#engine;
    if (!engine) return;
    void this.#queue(() => this.#adopt(engine));
    // What could not be written while the file held nonsense.
    void this.#queue(() => this.#write(engine));
  };
}
