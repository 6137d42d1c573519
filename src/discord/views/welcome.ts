/**
 * The first message in the owner's channel: what to type next and, for every missing agent, the exact commands that
 * install it and log in. It is edited when either changes, so it is never out of date.
 */
import { ButtonStyle } from "discord-api-types/v10";
import { say, type Locale } from "../../base/words/say.ts";
import type { State } from "../../core/state.ts";
import type { FoundAgent } from "../api/bot-context.ts";
import { customId } from "./custom-id.ts";
import { button, code, colours, plainLine, systemBody, type DesiredPost, nameOf } from "./message.ts";

export interface WelcomeOptions {
  locale: Locale;
  channelId: string;
  agents: readonly FoundAgent[];
  /** Milliseconds since the epoch: when the daemon started. */
  since: number;
}

/** The welcome; its `thread_id` is the channel itself, which is no session's thread. */
export function welcome(state: State, { locale, channelId, agents, since }: WelcomeOptions): DesiredPost {
  const project = firstProject(state);
  const open =
    project === undefined
      ? []
      : [button(customId("open_session", { project: project.name }), say(locale, "hello_open"), ButtonStyle.Primary)];
  const body = systemBody(
    {
      color: colours.runs,
      title: say(locale, "hello_title"),
      description: [
        ...firstSteps(state, locale),
        "",
        say(locale, isInbox(state, channelId) ? "hello_inbox" : "hello_here"),
        "",
        ...agents.map((agent) => agentLine(agent, locale)),
      ].join("\n"),
    },
    open,
  );
  return {
    subject: `greeting:${channelId}`,
    part: "hello",
    thread_id: channelId,
    priority: "cosmetic",
    want: { kind: "show", body },
    is: nameOf([project?.name, agents, isInbox(state, channelId)]),
    since,
  };
}

/** Whether an agent reads what is written there. */
function isInbox({ channels }: State, channelId: string): boolean {
  return channels[channelId]?.inbox_read === true;
}

function firstSteps(state: State, locale: Locale): string[] {
  const project = firstProject(state);
  if (project) return [say(locale, "hello_start_only"), code(`/start project_name:${project.name}`)];
  return [
    say(locale, "hello_create"),
    code("/project create name:my-app path:/home/me/my-app"),
    say(locale, "hello_start"),
    code("/start project_name:my-app"),
  ];
}

function firstProject({ projects }: State): State["projects"][string] | undefined {
  return Object.values(projects).sort((a, b) => a.number - b.number)[0];
}

/** What keeps the agent from working, with the command to type on the machine; null if no problem is known. */
export function agentTrouble({ tool, found, loggedIn, install, login }: FoundAgent, locale: Locale): string | null {
  const name = `**${plainLine(tool, 40)}**`;
  if (!found)
    return `✗ ${say(locale, "hello_missing", { tool: name, install: code(install, 300), login: code(login, 300) })}`;
  return loggedIn === false ? `⚠️ ${say(locale, "agent_logged_out", { tool: name })} ${code(login, 300)}` : null;
}

function agentLine(agent: FoundAgent, locale: Locale): string {
  const { tool, program, version, demo, install, login } = agent;
  const name = {
    tool: `**${plainLine(tool, 40)}**${program === undefined ? "" : ` (${plainLine(program, 40)})`}`,
    version: plainLine(version ?? "", 60),
  };
  const trouble = agentTrouble(agent, locale);
  if (trouble !== null) return trouble;
  if (demo) return `🧪 ${say(locale, "hello_demo", { ...name, install: code(install, 300), login: code(login, 300) })}`;
  return `✓ ${say(locale, "hello_found", name).replace(" .", ".")}`;
}
