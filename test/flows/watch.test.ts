/**
 * `discord-watch` as people run it: what comes into the channel is shown, over restarts of the daemon, and a daemon is
 * started where none runs.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import type { WatchPart } from "../../src/protocol/watch.ts";
import { inFolder, openWorld, type World } from "./world.ts";

const root = join(import.meta.dirname, "..", "..");

interface Watcher {
  child: ChildProcess;
  parts: WatchPart[];
  /** Resolves with the first part of which this is true, also among those before. */
  telling(fact: (part: WatchPart) => boolean): Promise<WatchPart>;
  /** Resolves once this stands in what it wrote to standard error. */
  said(words: RegExp): Promise<RegExpExecArray>;
  ended: Promise<number | null>;
}

function environment({ sandbox, home, stateDir }: World): Record<string, string> {
  return {
    PATH: "/usr/bin:/bin",
    HOME: home,
    LANG: "C.UTF-8",
    STATE_DIR: stateDir,
    BELLHOP_LOCALE: "en",
    DISCORD_BOT_TOKEN: sandbox.botToken,
    DISCORD_GUILD_ID: sandbox.guildId,
    DISCORD_OWNER_ID: sandbox.owner.id,
    DISCORD_CHANNEL_ID: sandbox.channelId,
    BELLHOP_DISCORD_API: sandbox.api,
  };
}

function watching(world: World, ...args: string[]): Watcher {
  const child = spawn(process.execPath, [join(root, "bin", "discord-watch.cjs"), "--json", ...args], {
    cwd: world.home,
    env: environment(world),
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const parts: WatchPart[] = [];
  let stderr = "";
  const waiting = new Set<() => void>();
  const tell = (): void => waiting.forEach((look) => look());
  createInterface({ input: child.stdout }).on("line", (line) => {
    parts.push(JSON.parse(line) as WatchPart);
    tell();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    tell();
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const when = <T>(fact: () => T | undefined | null | false): Promise<T> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = fact();
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then((code) => reject(new Error(`it ended (${code}):\n${stderr}`)));
    });
  return {
    child,
    parts,
    ended,
    telling: (fact) => when(() => parts.find(fact)),
    said: (words) => when(() => words.exec(stderr)),
  };
}

const saying =
  (content: string) =>
  (part: WatchPart): boolean =>
    part.fresh.some((one) => one.content === content);

test("what the owner writes in the channel is shown once, also what he writes while the daemon is away, and goes into the inbox file", async () => {
  const world = await openWorld({ agent: "none" });
  const options = { env: { DISCORD_CHANNEL_ID: world.sandbox.channelId } };
  const daemon = world.daemon(options);
  await daemon.ready;
  const watcher = watching(world, "--interval", "1");
  await watcher.telling(({ channels }) => channels[0]?.watched === true);
  const first = await world.owner(world.sandbox.channelId).send("look at the logs");
  await watcher.telling(saying("look at the logs"));
  await world.marked(first.id, "📥");
  await daemon.kill("SIGKILL");
  await watcher.said(/is gone/);
  await world.owner(world.sandbox.channelId).send("and at the tests");
  await world.daemon(options).ready;
  const { channels } = await watcher.telling(saying("and at the tests"));
  expect(channels).toMatchObject([{ channel_id: world.sandbox.channelId, unread: 2 }]);
  expect(watcher.parts.flatMap(({ fresh }) => fresh.map(({ content }) => content))).toEqual([
    "look at the logs",
    "and at the tests",
  ]);
  // The watcher is told from the journal; the file is written after it.
  const folder = join(world.home, ".claude");
  const mirrored = (): { last_message_id: string; messages: { content: string }[] } =>
    JSON.parse(readFileSync(join(folder, "discord_inbox.json"), "utf8"));
  await inFolder(folder, () => mirrored().messages.length === 2);
  expect(mirrored()).toMatchObject({
    last_message_id: expect.stringMatching(/^\d+$/),
    messages: [
      { content: "look at the logs", read: false, thread_id: null },
      { content: "and at the tests", read: false, thread_id: null },
    ],
  });
  watcher.child.kill("SIGINT");
  expect(await watcher.ended).toBe(0);
});

test("where no daemon runs it starts one, which outlives it", async () => {
  const world = await openWorld({ agent: "none" });
  const watcher = watching(world);
  const [, pid] = await watcher.said(/process (\d+)/);
  onTestFinished(() => {
    process.kill(Number(pid), "SIGKILL");
  });
  await watcher.telling(({ channels }) => channels[0]?.watched === true);
  watcher.child.kill("SIGTERM");
  expect(await watcher.ended).toBe(0);
  await world.owner(world.sandbox.channelId).send("after it was gone");
  const again = watching(world);
  await again.telling(({ channels }) => channels[0]?.unread === 1);
});
