/**
 * `/session open`: leads to a session's thread, unarchives it if needed, and reopens a session that is closed. A
 * session never moves to another thread; the reason why its thread cannot be opened is shown.
 */
import type { APIThreadChannel } from "discord-api-types/v10";
import { entryOf } from "../../../base/entry.ts";
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { failureKind } from "../../api/rest-failure.ts";
import { urlOf } from "../../views/body.ts";
import { shown } from "../project-path.ts";
import { plain, Refused } from "../reply.ts";
import type { Command, CommandContext } from "../command.ts";
import { sessionChoices } from "../autocomplete.ts";

/** How long, in milliseconds, requests to Discord are repeated; then the person may try again. */
const PATIENCE_MS = 10_000;

export const sessionOpen: Command = {
  name: "session open",
  options: [{ key: "opt_session_id", max: 100, suggested: true }],
  ephemeral: true,
  async run({ options, locale }, context) {
    const { thread_id } = sessionNamed(context.engine.state, options["session_id"] ?? "");
    try {
      return plain(await open(thread_id, locale, context));
    } catch (error) {
      throw refused(error, thread_id, locale);
    }
  },
  complete: ({ state, option, typed }) => (option === "session_id" ? sessionChoices(state, typed) : []),
};

/** By its id, also from a mention or a link. @throws BellhopError `E_SESSION_NOT_FOUND` */
export function sessionNamed(state: State, typed: string): Session {
  const [, id = ""] =
    /^(?:<#|https:\/\/discord\.com\/channels\/\d{17,20}\/)?(\d{17,20})(?:>|\/\d{17,20})?$/.exec(typed.trim()) ?? [];
  const session = entryOf(state.sessions, id);
  if (!session) throw new BellhopError("E_SESSION_NOT_FOUND", { session: shown(typed.trim()) });
  return session;
}

async function open(id: string, locale: Locale, { engine, rest, ownerId, log }: CommandContext): Promise<string> {
  const path = `/channels/${id}` as const;
  const how = { priority: "result", repeatMs: PATIENCE_MS } as const;
  const { thread_metadata: { archived = false, locked = false } = {} } = await rest.call<Partial<APIThreadChannel>>({
    method: "GET",
    path,
    ...how,
  });
  if (archived) await rest.call({ method: "PATCH", path, body: { archived: false }, ...how });
  // Posts that could not be made in it went elsewhere.
  if (!locked && engine.state.threads[id]?.place !== "thread")
    await engine.submit({ type: "find_thread", thread_id: id });
  if (!locked) await engine.submit({ type: "reopen_session", thread_id: id });
  // Shows the thread in the owner's list again.
  rest
    .call({ method: "PUT", path: `${path}/thread-members/${ownerId}`, priority: "cosmetic" })
    .catch((error: unknown) => {
      log.debug("the owner was not added to the thread", { thread_id: id, reason: String(error) });
    });
  const thread = `<#${id}> (${urlOf(engine.state, id)})`;
  return say(locale, locked ? "session_locked" : archived ? "session_unarchived" : "session_opened", { thread });
}

function refused(error: unknown, id: string, locale: Locale): Error {
  const kind = failureKind(error);
  if (kind === null || kind === "closed" || kind === "unauthorized") return error as Error;
  if (kind === "channel_gone") return new Refused("E_THREAD_ACCESS_FAILED", say(locale, "session_thread_gone"));
  return new BellhopError("E_THREAD_ACCESS_FAILED", { thread: `<#${id}>` }, { cause: error });
}
