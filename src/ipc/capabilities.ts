/**
 * Who may call: a capability is 256 random bits that the daemon created for one role and scope. Comparing takes
 * constant time, and a revoked capability is worthless.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Role } from "../protocol/messages.ts";

/** What a capability is bound to; if empty, to what the caller's hello says. */
export interface Scope {
  /** A session: the caller may read, clear and post there and nowhere else, whatever its variables say. */
  readonly thread_id?: string;
}

export interface IssuedCapability {
  readonly capability: string;
  /** Invalidates the capability and ends the connections that used it. */
  revoke(): void;
}

export interface Holder {
  readonly role: Role;
  readonly scope: Scope;
  /** Aborted when the capability is revoked. */
  readonly revoked: AbortSignal;
}

export interface Capabilities {
  grant(role: Role, scope?: Scope): IssuedCapability;
  /** The holder, if the capability is valid for this role. */
  holder(role: Role, capability: string): Holder | undefined;
}

export function createCapabilities(): Capabilities {
  const held = new Map<string, { digest: Buffer; holder: Holder }>();

  function grant(role: Role, scope: Scope = {}): IssuedCapability {
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
    // Compares all, by digests of equal length: the time reveals nothing about how close a guess was.
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
