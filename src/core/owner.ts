/**
 * Who owns this Bellhop: the configured owner, else the first user that Discord names as the owner of the daemon's own
 * application. Discord never replaces a known owner: transferring an application does not transfer the machine.
 */
import type { Slice } from "./slice.ts";

export interface Owner {
  owner_id: string;
  from: "configured" | "discovered";
}

export type OwnerCommand = { type: "know_owner" } & Owner;

export interface OwnerEvent {
  type: "OwnerKnown";
  payload: Owner;
}

export function decideOwner({ owner }: { owner?: Owner }, { owner_id, from }: OwnerCommand): OwnerEvent[] {
  if (owner !== undefined && (owner.owner_id === owner_id || from === "discovered")) return [];
  return [{ type: "OwnerKnown", payload: { owner_id, from } }];
}

export function evolveOwner(state: { owner?: Owner }, { payload }: OwnerEvent): void {
  state.owner = { ...payload };
}

export const ownerSlice: Slice<OwnerCommand, OwnerEvent> = {
  decide: { know_owner: decideOwner },
  evolve: { OwnerKnown: evolveOwner },
  kinds: "daemon",
  topic: () => "owner",
};
