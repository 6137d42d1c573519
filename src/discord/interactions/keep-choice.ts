/** What the owner has chosen for a session goes into config.json where that names places of its project. */
import { entryOf } from "../../base/entry.ts";
import { keepsChoices } from "../../config/session-settings.ts";
import type { Session } from "../../core/sessions/session.ts";
import type { CommandContext } from "./command.ts";

export async function keepChoice({ thread_id, project_name }: Pick<Session, "thread_id" | "project_name">, { engine, config }: Pick<CommandContext, "engine" | "config">): Promise<void> {
  const { projects } = config();
  const project = entryOf(projects, project_name);
  if (project?.channel_id === thread_id || !project || !keepsChoices(project)) return;
  await engine.submit({ type: "choose_settings", thread_id });
}
