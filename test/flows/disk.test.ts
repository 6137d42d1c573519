/**
 * The disk refuses while the daemon runs: it says so, ends with its own code, and what it had acknowledged is there.
 */
import { once } from "node:events";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { did, hasTmux, openDesk, started, type Desk } from "./desk.ts";
import { canTrace, failing } from "./tracer.ts";
import { learnt, posted } from "./workshop.ts";
import { answered, crashNotice, openSession, openWorld, type Daemon } from "./world.ts";

function isAnswered(said: { content: string }[]): boolean {
  return said.some(({ content }) => content === "did kept");
}

test.skipIf(!canTrace).each([
  ["fdatasync", "EIO"],
  ["fdatasync", "ENOSPC"],
])(
  "%s failing with %s ends the daemon loudly, and the message it could not keep is not lost by the next",
  async (call, error) => {
    const { world, daemon, thread } = await openSession();
    const before = await world.owner(thread).send("count:before");
    await answered(world, thread, ["did before"]);
    // Its words are there before its end is on disk, and before all that Discord shows of it is.
    await world.marked(before.id, "✅");
    await Promise.all([learnt(world, "gone"), ...["named", "end", "reaction"].map((part) => posted(world, part))]);
    const tracer = await failing(daemon.pid, call, error);
    await world.owner(thread).send("count:kept");
    expect(await daemon.exited).toEqual({ code: 74, signal: null });
    tracer.kill("SIGKILL");
    expect(daemon.stderr()).toContain("E_JOURNAL_WRITE");
    expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:before"]);
    await world.daemon().ready;
    // A line whose sync failed may have reached the disk all the same: then the job counts as begun, and the owner
    // decides.
    const notice = await world.saying(
      thread,
      (said) => crashNotice(said)?.id ?? (isAnswered(said) ? "answered" : undefined),
    );
    if (notice !== "answered") await world.owner(thread).clickButton(notice, "Retry");
    await world.saying(thread, isAnswered);
    expect(world.agentStarts().map(({ prompt }) => /count:\w+/.exec(prompt)?.[0])).toEqual([
      "count:before",
      "count:kept",
    ]);
    expect(world.said(thread).filter(({ content }) => content.includes("E_JOURNAL_WRITE"))).toHaveLength(1);
  },
);

test.skipIf(!canTrace)(
  "an answer that the disk does not take is posted, its end says so, and the next job waits until there is room again",
  async () => {
    const { world, daemon, thread } = await openSession();
    // What a project's first job keeps besides its answer is on the disk.
    await world.marked((await world.owner(thread).send("echo:first")).id, "✅");
    const tracer = await failing(daemon.pid, "fsync", "ENOSPC");
    const { id } = await world.owner(thread).send("echo:kept");
    await world.marked(id, "✅");
    await world.saying(thread, (said) => said.some(({ content }) => content === "kept"));
    await world.saying(thread, (said) =>
      said.some((one) =>
        JSON.stringify(one).includes("The answer could not be saved on Bellhop's machine. It is only here."),
      ),
    );
    const { id: next } = await world.owner(thread).send("echo:next");
    await world.marked(next, "⏳");
    tracer.kill("SIGTERM");
    await once(tracer, "exit");
    await world.marked(next, "✅");
  },
);

test("answers are kept again after somebody has removed their folder", async () => {
  const { world, thread } = await openSession();
  const folder = join(world.stateDir, "results");
  for (const words of ["one", "two"]) {
    const { id } = await world.owner(thread).send(`echo:${words}`);
    await world.marked(id, "✅");
    expect([readdirSync(folder).filter((name) => name.endsWith(".md")).length, statSync(folder).mode & 0o777]).toEqual([
      1, 0o700,
    ]);
    rmSync(folder, { recursive: true });
  }
});

test.skipIf(!canTrace)(
  "a failing disk is said in the thread whose job it stops, and that job is unknown afterwards",
  async () => {
    const { world, daemon, thread } = await openSession();
    await world.owner(thread).send("hang:");
    await world.agents(1);
    const tracer = await failing(daemon.pid, "fdatasync", "EIO");
    await world.owner(thread).send("count:next");
    await world.saying(thread, (said) => said.some(({ content }) => content.includes("E_JOURNAL_WRITE")));
    expect((await daemon.exited).code).toBe(74);
    tracer.kill("SIGKILL");
    await world.daemon().ready;
    await world.saying(thread, (said) =>
      said.some(({ components }) => JSON.stringify(components).includes("discard:")),
    );
  },
);

