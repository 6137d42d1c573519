/**
 * Every button under a job and under a wait does what it says once, whenever it is pressed, and says when it no longer
 * can.
 */
import { describe, expect, test } from "vitest";
import { changedWait, type ChangedWait, type Checkout, type Wait } from "../../../../src/core/projects/checkout.ts";
import { stopMark } from "../../../../src/discord/views/stop-offer.ts";
import { changedMark } from "../../../../src/discord/views/changed-notice.ts";
import { CommandScene, inThread, T1, today } from "../scene.ts";
import { part } from "../../../fakes/part.ts";
import type { Results } from "../../../../src/host/files/results.ts";

const main: Checkout = { cwd: "/srv/app", branch: "main", head: "a".repeat(40), tree: null };
const other: Checkout = { ...main, branch: "other", head: "b".repeat(40) };
const limit: Wait = { kind: "limit", job_id: today(1), until: "2026-03-01T15:00:00.000Z" };
const elsewhere = changedWait(today(1), { checkout: { was: main, is: other } });
const configuration = {
  project_name: "app",
  was: "a".repeat(64),
  is: "b".repeat(64),
  shown: "c".repeat(64),
};
const place = { project_name: "app", was: "/srv/app", is: "/data/app" };
const reconfigured = changedWait(today(1), { configuration });
const moved = changedWait(today(1), { place });
const all = changedWait(today(1), { place, configuration, checkout: { was: main, is: other } });
const marked = (wanted: string, wait: ChangedWait, number = 1): string =>
  `${wanted}:${today(number)}:${changedMark(wait)}`;
const pressed = (scene: CommandScene, wanted: string, number = 1): Promise<void> =>
  scene.press(wanted.includes(":") ? wanted : `${wanted}:${today(number)}`, inThread);

async function failed(): Promise<CommandScene> {
  const scene = await new CommandScene().withSession(1);
  await scene.fail(today(1));
  return scene;
}

/** The first job was cut off; the second waits. */
async function crashed(): Promise<CommandScene> {
  const scene = await new CommandScene().withSession(2);
  await scene.engine.submit({ type: "restart" });
  await scene.engine.submit({ type: "queue_checked", thread_id: T1 });
  return scene;
}

/** The first job went back to its queue, before the second, and the thread waits. */
async function waiting(wait: Wait): Promise<CommandScene> {
  const scene = await new CommandScene().withSession(2);
  await scene.engine.submit({
    type: "progress",
    job_id: today(1),
    progress: { kind: "session_key", adapter_state: { session_id: "s1" } },
  });
  await scene.engine.submit({
    type: "see_project",
    project_name: "app",
    path: "/srv/app",
    configuration: "a".repeat(64),
  });
  await scene.engine.submit({ type: "put_back", job_id: today(1), why: wait.kind });
  await scene.engine.submit({ type: "park", thread_id: T1, job_id: today(1), wait });
  await scene.engine.submit({ type: "progress", job_id: today(1), progress: { kind: "gone" } });
  return scene;
}

const newEvents = (scene: CommandScene, from: number): string[] => scene.events.slice(from).map(({ type }) => type);

