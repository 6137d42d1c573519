/**
 * A grant: the owner's permission to use one tool with exactly one input, without being asked again, in one session. It
 * is bound to the digest of the bytes that were shown, lasts for a day, and can be revoked at any time.
 */
import { BellhopError } from "../../base/errors.ts";
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** One tool with exactly one input. */
interface ExactUse {
  tool: string;
  /** Hex digest of the exact bytes; with `exact`, of what was shown of them. */
  sha256: string;
  /** See `Subject`. */
  exact?: string;
}

export interface Grant extends ExactUse {
  /** One line for people. */
  title: string;
  /** The decision that gave it. */
  decision_id: string;
  /** ISO 8601. */
  at: string;
  /** ISO 8601. */
  until: string;
}

export type GrantEvent = { type: "GrantRevoked"; payload: { thread_id: string; decision_id: string } };
export type GrantCommand = { type: "revoke_grant"; thread_id: string; decision_id: string };

/** How long a grant holds. */
export const GRANT_MS = 24 * 3_600_000;

/** @throws BellhopError E_DECISION_CLOSED if there is no such grant, or no longer */
export function decideGrant(state: State, { thread_id, decision_id }: GrantCommand): GrantEvent[] {
  if (!state.grants[thread_id]?.some((one) => one.decision_id === decision_id))
    throw new BellhopError("E_DECISION_CLOSED");
  return [{ type: "GrantRevoked", payload: { thread_id, decision_id } }];
}

export function evolveGrant(state: State, { payload }: GrantEvent): void {
  const left = (state.grants[payload.thread_id] ?? []).filter((one) => one.decision_id !== payload.decision_id);
  if (left.length > 0) state.grants[payload.thread_id] = left;
  else delete state.grants[payload.thread_id];
}

/** The owner's grant for exactly this in this session. */
export function grantFor(state: State, threadId: string, subject: ExactUse, at: string): Grant | undefined {
  return liveGrants(state, threadId, at).find((grant) => isSame(grant, subject));
}

/** Whether both have the same tool and the same exact bytes. */
export function isSame(one: ExactUse, other: ExactUse): boolean {
  return one.tool === other.tool && one.sha256 === other.sha256 && one.exact === other.exact;
}

/** The grants of a thread valid at this time; none given later than `at`, as after the clock was set back. */
export function liveGrants(state: State, threadId: string, at: string): Grant[] {
  return (state.grants[threadId] ?? []).filter((grant) => at >= grant.at && at < grant.until);
}

export const grantSlice: Slice<GrantCommand, GrantEvent> = {
  decide: { revoke_grant: decideGrant },
  evolve: { GrantRevoked: evolveGrant },
  kinds: "decision",
};
