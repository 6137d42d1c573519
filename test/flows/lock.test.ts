/** A phone that was lost: everything stops, no door starts or allows anything, and a word opens it again. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { openCaller } from "../../src/client/call.ts";
import { prompted, standing } from "./asked.ts";
import { did, hasTmux, openDesk, started } from "./desk.ts";
import { type JournalEvent, journalOf } from "./journal.ts";
import { ask, events, QUESTION } from "./mcp/asked.ts";
import { clientEnvironment, openClient } from "./mcp/clients.ts";
import { hasTerminal, keys, openTerminal } from "./terminal.ts";
import { descriptionOf, inJournal, learnt, recorded, withButton } from "./workshop.ts";
import { alive, descendants, openSession, openWorld, type World } from "./world.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs");

function bellhop(world: World, argv: string[], input = ""): { code: number | null; said: string } {
  const env = { PATH: "/usr/bin:/bin", HOME: world.home, LANG: "C.UTF-8", STATE_DIR: world.stateDir };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...argv], {
    cwd: world.home,
    env,
    input,
    encoding: "utf8",
  });
  return { code: status, said: stdout + stderr };
}

async function slash(world: World, name: string, place = world.sandbox.channelId): Promise<string> {
  return (await (await world.owner(place).slash(name, {})).answer()).content;
}

/** Types a word into `/unlock`; resolves with the answer. */
async function typeWord(world: World, word: string): Promise<string> {
  const owner = world.owner(world.sandbox.channelId);
  return (await (await owner.submitModal(await owner.slash("unlock", {}), { words: word })).answer()).content;
}

const shownWord = (said: string): string => /^[a-z2-9]{5}-[a-z2-9]{5}$/m.exec(said)?.[0] ?? "";

/** What is in the journal between the last lock and what opened it, or now. */
function whileLocked(world: World): JournalEvent[] {
  const all = journalOf(world);
  const from = all.findLastIndex(({ type }) => type === "Locked");
  const to = all.findIndex(({ type }, at) => at > from && type === "Unlocked");
  return all.slice(from, to < 0 ? undefined : to);
}

const STARTS = ["JobEnqueued", "JobStarted", "JobEdited", "DecisionAsked", "DecisionAnswered", "SessionRequested"];

/** Every command there is, with something for each option. */
function registered(world: World): { name: string; options: Record<string, string | number> }[] {
  type Option = { type: number; name: string; required?: boolean; options?: Option[] };
  const given = (options: Option[] = []): Record<string, string | number> =>
    Object.fromEntries(
      options.filter(({ required }) => required).map(({ name, type }) => [name, type === 4 ? 1 : "x"]),
    );
  return (world.sandbox.commands() as unknown as { name: string; options?: Option[] }[]).flatMap(
    ({ name, options = [] }) => {
      const below = options.filter(({ type }) => type === 1);
      return below.length === 0
        ? [{ name, options: given(options) }]
        : below.map((one) => ({ name: `${name} ${one.name}`, options: given(one.options) }));
    },
  );
}

const refused = ({ content }: APIMessage): boolean => content.includes("E_LOCKED");

