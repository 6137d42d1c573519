import { expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Room, RoomOptions } from "../../src/discord/room.ts";
import { openRooms, type Rooms } from "../../src/discord/rooms.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";
import { createMemoryJournal } from "../fakes/memory-journal.ts";
import { question } from "../link/mcp-scene.ts";

const MINUTE_MS = 60_000;

interface Scene {
  clock: FakeClock;
  engine: Engine;
  rooms: Rooms;
  /** Of each room that was opened, what it was opened with. */
  opened: RoomOptions[];
  closed: string[];
  secrets: string[];
  /** What opening the next room ends with. */
  fail: BellhopError | null;
  /** Has Discord refuse a token that was taken before. */
  refuse(token: string): void;
}

function scene(): Scene {
  const clock = createFakeClock();
  const { engine } = createMemoryJournal(clock).open();
  const refusals = new Map<string, (error: BellhopError) => void>();
  const world: Scene = { clock, engine, opened: [], closed: [], secrets: [], fail: null, refuse: (token) => refusals.get(token)?.(new BellhopError("E_TOKEN_REFUSED")), rooms: undefined as never };
  const own = { engine, clock, log: silentLog, token: "own-token", own: true, channelId: "1", guildId: "3", stateDir: "/state" } as unknown as RoomOptions;
  world.rooms = openRooms({
    own,
    secret: (token) => world.secrets.push(token),
    async open(options) {
      if (world.fail) throw world.fail;
      world.opened.push(options);
      const { token } = options;
      const refused = new Promise<BellhopError>((resolve) => refusals.set(token, resolve));
      return { botId: `bot of ${token}`, guildId: "3", refused, close: async () => void world.closed.push(token) } as unknown as Room;
    },
  });
  return world;
}

test("the daemon's own token, and no token, are its own room; another one gets a room of its own, once", async () => {
  const { rooms, opened, secrets } = scene();
  const waiting = rooms.hold(null, "9");
  const own = await rooms.openOwn();
  expect((await waiting).room).toBe(own);
  expect((await rooms.hold("own-token", "9")).room).toBe(own);
  const [one, other] = await Promise.all([rooms.hold("their-token", "9"), rooms.hold("their-token", "10")]);
  expect(one.room).toBe(other.room);
  expect(opened.map(({ token, own: isOwn, channelId, guildId }) => [token, isOwn, channelId, guildId])).toEqual([
    ["own-token", true, "1", "3"],
    ["their-token", false, "9", undefined],
  ]);
  expect(secrets).toEqual(["their-token"]);
});

test("a token that Discord refuses is told to whoever brought it, and may be brought again", async () => {
  const world = scene();
  world.fail = new BellhopError("E_TOKEN_REFUSED");
  await expect(world.rooms.hold("their-token", null)).rejects.toMatchObject({ code: "E_TOKEN_REFUSED" });
  world.fail = null;
  const { release } = await world.rooms.hold("their-token", null);
  world.refuse("their-token");
  await world.clock.settle();
  expect(world.closed).toEqual(["their-token"]);
  release();
  await world.rooms.hold("their-token", null);
  expect(world.opened).toHaveLength(2);
});

test("a room is shut when nobody has held it for a while, and not while something is asked in it", async () => {
  const { rooms, clock, closed, engine } = scene();
  const held = await rooms.hold("their-token", null);
  await clock.advance(60 * MINUTE_MS);
  held.release();
  await clock.advance(9 * MINUTE_MS);
  const again = await rooms.hold("their-token", null);
  await engine.submit(question("app_20260301_abc123", { bot_id: "bot of their-token" }));
  again.release();
  await clock.advance(60 * MINUTE_MS);
  expect(closed).toEqual([]);
  await engine.submit({ type: "void", decision_id: "app_20260301_abc123", why: "withdrawn" });
  await clock.advance(11 * MINUTE_MS);
  expect(closed).toEqual(["their-token"]);
  expect(clock.armed).toBe(0);
});

test("closing shuts every room that a face brought, and opens none", async () => {
  const { rooms, closed, clock } = scene();
  const { release } = await rooms.hold("their-token", null);
  await rooms.close();
  release();
  expect([closed, clock.armed]).toEqual([["their-token"], 0]);
  await expect(rooms.hold("third-token", null)).rejects.toMatchObject({ code: "E_NO_DAEMON" });
});
