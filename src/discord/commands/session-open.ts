/**
 * `/session open`: leads back to a session's thread, which is opened again where it was archived. A session never
 * moves to another thread (seed B 11.6); what keeps its own thread closed is said for what it is.
 */
import type { APIThreadChannel } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { State } from "../../core/house.ts";
import type { Session } from "../../core/session.ts";
import { failureKind } from "../rest-failure.ts";
import { shown } from "./project-path.ts";
import { plain } from "./reply.ts";
import type { Answer, Command, CommandRoom } from "./room.ts";
import { threadLink } from "./session-list.ts";
import { sessionChoices } from "./suggestions.ts";

/** Discord is asked again for this long, in milliseconds; then the person may. */
const PATIENCE_MS = 10_000;

export const sessionOpen: Command = {
  name: "session open",
  ephemeral: true,
  async run({ options, locale }, room) {
    const { thread_id } = sessionNamed(room.engine.state, options["session_id"] ?? "");
    try {
      return plain(await open(thread_id, locale, room));
    } catch (error) {
      return refused(error, thread_id, locale);
    }
  },
  complete: ({ state, option, typed }) => (option === "session_id" ? sessionChoices(state, typed) : []),
};

/** By its id, also as a mention or a link has it. @throws BellhopError `E_SESSION_NOT_FOUND` */
export function sessionNamed(state: State, typed: string): Session {
  const [, id = ""] = /^(?:<#|https:\/\/discord\.com\/channels\/\d{17,20}\/)?(\d{17,20})(?:>|\/\d{17,20})?$/.exec(typed.trim()) ?? [];
  const session = Object.hasOwn(state.sessions, id) ? state.sessions[id] : undefined;
  if (!session) throw new BellhopError("E_SESSION_NOT_FOUND", { session: shown(typed.trim()) });
  return session;
}

async function open(id: string, locale: Locale, { engine, rest, ownerId, log }: CommandRoom): Promise<string> {
  const path = `/channels/${id}` as const;
  const how = { lane: "result", repeatMs: PATIENCE_MS } as const;
  const { thread_metadata: { archived = false, locked = false } = {} } = await rest.call<Partial<APIThreadChannel>>({ method: "GET", path, ...how });
  if (archived) await rest.call({ method: "PATCH", path, body: { archived: false }, ...how });
  // What could not be posted in it went elsewhere.
  if (!locked && engine.state.threads[id]?.place !== "thread") await engine.submit({ type: "find_thread", thread_id: id });
  // So that it stands in the owner's list again.
  rest.call({ method: "PUT", path: `${path}/thread-members/${ownerId}`, lane: "cosmetic" }).catch((error: unknown) => {
    log.debug("the owner was not added to the thread", { thread_id: id, reason: String(error) });
  });
  const thread = `<#${id}> (${threadLink(engine.state, id)})`;
  return say(locale, locked ? "session_locked" : archived ? "session_unarchived" : "session_opened", { thread });
}

function refused(error: unknown, id: string, locale: Locale): Answer {
  const kind = failureKind(error);
  if (kind === null || kind === "closed" || kind === "unauthorized") throw error;
  if (kind === "channel_gone") return plain(`${say(locale, "session_thread_gone")} \`E_THREAD_ACCESS_FAILED\``);
  throw new BellhopError("E_THREAD_ACCESS_FAILED", { thread: `<#${id}>` }, { cause: error });
}
