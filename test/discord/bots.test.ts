import { expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import type { DaemonContext } from "../../src/discord/api/bot-context.ts";
import type { Bot, BotOptions } from "../../src/discord/bot.ts";
import { openBots, type Bots } from "../../src/discord/bots.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";
import { createMemoryJournal } from "../fakes/memory-journal.ts";
import { part } from "../fakes/part.ts";
import { question } from "../ipc/mcp/mcp-scene.ts";

const MINUTE_MS = 60_000;

interface Scene {
  clock: FakeClock;
  engine: Engine;
  bots: Bots;
  /** What each opened bot was opened with. */
  opened: BotOptions[];
  closed: string[];
  secrets: string[];
  /** How opening the next bot ends. */
  fail: BellhopError | null;
  /** Has Discord refuse a token that was taken before. */
  refuse(token: string): void;
}

async function scene({
  token = "own-token",
  owner = true,
}: { token?: string | null; owner?: boolean } = {}): Promise<Scene> {
  const clock = createFakeClock();
  const { engine } = createMemoryJournal(clock).open();
  if (owner) await engine.submit({ type: "know_owner", owner_id: "5", from: "configured" });
  const refusals = new Map<string, (error: BellhopError) => void>();
  const world: Scene = {
    clock,
    engine,
    opened: [],
    closed: [],
    secrets: [],
    fail: null,
    refuse: (token) => refusals.get(token)?.(new BellhopError("E_TOKEN_REFUSED")),
    bots: undefined as never,
  };
  const daemon = part<DaemonContext>({ engine, clock, log: silentLog, locale: "en", stateDir: "/state" });
  const own = { channelId: "1", guildId: "3", panelId: undefined, onCondition: () => undefined };
  world.bots = openBots(daemon, {
    main: token === null ? null : { ...own, token },
    secret: (token) => world.secrets.push(token),
    async open(_daemon, options) {
      if (world.fail) throw world.fail;
      world.opened.push(options);
      const { token } = options;
      const refused = new Promise<BellhopError>((resolve) => refusals.set(token, resolve));
      return {
        botId: `bot of ${token}`,
        guildId: "3",
        refused,
        close: async () => void world.closed.push(token),
      } as unknown as Bot;
    },
  });
  return world;
}

test("the daemon's own token, and no token, lead to its own bot; another token gets a bot of its own, once", async () => {
  const { bots, opened, secrets } = await scene();
  const waiting = bots.acquireBot(null, "9");
  const own = await bots.openOwn();
  expect((await waiting).bot).toBe(own);
  expect((await bots.acquireBot("own-token", "9")).bot).toBe(own);
  const [one, other] = await Promise.all([bots.acquireBot("their-token", "9"), bots.acquireBot("their-token", "10")]);
  expect(one.bot).toBe(other.bot);
  expect(opened.map(({ token, role, channelId, guildId }) => [token, role, channelId, guildId])).toEqual([
    ["own-token", "serves", "1", "3"],
    ["their-token", "asks", "9", undefined],
  ]);
  expect(secrets).toEqual(["their-token"]);
});

test("a client whose token Discord refuses is told so, and may bring it again", async () => {
  const world = await scene();
  world.fail = new BellhopError("E_TOKEN_REFUSED");
  await expect(world.bots.acquireBot("their-token", null)).rejects.toMatchObject({ code: "E_TOKEN_REFUSED" });
  world.fail = null;
  const { release } = await world.bots.acquireBot("their-token", null);
  world.refuse("their-token");
  await world.clock.settle();
  expect(world.closed).toEqual(["their-token"]);
  release();
  await world.bots.acquireBot("their-token", null);
  expect(world.opened).toHaveLength(2);
});

test("a bot is closed when nobody has held it for a while, and not while something is open under it", async () => {
  const { bots, clock, closed, engine } = await scene();
  const held = await bots.acquireBot("their-token", null);
  await clock.advance(60 * MINUTE_MS);
  held.release();
  await clock.advance(9 * MINUTE_MS);
  const again = await bots.acquireBot("their-token", null);
  await engine.submit(question("app_20260301_abc123", { bot_id: "bot of their-token" }));
  again.release();
  await clock.advance(60 * MINUTE_MS);
  expect(closed).toEqual([]);
  await engine.submit({ type: "void", decision_id: "app_20260301_abc123", why: "withdrawn" });
  await clock.advance(11 * MINUTE_MS);
  expect(closed).toEqual(["their-token"]);
  expect(clock.armed).toBe(0);
});

test("closing closes every bot that a client brought, and opens none", async () => {
  const { bots, closed, clock } = await scene();
  const { release } = await bots.acquireBot("their-token", null);
  await bots.close();
  release();
  expect([closed, clock.armed]).toEqual([["their-token"], 0]);
  await expect(bots.acquireBot("third-token", null)).rejects.toMatchObject({ code: "E_NO_DAEMON" });
});

test("while the owner is not known, a client's bot waits for the daemon's own bot to find out", async () => {
  const { bots, opened, engine } = await scene({ owner: false });
  const waiting = bots.acquireBot("their-token", null);
  await Promise.resolve();
  expect(opened).toEqual([]);
  await bots.openOwn();
  await waiting;
  expect(opened.map(({ token }) => token)).toEqual(["own-token", "their-token"]);
  expect(engine.state.owner).toBeUndefined();
});

test("without a bot of its own it has only clients' bots", async () => {
  const { bots, opened } = await scene({ token: null, owner: false });
  expect(await bots.openOwn()).toBeNull();
  await expect(bots.acquireBot(null, null)).rejects.toMatchObject({ code: "E_CONFIG_INVALID" });
  await bots.acquireBot("their-token", null);
  expect(opened.map(({ role }) => role)).toEqual(["asks"]);
});
