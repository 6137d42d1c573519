/**
 * `/agent start`: opens a session of a project by its number, with its agent, whose process runs before the thread is made.
 * An agent that cannot be started leaves neither a thread nor a session behind.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import type { Project } from "../../../core/projects/project.ts";
import { inert } from "../../views/body.ts";
import { choicesOf, toolChoices } from "../autocomplete.ts";
import { TOOL_CHARS, type Asked, type Choice, type Command, type CommandContext } from "../command.ts";
import { openIn } from "../open-session.ts";
import { plain } from "../reply.ts";

/** More than anybody registers. */
const LARGEST_NUMBER = 1_000_000;

export const agentStart: Command = {
  name: "agent start",
  options: [
    { key: "opt_project_id", max: LARGEST_NUMBER, isNumber: true, suggested: true },
    { key: "opt_tool", max: TOOL_CHARS, suggested: true, required: false },
  ],
  ephemeral: false,
  async run({ interaction, locale, options }, context) {
    const id = options["project_id"] ?? "";
    const project = numbered(context.engine.state, id);
    if (!project) return plain(`${say(locale, "agent_no_project", { id: inert(id, 20) })} \`E_PROJECT_NOT_FOUND\``);
    return plain(await openIn(interaction, { project, tool: options["tool"]?.trim() || agentOf(project, context) }, locale, context));
  },
  complete,
};

/** The first of the project's tools that is an agent which speaks ACP. @throws BellhopError E_TOOL_NOT_ENABLED if there is none */
function agentOf({ name, enabled_tools }: Project, { tools }: CommandContext): string {
  const tool = enabled_tools.find((one) => tools.speaksAcp(one));
  if (tool === undefined) throw new BellhopError("E_TOOL_NOT_ENABLED", { tool: "acp", project: name, tools: enabled_tools.join(", ") });
  return tool;
}

function numbered({ projects }: State, id: string): Project | undefined {
  return Object.values(projects).find(({ number }) => String(number) === id);
}

function complete({ state, option, typed, options }: Asked): Choice[] {
  if (option === "tool") return toolChoices(numbered(state, options["project_id"] ?? "")?.enabled_tools ?? [], typed);
  const projects = Object.values(state.projects).toSorted((a, b) => a.number - b.number);
  return choicesOf(projects.map(({ number, name, path }) => ({ value: String(number), by: `${number}\n${name}\n${path}`, label: () => `#${number} ${name} · ${path}` })), typed);
}