describe("a press", () => {
  test.each([
    ["retry", failed, ["JobEnqueued", "JobStarted"], { mode: "prompt", attempt: 2 }],
    ["retry", crashed, ["JobEnqueued", "QueueResumed", "JobStarted"], { mode: "prompt", attempt: 2 }],
    ["continue", crashed, ["JobEnqueued", "QueueResumed", "JobStarted"], { mode: "continue", attempt: 2 }],
    ["discard", crashed, ["QueueResumed", "JobStarted"], { by: "discard" }],
    ["unpark", () => waiting(limit), ["SessionUnparked", "JobStarted"], { by: "owner" }],
    [marked("accept", elsewhere), () => waiting(elsewhere), ["SessionUnparked", "JobStarted"], { by: "seen" }],
    [marked("fresh", elsewhere), () => waiting(elsewhere), ["SessionUnparked", "JobStarted"], { by: "fresh" }],
    [marked("accept", all), () => waiting(all), ["ProjectSeen", "SessionUnparked", "JobStarted"], { path: place.is }],
    [marked("fresh", all), () => waiting(all), ["ProjectSeen", "SessionUnparked", "JobStarted"], { path: place.is }],
    ["drop", () => waiting(elsewhere), ["SessionUnparked", "JobCancelled", "JobStarted"], { by: "dropped" }],
    ["drop", () => waiting(reconfigured), ["SessionUnparked", "JobCancelled", "JobStarted"], { by: "dropped" }],
  ] as const)(
    "of %s does it once, in silence, and a second one changes nothing and says so",
    async (wanted, make, types, payload) => {
      const scene = await make();
      const before = scene.events.length;
      scene.sent.length = 0;
      await pressed(scene, wanted);
      expect(newEvents(scene, before)).toEqual(types);
      expect(scene.events[before]).toMatchObject({ payload });
      expect(scene.sent.map(({ body }) => body)).toEqual([{ type: 6 }]);
      const after = scene.events.length;
      await pressed(scene, wanted);
      expect(newEvents(scene, after)).toEqual([]);
      expect(scene.sent.at(-1)?.body).toMatchObject({
        flags: 64,
        content: expect.stringContaining("`E_DECISION_CLOSED`"),
      });
    },
  );

  test("of Retry sends the words that the message has now; words that no job can have are refused, and it can be pressed again", async () => {
    for (const make of [failed, crashed]) {
      const scene = await make();
      const { discord_message_id: id = "" } = scene.engine.state.jobs[today(1)] ?? {};
      const before = scene.events.length;
      scene.words.set(id, "x".repeat(scene.rules.max_prompt_chars + 1));
      await pressed(scene, "retry");
      expect(newEvents(scene, before)).toEqual([]);
      expect(scene.answered()).toContain("`E_PROMPT_TOO_LONG`");
      scene.words.set(id, "mended");
      await pressed(scene, "retry");
      expect(Object.values(scene.engine.state.jobs).findLast(({ attempt }) => attempt === 2)).toMatchObject({
        prompt: "mended",
        state: "running",
      });
    }
  });

  test("twice at once does it once", async () => {
    for (const [wanted, make] of [
      ["retry", failed],
      ["continue", crashed],
      ["unpark", () => waiting(limit)],
      ["drop", () => waiting(elsewhere)],
    ] as const) {
      const scene = await make();
      scene.sent.length = 0;
      await Promise.all([pressed(scene, wanted), pressed(scene, wanted)]);
      const told = scene.sent.filter(({ body }) => JSON.stringify(body).includes("E_DECISION_CLOSED"));
      expect([wanted, told.length]).toEqual([wanted, 1]);
    }
  });

  test("is of no use for another wait of the same job, nor for another job's", async () => {
    for (const [wait, wrong] of [
      [limit, [marked("accept", elsewhere), marked("fresh", elsewhere), "drop"]],
      [elsewhere, ["unpark", "accept", "fresh", "anyway", marked("accept", all), marked("fresh", moved)]],
      [all, [marked("accept", elsewhere), marked("accept", moved), marked("accept", reconfigured)]],
    ] as const) {
      const scene = await waiting(wait);
      const before = scene.events.length;
      for (const wanted of wrong) await pressed(scene, wanted);
      for (const wanted of ["unpark", "drop"]) await pressed(scene, wanted, 2);
      for (const wanted of ["accept", "fresh"]) await pressed(scene, marked(wanted, elsewhere, 2));
      expect(newEvents(scene, before)).toEqual([]);
      expect(scene.answered()).toContain("`E_DECISION_CLOSED`");
    }
  });

  test.each(["accept", "fresh"])(
    "of %s counts for exactly what stood above it, once, also where both answers are pressed at once",
    async (wanted) => {
      for (const wait of [reconfigured, moved, elsewhere, all]) {
        const scene = await waiting(wait);
        const before = scene.events.length;
        for (const id of [`${wanted}:${today(1)}`, `${wanted}:${today(1)}:${"0".repeat(32)}`]) {
          await scene.press(id, inThread);
          expect([id, newEvents(scene, before)]).toEqual([id, []]);
          expect(scene.answered()).toContain("`E_DECISION_CLOSED`");
        }
        const ids = [marked(wanted, wait), marked("accept", wait), marked("fresh", wait)];
        await Promise.all(ids.map((id) => scene.press(id, inThread)));
        const seen = wait === elsewhere ? [] : ["ProjectSeen"];
        expect(newEvents(scene, before)).toEqual([...seen, "SessionUnparked", "JobStarted"]);
      }
    },
  );

  test("of New conversation here forgets the old one, and of Go on keeps it", async () => {
    const fresh = await waiting(elsewhere);
    await pressed(fresh, marked("fresh", elsewhere));
    expect(fresh.engine.state.sessions[T1]?.adapter_state).toEqual({});
    const kept = await waiting(elsewhere);
    await pressed(kept, marked("accept", elsewhere));
    expect(kept.engine.state.sessions[T1]?.adapter_state).toEqual({ session_id: "s1" });
    expect(kept.engine.state.threads[T1]?.checkout).toEqual(other);
  });

  test.each([
    "",
    "retry:",
    "retry:constructor",
    "retry:job_20260301_0001 ",
    "allow:1",
    "retry:job_20260301_0001\n",
    "diff:../../token",
    "unpark:job_20260301_9999",
  ])("of another make (%j) does nothing and says so", async (customId) => {
    const scene = await failed();
    const before = scene.events.length;
    await scene.press(customId, inThread);
    expect(newEvents(scene, before)).toEqual([]);
    expect(scene.sent.at(-1)?.body).toMatchObject({
      flags: 64,
      content: expect.stringContaining("`E_DECISION_CLOSED`"),
    });
  });
});

