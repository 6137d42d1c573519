/** The conversations that agents have kept of a project, whoever began them. */
import type { Driver } from "../agents/contract/driver.ts";
import { ownersWords } from "../agents/run/prompt.ts";
import { isolates } from "../config/session-settings.ts";
import type { CommandContext } from "../discord/interactions/command.ts";
import type { Resumable, StoredConversation } from "../engine/resumable.ts";
import { standingDirectory } from "../host/files/directories.ts";
import { scrubbedEnvironment } from "../host/processes/environment.ts";
import { childEnvironment, type Ground } from "./ground.ts";

type Ours = Pick<Ground, "clock" | "configProjects" | "env" | "redactor" | "secrets" | "settings">;

/** What one agent has kept, by directory. */
type Kept = (cwd: string) => Promise<Resumable[]>;

/**
 * Each key typed into an option asks again, and to look at tens of thousands of files takes longer than Discord waits.
 */
const LATELY_MS = 5_000;

/**
 * The last used first; each with the first of the project's tools that can go on with it. None of a project whose
 * sessions have worktrees of their own: an agent resumes a conversation only in its directory.
 */
export function openStoredConversations(
  ground: Ours,
  drivers: ReadonlyMap<string, Driver>,
): CommandContext["conversations"] {
  /** By tool; only while they are read, and a few seconds longer, because the texts may be long. */
  const known = new Map<string, Kept>();

  function keptBy(driver: Driver, lately: boolean): Kept {
    const before = lately ? known.get(driver.tool) : undefined;
    if (before) return before;
    const kept = remembering(
      reading(driver, ground),
      (found) => void found.then(() => ground.clock.after(LATELY_MS, forget)),
    );
    const forget = (): unknown => known.get(driver.tool) === kept && known.delete(driver.tool);
    known.set(driver.tool, kept);
    return kept;
  }

  return async (project, lately) => {
    const { config } = ground.configProjects;
    const cwd = standingDirectory(project.path, ground.settings.stateDir)?.path;
    if (cwd === undefined || isolates(config, { project_name: project.name, thread_id: "" })) return [];
    const byStore = new Map<string, Driver>();
    for (const tool of [project.default_tool, ...project.enabled_tools]) {
      const driver = drivers.get(tool);
      const store = driver?.store()?.name;
      if (driver && store !== undefined && !byStore.has(store)) byStore.set(store, driver);
    }
    const found = await Promise.all([...byStore.values()].map((driver) => keptBy(driver, lately === "lately")(cwd)));
    return found.flat().toSorted((a, b) => b.at - a.at);
  };
}

/** Each directory is read once. */
function remembering(read: Kept, begun: (found: Promise<Resumable[]>) => void): Kept {
  const known = new Map<string, Promise<Resumable[]>>();
  return (cwd) => {
    const before = known.get(cwd);
    if (before) return before;
    const found = read(cwd);
    known.set(cwd, found);
    begun(found);
    return found;
  };
}

/** None if they cannot be read. */
function reading(driver: Driver, ground: Ours): Kept {
  const env = scrubbedEnvironment(childEnvironment(ground, ground.configProjects.config.acp_agents[driver.tool]?.env));
  const look = driver.store()?.look?.(env);
  return async (cwd) => {
    const kept = (await look?.(cwd).catch(() => [])) ?? [];
    return kept.map((one) => ({ ...shown(one, ground), tool: driver.tool, key_name: driver.keyName, cwd }));
  };
}

/**
 * Without secrets, before anything is cut off or escaped, and without what Bellhop has written around the owner's
 * words.
 */
function shown(
  { about, said, branch, ...rest }: StoredConversation,
  { redactor }: Pick<Ours, "redactor">,
): StoredConversation {
  return {
    ...rest,
    about: redactor.text(ownersWords(about)),
    said: redactor.text(said),
    ...(branch !== undefined && { branch: redactor.text(branch) }),
  };
}
