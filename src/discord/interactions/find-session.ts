/**
 * Finds the session in whose thread a command was used. Outside such a thread every command fails with the same code.
 */
import { entryOf } from "../../base/entry.ts";
import { BellhopError } from "../../base/errors.ts";
import type { State } from "../../core/state.ts";
import type { Session } from "../../core/sessions/session.ts";

/** @throws BellhopError `E_NOT_IN_MANAGED_THREAD` */
export function sessionHere(state: State, channelId: string): Session {
  const session = entryOf(state.sessions, channelId);
  if (!session) throw new BellhopError("E_NOT_IN_MANAGED_THREAD");
  return session;
}
