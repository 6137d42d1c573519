/** Every slash command, in the order in which Discord and the docs list them. */
import { agentCommands } from "./agents/commands.ts";
import type { Command } from "./command.ts";
import { ask } from "./commands/ask.ts";
import { cancel } from "./commands/cancel.ts";
import { pending } from "./commands/pending.ts";
import { projectAdd, projectList, projects, projectStatus, projectSwitch } from "./commands/project.ts";
import { projectCreate } from "./commands/project-create.ts";
import { queue } from "./commands/queue.ts";
import { resume } from "./commands/resume.ts";
import { retry } from "./commands/retry.ts";
import { sessionList } from "./commands/session-list.ts";
import { sessionOpen } from "./commands/session-open.ts";
import { start } from "./commands/start.ts";
import { status } from "./commands/status.ts";
import { tool } from "./commands/tool.ts";

export const commands: readonly Command[] = [
  projectCreate,
  projectAdd,
  projectList,
  projectStatus,
  projectSwitch,
  projects,
  start,
  ...agentCommands,
  sessionList,
  sessionOpen,
  resume,
  ask,
  status,
  tool,
  retry,
  queue,
  cancel,
  pending,
];
