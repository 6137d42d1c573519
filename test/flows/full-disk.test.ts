/**
 * The disk is really full: what runs is finished, nothing new starts, no answer is lost, and every sentence about it is
 * true. When there is room again, everything goes on by itself.
 */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { crashNotice, inFolder, openWorld, type World } from "./world.ts";
import { hasSmallDisks, openCrampedWorld, type CrampedWorld, type SmallDisk } from "./small-disk.ts";

const MEBIBYTE = 1024 * 1024;
const UNKEPT = "The answer could not be saved on Bellhop's machine. It is only here.";
const FULL = "The disk of Bellhop's machine is full. Nothing new starts";

interface Line {
  seq: number;
  type: string;
  payload: Record<string, unknown>;
}

function eventsOn({ path }: SmallDisk): Line[] {
  const whole = readFileSync(join(path, "events.ndjson"), "utf8").split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line) as Line);
}

function open(world: World, gate: string): void {
  writeFileSync(join(world.home, gate), "");
}

function isWhole({ path }: Pick<SmallDisk, "path">): boolean {
  const stats = lstatSync(join(path, "reserve"), { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === MEBIBYTE && stats.blocks * 512 >= MEBIBYTE;
}

/** A session on a small disk whose first job waits until the test lets it go on. */
async function openWaiting(
  kib: number,
  prompt = "until:gate",
): Promise<CrampedWorld & { thread: string; first: string; running: ReturnType<CrampedWorld["daemon"]> }> {
  const cramped = await openCrampedWorld(kib, { unlimited: true });
  const { world } = cramped;
  const running = cramped.daemon();
  await running.ready;
  const thread = await world.session();
  const { id: first } = await world.owner(thread).send(prompt);
  await world.agents(1);
  await world.marked(first, "⚙️");
  await inFolder(cramped.disk.path, () => isWhole(cramped.disk));
  return { ...cramped, thread, first, running };
}

/** What stands in the embeds and the text of the daemon's messages. */
function words(world: World, thread: string): string {
  return world
    .said(thread)
    .map(({ content, embeds }) =>
      [content, ...embeds.map(({ title, description }) => `${title ?? ""}\n${description ?? ""}`)].join("\n"),
    )
    .join("\n");
}

async function queueCard(world: World, thread: string): Promise<string> {
  const answer = await (await world.owner(thread).slash("queue")).answer();
  return JSON.stringify(answer);
}

test.skipIf(!hasSmallDisks)(
  "a disk that fills up while an agent works: its answer is posted, the next job waits, and goes on by itself when there is room",
  async () => {
    const { world, disk, thread, first } = await openWaiting(4096);
    const { id: next } = await world.owner(thread).send("count:next");
    await world.marked(next, "⏳");
    disk.fill();
    open(world, "gate");
    await world.marked(first, "✅");
    await world.saying(thread, (said) => said.some(({ content }) => content === "gate is over"));
    await world.saying(thread, () => words(world, thread).includes(UNKEPT));
    expect(eventsOn(disk).find(({ type }) => type === "JobCompleted")?.payload).toMatchObject({
      result_sha256: null,
      result_excerpt: "gate is over",
    });
    expect(disk.reserve()).toBeUndefined();
    expect(await queueCard(world, thread)).toContain(FULL);
    // What is written meanwhile is kept.
    const { id: later } = await world.owner(thread).send("count:later");
    await world.marked(later, "⏳");
    expect(world.agentStarts()).toHaveLength(1);
    await world.saying(thread, () => words(world, thread).includes(FULL));
    disk.empty();
    await world.marked(next, "✅");
    await world.marked(later, "✅");
    expect(isWhole(disk)).toBe(true);
    expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["until:gate", "count:next", "count:later"]);
    await world.saying(thread, () => !words(world, thread).includes(FULL));
  },
);

/** Writes messages until the last block of the journal has no room for the end of a job. */
async function useUp(world: World, thread: string, disk: SmallDisk): Promise<void> {
  const begun = ["session_key", "card", "named"];
  await inFolder(disk.path, () =>
    begun.every((what) => eventsOn(disk).some(({ payload }) => payload["kind"] === what || payload["part"] === what)),
  );
  const size = (): number => lstatSync(join(disk.path, "events.ndjson")).size;
  const write = async (length: number): Promise<void> => {
    const { id } = await world.owner(thread).send("w".repeat(length));
    await inFolder(disk.path, () => eventsOn(disk).some(({ payload }) => payload["discord_message_id"] === id));
  };
  const before = size();
  await write(100);
  const beside = size() - before - 100;
  for (let left = 4096 - (size() % 4096); left >= 200; left = 4096 - (size() % 4096)) {
    const fits = left - beside - 60;
    await write(fits < 1 ? 500 : Math.min(fits, 1900));
  }
}

const ABOVE = "Everything the agent had said until then is above.";
const CUT = "Cut off here because Bellhop or its machine stopped.";
const NOTHING = "The agent finished without saying anything.";

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** What the owner has of an answer: the daemon's messages that are no embeds, as one text without blanks. */
function answerOf(world: World, thread: string): string {
  return world
    .said(thread)
    .map(({ content }) => content)
    .join("")
    .replace(/\s+/g, "");
}

test.skipIf(!hasSmallDisks)("an answer of which the disk has taken the beginning is posted whole", async () => {
  const { world, disk, thread, first } = await openWaiting(4096, "steps:go:3:2600");
  await world.saying(thread, (said) => said.some(({ content }) => content.startsWith("chunk1.")));
  // The journal has nothing to write then: its first write that finds no room would give up the reserve, which has room
  // for the answer too.
  const begun = ["session_key", "card", "named", "answer:0"];
  await inFolder(disk.path, () =>
    begun.every((what) => eventsOn(disk).some(({ payload }) => payload["kind"] === what || payload["part"] === what)),
  );
  disk.fill();
  open(world, "go-2");
  await world.saying(thread, () => answerOf(world, thread).includes("chunk2."));
  open(world, "go-3");
  await world.marked(first, "✅");
  const whole = [1, 2, 3]
    .map((step) => `chunk${step}.`.padEnd(2600, ` more of ${step}`))
    .join("")
    .replace(/\s+/g, "");
  await world.saying(thread, () => words(world, thread).includes(UNKEPT));
  expect(answerOf(world, thread)).toContain(whole);
  // What it has taken is no answer, and needs no room.
  await inFolder(
    join(disk.path, "results"),
    () => readdirSync(join(disk.path, "results")).filter((name) => name.includes(".md")).length === 0,
  );
});

test.skipIf(!hasSmallDisks).each([
  ["until:gate", "gate is over", "an answer that was whole"],
  ["stall:gate", "gate is nearly over", "an answer that was cut off"],
])(
  "a disk so full that the journal fails too (%s): %s is posted, and found by the next daemon",
  async (prompt, said) => {
    const { world, disk, daemon, running, thread } = await openWaiting(4096, prompt);
    const { id: next } = await world.owner(thread).send("count:next");
    await world.marked(next, "⏳");
    await useUp(world, thread, disk);
    rmSync(join(disk.path, "reserve"));
    disk.fill();
    open(world, "gate");
    expect(await running.exited).toEqual({ code: 74, signal: null });
    const before = words(world, thread);
    expect([
      count(before, said),
      count(before, ABOVE),
      count(before, "E_JOURNAL_WRITE"),
      count(before, NOTHING),
    ]).toEqual([1, 1, 1, 0]);
    expect(count(before, CUT)).toBe(prompt.startsWith("stall") ? 1 : 0);
    disk.empty();
    await daemon().ready;
    const notice = await world.saying(thread, (all) => crashNotice(all));
    expect(JSON.stringify(notice)).toContain(ABOVE);
    const found = eventsOn(disk).flatMap(({ type, payload }) =>
      type === "PostRecorded" && /^(unrecorded|answer:\d+)$/.test(String(payload["part"]))
        ? [[payload["part"], typeof payload["message_id"]]]
        : [],
    );
    expect(found).toEqual(
      expect.arrayContaining([
        ["answer:0", "string"],
        ["unrecorded", "string"],
      ]),
    );
    expect(eventsOn(disk).filter(({ type }) => type === "JobMarkedUnknownAfterCrash")).toHaveLength(1);
    await world.owner(thread).clickButton(notice.id, "Discard");
    await world.marked(next, "✅");
    const after = words(world, thread);
    expect([count(after, said), count(after, CUT), count(after, NOTHING)]).toEqual([1, count(before, CUT), 0]);
    expect(world.agentStarts().map((start) => start.prompt)).toEqual(
      expect.arrayContaining([prompt, expect.stringContaining("count:next")]),
    );
  },
);

test.skipIf(!hasSmallDisks)(
  "a daemon that starts without room for the reserve takes messages, starts nothing, and goes on when there is room",
  async () => {
    const { world, disk, daemon } = await openCrampedWorld(4096);
    disk.fill(1536);
    await daemon().ready;
    const thread = await world.session();
    const { id } = await world.owner(thread).send("count:one");
    await world.marked(id, "⏳");
    await world.saying(thread, () => words(world, thread).includes(FULL));
    expect(world.agentStarts()).toEqual([]);
    disk.empty();
    await world.marked(id, "✅");
    expect(isWhole(disk)).toBe(true);
  },
);

test.each([
  ["is missing", () => undefined],
  ["is too small", (path: string) => writeFileSync(path, "short")],
  ["has no bytes on the disk", (path: string) => (writeFileSync(path, ""), truncateSync(path, MEBIBYTE))],
  [
    "has a second name",
    (path: string) => (writeFileSync(path, Buffer.alloc(MEBIBYTE, 1)), linkSync(path, `${path}.second`)),
  ],
  ["is a link", (path: string, elsewhere: string) => symlinkSync(elsewhere, path)],
  [
    "is a directory with something in it",
    (path: string) => (mkdirSync(path), writeFileSync(join(path, "mine"), "kept")),
  ],
])("a reserve that %s is made at the start, and nothing of anybody else's is lost", async (_what, stand) => {
  const world = await openWorld();
  const elsewhere = join(world.home, "elsewhere");
  writeFileSync(elsewhere, "not ours");
  const path = join(world.stateDir, "reserve");
  stand(path, elsewhere);
  await world.daemon().ready;
  expect(isWhole({ path: world.stateDir })).toBe(true);
  expect(readFileSync(elsewhere, "utf8")).toBe("not ours");
  const aside = readdirSync(world.stateDir).filter((name) => name.startsWith("reserve.aside-"));
  for (const name of aside)
    if (lstatSync(join(world.stateDir, name)).isDirectory())
      expect(readFileSync(join(world.stateDir, name, "mine"), "utf8")).toBe("kept");
  expect(aside).toHaveLength(/link|directory|second/.test(_what) ? 1 : 0);
});

const isLong = process.env["BELLHOP_TEST_LONG"] !== undefined;

/** All that becomes of six messages which are written while a disk fills up that has so many KiB left. */
async function fillsUp(leave: number): Promise<void> {
  const { world, disk, daemon } = await openCrampedWorld(4096, { unlimited: true, config: { after_crash: "go_on" } });
  const running = daemon();
  await running.ready;
  const thread = await world.session();
  // Without the reserve in every second case, so that the journal fails too.
  if (leave % 8 === 0) rmSync(join(disk.path, "reserve"));
  disk.fill(leave);
  const written: string[] = [];
  for (let number = 1; number <= 6; number += 1)
    written.push((await world.owner(thread).send(`echo:${number} ${"word ".repeat(300)}`)).id);
  const ends = (): number =>
    eventsOn(disk).filter(({ type }) => /^Job(Completed|Failed|Cancelled|MarkedUnknownAfterCrash)$/.test(type)).length;
  const isHeard = (): boolean => eventsOn(disk).filter(({ type }) => type === "JobEnqueued").length === written.length;
  const first = await Promise.race([running.exited, inFolder(disk.path, isHeard)]);
  const acknowledged = written.filter((id) =>
    Object.values(world.sandbox.reactions(id)).some((who) => who.includes(world.sandbox.botId)),
  );
  const there = eventsOn(disk).flatMap(({ type, payload }) =>
    type === "JobEnqueued" ? [payload["discord_message_id"]] : [],
  );
  expect(there).toEqual(expect.arrayContaining(acknowledged));
  disk.empty();
  if (first) {
    expect(first).toEqual({ code: 74, signal: null });
    await daemon().ready;
  }
  await inFolder(disk.path, () => ends() === written.length);
  const enqueued = eventsOn(disk).flatMap(({ type, payload }) =>
    type === "JobEnqueued" ? [payload["discord_message_id"]] : [],
  );
  expect(enqueued).toEqual(written);
  const prompts = world.agentStarts().map(({ prompt }) => /echo:(\d)/.exec(prompt)?.[1]);
  expect(new Set(prompts).size).toBe(prompts.length);
  await world.close();
}

test.skipIf(!hasSmallDisks)(
  "whatever room is left when a disk fills up, no acknowledged message is lost, and none starts twice",
  { timeout: 900_000 },
  async () => {
    const sizes = isLong ? Array.from({ length: 24 }, (_, step) => step * 4) : [4, 8];
    for (const leave of sizes) await fillsUp(leave);
  },
);