test(
  "with /lock all that runs ends, nothing starts by any door, also after a restart, and what waited waits for its owner",
  { timeout: 120_000 },
  async () => {
    const { world, daemon, thread: asking } = await openSession({ unlimited: true });
    const [working, idle] = [await world.session(), await world.session()];
    const owner = world.owner(asking);
    await owner.send("may:make");
    const asked = { world, daemon, thread: asking, id: "" };
    const prompt = await prompted(asked, "Allow once");
    await standing(asked);
    const waits = await owner.send("echo:later");
    const last = await owner.send("echo:last");
    for (const { id } of [waits, last]) await world.marked(id, "⏳");
    await world.owner(working).send("work:never");
    await world.marked((await world.owner(idle).send("echo:idle")).id, "✅");
    await world.agents(3);
    const opened = await owner.clickButton(prompt.id, "Deny and say why");
    const queue = await (await owner.slash("queue", {})).answer();
    const client = await openClient("2.x", clientEnvironment(world), world.home);
    const question = await ask(world, client);

    const said = await slash(world, "lock");
    expect(said).toContain("Nothing starts and nothing is allowed");
    expect(said).toContain("2 turns were stopped. 2 messages wait");
    expect(await slash(world, "lock", working)).toContain("is already locked");
    expect(whileLocked(world)[0]).toMatchObject({ type: "Locked", payload: { by: "discord" } });
    // Nothing tells of a process that ends while it idles.
    while (world.agentStarts().some(({ pid }) => alive(pid))) await setImmediate();
    await inJournal(world, (all) => all.filter(({ type }) => type === "JobCancelled").length === 2);
    expect(events(world, "DecisionVoided").map(({ why }) => why)).toEqual(["locked", "locked"]);
    expect((await question.answer).text).toContain("E_LOCKED");
    await world.saying(world.sandbox.channelId, (all) =>
      all.some(({ embeds }) => embeds[0]?.title === "🔒 Bellhop is locked"),
    );

    await world.saying(asking, (all) => all.some((one) => descriptionOf(one).includes("nothing was allowed")));

    // Every door.
    for (const { name, options } of registered(world)) {
      if (["lock", "unlock", "status"].includes(name)) continue;
      const answer = await (await owner.slash(name, options)).answer();
      expect(answer.content, name).toContain("E_LOCKED");
    }
    expect(await slash(world, "status", asking)).toContain("claude");
    expect(await owner.autocomplete("tool", "tool", "")).toEqual([]);
    const buttons = JSON.stringify(queue.components).match(/q-(?!pick)[\w-]+:[\w:]+/g) ?? [];
    expect(buttons).not.toEqual([]);
    for (const id of buttons) expect(refused(await (await owner.clickButton(queue.id, id)).answer()), id).toBe(true);
    const [pick = ""] = /q-pick:\d+/.exec(JSON.stringify(queue.components)) ?? [];
    const [, value = ""] = /"value":"(job_\d{8}_\d{4})"/.exec(JSON.stringify(queue.components)) ?? [];
    expect(refused(await (await owner.select(queue.id, pick, [value])).answer())).toBe(true);
    expect(refused(await (await owner.submitModal(opened, { words: "no" })).answer())).toBe(true);
    await owner.edit(waits.id, "echo:evil");
    const direct = String(
      journalOf(world).find(({ type, payload }) => type === "ChannelOpened" && payload["kind"] === "direct")?.payload[
        "channel_id"
      ],
    );
    const written = [
      await owner.send("yes", { replyTo: prompt.id }),
      await owner.send("echo:more"),
      await world.owner(idle).send("echo:again"),
      await world.owner(question.thread).send("A"),
      await world.owner(direct).send("yes"),
    ];
    for (const { id } of written) await world.marked(id, "🔒");
    expect(world.said(asking).filter((one) => descriptionOf(one).includes("E_LOCKED"))).toHaveLength(1);
    await world.owner(world.sandbox.channelId).send(`<@${world.sandbox.botId}> start something`);
    const tools: Record<string, Record<string, unknown>> = {
      discord_ask_decision: { ...QUESTION, question: "Another?" },
      discord_notify: { message: "x" },
      discord_report_progress: { title: "x", summary: "x" },
    };
    for (const name of await client.tools())
      expect((await client.call(name, tools[name] ?? {})).text, name).toContain("E_LOCKED");
    expect(bellhop(world, ["status"]).said).toContain("Locked since");
    expect(bellhop(world, ["doctor"]).said).toContain("Bellhop has been locked since");
    expect(bellhop(world, ["lock"]).said).toContain("already");

    // It stays locked, and what was written meanwhile is not for later.
    await daemon.kill("SIGKILL");
    const meanwhile = await owner.send("echo:meanwhile");
    await world.daemon().ready;
    await world.marked(meanwhile.id, "🔒");
    expect(whileLocked(world).filter(({ type }) => STARTS.includes(type))).toEqual([]);
    expect(world.agentStarts()).toHaveLength(3);

    // One needs the machine, or a word from before.
    const word = shownWord(bellhop(world, ["unlock"]).said);
    expect(await typeWord(world, "something else")).toContain("E_WORD_WRONG");
    expect(await typeWord(world, word.toUpperCase().replace("-", ""))).toContain("1 thread waits for you");
    expect(bellhop(world, ["unlock"])).toMatchObject({ code: 66, said: expect.stringContaining("E_NOT_LOCKED") });
    expect(await slash(world, "unlock")).toContain("E_NOT_LOCKED");
    expect(world.agentStarts()).toHaveLength(3);
    await world.marked((await world.owner(idle).send("echo:new")).id, "✅");
    const notice = await world.saying(asking, (all) => withButton(all, "unpark"));
    await (await owner.clickButton(notice.id, "Continue now")).acknowledged();
    for (const { id } of [waits, last]) await world.marked(id, "✅");
    expect(
      world
        .agentStarts()
        .map(({ prompt: text }) => text)
        .slice(3)
        .toSorted(),
    ).toEqual(["echo:last", "echo:later", "echo:new"]);
  },
);

