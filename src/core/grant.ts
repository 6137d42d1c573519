/**
 * A grant: the owner's word that one tool may be used with exactly one input, without being asked again, in one
 * session. It is bound to the digest of the bytes that were shown, holds for a day, and can be taken back at any time.
 */
import { BellhopError } from "../base/errors.ts";

export interface Grant {
  tool: string;
  /** One line for people. */
  title: string;
  /** Hex, of the exact bytes. */
  sha256: string;
  /** Where it was given. */
  decision_id: string;
  /** ISO 8601. */
  at: string;
  /** ISO 8601. */
  until: string;
}

export interface Grants {
  /** By thread, oldest first. */
  grants: Record<string, Grant[]>;
}

export type GrantEvent = { type: "GrantRevoked"; payload: { thread_id: string; decision_id: string } };
export type GrantCommand = { type: "revoke_grant"; thread_id: string; decision_id: string };

/** How long a grant holds. */
export const GRANT_MS = 24 * 3_600_000;

/** @throws BellhopError E_DECISION_CLOSED for one that there is not, or no more */
export function decideGrant(state: Grants, { thread_id, decision_id }: GrantCommand): GrantEvent[] {
  if (!state.grants[thread_id]?.some((one) => one.decision_id === decision_id)) throw new BellhopError("E_DECISION_CLOSED");
  return [{ type: "GrantRevoked", payload: { thread_id, decision_id } }];
}

export function evolveGrant(state: Grants, { payload }: GrantEvent): void {
  const left = (state.grants[payload.thread_id] ?? []).filter((one) => one.decision_id !== payload.decision_id);
  if (left.length > 0) state.grants[payload.thread_id] = left;
  else delete state.grants[payload.thread_id];
}

/** The owner's earlier word that exactly this may be done in this session. */
export function grantFor(state: Grants, threadId: string, subject: Pick<Grant, "tool" | "sha256">, at: string): Grant | undefined {
  return liveGrants(state, threadId, at).find(({ tool, sha256 }) => tool === subject.tool && sha256 === subject.sha256);
}

/** Those of a thread that hold at this time; by a clock that was set back to before it was given, none does. */
export function liveGrants(state: Grants, threadId: string, at: string): Grant[] {
  return (state.grants[threadId] ?? []).filter((grant) => at >= grant.at && at < grant.until);
}