test("a typed stop means what ran when it was offered, and never what began since", async () => {
  const scene = await new CommandScene().withSession(3);
  const offered = `stop-for:${today(3)}:${stopMark(scene.engine.state, T1)}`;
  await scene.fail(today(1));
  await scene.engine.submit({ type: "progress", job_id: today(1), progress: { kind: "gone" } });
  expect(scene.engine.state.sessions[T1]?.running_job_id).toBe(today(2));
  const before = scene.events.length;
  await scene.press(offered, inThread);
  expect(newEvents(scene, before)).toEqual([]);
  await scene.press(`stop-for:${today(3)}:${stopMark(scene.engine.state, T1)}`, inThread);
  expect(newEvents(scene, before)).toEqual(expect.arrayContaining(["JobCancelled", "JobCancelRequested"]));
});

describe("the diff", () => {
  const sized = { ...inThread, attachment_size_limit: 100 };

  test("is for the owner's eyes alone, also of a job that is known no more: a small one as it is, else a file", async () => {
    const scene = await new CommandScene().withSession();
    scene.patches.set(today(7), Buffer.from("+a\n"));
    await scene.press(`diff:${today(7)}`, sized);
    expect(scene.sent.at(-1)).toMatchObject({
      body: { flags: 64, content: expect.stringMatching(/```diff\n\+a\n```$/) as string },
    });
    expect(scene.sent.at(-1)?.files ?? []).toEqual([]);
    const long = Buffer.from("+\n".repeat(41));
    scene.patches.set(today(7), long);
    await scene.press(`diff:${today(7)}`, sized);
    expect(scene.sent.at(-1)).toMatchObject({
      body: { flags: 64 },
      files: [{ name: `${today(7)}.patch`, bytes: long }],
    });
  });

  test("that the system does not let us read is told with why", async () => {
    const refused = Object.assign(new Error("EIO"), { code: "EIO", syscall: "open", path: "/state/results/x.patch" });
    const scene = await new CommandScene({
      results: part<Results>({ readPatch: () => Promise.reject(refused) }),
    }).withSession();
    await scene.press(`diff:${today(1)}`, sized);
    expect(scene.answered()).toMatch(/“open .*x.*patch.* EIO”\. .*`E_FILE_REFUSED`$/);
  });

  test("that is gone, or more than Discord takes, is said", async () => {
    const scene = await new CommandScene().withSession();
    await scene.press(`diff:${today(1)}`, sized);
    expect(scene.answered()).toContain("no longer on Bellhop's machine");
    scene.patches.set(today(1), Buffer.from("+\n".repeat(51)));
    await scene.press(`diff:${today(1)}`, sized);
    expect(scene.answered()).toContain(`\`results/${today(1)}.patch\``);
    expect(scene.sent.at(-1)?.files).toBeUndefined();
  });
});
