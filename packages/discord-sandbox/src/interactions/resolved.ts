/**
 * What the ids mean that a person chose, as an interaction carries it: users and their members, roles, channels.
 * Members are partial there, without `mute` and `deaf`, as Discord documents.
 */
import { channelView, isThread } from "../state/channels.ts";
import type { Json } from "../rest/form.ts";
import { roleView } from "../state/guild.ts";
import { channelPermissions, guildPermissions } from "../state/permissions.ts";
import type { Context } from "../context.ts";
import { memberPart, requireUser, userView } from "../state/users.ts";

export type Resolvable = "user" | "role" | "channel";

export class Resolved {
  readonly #context: Context;
  readonly #viewerId: string;
  readonly #parts: Record<"users" | "members" | "roles" | "channels", Json> = {
    users: {},
    members: {},
    roles: {},
    channels: {},
  };

  /** `viewerId`: the person who chooses; channels carry this person's permissions. */
  constructor(context: Context, viewerId: string) {
    this.#context = context;
    this.#viewerId = viewerId;
  }

  /** Notes what the id means. False where it means nothing of these kinds. */
  add(id: string, kinds: readonly Resolvable[]): boolean {
    const { users, roles, channels } = this.#context.world;
    if (kinds.includes("user") && users[id] !== undefined) return this.#addUser(id);
    if (kinds.includes("role") && roles[id] !== undefined) return this.#addRole(id);
    return kinds.includes("channel") && channels[id] !== undefined && this.#addChannel(id);
  }

  /** `{ resolved }` with the kinds that occur, or nothing. */
  part(): Json {
    return Object.keys(this.meanings).length === 0 ? {} : { resolved: this.meanings };
  }

  /** The kinds that occur, each with what its ids mean. */
  get meanings(): Json {
    return Object.fromEntries(Object.entries(this.#parts).filter(([, part]) => Object.keys(part).length > 0));
  }

  #addUser(id: string): boolean {
    const { world } = this.#context;
    this.#parts.users[id] = userView(requireUser(world, id));
    const member = world.members[id];
    if (member === undefined) return true;
    const { mute: _mute, deaf: _deaf, ...partial } = memberPart(member);
    this.#parts.members[id] = { ...partial, permissions: String(guildPermissions(world, id)) };
    return true;
  }

  #addRole(id: string): boolean {
    const role = this.#context.world.roles[id];
    if (role !== undefined) this.#parts.roles[id] = roleView(role);
    return role !== undefined;
  }

  #addChannel(id: string): boolean {
    const { world } = this.#context;
    const channel = world.channels[id];
    if (channel === undefined) return false;
    const permissions = String(channelPermissions(world, channel, this.#viewerId));
    const thread = isThread(channel)
      ? { thread_metadata: channelView(world, channel)["thread_metadata"], parent_id: channel.parentId }
      : {};
    this.#parts.channels[id] = { id, name: channel.name, type: channel.type, permissions, ...thread };
    return true;
  }
}
