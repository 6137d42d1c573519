/**
 * Who may call: a capability is 256 random bits that the daemon made for one role, and for no more than its scope.
 * Comparing takes the same time whatever is wrong, and a capability that was taken back is as good as none.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Role } from "./protocol.ts";

/** What a capability is good for beside its role's methods; empty: everything they can do. */
export interface Scope {
  readonly thread_id?: string;
  readonly job_id?: string;
}

export interface Grant {
  readonly capability: string;
  /** It opens nothing any more, and connections it opened are ended. */
  revoke(): void;
}

export interface Holder {
  readonly role: Role;
  readonly scope: Scope;
  /** Aborted when the capability is taken back. */
  readonly revoked: AbortSignal;
}

export interface Capabilities {
  grant(role: Role, scope?: Scope): Grant;
  /** Who holds it, if it is good for this role. */
  holder(role: Role, capability: string): Holder | undefined;
}

export function createCapabilities(): Capabilities {
  const held = new Map<string, { digest: Buffer; holder: Holder }>();

  function grant(role: Role, scope: Scope = {}): Grant {
    const capability = randomBytes(32).toString("hex");
    const end = new AbortController();
    held.set(capability, { digest: digestOf(capability), holder: { role, scope, revoked: end.signal } });
    return {
      capability,
      revoke() {
        held.delete(capability);
        end.abort();
      },
    };
  }

  function holder(role: Role, capability: string): Holder | undefined {
    const digest = digestOf(capability);
    let found: Holder | undefined;
    // All are compared, by digests of one length: how long it takes says nothing about how near a guess was.
    for (const { digest: known, holder: one } of held.values()) {
      if (timingSafeEqual(known, digest) && one.role === role) found = one;
    }
    return found;
  }

  return { grant, holder };
}

function digestOf(capability: string): Buffer {
  return createHash("sha256").update(capability).digest();
}
