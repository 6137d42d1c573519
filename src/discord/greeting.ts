/**
 * The first message in the owner's channel: what to type next, and for every agent that is not there the exact
 * command that installs it. Edited when the answer to either changes, so it is never out of date.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import { code, colours, inert, told } from "./body.ts";
import type { Owed } from "./owed.ts";

/** One agent as it was looked for at the start. */
export interface FoundAgent {
  tool: string;
  found: boolean;
  version?: string;
  /** The exact command that installs it. */
  install: string;
}

export interface GreetingOptions {
  locale: Locale;
  channelId: string;
  agents: readonly FoundAgent[];
  /** Milliseconds since the epoch: when the daemon began. */
  since: number;
}

/** The greeting; its `thread_id` is the channel itself, which is no session's thread. */
export function greeting(state: State, { locale, channelId, agents, since }: GreetingOptions): Owed {
  const body = told({
    color: colours.runs,
    title: say(locale, "hello_title"),
    description: [...firstSteps(state, agents, locale), "", ...agents.map((agent) => agentLine(agent, locale))].join("\n"),
  });
  return {
    subject: `greeting:${channelId}`,
    part: "hello",
    thread_id: channelId,
    lane: "cosmetic",
    want: { kind: "show", body },
    reply_to: null,
    since,
    live: false,
  };
}

function firstSteps(state: State, agents: readonly FoundAgent[], locale: Locale): string[] {
  const [project] = Object.values(state.projects).sort((a, b) => a.number - b.number);
  if (project) return [say(locale, "hello_start_only"), code(`/start project_name:${project.name}`)];
  const tool = (agents.find((agent) => agent.found) ?? agents[0])?.tool ?? "claude";
  return [
    say(locale, "hello_create"),
    code(`/project create name:my-app path:/home/me/my-app tools_csv:${tool} default_tool:${tool}`),
    say(locale, "hello_start"),
    code("/start project_name:my-app"),
  ];
}

function agentLine({ tool, found, version, install }: FoundAgent, locale: Locale): string {
  const name = `**${inert(tool, 40)}**`;
  if (found) return `✓ ${say(locale, "hello_found", { tool: name, version: inert(version ?? "", 60) }).replace(" .", ".")}`;
  return `✗ ${say(locale, "hello_missing", { tool: name })} ${code(install, 300)}`;
}