test.skipIf(!canTrace)(
  "from a failed write on nothing starts, is tried again, is reported or is finished",
  async () => {
    const world = await openWorld();
    const daemon = world.daemon();
    await daemon.ready;
    const [first, second, third] = [await world.session(), await world.session(), await world.session()];
    const asked = [await world.owner(first).send("until:gate"), await world.owner(second).send("until:gate")];
    for (const { id } of asked) await world.started(id);
    await world.agents(2);
    await Promise.all([posted(world, "card", 2), posted(world, "named", 2)]);
    // Under way when the disk fails: a thread that is being made, and its command that waits for it.
    const made = world.sandbox.faults.hold({ method: "POST", path: /\/messages\/\d+\/threads$/ });
    await world.owner(world.sandbox.channelId).slash("start", { project_name: "app" });
    await made.hit(1);
    const words = world.sandbox.faults.hold({ operationId: "create_message" });
    const tracer = await failing(daemon.pid, "fdatasync", "EIO");
    await world.owner(third).send("count:never");
    await daemon.told(/ error .*E_JOURNAL_WRITE/);
    const before = world.sandbox.requests.length;
    writeFileSync(join(world.home, "gate"), "");
    made.lift();
    await words.hit(1);
    expect(await daemon.exited).toEqual({ code: 74, signal: null });
    tracer.kill("SIGKILL");
    expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["until:gate", "until:gate"]);
    expect(readdirSync(join(world.stateDir, "results")).filter((name) => name.endsWith(".md"))).toEqual([]);
    const after = world.sandbox.requests.slice(before).filter(({ method, auth }) => method !== "GET" && auth === "bot");
    const unasked = after.filter(
      ({ operationId, requestBody }) =>
        operationId !== "create_thread_from_message" && !JSON.stringify(requestBody).includes("E_JOURNAL_WRITE"),
    );
    expect(unasked.map(({ method, path, requestBody }) => ({ method, path, requestBody }))).toEqual([]);
  },
);

/** A window in whose turn at the terminal Claude is to ask. */
async function openWindow(): Promise<{ desk: Desk; daemon: Daemon; thread: string }> {
  const desk = await openDesk();
  const { world } = desk;
  const daemon = await started(world);
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("count:one")).id, "✅");
  await learnt(world, "gone");
  return { desk, daemon, thread };
}

async function allow({ world, tmux, done }: Desk, thread: string): Promise<void> {
  const prompt = await world.saying(thread, (said) =>
    said.find((one) => JSON.stringify(one.components ?? []).includes('"label":"Allow"')),
  );
  expect(tmux("capture-pane", "-p")).toContain("Do you want to proceed?");
  expect(did(world)).toEqual(["one"]);
  await world.owner(thread).clickButton(prompt.id, "Allow");
  await done("two");
}

test.skipIf(!canTrace || !hasTmux)(
  "what Claude asks in its window while nothing can be kept of it stands at the terminal, and is asked in Discord when the disk takes it again",
  async () => {
    const { desk, daemon, thread } = await openWindow();
    const tracer = await failing(daemon.pid, "fsync", "ENOSPC");
    await desk.enter("may:two");
    await daemon.told(/a hook of Claude cannot be answered/);
    tracer.kill("SIGTERM");
    await allow(desk, thread);
  },
);

test.skipIf(!canTrace || !hasTmux)(
  "what Claude asks in its window while its daemon ends for a full disk is asked by the next one",
  async () => {
    const { desk, daemon, thread } = await openWindow();
    const tracer = await failing(daemon.pid, "fdatasync", "ENOSPC");
    await desk.enter("may:two");
    expect(await daemon.exited).toEqual({ code: 74, signal: null });
    tracer.kill("SIGKILL");
    await started(desk.world);
    await allow(desk, thread);
  },
);
