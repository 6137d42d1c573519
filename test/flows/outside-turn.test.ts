/**
 * What an agent does without a message: its background work reports, asks, holds the queue, and does not vanish in a
 * crash.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { answer, asks, press, prompted, ran, type Asked } from "./asked.ts";
import { descriptionOf, recorded, withButton } from "./workshop.ts";
import { answered, type WorldOptions } from "./world.ts";

const REPORT = "🌙 The agent reports from work in the background.";

/** What the agent left in the background ends now. */
function open({ world }: Asked, gate: string): void {
  writeFileSync(join(world.home, gate), "");
}

/** A session whose agent has answered, and left this in the background until a gate is opened. */
async function left(then: string, options: WorldOptions = {}): Promise<Asked> {
  const session = await asks(`later:built:${then}`, options);
  await session.world.marked(session.id, "✅");
  return session;
}

/** Resolves with the message that closes the outside turn, once its text has these words. */
const closing = ({ world, thread }: Asked, words: string): Promise<string> =>
  world.saying(thread, (said) =>
    said.map(descriptionOf).findLast((text) => text.startsWith(REPORT) && text.includes(words)),
  );

test("background work that reports later is shown, kept and closed by a message without buttons", async () => {
  const session = await left("echo:The build is done.");
  open(session, "built");
  await answer(session, "The build is done.");
  await closing(session, "✅ done · **claude**");
  const kept = readdirSync(join(session.world.stateDir, "results")).find((name) =>
    /^turn_\d{8}_[0-9a-f]{32}\.md$/.test(name),
  );
  expect(readFileSync(join(session.world.stateDir, "results", kept ?? ""), "utf8")).toBe("The build is done.");
  expect(JSON.stringify(session.world.said(session.thread).at(-1)?.components ?? [])).toBe("[]");
});

test("its permission is asked like any other: what runs is what was allowed, and a stranger allows nothing", async () => {
  const session = await left("may:rm -rf build");
  open(session, "built");
  const prompt = await prompted(session, "Allow once");
  expect(prompt.embeds[0]?.footer?.text).toBe("Asked by claude · outside your jobs");
  const { world, thread } = session;
  const mallory = world.sandbox.addUser("mallory", { admin: true });
  const pressed = await world.sandbox.channel(thread).user(mallory.id).clickButton(prompt.id, "Allow once");
  expect((await pressed.answer()).content).toContain("E_OWNER_ONLY");
  await press(session, "Allow once");
  await closing(session, "✅ done");
  expect(ran(session)).toEqual([{ command: "rm -rf build" }]);
});

test("the queue of its thread waits for its end, and /status says that something runs", async () => {
  const session = await left("until:finished");
  const { world, thread } = session;
  open(session, "built");
  await recorded(world, ({ type }) => type === "OutsideTurnBegan");
  const { id } = await world.owner(thread).send("echo:next");
  await world.marked(id, "⏳");
  expect((await (await world.owner(thread).slash("status")).answer()).content).toMatch(
    /\nstate: running\nqueue: pending=1, running=turn_/,
  );
  open(session, "finished");
  await world.marked(id, "✅");
  await answered(world, thread, ["I started it.", "finished is over", "next"]);
});

test("/cancel stops it, its agent lives on, and the queue goes on", async () => {
  const session = await left("hang:");
  const { world, thread } = session;
  open(session, "built");
  await answer(session, "I am thinking");
  const { id } = await world.owner(thread).send("hist:");
  expect((await (await world.owner(thread).slash("cancel")).answer()).content).toBe(
    "Stopping what the agent does by itself.",
  );
  await closing(session, "🚫 cancelled");
  await world.marked(id, "✅");
  expect(new Set(world.agentStarts().map(({ pid }) => pid)).size).toBe(1);
});

test("a usage limit in it makes its thread wait, and the queue goes on when the owner says so", async () => {
  const session = await left("limit:3600");
  const { world, thread } = session;
  open(session, "built");
  const { id } = await world.saying(thread, (said) => withButton(said, "unpark"));
  await closing(session, "E_USAGE_LIMIT");
  const { id: message } = await world.owner(thread).send("echo:after the limit");
  await world.marked(message, "⏳");
  await (await world.owner(thread).clickButton(id, "Continue now")).acknowledged();
  await world.marked(message, "✅");
});

test("work that gives no sign of life for too long is ended, and its thread is told what it was", async () => {
  const session = await left("echo:never", { config: { limits: { background_work_sec: 1 } } });
  const { world, thread } = session;
  const words = "🌙 Work that the agent had left in the background has ended.";
  const notice = await world.saying(thread, (said) =>
    said.map(descriptionOf).findLast((text) => text.startsWith(words)),
  );
  expect(notice).toMatch(
    /gave no sign of life for longer than limits\.background_work_sec .* so it was ended: echo\\:never\. .*E_BACKGROUND_SILENT/s,
  );
  const { id } = await world.owner(thread).send("hist:");
  await world.marked(id, "✅");
  expect(world.agentStarts().at(-1)?.resumed).toBeDefined();
});

test.each([
  ["while it idles", "echo:never"],
  ["in the middle of the next job", "hang:"],
])(
  "work in the background that is lost with a daemon that is killed %s is told after the restart, once",
  async (_when, next) => {
    const session = await left("echo:never");
    const { world, thread, daemon } = session;
    await recorded(world, ({ type, payload }) => type === "BackgroundNoted" && payload["what"] === "echo:never");
    if (next === "hang:") {
      await world.owner(thread).send(next);
      await answer(session, "I am thinking");
    }
    await daemon.kill("SIGKILL");
    const again = world.daemon();
    await again.ready;
    const lost = (said: APIMessage[]): string[] =>
      said.map(descriptionOf).filter((text) => text.includes("E_BACKGROUND_ENDED"));
    await world.saying(thread, (said) =>
      lost(said).some(
        (text) =>
          text.includes("🌙 Work that the agent had left in the background has ended.") &&
          text.includes("echo\\:never"),
      ),
    );
    await again.kill("SIGTERM");
    await world.daemon().ready;
    const { id } = await world.owner(thread).send("echo:still here");
    await world.marked(id, "✅");
    expect(lost(world.said(thread))).toHaveLength(1);
  },
);

test("a daemon that is killed meanwhile says so at its return, keeps what was said, and the queue goes on", async () => {
  const session = await left("hang:");
  const { world, thread, daemon } = session;
  open(session, "built");
  await answer(session, "I am thinking");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await closing(session, "Bellhop or its machine stopped while the agent reported this.");
  const { id } = await world.owner(thread).send("echo:still here");
  await world.marked(id, "✅");
});
