/**
 * A session is forgotten: nothing that was said in it stands on the disk any more, the journal is whole, and everything
 * else is as it was; also where the daemon is killed meanwhile.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeDisk } from "../../src/base/disk.ts";
import { bellhop } from "../../src/cli/bellhop.ts";
import { rebuildSnapshot } from "../../src/engine/rebuild-snapshot.ts";
import { press } from "./asked.ts";
import { says, snapshotOf } from "./acceptance/stage.ts";
import { eachOf, killedAt, long, stopped, watched } from "./failpoints.ts";
import { ask } from "./mcp/asked.ts";
import { clientEnvironment, openClient } from "./mcp/clients.ts";
import { canTrace } from "./tracer.ts";
import { open } from "./workshop.ts";
import { agentEnvironment, inFolder, openSession, type World } from "./world.ts";

const WORD = "Rumpelstilzchen";
const OTHER = "Schneewittchen";

/** Files below these with the word in them, or in their names. */
function withWord(word: string, ...places: string[]): string[] {
  return places.flatMap((place) =>
    readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
      const path = join(place, entry.name);
      if (entry.isDirectory()) return [...(entry.name.includes(word) ? [path] : []), ...withWord(word, path)];
      if (!entry.isFile()) return entry.name.includes(word) ? [path] : [];
      return entry.name.includes(word) || readFileSync(path).includes(word) ? [path] : [];
    }),
  );
}

/** What the journal has of a thread, from the first event on. */
function linesOf({ stateDir }: World, thread: string): string[] {
  const files = readdirSync(stateDir).filter((name) => /^events.*\.ndjson$/.test(name));
  return files.flatMap((name) =>
    readFileSync(join(stateDir, name), "utf8")
      .split("\n")
      .filter((line) => line.includes(`"${thread}"`)),
  );
}

async function run(world: World, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const io = {
    stdout: { write: (text: string) => (said.out += text) },
    stderr: { write: (text: string) => (said.err += text) },
  };
  const code = await bellhop(argv, { ...io, env: { LANG: "C.UTF-8", STATE_DIR: world.stateDir, HOME: world.home } });
  return { code, ...said };
}

/** Words of every kind, with this one in each of them. Resolves with the first message's id. */
async function talked(world: World, thread: string, word: string): Promise<string> {
  const owner = world.owner(thread);
  const first = await owner.upload([{ name: `${word}.txt`, bytes: Buffer.from(word) }], `count:${word}`);
  await world.marked(first.id, "✅");
  const reply = await owner.send(`echo:${word} again`, { replyTo: first.id });
  await world.marked(reply.id, "✅");
  const asked = { world, thread, daemon: null as never, id: (await owner.send(`may:ls ${word}`)).id };
  await press(asked, "Deny and say why", `not ${word}`);
  await world.marked(asked.id, "✅");
  const question = await owner.send("ask:");
  const prompt = await world.saying(thread, (said) =>
    said.findLast(({ components }) => JSON.stringify(components ?? []).includes("Red")),
  );
  await owner.send(`neither of them, I want ${word}`, { replyTo: prompt.id });
  await world.marked(question.id, "✅");
  await world.marked((await owner.send(`fail:400 ${word}`)).id, "❌");
  await world.marked((await owner.send(`send:${word}.png`)).id, "✅");
  return first.id;
}

