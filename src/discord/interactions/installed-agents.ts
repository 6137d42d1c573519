/**
 * The agents of this machine, as far as a project or a session needs them: which are installed, and what keeps one from
 * working.
 */
import { say, type Locale } from "../../base/words/say.ts";
import type { ProjectConfig } from "../../core/projects/project.ts";
import { code, inert } from "../views/body.ts";
import { agentTrouble } from "../views/welcome.ts";
import type { CommandContext } from "./command.ts";

/**
 * The tools whose agents are installed; if none is, all supported ones: the first job says how to install its agent.
 */
export async function toolsHere({ agents, tools: { names } }: CommandContext): Promise<string[]> {
  const all = await agents();
  const here = names.filter((tool) => all.some((agent) => agent.tool === tool && agent.found));
  return here.length > 0 ? here : names.filter((tool) => all.some((agent) => agent.tool === tool));
}

/** Which of a project's agents are read-only, and how to let them write. */
export function readers(
  { enabled_tools, default_args }: Pick<ProjectConfig, "enabled_tools" | "default_args">,
  locale: Locale,
  { tools: { access } }: CommandContext,
): string[] {
  const all = enabled_tools.flatMap((tool) => {
    const found = access(tool, default_args[tool] ?? []);
    return found.access === "reads" && found.writing !== null ? [[tool, found.writing] as const] : [];
  });
  if (all.length === 0) return [];
  const tools = all.map(([tool]) => `**${inert(tool, 40)}**`).join(", ");
  return [
    `🔒 ${say(locale, "access_reads", { tool: tools })} ${say(locale, "access_writing", { args: code(JSON.stringify(Object.fromEntries(all))) })}`,
  ];
}

/** For each of these tools that cannot work now, the reason, with the command to type on the machine. */
export async function troubles(
  wanted: readonly string[],
  locale: Locale,
  { agents }: CommandContext,
): Promise<string[]> {
  const all = await agents();
  return wanted.flatMap((tool) => {
    const agent = all.find((one) => one.tool === tool);
    return (agent && agentTrouble(agent, locale)) ?? [];
  });
}