test("a lock in the very moment in which an agent is started ends it too", async () => {
  const { world, daemon } = await openSession({ unlimited: true });
  const caller = await openCaller({ stateDir: world.stateDir, role: "cli", clock: systemClock });
  for (let number = 1; number <= 3; number += 1) {
    const thread = await world.session();
    const { id } = await world.owner(thread).send("work:never");
    await world.started(id);
    expect(await caller.call("lock", {})).toMatchObject({ ended: 1, was_locked: false });
    await world.marked(id, "🚫");
    await inJournal(world, (all) => all.filter(({ payload }) => payload["kind"] === "gone").length === number);
    while (descendants(daemon.pid, /claude\.mjs/).length > 0) await setImmediate();
    expect(await typeWord(world, ((await caller.call("unlock", {})) as { word: string }).word)).toContain("unlocked");
  }
  caller.close();
});

test("five wrong words close /unlock, also over a restart and for a word that was shown; no word is written anywhere", async () => {
  const world = await openWorld({ unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "unlock"));
  expect(bellhop(world, ["lock", "--set-word"], "short\n").code).toBe(64);
  expect(bellhop(world, ["lock", "--set-word"], "My Correct Horse\n")).toMatchObject({ code: 0 });
  expect(statSync(join(world.stateDir, "unlock-word.json")).mode & 0o777).toBe(0o600);
  expect(bellhop(world, ["unlock"]).said).toContain("E_NOT_LOCKED");
  expect(bellhop(world, ["lock"]).said).toContain("Bellhop is locked. 0 turns were stopped");
  expect(await typeWord(world, "my correct horse")).toContain("unlocked");
  await slash(world, "lock");
  const word = shownWord(bellhop(world, ["unlock"]).said);
  for (let left = 4; left > 0; left -= 1) expect(await typeWord(world, "wrong battery")).toContain(`${left} more`);
  expect(await typeWord(world, "wrong battery")).toContain("E_WORD_CLOSED");
  expect(await slash(world, "unlock")).toContain("E_WORD_CLOSED");
  expect(bellhop(world, ["unlock"]).said).toContain("E_WORD_CLOSED");
  await daemon.kill("SIGTERM");
  await world.daemon().ready;
  expect(await slash(world, "unlock")).toContain("E_WORD_CLOSED");
  const files = readdirSync(world.stateDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const all = files.map((one) => readFileSync(join(one.parentPath, one.name), "latin1")).join("\n");
  for (const secret of ["orrect horse", "orrect Horse", "battery", word]) expect(all).not.toContain(secret);
});

test.skipIf(!hasTerminal)("the word is typed twice in a terminal, which shows none of it", async () => {
  const world = await openWorld();
  const file = join(world.stateDir, "unlock-word.json");
  for (const [again, code] of [
    ["correct house", 64],
    ["correct horse", 0],
  ] as const) {
    const terminal = openTerminal(["lock", "--set-word"], { cwd: world.home, env: world.env });
    await terminal.sees(/Your word for/);
    terminal.type(`correct horse${keys.enter}`);
    await terminal.sees(/The same word again/);
    terminal.type(`${again}${keys.enter}`);
    expect(await terminal.done).toBe(code);
    expect(terminal.raw).not.toMatch(/horse|house/);
    expect(existsSync(file)).toBe(code === 0);
  }
});

test.skipIf(!hasTmux)(
  "a Claude in a window is interrupted and stays; what it asks there is its owner's at his desk",
  async () => {
    const { world, tmux, enter, shows, done } = await openDesk();
    await started(world);
    const thread = await world.session();
    const running = await world.owner(thread).send("until:never:one");
    await learnt(world, "process");
    await slash(world, "lock");
    await world.marked(running.id, "🚫");
    const [{ pid = 0 } = {}] = events(world, "WindowOpened") as { pid?: number }[];
    expect(alive(pid)).toBe(true);
    await enter("may:two");
    await shows("Do you want");
    tmux("send-keys", "Enter");
    await done("two");
    expect(did(world)).toEqual(["two"]);
    expect(whileLocked(world).filter(({ type }) => [...STARTS, "OutsideTurnBegan"].includes(type))).toEqual([]);
    const word = shownWord(bellhop(world, ["unlock"]).said);
    expect(await typeWord(world, word)).toContain("unlocked");
    await world.marked((await world.owner(thread).send("count:three")).id, "✅");
    await recorded(world, ({ type }) => type === "JobCompleted");
  },
);
