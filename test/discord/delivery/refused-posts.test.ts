/**
 * A post that its owner has to press, refused by Discord: it is tried again until it stands, and the others are not.
 */
import { expect, test } from "vitest";
import { offeredIn } from "../../../src/core/sessions/adoptions.ts";
import { adoptionCard } from "../../../src/discord/views/adoption.ts";
import { nonceOf, type DesiredPost } from "../../../src/discord/views/message.ts";
import { openPostBench, owes, type PostBench, type Process } from "../../fakes/post-bench.ts";

const CLAUDE = "6a1f0c7e-0000-4000-8000-000000000001";

/** A card that offers a Claude of the owner's is due in the channel, and a post that nobody presses. */
async function openCard(): Promise<{
  bench: PostBench;
  start(): Process;
  offer(process: Process, mode?: string): Promise<void>;
  shown(): number;
  tries(): number;
  mayWrite(may: boolean): void;
}> {
  const bench = await openPostBench({ refusals: true });
  const { sandbox, clock } = bench;
  const { channelId, guildId, botId } = sandbox;
  const start = (): Process =>
    bench.start(({ state }, id): DesiredPost[] =>
      id === channelId
        ? [
            ...offeredIn(state, channelId).map((one) => adoptionCard(state, one, "en")),
            owes(bench, "hello", "welcome", { thread_id: channelId, part: "welcome" }),
          ]
        : [],
    );
  return {
    bench,
    start,
    mayWrite: (may) =>
      sandbox.setOverwrites(channelId, may ? [] : [{ id: botId, type: 1, allow: "0", deny: String(0x800n) }]),
    async offer({ engine, postSync }, mode = "default") {
      const at = { pid: 1, start_time: "1", socket: "/tmp/tmux", window_id: "@1", pane_id: "%1", cwd: "/srv/app" };
      await engine.submit({
        type: "offer_adoption",
        claude_session: CLAUDE,
        project_name: "app",
        ...at,
        mode,
        channel_id: channelId,
        guild_id: guildId,
        bot_id: botId,
      });
      await bench.run(postSync.idle());
    },
    shown: () => bench.said(channelId).filter(({ content }) => content.includes("Claude")).length,
    tries: () =>
      bench.sent.filter(
        ({ at, method, path }) =>
          at <= clock.monotonic() && method === "POST" && path.endsWith(`/channels/${channelId}/messages`),
      ).length,
  };
}

test("a refused adoption card stands once, soon after it is allowed; a post without a button stays given up", async () => {
  const { bench, start, offer, mayWrite, shown, tries } = await openCard();
  const process = start();
  mayWrite(false);
  await offer(process);
  expect([shown(), tries()]).toEqual([0, 2]);
  // Looked at again, it is left until its pause is over.
  process.postSync.syncThread(bench.sandbox.channelId);
  await bench.run(process.postSync.idle());
  expect(tries()).toBe(2);
  await bench.wait(60 * 60_000);
  expect(tries()).toBeGreaterThan(5);
  expect(tries()).toBeLessThanOrEqual(12);
  mayWrite(true);
  await bench.wait(10 * 60_000);
  expect([shown(), bench.said(bench.sandbox.channelId).length]).toEqual([1, 1]);
  const before = tries();
  await bench.wait(60 * 60_000);
  expect(tries()).toBe(before);
});

test("it is tried at once when it says something else, and after a restart", async () => {
  for (const restarts of [false, true]) {
    const { bench, start, offer, mayWrite, shown } = await openCard();
    const process = start();
    mayWrite(false);
    await offer(process);
    mayWrite(true);
    const { sandbox, clock } = bench;
    const at = clock.monotonic();
    if (restarts) {
      process.kill();
      const next = start();
      next.postSync.syncThread(sandbox.channelId);
      await bench.run(next.postSync.idle());
    } else await offer(process, "plan");
    expect(shown()).toBe(1);
    expect(clock.monotonic() - at).toBeLessThan(60_000);
  }
});

test("a card that its owner has decided elsewhere is not tried any more", async () => {
  const { bench, start, offer, mayWrite, tries } = await openCard();
  const process = start();
  mayWrite(false);
  await offer(process);
  await process.engine.submit({ type: "adopt", claude_session: CLAUDE, adopted: false });
  const before = tries();
  await bench.wait(60 * 60_000);
  expect(tries()).toBe(before);
});

test("the notice in place of an answer that was refused is a message of its own", async () => {
  const bench = await openPostBench({ refusals: true });
  const { sandbox } = bench;
  const post = owes(bench, "x", "refused\n-# ✅ done", { part: "end", sentAs: "answer:0" });
  const process = bench.start((_engine, id) => (id === bench.threadId ? [post] : []));
  sandbox.faults.fail({ operationId: "create_message", status: 400, times: 1 });
  process.postSync.syncThread(bench.threadId);
  await bench.run(process.postSync.idle());
  const asked = sandbox.requests.filter(({ operationId }) => operationId === "create_message");
  expect(asked.map(({ status }) => status)).toEqual([400, 200]);
  // The refused one may yet turn out to stand.
  const its = nonceOf(sandbox.botId, post, bench.threadId, "");
  expect(asked[1]?.requestBody).toMatchObject({ nonce: expect.not.stringContaining(its) });
  expect(bench.said()).toHaveLength(1);
});
