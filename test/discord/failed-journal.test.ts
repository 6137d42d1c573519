/**
 * A journal that fails stops every loop that writes to Discord, each with work due that Discord will not take yet:
 * while the journal holds they try again and again, and from the moment it fails not once more.
 */
import { expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { openArchives } from "../../src/discord/threads/thread-upkeep.ts";
import { openPostSync, type PostSync } from "../../src/discord/delivery/sync-posts.ts";
import { openQuestionThreads } from "../../src/discord/threads/question-threads.ts";
import { openReactions, type Reactions } from "../../src/discord/delivery/reactions.ts";
import { openRest, type Rest } from "../../src/discord/api/rest.ts";
import { openStarts } from "../../src/discord/threads/session-starts.ts";
import { openTyping } from "../../src/discord/bot-posts.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { createApp, rules, Scene } from "../core/scene.ts";
import type { BotContext } from "../../src/discord/api/bot-context.ts";
import { botContext, type BotParts } from "../fakes/bot-context.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";
import { words } from "../fakes/post-bench.ts";
import { question } from "../ipc/mcp/mcp-scene.ts";
import { asItIs, noSecrets } from "../fakes/no-secrets.ts";
import { part } from "../fakes/part.ts";

const THREAD = "200000000000000010";
const BOT = "4";
const MINUTES = 60_000;

interface House {
  clock: FakeClock;
  engine: Engine;
  rest: Rest;
  sent: string[];
  fail(): Promise<void>;
}

/** On a Discord that has an outage. */
function house(prepare: (scene: Scene) => void): House {
  const scene = new Scene();
  prepare(scene);
  const clock = createFakeClock(scene.now);
  let broken = false;
  const append = async (): Promise<void> => {
    if (broken) throw new BellhopError("E_JOURNAL_WRITE", { operation: "sync" });
  };
  const engine = createEngine({
    redact: asItIs,
    state: scene.state,
    clock,
    rules: () => rules,
    append,
    reconcilerFailed: (error) => expect.unreachable(String(error)),
  });
  const sent: string[] = [];
  const rest = openRest({
    redactor: noSecrets,
    token: "secret",
    api: "https://discord.test/api",
    clock,
    log: silentLog,
    random: () => 0.5,
    onUnauthorized: () => undefined,
    fetch(url, { method = "GET" }) {
      sent.push(`${method} ${url}`);
      return Promise.resolve(new Response("{}", { status: 503, headers: { "content-type": "application/json" } }));
    },
  });
  engine.atEnd(() => rest.fallSilent());
  const fail = async (): Promise<void> => {
    broken = true;
    const command = { type: "note_agent_post", request: "notify:1", channel_id: "7", message_id: null } as const;
    await expect(engine.submit(command)).rejects.toThrow(BellhopError);
  };
  return { clock, engine, rest, sent, fail };
}

const running = (scene: Scene): void => void scene.withSessions(THREAD).hear(THREAD, "200000000000000011");
const asked = (scene: Scene): void => void scene.do(question("app_20260301_abc123", { bot_id: BOT }));

function put(scene: Scene): void {
  asked(scene);
  scene.place("app_20260301_abc123", THREAD);
  scene.do({
    type: "answer",
    decision_id: "app_20260301_abc123",
    question: 0,
    answer: { places: [], words: "yes" },
    sha256: null,
  });
  scene.do({ type: "answer_delivered", decision_id: "app_20260301_abc123" });
}

function wanted(scene: Scene): void {
  scene.do(createApp);
  scene.do({
    type: "start_session",
    request_id: "200000000000000100",
    project_name: "app",
    channel_id: "200000000000000002",
    guild_id: "3",
    bot_id: BOT,
  });
}

function contextOf({ clock, engine, rest }: House, more: BotParts = {}): BotContext {
  return botContext({ clock, engine, rest, botId: BOT, ownerId: "200000000000000003", guildId: "3", ...more });
}

const loops: Record<string, [prepare: (scene: Scene) => void, open: (house: House) => unknown]> = {
  postSync: [
    running,
    (house) => {
      const desired = {
        subject: "job_20260226_0001",
        part: "answer:0",
        thread_id: THREAD,
        priority: "result",
        want: { kind: "show", body: words("said") },
        is: "whole",
        reply_to: null,
        since: 0,
        live: false,
      } as const;
      return openPostSync(contextOf(house), {
        openDirect: () => Promise.reject(new Error("not asked for")),
        plan: () => [desired],
        onPosted: () => undefined,
      });
    },
  ],
  reactions: [running, (house) => openReactions(contextOf(house))],
  typing: [running, (house) => openTyping(contextOf(house))],
  sessions: [
    wanted,
    (house) => openStarts(contextOf(house, { assignThread: async () => undefined }), async () => "9").start(),
  ],
  "places of questions": [asked, (house) => openQuestionThreads(contextOf(house)).start()],
  archives: [
    put,
    (house) =>
      openArchives(
        contextOf(house),
        part<PostSync>({ whenDelivered: async () => undefined }),
        part<Reactions>({ idle: async () => undefined }),
      ),
  ],
};

test.each(Object.entries(loops))("%s", async (_name, [prepare, open]) => {
  const made = house(prepare);
  open(made);
  await made.clock.advance(5 * MINUTES);
  const tries = made.sent.length;
  expect(tries).toBeGreaterThan(3);
  await made.fail();
  await made.clock.advance(5 * MINUTES);
  expect(made.sent.slice(tries)).toEqual([]);
});
