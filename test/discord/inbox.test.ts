/** The ear over a scripted channel: written live, missed, doubled and reordered, and still heard once each. */
import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import type { APIMessage, GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import { silentLog } from "../../src/base/log.ts";
import { systemClock } from "../../src/base/clock.ts";
import { emptyState, step, type State } from "../../src/core/house.ts";
import type { Rules } from "../../src/core/job.ts";
import { Inbox } from "../../src/discord/inbox.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";

const OWNER = "100000000000000001";
const GUILD = "200000000000000001";
const THREAD = "300000000000000000";
const rules: Rules = { max_queue_per_session: 20_000, global_max_running: 0, after_crash: "wait", max_prompt_chars: 200_000 };

/** A channel that remembers what was written in it, and an ear on it. */
function listening(maxQueue = 20_000, maxRunning = 0): {
  engine: Engine;
  inbox: Inbox;
  write(over?: Partial<APIMessage>): GatewayMessageCreateDispatchData;
  prompts(): string[];
  reads(): number;
} {
  const engine = createEngine({
    state: withSession(),
    append: async () => undefined,
    clock: systemClock,
    rules: () => ({ ...rules, max_queue_per_session: maxQueue, global_max_running: maxRunning }),
    keeperFailed: (error) => {
      throw error;
    },
  });
  const written: GatewayMessageCreateDispatchData[] = [];
  let reads = 0;
  const inbox = new Inbox({
    engine,
    wall: { ownerId: OWNER, guildId: GUILD },
    clock: systemClock,
    log: silentLog,
    async read(_channel, after) {
      reads += 1;
      const later = written.filter(({ id }) => BigInt(id) > BigInt(after));
      return later.slice(0, 100).reverse();
    },
    maxQueue: () => maxQueue,
    unreadable: () => "gone",
  });
  return {
    engine,
    inbox,
    write(over = {}) {
      const id = String(BigInt(THREAD) + BigInt(written.length + 1) * 10n);
      const message = spoken(id, `prompt ${written.length + 1}`, over);
      written.push(message);
      return message;
    },
    prompts: () => Object.values(engine.state.jobs).map(({ prompt }) => prompt),
    reads: () => reads,
  };
}

function withSession(): State {
  const state = emptyState();
  const project = {
    name: "app",
    path: "/app",
    enabled_tools: ["claude"],
    default_tool: "claude",
    default_args: {},
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
  };
  const at = "2026-01-01T00:00:00.000Z";
  step(state, { type: "adopt_projects", projects: [project] }, at, rules);
  const start = { request_id: "1", project_name: "app", channel_id: "2", guild_id: GUILD, bot_id: "3" };
  step(state, { type: "start_session", ...start }, at, rules);
  step(state, { type: "open_session", request_id: "1", thread_id: THREAD }, at, rules);
  return state;
}

function spoken(id: string, content: string, over: Partial<APIMessage>): GatewayMessageCreateDispatchData {
  const author = { id: OWNER, username: "owner", discriminator: "0", global_name: null, avatar: null };
  const message = { id, channel_id: THREAD, content, author, type: 0, attachments: [], ...over };
  return { guild_id: GUILD, mentions: [], ...message } as unknown as GatewayMessageCreateDispatchData;
}

/** Everything submitted so far has been believed. */
async function quiet(inbox: Inbox): Promise<void> {
  await inbox.settled();
  await new Promise((resolve) => setImmediate(resolve));
  await inbox.settled();
}

describe("a message", () => {
  test("written while the daemon was away is heard after it comes back, once and in order", async () => {
    const world = listening();
    for (let count = 0; count < 250; count += 1) world.write();
    world.inbox.catchUp();
    await quiet(world.inbox);
    expect(world.prompts()).toEqual(Array.from({ length: 250 }, (_, index) => `prompt ${index + 1}`));
    expect(world.reads()).toBeLessThanOrEqual(4);
  });

  test("that comes live while older ones are still being read back waits for its turn", async () => {
    const world = listening();
    world.write();
    world.inbox.catchUp();
    world.inbox.message(world.write());
    await quiet(world.inbox);
    expect(world.prompts()).toEqual(["prompt 1", "prompt 2"]);
  });

  test("beyond a full queue waits in Discord, and is heard when there is room", async () => {
    const world = listening(3, 1);
    for (let count = 0; count < 6; count += 1) world.write();
    world.inbox.catchUp();
    await quiet(world.inbox);
    // One runs, three wait, and the other two are not refused: nobody has seen them yet.
    expect(world.prompts()).toHaveLength(4);
    expect(world.engine.state.notices).toEqual({});
    const job_id = world.engine.state.sessions[THREAD]?.running_job_id ?? "";
    const said = { result_excerpt: "", result_sha256: "", model: null, usage: null };
    await world.engine.submit({ type: "complete", job_id, ...said });
    await world.engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
    await quiet(world.inbox);
    expect(world.prompts()).toEqual([1, 2, 3, 4, 5].map((number) => `prompt ${number}`));
  });

  const strangers: [string, Partial<APIMessage>][] = [
    ["another member", { author: { id: "100000000000000002" } as APIMessage["author"] }],
    ["a bot", { author: { id: OWNER, bot: true } as APIMessage["author"] }],
    ["a webhook with the owner's id", { webhook_id: "5" }],
    ["an application with the owner's id", { application_id: "5" }],
    ["a forward by the owner", { message_snapshots: [{ message: {} }] } as unknown as Partial<APIMessage>],
    ["a system message", { type: 18 as APIMessage["type"] }],
    ["no author at all", { author: undefined as unknown as APIMessage["author"] }],
    ["an author whose id is a number", { author: { id: Number(OWNER) } as unknown as APIMessage["author"] }],
    ["an author whose id begins like the owner's", { author: { id: `${OWNER}1` } as APIMessage["author"] }],
  ];

  test.each(strangers)("of %s has no effect, live or read back", async (_who, over) => {
    const world = listening();
    world.write(over);
    world.inbox.catchUp();
    await quiet(world.inbox);
    world.inbox.message(world.write(over));
    await quiet(world.inbox);
    expect(world.prompts()).toEqual([]);
    expect(world.engine.state.notices).toEqual({});
  });

  test("of the owner in another guild or in direct messages has no effect", async () => {
    const world = listening();
    world.inbox.catchUp();
    await quiet(world.inbox);
    world.inbox.message({ ...world.write(), guild_id: "200000000000000002" });
    const { guild_id: _guild, ...direct } = world.write();
    world.inbox.message(direct as GatewayMessageCreateDispatchData);
    await quiet(world.inbox);
    expect(world.prompts()).toEqual([]);
  });
});

test("missed, doubled and reordered within a window of fifty, every message becomes exactly one job", async () => {
  const burst = fc.record({
    count: fc.integer({ min: 1, max: 250 }),
    live: fc.boolean(),
    copies: fc.integer({ min: 1, max: 5 }),
    seed: fc.integer(),
    reconnect: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 4 }), async (bursts) => {
      const world = listening();
      world.inbox.catchUp();
      await quiet(world.inbox);
      let written = 0;
      for (const { count, live, copies, seed, reconnect } of bursts) {
        const messages = Array.from({ length: count }, () => world.write());
        written += count;
        for (const message of live ? shuffled(messages, copies, seed) : []) {
          world.inbox.message(message);
          // Each is through the door before the next comes, as on a slow evening.
          await new Promise((resolve) => setImmediate(resolve));
        }
        // What was not brought live was missed, and a new connection always reads back.
        if (reconnect || !live) world.inbox.catchUp();
        await quiet(world.inbox);
      }
      world.inbox.catchUp();
      await quiet(world.inbox);
      expect(world.prompts().sort()).toEqual(Array.from({ length: written }, (_, index) => `prompt ${index + 1}`).sort());
    }),
    { numRuns: process.env["BELLHOP_TEST_LONG"] ? 10_000 : 60 },
  );
});

/** Each message `copies` times, displaced by fewer than fifty places. */
function shuffled<T>(messages: T[], copies: number, seed: number): T[] {
  let state = seed | 0;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
  const placed = messages.flatMap((message, index) =>
    Array.from({ length: copies }, () => ({ message, at: index + random() * 49 })),
  );
  return placed.sort((a, b) => a.at - b.at).map(({ message }) => message);
}
