/**
 * Which session a command about an agent acts on: in a session's thread, that one; elsewhere the only one whose agent
 * has a process; else the person is asked.
 */
import { ComponentType, type APIMessageTopLevelComponent } from "discord-api-types/v10";
import { entryOf } from "../../../base/entry.ts";
import { BellhopError } from "../../../base/errors.ts";
import { excerpt, oneLine } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { customId } from "../../views/custom-id.ts";
import { lastUsedFirst } from "../autocomplete.ts";
import { plain } from "../reply.ts";
import type { Answer, CommandContext } from "../command.ts";

/** What is done to the session that is meant. @param value what belongs to the verb, such as a model; else empty */
export interface Meaning {
  verb: "stop" | "kill" | "status" | "model" | "mode" | "usage";
  value: string;
}

/** Discord's limit for the options of a select. */
const MOST = 25;
const LABEL_CHARS = 100;
/**
 * How much of the value fits into the select's custom id beside the rest of it; what is longer goes on in each of its
 * options.
 */
const ID_CHARS = 80;

type Known = Pick<CommandContext, "engine" | "sessionAgents">;

/** @throws BellhopError E_NO_ACTIVE_SESSION if none is open */
export function sessionMeant(
  channelId: string,
  meaning: Meaning,
  context: CommandContext,
  locale: Locale,
): Session | Answer {
  const { sessions } = context.engine.state;
  const here = entryOf(sessions, channelId);
  if (here) return here;
  const open = openSessions(context);
  const only = onlyRunning(context, open);
  if (only) return only;
  if (open.length === 0) throw new BellhopError("E_NO_ACTIVE_SESSION");
  return { ...plain(say(locale, "agent_which")), components: [choice(open, meaning, context, locale)] };
}

/** Whether the session is open, or its agent still runs. */
export function isActive({ thread_id }: Session, { engine, sessionAgents }: Known): boolean {
  return engine.state.threads[thread_id]?.closed === undefined || sessionAgents.facts(thread_id) !== null;
}

/** The one whose agent has a process, if there is just one. */
export function onlyRunning({ sessionAgents }: Known, open: readonly Session[]): Session | null {
  const running = open.filter(({ thread_id }) => sessionAgents.facts(thread_id) !== null);
  return running.length === 1 ? (running[0] ?? null) : null;
}

/** Those with a process first, then the last used. */
export function openSessions(context: Known): Session[] {
  const runs = ({ thread_id }: Session): number => Number(context.sessionAgents.facts(thread_id) !== null);
  return Object.values(context.engine.state.sessions)
    .filter((session) => isActive(session, context))
    .toSorted((a, b) => runs(b) - runs(a) || lastUsedFirst(a, b));
}

/** What was chosen in that select: the session's thread, and the whole value. */
export function chosenIn(option: string, inCustomId: string): { threadId: string; value: string } {
  const [threadId = "", ...rest] = option.split(":");
  return { threadId, value: inCustomId + rest.join(":") };
}

function choice(
  open: readonly Session[],
  { verb, value }: Meaning,
  { engine }: CommandContext,
  locale: Locale,
): APIMessageTopLevelComponent {
  const characters = [...value];
  const [chosen, rest] = [characters.slice(0, ID_CHARS).join(""), characters.slice(ID_CHARS).join("")];
  const options = open.slice(0, MOST).map(({ thread_id, project_name, tool }) => {
    const name = engine.state.threads[thread_id]?.name;
    return {
      value: rest === "" ? thread_id : `${thread_id}:${rest}`,
      label: excerpt(
        oneLine([name, project_name, tool].filter((part) => part !== undefined).join(" · "), LABEL_CHARS),
        LABEL_CHARS,
      ),
    };
  });
  return {
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.StringSelect,
        custom_id: customId("a-pick", { verb, chosen: chosen || "-" }),
        placeholder: say(locale, "agent_which_place"),
        options,
      },
    ],
  };
}