test("by the command line: no file has its words, another session has its own, and the journal says what is missing", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  const first = await talked(world, thread, WORD);
  const second = await world.session();
  await talked(world, second, OTHER);
  expect(withWord(WORD, world.stateDir).length).toBeGreaterThan(6);
  const lines = linesOf(world, second);

  const forgotten = await run(world, "forget", "--thread", thread);
  expect(forgotten).toMatchObject({ code: 0, err: "" });
  expect(forgotten.out).toContain(join(world.home, ".claude", "projects"));
  expect(withWord(WORD, world.stateDir)).toEqual([]);
  expect(await says(world, thread, "session list")).not.toContain(WORD);

  // What is written there goes nowhere, says why, and begins anew where its owner wants that.
  const late = await world.owner(thread).send("echo:later");
  const notice = await world.saying(thread, (said) =>
    said.find((message) => message.message_reference?.message_id === late.id),
  );
  expect(notice.embeds[0]?.description).toContain("it begins a new conversation");
  await (await world.owner(thread).clickButton(notice.id, "Reopen and send")).acknowledged();
  await world.marked(late.id, "✅");
  expect(world.agentStarts().at(-1)?.resumed).toBeUndefined();

  const verified = await run(world, "journal", "verify", "--json");
  expect(JSON.parse(verified.out)).toMatchObject({ ok: true, forgotten: expect.any(Number) });
  expect((await run(world, "journal", "verify")).out).toMatch(/\d+ events were forgotten/);

  // The same from the events alone.
  await daemon.kill("SIGTERM");
  const path = join(world.stateDir, "snapshot.json");
  const snapshot = readFileSync(path);
  const { last_seq: seq, last_crc: crc } = snapshotOf(world) as unknown as { last_seq: number; last_crc: string };
  rmSync(path);
  await rebuildSnapshot(nodeDisk, { dir: world.stateDir, at: { seq, crc } });
  expect(readFileSync(path).equals(snapshot)).toBe(true);
  expect(withWord(WORD, world.stateDir)).toEqual([]);

  // Nothing is posted again, and the other session is as it was, and goes on.
  const before = world.said(thread).length;
  await world.daemon().ready;
  await world.marked((await world.owner(second).send("echo:on")).id, "✅");
  expect(world.agentStarts().at(-1)?.resumed).toBeDefined();
  expect(linesOf(world, second)).toEqual(expect.arrayContaining(lines));
  expect(withWord(OTHER, world.stateDir).length).toBeGreaterThan(6);
  expect(world.said(thread)).toHaveLength(before);
  await world.marked(first, "✅");
  expect(withWord(WORD, world.stateDir)).toEqual([]);
});

test("by its button, after it said what goes and what stays; while something runs, both ways refuse", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  await talked(world, thread, WORD);
  const owner = world.owner(thread);
  const running = await owner.send("hang:");
  // Its sign is there, so the daemon knows of it too.
  await world.marked(running.id, "⚙️");
  expect(await says(world, thread, "session forget")).toContain("E_SESSION_BUSY");
  expect((await run(world, "forget", "--thread", thread)).code).toBe(75);
  await says(world, thread, "cancel");
  await world.marked(running.id, "🚫");

  const stranger = world.sandbox.channel(thread).user(world.sandbox.addUser("mallory", { admin: true }).id);
  expect((await (await stranger.slash("session forget", { session_id: thread })).answer()).content).toContain(
    "E_OWNER_ONLY",
  );

  const shown = await (await owner.slash("session forget", {})).answer();
  expect(shown.content).toContain("This cannot be undone");
  const pressed = await owner.clickButton(shown.id, "Forget it");
  await pressed.acknowledged();
  await world.saying(thread, () => withWord(WORD, world.stateDir).length === 0);
  expect((await run(world, "forget", "--thread", "100000000000000001")).code).toBe(66);
  expect((await run(world, "journal", "verify")).code).toBe(0);
});

test("what an agent in it asked through its tools goes too, with the file that mirrors the question", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const owner = world.owner(thread);
  const { id } = await owner.send("until:gate");
  await world.agents(1);
  const { BELLHOP_CAPABILITY = "" } = agentEnvironment(world);
  const { PATH = "", HOME = "", LANG = "" } = clientEnvironment(world);
  const env = { PATH, HOME, LANG, BELLHOP_CAPABILITY, BELLHOP_OUTPUTS: join(world.stateDir, "outputs", thread) };
  const client = await openClient("2.x", env, world.project);
  const { answer } = await ask(world, client, {
    question: `Is it ${WORD}?`,
    context: `His name may be ${WORD}`,
    options: [`A) ${WORD}`, "B) No"],
  });
  await world.saying(thread, (said) => JSON.stringify(said).includes(`Is it ${WORD}?`));
  await owner.send("A");
  expect((await answer).structured).toMatchObject({ success: true });
  const mirrored = join(world.home, ".claude", "pending_decisions");
  await inFolder(mirrored, () => withWord(WORD, mirrored).some((file) => file.endsWith(".json")));
  open(world, "gate");
  await world.marked(id, "✅");
  expect((await run(world, "forget", "--thread", thread)).code).toBe(0);
  expect(withWord(WORD, world.stateDir, mirrored)).toEqual([]);
  expect((await run(world, "journal", "verify")).code).toBe(0);
});

