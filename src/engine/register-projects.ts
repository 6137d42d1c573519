/**
 * Makes directories projects: one that the owner names, and at the start those of PROJECTS, in their order, and the
 * repositories below PROJECT_ROOTS, by path. No directory becomes a project twice, however its path is written.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { say, type Locale } from "../base/words/say.ts";
import { projectName } from "../config/project-name.ts";
import type { Project } from "../core/projects/project.ts";
import type { Directory } from "../host/files/kept-files.ts";
import type { Engine } from "./engine.ts";

/** The limit for all roots together. */
const MOST_REPOSITORIES = 200;
/** How deep below a root they may be. */
const DEPTH = 2;
/** Directories looked into below one root, so that a wrong root costs little. */
const MOST_LOOKED_AT = 5_000;

/** Under the first free name; a concurrent command may take one first. @param path real */
export async function registerProject(engine: Engine, path: string, tools: readonly string[]): Promise<Project> {
  const taken = new Set(Object.keys(engine.state.projects));
  for (;;) {
    const name = projectName(path, (candidate) => taken.has(candidate));
    const default_args = Object.fromEntries(tools.map((tool) => [tool, []]));
    try {
      await engine.submit({
        type: "create_project",
        project: { name, path, enabled_tools: [...tools], default_tool: tools[0] ?? "", default_args },
      });
    } catch (error) {
      if (!(error instanceof BellhopError) || error.code !== "E_PROJECT_EXISTS") throw error;
      taken.add(name);
      continue;
    }
    const project = engine.state.projects[name];
    if (project) return project;
  }
}

/** The project of this directory, however its path was written. @param path real */
export async function projectAt(
  { state }: Engine,
  path: string,
  look: (path: string) => Promise<Directory>,
): Promise<Project | undefined> {
  const projects = Object.values(state.projects);
  const found = await Promise.all(projects.map(async (project) => [project, await look(project.path)] as const));
  return found.find(([project, it]) => project.path === path || (it.is === "directory" && it.path === path))?.[0];
}

export interface RegisterProjectsOptions {
  /** PROJECTS and PROJECT_ROOTS; absolute paths. */
  projects: readonly string[];
  projectRoots: readonly string[];
  /** The tools of a new project. */
  tools(): Promise<readonly string[]>;
  /** Never throws. */
  inspectDirectory(path: string): Promise<Directory>;
  locale: Locale;
  log: Log;
}

export async function registerNamed(engine: Engine, named: RegisterProjectsOptions): Promise<void> {
  for (const path of [...named.projects, ...(await repositories(named))]) {
    // Each counts for itself.
    await register(engine, path, named).catch((error: unknown) =>
      named.log.failure("a directory of the environment cannot be a project", error, { path }),
    );
  }
}

async function register(
  engine: Engine,
  path: string,
  { inspectDirectory: look, locale, log, tools }: RegisterProjectsOptions,
): Promise<void> {
  const directory = await look(path);
  const real = directory.is === "directory" ? directory.path : path;
  if ((await projectAt(engine, real, look)) !== undefined) return;
  if (directory.is === "ours")
    return log.warn(say(locale, "E_INVALID_PATH", { path }), { error_code: "E_INVALID_PATH" });
  // One that is missing keeps its place in the order of the numbers.
  const project = await registerProject(engine, real, await tools());
  log.info("a directory of the environment is a project", {
    project: project.name,
    number: project.number,
    path: real,
  });
  if (directory.is !== "directory")
    log.warn(say(locale, "config.project_unavailable", { project: project.name, path }), {
      error_code: "E_INVALID_PATH",
    });
}

async function repositories({ projectRoots, locale, log }: RegisterProjectsOptions): Promise<string[]> {
  const found = new Set<string>();
  for (const root of projectRoots) {
    try {
      for (const path of await repositoriesIn(root)) found.add(path);
    } catch {
      log.warn(say(locale, "config.named_unreadable", { name: "PROJECT_ROOTS", path: root }), {
        error_code: "E_INVALID_PATH",
      });
    }
  }
  const all = [...found].toSorted();
  if (all.length > MOST_REPOSITORIES)
    log.warn(say(locale, "config.roots_cut", { count: all.length, limit: MOST_REPOSITORIES }));
  return all.slice(0, MOST_REPOSITORIES);
}

/**
 * The repositories below a directory: itself, its directories and theirs, in the order of their paths.
 * Never looks into a repository, follows no link, and leaves out hidden directories. @param root absolute
 * @throws what the disk throws for the root itself
 */
export async function repositoriesIn(root: string): Promise<string[]> {
  const found: string[] = [];
  let left = MOST_LOOKED_AT;
  let level = [root];
  for (let depth = 0; depth <= DEPTH; depth += 1) {
    const next: string[] = [];
    for (const directory of level) {
      if ((left -= 1) < 0) break;
      const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
        if (directory === root) throw error;
        return [];
      });
      // In a linked worktree it is a file.
      if (entries.some(({ name }) => name === ".git")) found.push(directory);
      else
        next.push(
          ...entries
            .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
            .map(({ name }) => join(directory, name)),
        );
    }
    level = next.toSorted();
  }
  return found.toSorted();
}
