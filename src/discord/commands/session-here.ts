/**
 * The session in whose thread a command was given. What is no session's thread is told so, by the same code
 * whatever the command.
 */
import { BellhopError } from "../../base/errors.ts";
import type { State } from "../../core/house.ts";
import type { Session } from "../../core/session.ts";

/** @throws BellhopError `E_NOT_IN_MANAGED_THREAD` */
export function sessionHere(state: State, channelId: string): Session {
  const session = Object.hasOwn(state.sessions, channelId) ? state.sessions[channelId] : undefined;
  if (!session) throw new BellhopError("E_NOT_IN_MANAGED_THREAD");
  return session;
}
