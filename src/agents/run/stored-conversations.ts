/** The conversations that agents have kept of a project, whoever began them. */
import { isolates } from "../../config/session-settings.ts";
import type { Project } from "../../core/projects/project.ts";
import type { Resumable, StoredConversation } from "../../engine/live.ts";
import type { Driver } from "../contract/driver.ts";
import { toolEnvironment } from "../process/machine.ts";
import { ownersWords } from "./prompt.ts";
import type { RunContext } from "./run-context.ts";

/** What one agent has kept, by directory. */
type ResumableLookup = (cwd: string) => Promise<Resumable[]>;

/**
 * Each key typed into an option asks again, and to look at tens of thousands of files takes longer than Discord waits.
 */
const LATELY_MS = 5_000;

/**
 * The last used first; each with the first of the project's tools that can go on with it. None of a project whose
 * sessions have worktrees of their own: an agent resumes a conversation only in its directory.
 */
export function openStoredConversations(
  context: RunContext,
): (project: Project, lately?: "lately") => Promise<Resumable[]> {
  /** By tool; only while they are read, and a few seconds longer, because the texts may be long. */
  const known = new Map<string, ResumableLookup>();

  function keptBy(driver: Driver, lately: boolean): ResumableLookup {
    const before = lately ? known.get(driver.tool) : undefined;
    if (before) return before;
    const kept = remembering(
      reading(driver, context),
      (found) => void found.then(() => context.clock.after(LATELY_MS, forget)),
    );
    const forget = (): unknown => known.get(driver.tool) === kept && known.delete(driver.tool);
    known.set(driver.tool, kept);
    return kept;
  }

  return async (project, lately) => {
    const { drivers, config, directoryAt } = context;
    const cwd = directoryAt(project.path)?.path;
    if (cwd === undefined || isolates(config(), { project_name: project.name, thread_id: "" })) return [];
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
function remembering(read: ResumableLookup, begun: (found: Promise<Resumable[]>) => void): ResumableLookup {
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
function reading(driver: Driver, context: RunContext): ResumableLookup {
  const look = driver.store()?.openLook?.(toolEnvironment(context.machine, driver.tool));
  return async (cwd) => {
    const kept = (await look?.(cwd).catch(() => [])) ?? [];
    return kept.map((one) => ({ ...shown(one, context), tool: driver.tool, key_name: driver.keyName, cwd }));
  };
}

/**
 * Without secrets, before anything is cut off or escaped, and without what Bellhop has written around the owner's
 * words.
 */
function shown({ about, said, branch, ...rest }: StoredConversation, { redactor }: RunContext): StoredConversation {
  return {
    ...rest,
    about: redactor.redactText(ownersWords(about)),
    said: redactor.redactText(said),
    ...(branch !== undefined && { branch: redactor.redactText(branch) }),
  };
}
