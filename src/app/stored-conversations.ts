/** The conversations that agents have kept of a project, whoever began them. */
import type { Driver } from "../agents/contract/driver.ts";
import { ownersWords } from "../agents/run/prompt.ts";
import { isolates } from "../config/session-settings.ts";
import type { Project } from "../core/projects/project.ts";
import type { Resumable, StoredConversation } from "../engine/resumable.ts";
import { standingDirectory } from "../host/files/directories.ts";
import { scrubbedEnvironment } from "../host/processes/environment.ts";
import { childEnvironment, type Ground } from "./ground.ts";

/**
 * The last used first; each with the first of the project's tools that can go on with it. None of a project whose sessions
 * have worktrees of their own: an agent resumes a conversation only in its directory.
 */
export async function storedConversations(ground: Ground, drivers: ReadonlyMap<string, Driver>, project: Project): Promise<Resumable[]> {
  const { config } = ground.configProjects;
  const cwd = standingDirectory(project.path, ground.settings.stateDir)?.path;
  if (cwd === undefined || isolates(config, { project_name: project.name, thread_id: "" })) return [];
  const byStore = new Map<string, Driver>();
  for (const tool of [project.default_tool, ...project.enabled_tools]) {
    const driver = drivers.get(tool);
    const store = driver?.store()?.name;
    if (driver && store !== undefined && !byStore.has(store)) byStore.set(store, driver);
  }
  const found = [...byStore.values()].map(async (driver): Promise<Resumable[]> => {
    const env = scrubbedEnvironment(childEnvironment(ground, config.acp_agents[driver.tool]?.env));
    const kept = (await driver.store()?.conversations?.(env, cwd).catch(() => [])) ?? [];
    return kept.map((one) => ({ ...shown(one, ground), tool: driver.tool, key_name: driver.keyName, cwd }));
  });
  return (await Promise.all(found)).flat().toSorted((a, b) => b.at - a.at);
}

/** Without secrets, before anything is cut off or escaped, and without what Bellhop has written around the owner's words. */
function shown({ about, said, branch, ...rest }: StoredConversation, { redactor }: Pick<Ground, "redactor">): StoredConversation {
  return { ...rest, about: redactor.text(ownersWords(about)), said: redactor.text(said), ...(branch !== undefined && { branch: redactor.text(branch) }) };
}
