/** The inbox file: its exact shape, written after every change, and never read. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../../../src/base/disk.ts";
import { silentLog } from "../../../src/base/log.ts";
import { openInboxFile, openInboxMirror, type InboxMirror } from "../../../src/ipc/mirrors/inbox-file.ts";
import { id, ONE, openInboxScene, TWO, type InboxScene } from "../mcp/inbox-scene.ts";
import { asItIs } from "../../fakes/no-secrets.ts";

interface Mirrored {
  scene: InboxScene;
  path: string;
  home: string;
  mirror: InboxMirror;
  content(): unknown;
}

async function open(earlier?: string): Promise<Mirrored> {
  const home = mkdtempSync(join(tmpdir(), "bellhop-inbox-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, ".claude", "discord_inbox.json");
  if (earlier !== undefined) {
    mkdirSync(join(home, ".claude"));
    writeFileSync(path, earlier);
  }
  const scene = await openInboxScene({ watching: false });
  const mirror = begin(scene, path);
  await mirror.whenWritten();
  await scene.watch();
  return { scene, path, home, mirror, content: () => JSON.parse(readFileSync(path, "utf8")) as unknown };
}

function begin({ engine, clock }: InboxScene, path: string): InboxMirror {
  return openInboxMirror({ engine, clock, file: openInboxFile(nodeDisk, path, asItIs), log: silentLog });
}

const entry = (message_id: string, over: object = {}): object => ({
  message_id,
  channel_id: ONE,
  thread_id: null,
  author: "ada",
  author_id: "100000000000000001",
  content: `says ${message_id}`,
  timestamp: "2026-03-01T00:00:00Z",
  read: false,
  ...over,
});

test("the file has the documented fields and no others, one last_message_id for several channels, and only its owner can read it", async () => {
  const { scene, path, home, mirror, content } = await open();
  await scene.receive(ONE, id(1));
  await scene.receive(TWO, id(2));
  await scene.receive(ONE, id(3));
  await scene.engine.submit({ type: "read_inbox", message_ids: [id(1)] });
  await scene.engine.submit({ type: "clear_inbox", message_ids: [id(3)] });
  await mirror.whenWritten();
  expect(content()).toEqual({
    last_message_id: id(3),
    messages: [entry(id(1), { read: true }), entry(id(2), { channel_id: TWO })],
  });
  expect(Object.keys((content() as { messages: object[] }).messages[0] ?? {})).toEqual([
    "message_id",
    "channel_id",
    "thread_id",
    "author",
    "author_id",
    "content",
    "timestamp",
    "read",
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, ".claude"))).toEqual(["discord_inbox.json"]);
});

test("where nothing was ever received no file is made, and no folder", async () => {
  const { home, mirror } = await open();
  await mirror.close();
  expect(readdirSync(home)).toEqual([]);
});

test("a file that another program made is kept under another name, once, and nothing in it is believed", async () => {
  const theirs = JSON.stringify({ last_message_id: id(2), messages: [entry(id(2))] });
  const { scene, path, mirror, content } = await open(theirs);
  expect(content()).toEqual({ last_message_id: null, messages: [] });
  await mirror.close();
  writeFileSync(path, "theirs again");
  const again = begin(scene, path);
  await scene.receive(ONE, id(1));
  await again.whenWritten();
  expect(content()).toMatchObject({ messages: [{ message_id: id(1) }] });
  expect(readFileSync(`${path}.before-bellhop`, "utf8")).toBe(theirs);
});

test("a file that only has the size of ours is kept, too", async () => {
  const ours = `${JSON.stringify({ last_message_id: null, messages: [] }, null, 2)}\n`;
  const theirs = "x".repeat(ours.length);
  const { path } = await open(theirs);
  expect(readFileSync(path, "utf8")).toBe(ours);
  expect(readFileSync(`${path}.before-bellhop`, "utf8")).toBe(theirs);
});

test("an empty file of ours is not kept", async () => {
  const ours = `${JSON.stringify({ last_message_id: null, messages: [] }, null, 2)}\n`;
  const { home } = await open(ours);
  expect(readdirSync(join(home, ".claude"))).toEqual(["discord_inbox.json"]);
});

test("what somebody writes into the file is overwritten, and never believed", async () => {
  const { scene, path, mirror, content } = await open();
  await scene.receive(ONE, id(1));
  await mirror.close();
  writeFileSync(path, JSON.stringify({ last_message_id: id(9), messages: [entry(id(9))] }));
  scene.restart();
  const again = begin(scene, path);
  await scene.receive(ONE, id(2));
  await again.whenWritten();
  expect(content()).toMatchObject({ last_message_id: id(2), messages: [{ message_id: id(1) }, { message_id: id(2) }] });
});

test("an inbox that was cleared is an empty file, not a stale one", async () => {
  const { scene, mirror, content } = await open();
  await scene.receive(ONE, id(1));
  await scene.engine.submit({ type: "clear_inbox", message_ids: [id(1)] });
  await mirror.whenWritten();
  expect(content()).toEqual({ last_message_id: id(1), messages: [] });
});

test("a place where nothing can be written costs the mirror and nothing else", async () => {
  const home = mkdtempSync(join(tmpdir(), "bellhop-inbox-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, ".claude"), "not a folder");
  const scene = await openInboxScene();
  const failures: string[] = [];
  const log = { ...silentLog, failure: (text: string) => void failures.push(text) };
  const mirror = openInboxMirror({
    engine: scene.engine,
    clock: scene.clock,
    file: openInboxFile(nodeDisk, join(home, ".claude", "discord_inbox.json"), asItIs),
    log,
  });
  for (const number of [1, 2, 3]) {
    await scene.receive(ONE, id(number));
    await mirror.whenWritten();
  }
  expect(failures).toEqual(["the inbox cannot be mirrored"]);
  expect(Object.keys(scene.engine.state.inbox)).toHaveLength(3);
});
