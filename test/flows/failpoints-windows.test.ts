/**
 * The daemon is killed at steps between a press of Start on the control panel and its window: before and after each
 * thing is on disk. Whatever step it was, the next daemon opens what the press asked for, once: one thread, one window,
 * one welcome; a press that was not on disk is as if it had not been.
 */
import { join } from "node:path";
import { once } from "node:events";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { hasTmux, openDesk, started, type Desk } from "./desk.ts";
import { events } from "./mcp/asked.ts";
import { canTrace, placesOf, tracer } from "./tracer.ts";
import { descriptionOf, recorded, withPanel } from "./workshop.ts";
import type { Daemon, World } from "./world.ts";

const long = process.env["BELLHOP_TEST_LONG"] !== undefined;
const STEPS = [
  ["a new session", "write"],
  ["a new session", "fdatasync"],
  ["an existing session", "write"],
  ["an existing session", "fdatasync"],
] as const;
const JOURNAL = /^\d+ +[\d.]+ \w+\(\d+<.*events\.ndjson/;
/** In the ordinary run, spread over the way of the press. */
const TRIED = 4;

interface Pressing extends Desk {
  /** Since when and until when the press was on its way, in seconds since the epoch. */
  way: { from: number; to: number };
}

/** A world with a panel, with or without a session, and its daemon stopped in order. */
async function ready(what: string): Promise<Pressing> {
  const desk = await openDesk();
  const { world } = desk;
  withPanel(world);
  const daemon = await started(world);
  await panel(world);
  if (what === "an existing session") await world.session();
  await daemon.kill("SIGTERM");
  return { ...desk, way: { from: 0, to: 0 } };
}

/** The panel with Start, where it stays. */
async function panel(world: World): Promise<APIMessage> {
  const { channelId } = world.sandbox;
  const isPanel = (one: APIMessage | undefined): one is APIMessage =>
    JSON.stringify(one?.components ?? []).includes("Start app");
  const { id } = await world.saying(channelId, () => [world.sandbox.messages(channelId).at(-1)].find(isPanel));
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["message_id"] === id);
  return world.saying(channelId, (said) => said.find((one) => one.id === id));
}

/** Start is pressed and its window opens, as far as the daemon comes with it. */
async function press({ world, way }: Pressing, daemon: Daemon): Promise<"killed" | "done"> {
  const killed = daemon.exited.then(() => true);
  const steps = [
    () => daemon.ready,
    async () => {
      const { id } = await panel(world);
      way.from = Date.now() / 1_000;
      await world.owner(world.sandbox.channelId).clickButton(id, "▶ Start app");
    },
    async () => {
      await recorded(world, ({ type }) => type === "WindowOpened");
      way.to = Date.now() / 1_000;
    },
    () => daemon.kill("SIGTERM"),
  ];
  for (const [number, step] of steps.entries()) {
    const isOver = await Promise.race([
      killed,
      step().then(
        () => false,
        () => true,
      ),
    ]);
    if (isOver && number < steps.length - 1) return "killed";
  }
  return (await daemon.exited).signal === "SIGKILL" ? "killed" : "done";
}

async function places(what: string, call: string): Promise<number[]> {
  const pressing = await ready(what);
  const { world, way } = pressing;
  const log = join(world.home, "trace.log");
  const { prefix, env } = tracer(world, ["-o", log, "-yy", "-ttt", "-e", `trace=${call}`]);
  expect(await press(pressing, world.daemon({ prefix, env }))).toBe("done");
  const all = placesOf(log, call, (line) => JOURNAL.test(line), way);
  await pressing.close();
  return long ? all : all.filter((_, index) => index % Math.ceil(all.length / TRIED) === 0);
}

async function killAt(what: string, call: string, nth: number): Promise<"killed" | "done"> {
  const pressing = await ready(what);
  const { world, tmux, done } = pressing;
  const at = `${what}, ${call} ${nth}`;
  const { prefix, env } = tracer(world, [
    "-o",
    "/dev/null",
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:signal=SIGKILL:when=${nth}`,
  ]);
  const end = await press(pressing, world.daemon({ prefix, env }));
  const isOnDisk =
    [...events(world, "SessionRequested").filter((one) => one["window"] === true), ...events(world, "WindowRequested")]
      .length > 0;
  await started(world);
  if (!isOnDisk) await world.owner(world.sandbox.channelId).clickButton((await panel(world)).id, "▶ Start app");
  await recorded(world, ({ type }) => type === "WindowOpened");
  const thread = String(events(world, "SessionCreated")[0]?.["thread_id"]);
  await world.owner(thread).send("count:after");
  await done("after");
  await world.saying(thread, (said) => said.some(({ content }) => content.startsWith("did after")));
  const opened = events(world, "WindowOpened");
  expect(
    [opened.length, opened[0]?.["thread_id"], events(world, "SessionCreated").length, world.sandbox.threads().length],
    at,
  ).toEqual([1, thread, 1, 1]);
  expect(tmux("list-panes", "-a", "-F", "#{pane_pid}").trim().split("\n").map(Number), at).toEqual([
    opened[0]?.["pid"],
  ]);
  expect(world.said(thread).filter((one) => one.embeds[0]?.title === "How this works").length, at).toBe(1);
  expect(
    world
      .said(thread)
      .map(descriptionOf)
      .filter((one) => one.includes("was not opened")),
    at,
  ).toEqual([]);
  await pressing.close();
  return end;
}

/** A step that waits for something which never comes fails by its name. */
async function tooLong(at: string): Promise<never> {
  await once(AbortSignal.timeout(90_000), "abort");
  throw new Error(`killed at ${at}, the daemon's next life did not get to the end`);
}

test.skipIf(!canTrace || !hasTmux).each(STEPS)(
  "Start of %s, killed at a journal's %s, opens one window in one thread",
  { timeout: (long ? 60 : 10) * 60_000 },
  async (what, call) => {
    const left = await places(what, call);
    expect(left.length).toBeGreaterThan(0);
    let killed = 0;
    for (const nth of left)
      if ((await Promise.race([killAt(what, call, nth), tooLong(`${what}, ${call} ${nth}`)])) === "killed") killed += 1;
    expect(killed).toBeGreaterThan(0);
  },
);
