/**
 * One room for each bot token: the daemon's own for as long as it runs, and one for each that an agent's face brings
 * with it, opened when it is first needed and shut when nobody has needed it for a while and nothing is asked in it.
 * A token stands here and in its room and nowhere else.
 */
import { BellhopError } from "../base/errors.ts";
import { isOpen } from "../core/decision.ts";
import { openRoom, type Room, type RoomOptions } from "./room.ts";

export interface RoomsOptions {
  /** The daemon's own room. */
  own: RoomOptions;
  /** From here on this is kept out of every log, answer and child. */
  secret(token: string): void;
  /** How a room is opened; another in tests. */
  open?: (options: RoomOptions) => Promise<Room>;
}

export interface Rooms {
  /** The daemon's own. @throws what `openRoom` throws */
  openOwn(): Promise<Room>;
  /** The room of a token, null for the daemon's own, held until it is released. @throws what `openRoom` throws */
  hold(token: string | null, channelId: string | null): Promise<HeldRoom>;
  /** Those that faces brought; the own one belongs to whoever opened it. */
  close(): Promise<void>;
}

export interface HeldRoom {
  readonly room: Room;
  release(): void;
}

interface Lodging {
  room: Promise<Room>;
  holders: number;
  forget: () => void;
}

/** A room that nobody holds is kept so long: an agent that asks again finds it, and its answers go on being heard. */
const LINGER_MS = 10 * 60_000;

export function openRooms(options: RoomsOptions): Rooms {
  return new Lodgings(options);
}

class Lodgings implements Rooms {
  readonly #own: RoomOptions;
  readonly #secret: (token: string) => void;
  readonly #open: (options: RoomOptions) => Promise<Room>;
  readonly #ownRoom = Promise.withResolvers<Room>();
  readonly #lodgings = new Map<string, Lodging>();
  #closed = false;

  constructor({ own, secret, open = openRoom }: RoomsOptions) {
    this.#own = own;
    this.#secret = secret;
    this.#open = open;
    this.#ownRoom.promise.catch(() => undefined);
  }

  async openOwn(): Promise<Room> {
    const opening = this.#open(this.#own);
    opening.then(this.#ownRoom.resolve, this.#ownRoom.reject);
    return opening;
  }

  async hold(token: string | null, channelId: string | null): Promise<HeldRoom> {
    if (token === null || token === this.#own.token) return { room: await this.#ownRoom.promise, release: () => undefined };
    if (this.#closed) throw new BellhopError("E_NO_DAEMON", { dir: this.#own.stateDir });
    const lodging = this.#lodgings.get(token) ?? this.#lodge(token, channelId);
    lodging.holders += 1;
    lodging.forget();
    try {
      return { room: await lodging.room, release: () => this.#release(token, lodging) };
    } catch (error) {
      lodging.holders -= 1;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#lodgings.values()];
    this.#lodgings.clear();
    for (const { forget } of all) forget();
    await Promise.allSettled(all.map(async ({ room }) => (await room).close()));
  }

  #lodge(token: string, channelId: string | null): Lodging {
    const { log } = this.#own;
    this.#secret(token);
    const room = this.#open({ ...this.#own, own: false, token, channelId: channelId ?? undefined, guildId: undefined, opening: () => undefined });
    const lodging: Lodging = { room, holders: 0, forget: () => undefined };
    this.#lodgings.set(token, lodging);
    room.then(
      (opened) => {
        log.info("another bot's room is open", { bot_id: opened.botId, guild_id: opened.guildId });
        void opened.refused.then((error) => this.#leave(token, lodging, error));
      },
      () => this.#lodgings.delete(token),
    );
    return lodging;
  }

  #release(token: string, lodging: Lodging): void {
    lodging.holders -= 1;
    if (lodging.holders === 0) this.#linger(token, lodging);
  }

  #linger(token: string, lodging: Lodging): void {
    const { clock, log } = this.#own;
    lodging.forget();
    if (this.#closed) return;
    const look = (): void => void this.#look(token, lodging).catch((error: unknown) => log.failure("a room could not be shut", error));
    lodging.forget = clock.after(LINGER_MS, look);
  }

  /** Whoever answers what is still asked under this bot is to be heard. */
  async #look(token: string, lodging: Lodging): Promise<void> {
    const { botId } = await lodging.room;
    const decisions = Object.values(this.#own.engine.state.decisions);
    const isAsked = decisions.some((one) => isOpen(one) && one.asker.by === "mcp" && one.asker.bot_id === botId);
    if (lodging.holders > 0) return;
    if (isAsked) this.#linger(token, lodging);
    else await this.#leave(token, lodging);
  }

  async #leave(token: string, lodging: Lodging, error?: BellhopError): Promise<void> {
    if (this.#lodgings.get(token) !== lodging) return;
    this.#lodgings.delete(token);
    const room = await lodging.room;
    if (error) this.#own.log.failure("another bot's room is shut", error, { bot_id: room.botId });
    await room.close();
  }
}