test.each(["codex", "gemini"])("with %s too, and the record that it keeps itself is named", async (tool) => {
  const { world, thread } = await openSession({ unlimited: true, tools: [tool] });
  const { id } = await world.owner(thread).upload([{ name: `${WORD}.txt`, bytes: Buffer.from(WORD) }], `echo:${WORD}`);
  await world.marked(id, "✅");
  expect(withWord(WORD, world.stateDir).length).toBeGreaterThan(3);
  const { code, out } = await run(world, "forget", "--thread", thread, "--json");
  expect(code).toBe(0);
  const records = [{ tool, place: expect.stringContaining(join(world.home, `.${tool}`)) }];
  expect(JSON.parse(out)).toMatchObject({ thread_id: thread, stays: { records, copies: [] } });
  expect(withWord(WORD, world.stateDir)).toEqual([]);
});

/** A world whose daemon was stopped in order, with a session in which this was said. */
async function said(word: string): Promise<{ world: World; thread: string }> {
  const { world, thread } = await stopped({ limits: { snapshot_every_events: 1_000 } });
  const daemon = world.daemon();
  await daemon.ready;
  const { id } = await world.owner(thread).upload([{ name: `${word}.txt`, bytes: Buffer.from(word) }], `echo:${word}`);
  await world.marked(id, "✅");
  await daemon.kill("SIGTERM");
  return { world, thread };
}

/** Each is a step after which something else is on the disk. */
const CALLS = ["fdatasync", "fsync", "rename", "unlink"] as const;

test.skipIf(!canTrace).each(CALLS)(
  "killed at every %s, what has begun is brought to its end by the next start",
  async (call) => {
    const { world, thread } = await said(WORD);
    const { daemon, places } = watched(world, call, "-ttt", "-y");
    await daemon.ready;
    const from = Date.now() / 1_000;
    expect((await run(world, "forget", "--thread", thread)).code).toBe(0);
    const to = Date.now() / 1_000;
    await daemon.kill("SIGTERM");
    const at = places(() => true, { from, to });
    await world.close();
    let cutOff = 0;
    await eachOf(call, at, async (nth) => {
      if (await killAt(call, nth)) cutOff += 1;
      return undefined;
    });
    // The tracer did its work.
    expect(cutOff).toBeGreaterThan(0);
  },
  (long ? 60 : 5) * 60_000,
);

/**
 * Kills the daemon at this step while it forgets, and sees that the next one is done with it. True if it was killed
 * between the two events.
 */
async function killAt(call: string, nth: number): Promise<boolean> {
  const { world, thread } = await said(WORD);
  const daemon = killedAt(world, call, nth);
  const ready = await Promise.race([daemon.exited.then(() => false), daemon.ready.then(() => true)]);
  if (ready) await Promise.race([daemon.exited, run(world, "forget", "--thread", thread)]);
  await daemon.kill("SIGTERM");
  const hasBegun = isRecorded(world, "SessionForgotten");
  const isCutOff = hasBegun && !isRecorded(world, "ForgettingDone");
  const next = world.daemon();
  await next.ready;
  if (hasBegun) await inFolder(world.stateDir, () => isRecorded(world, "ForgettingDone"));
  else expect((await run(world, "forget", "--thread", thread)).code).toBe(0);
  const where = `${call} ${nth}`;
  expect(withWord(WORD, world.stateDir), where).toEqual([]);
  expect((await run(world, "journal", "verify")).code, where).toBe(0);
  await next.kill("SIGTERM");
  await world.close();
  return isCutOff;
}

function isRecorded({ stateDir }: World, type: string): boolean {
  return readdirSync(stateDir).some(
    (name) => /^events.*\.ndjson$/.test(name) && readFileSync(join(stateDir, name)).includes(`"type":"${type}"`),
  );
}
