/**
 * What the runner does with a running job: it stops what is cancelled, and tries again once at most, where nothing was
 * done.
 */
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { filesOf, ownersWords, promptOf } from "../../../src/agents/run/prompt.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { BellhopError } from "../../../src/base/errors.ts";
import type { Checkout } from "../../../src/core/projects/checkout.ts";
import { newBegun, newRun, type Run, type UploadedFile } from "../../../src/core/jobs/run.ts";
import { RunnerScene, T1, T2, today } from "./runner-scene.ts";

/** An uploaded file. */
const at = (path: string): UploadedFile => ({ path, sha256: "0a" });
const cancel = { type: "cancel_job", job_id: today(1), by: "owner" } as const;

async function running(): Promise<RunnerScene> {
  const scene = await new RunnerScene().withSessions(T1, T2);
  await scene.hear("do it");
  await scene.run(1);
  return scene;
}

/** A second job that is cancelled while nobody knows yet whether its checkout follows from what the first one left. */
async function cancelledWhileLookedUp(follows: boolean): Promise<RunnerScene> {
  const scene = await new RunnerScene().withSessions(T1);
  await scene.answered();
  const asked = Promise.withResolvers<boolean>();
  scene.options.git.follows = () => asked.promise;
  scene.checkout = { ...scene.checkout, head: "b".repeat(40) };
  await scene.hear();
  await scene.do({ ...cancel, job_id: today(2) });
  asked.resolve(follows);
  await scene.is(2, "cancelled");
  await scene.free();
  return scene;
}

describe("a job that is cancelled", () => {
  test("has its agent stopped, ends as cancelled, and the next begins when the agent is gone", async () => {
    const scene = await running();
    await scene.hear("next");
    const [agent] = scene.runs;
    await scene.do(cancel);
    await scene.is(1, "cancelled");
    expect(agent?.stopped).toBe(true);
    await scene.run(2);
    expect(scene.events.map(({ type }) => type)).toContain("JobCancelRequested");
    expect(scene.events.findLast(({ type }) => type === "JobCancelled")).toMatchObject({
      payload: { job_id: today(1), by: "owner" },
    });
    expect(scene.runs[1]?.request.text).toBe("next");
  });

  test("while its checkout is still looked up is never begun", async () => {
    const scene = await cancelledWhileLookedUp(true);
    expect(scene.runs).toHaveLength(1);
  });

  test("whose checkout turns out to be another is cancelled and asks nothing", async () => {
    const scene = await cancelledWhileLookedUp(false);
    expect(scene.engine.state.threads[T1]?.wait).toBeNull();
  });

  test("too late has ended as it ended", async () => {
    const scene = await running();
    scene.runs[0]?.done("it is done");
    await scene.do(cancel);
    await scene.is(1, "success");
    await scene.free();
    expect(scene.runs).toHaveLength(1);
  });
});

describe("a failure that passes by itself", () => {
  const temporary = { temporary: true };

  test("is tried once more as the same job, in the conversation as it was, and then told if it fails again", async () => {
    const scene = await new RunnerScene().withSessions(T1);
    await scene.answered();
    await scene.hear("again");
    const first = await scene.run(2);
    first.say({ kind: "session_key", key: "another" });
    const notices: string[] = [];
    scene.liveEvents.listen((signal) => void (signal.kind === "notice" && notices.push(signal.code)));
    first.fail(temporary);
    await scene.clock.until(() => scene.runs.length === 3);
    const second = await scene.run(3);
    expect(second.request).toMatchObject({ text: "again", key: "s1", jobId: today(2) });
    expect(notices).toEqual(["tried_again"]);
    second.fail(temporary);
    await scene.is(2, "failed");
    await scene.free();
    expect(scene.runs).toHaveLength(3);
    expect(
      scene.events.filter(
        ({ type, payload }) => type === "JobStarted" && "job_id" in payload && payload.job_id === today(2),
      ),
    ).toHaveLength(1);
  });

  test("and that has passed is no failure", async () => {
    const scene = await running();
    scene.runs[0]?.fail(temporary);
    await scene.clock.until(() => scene.runs.length === 2);
    scene.runs[1]?.done();
    await scene.is(1, "success");
  });

  const says =
    (update: Update) =>
    (scene: RunnerScene): void =>
      scene.runs[0]?.say(update);
  const nothing = (): void => undefined;

  /** Too late for its agent, which fails by itself. */
  function cancelled(scene: RunnerScene): void {
    if (scene.runs[0]) scene.runs[0].stopped = true;
    void scene.engine.submit(cancel);
  }

  test.each([
    ["it is not surely temporary", nothing, {}],
    ["a tool had begun", says({ kind: "tool_started", id: "1", name: "Bash", title: "rm", input: {} }), temporary],
    ["a tool had finished", says({ kind: "tool_finished", id: "1", ok: true, summary: "" }), temporary],
    ["something had been said", says({ kind: "text", delta: "Well" }), temporary],
    ["nobody knows which tools ran", nothing, { ...temporary, tools: "unknown" }],
    ["it was to be stopped", cancelled, temporary],
  ] as const)("is not tried again where %s", async (_why, before, details) => {
    const scene = await running();
    before(scene);
    await scene.clock.settle();
    scene.runs[0]?.fail(details);
    await scene.is(1, "failed");
    await scene.free();
    expect(scene.runs).toHaveLength(1);
  });

  test("cancelled before it is tried again, it is not", async () => {
    const scene = await running();
    scene.runs[0]?.fail(temporary);
    await scene.clock.settle();
    await scene.do(cancel);
    await scene.clock.until(() => scene.engine.state.jobs[today(1)]?.state === "cancelled");
    await scene.free();
    expect(scene.runs).toHaveLength(1);
  });
});

test("a conversation that moved, and that the agent it moved to does not find, is not begun anew unasked", async () => {
  const scene = await running();
  scene.runs[0]?.say({ kind: "session_key", key: "s1" });
  scene.runs[0]?.done();
  await scene.free();
  await scene.do({ type: "change_tool", thread_id: T1, tool: "codex", key_name: "session_id" });
  await scene.hear("and on");
  (await scene.run(2)).fail({ resume: "unknown" }, "E_RESUME_UNKNOWN");
  await scene.is(2, "failed");
  await scene.hear("once more");
  expect((await scene.run(3)).request).toMatchObject({ text: "once more", key: null });
});

describe("what a job changed", () => {
  test("is in the journal, redacted on the disk, and the next job waits for neither more nor less", async () => {
    const scene = await running();
    scene.difference = {
      root: "/srv/app",
      files: 2,
      added: 3,
      removed: 1,
      stat: " a | 4",
      patch: Buffer.from("+SECRET\n"),
    };
    await scene.engine.until(({ runs }) => runs[today(1)]?.begun?.checkout != null);
    scene.checkout = { ...scene.checkout, tree: "2".repeat(40) };
    scene.runs[0]?.done();
    await scene.free();
    expect(scene.engine.state.runs[today(1)]?.changes).toEqual({
      files: 2,
      added: 3,
      removed: 1,
      patch: "f".repeat(64),
      stat: " a | 4",
    });
    expect(scene.patches.get(today(1))).toBe("+***\n");
    expect(scene.forgotten).toEqual([today(1)]);
  });

  test("that cannot be told is not the job's failure", async () => {
    const scene = await running();
    await scene.engine.until(({ runs }) => runs[today(1)]?.begun?.checkout != null);
    scene.options.git.changes = () => Promise.reject(new Error("no"));
    scene.runs[0]?.done();
    await scene.free();
    expect(scene.engine.state.jobs[today(1)]?.state).toBe("success");
    expect(scene.failures).toHaveLength(1);
  });

  test("is left out and said to be, where finding it takes more than a second, and the next job begins", async () => {
    const scene = await running();
    const asked: (number | undefined)[] = [];
    await scene.engine.until(({ runs }) => runs[today(1)]?.begun?.checkout != null);
    scene.options.git.changes = (_job, _from, withinMs) => Promise.resolve((asked.push(withinMs), "late" as const));
    scene.runs[0]?.done();
    await scene.hear();
    await scene.run(2);
    expect(asked).toEqual([1_000]);
    expect(scene.engine.state.runs[today(1)]).toMatchObject({ changes: "unmeasured" });
  });

  test("is left out too where the first look is not over a second after the job", async () => {
    const scene = await new RunnerScene().withSessions(T1);
    const look = Promise.withResolvers<Checkout>();
    scene.options.git.recordCheckout = () => look.promise;
    await scene.hear();
    await scene.is(1, "running");
    await scene.clock.advance(50);
    (await scene.run(1)).done();
    await scene.hear();
    await scene.engine.until(({ jobs }) => jobs[today(1)]?.state === "success");
    await scene.clock.until(() => scene.engine.state.runs[today(1)]?.changes === "unmeasured");
    await scene.is(2, "running");
    await scene.clock.advance(50);
    await scene.run(2);
    expect(scene.forgotten).toEqual([today(1)]);
    look.resolve({ ...scene.checkout, tree: "3".repeat(40) });
    await scene.engine.until(({ runs }) => runs[today(2)]?.begun?.checkout != null);
    expect(scene.engine.state.runs[today(1)]?.begun?.checkout).toBeNull();
  });
});

test("a conversation's tokens until now are told to its next run, and not where the last one told none", async () => {
  const scene = await running();
  expect(scene.runs[0]?.request.counters).toBeNull();
  scene.runs[0]?.say({ kind: "usage", usage: { counters: { input: 10, cached: 4, output: 2 } } });
  scene.runs[0]?.done();
  await scene.hear();
  const second = await scene.run(2);
  expect(second.request.counters).toEqual({ input: 10, cached: 4, output: 2 });
  second.done();
  await scene.hear();
  expect((await scene.run(3)).request.counters).toBeNull();
});

test("a job whose runner breaks is begun once, says that it failed, and the next one begins", async () => {
  const scene = await new RunnerScene().withSessions(T1);
  const { openLog } = scene.options;
  let begun = 0;
  scene.options.openLog = (jobId) => {
    // Begun for ever, a test would hang.
    if (jobId === today(1) && ++begun < 50) throw new Error("a bug SECRET");
    return openLog(jobId);
  };
  await scene.hear("one");
  await scene.hear("two");
  expect((await scene.run(1)).request.text).toBe("two");
  expect(begun).toBe(1);
  expect(scene.engine.state.jobs[today(1)]).toMatchObject({ state: "failed", error_code: "E_INTERNAL" });
  expect(JSON.stringify(scene.events)).not.toContain("SECRET");
});

test.each(["ENOSPC", "EDQUOT", "EMFILE", "EIO", "EACCES", "EROFS"])(
  "a job whose answer the disk does not take (%s) is done without its digest; its text is kept until its end is posted",
  async (code) => {
    const scene = await new RunnerScene().withSessions(T1);
    scene.finishing = () => {
      throw Object.assign(new Error("refused"), { code });
    };
    await scene.hear("one");
    const run = await scene.run(1);
    run.say({ kind: "text", delta: "all of it" });
    run.done();
    await scene.is(1, "success");
    await scene.free();
    expect(scene.engine.state.jobs[today(1)]).toMatchObject({ error_code: null, result_excerpt: "all of it" });
    expect(scene.engine.state.runs[today(1)]).toMatchObject({ result_sha256: null });
    expect(scene.failures).toMatchObject([{ code: "E_FILE_REFUSED" }]);
    expect(scene.released).toEqual([]);
    await scene.do({
      type: "record_post",
      subject: today(1),
      part: "end",
      channel_id: T1,
      message_id: "5",
      hash: "h",
      is: "success unkept",
    });
    await scene.engine.until(() => scene.released.length > 0);
    expect(scene.released).toEqual([today(1)]);
  },
);

test("a job whose session's folders cannot be made is told which and why", async () => {
  const scene = await new RunnerScene().withSessions(T1);
  scene.options.folders.granted = () => {
    throw Object.assign(new Error("EACCES"), { code: "EACCES", syscall: "mkdir", path: "/state/outputs" });
  };
  await scene.hear("one");
  await scene.is(1, "failed");
  expect(scene.engine.state.jobs[today(1)]).toMatchObject({
    error_code: "E_FILE_REFUSED",
    error_message: "mkdir /state/outputs: EACCES",
  });
});

test("a tool that its owner takes out of the project runs no further job", async () => {
  const scene = await new RunnerScene().withSessions(T1);
  const { app } = scene.engine.state.projects;
  if (app === undefined) throw new Error("no project");
  const allowed = async (...enabled_tools: string[]): Promise<void> => {
    await scene.do({ type: "adopt_projects", projects: [{ ...app, enabled_tools, default_tool: "codex" }] });
  };
  await allowed("codex");
  await scene.hear("one");
  await scene.is(1, "failed");
  expect(scene.engine.state.jobs[today(1)]).toMatchObject({ error_code: "E_TOOL_NOT_ENABLED" });
  await allowed("codex", "claude");
  await scene.hear("two");
  expect((await scene.run(1)).request.text).toBe("two");
});

test("an agent that may only read is noted as such, and one that may write or asks is not", async () => {
  for (const [access, noted] of [
    ["reads", 1],
    ["asks", 0],
    ["edits", 0],
  ] as const) {
    const scene = new RunnerScene();
    scene.access = access;
    await (await scene.withSessions(T1)).answered();
    expect([
      access,
      scene.events.filter(({ type, payload }) => type === "JobProgress" && payload.kind === "access").length,
    ]).toEqual([access, noted]);
    expect(scene.engine.state.runs[today(1)]?.begun?.access).toBe(noted === 1 ? "reads" : undefined);
  }
});

test("a tool's name holds no secret, even where it is drawn so that it would not be known any more", async () => {
  const scene = await running();
  const live: object[] = [];
  scene.liveEvents.listen((event) => void live.push(event));
  scene.runs[0]?.say(
    { kind: "tool_started", id: "1", name: "a_SECRET", title: "SECRET", input: {} },
    { kind: "denied", tool: "b_SECRET", reason: "SECRET" },
  );
  scene.runs[0]?.done();
  await scene.free();
  expect(JSON.stringify(live)).toContain("a_***");
  expect(JSON.stringify([live, scene.events])).not.toContain("SECRET");
});

test("a journal that fails while an agent runs is the daemon's end, told once, and never an error that nobody takes", async () => {
  const unheard: unknown[] = [];
  const note = (error: unknown): void => void unheard.push(error);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const scene = await new RunnerScene().withSessions(T1);
  await scene.hear("do it");
  scene.broken = new BellhopError("E_JOURNAL_WRITE", { operation: "sync" });
  const agent = await scene.run(1);
  expect(await scene.engine.failed).toBe(scene.broken);
  await setImmediate();
  agent.done();
  await agent.over;
  await setImmediate();
  expect(unheard).toEqual([]);
  expect(scene.runs).toEqual([agent]);
  expect(agent.stopped).toBe(true);
});

describe("what an agent is given", () => {
  const job = { prompt: "mend it" } as Parameters<typeof promptOf>[0];
  const run = (change: Partial<Run> = {}): Run => ({ ...newRun(), ...change });

  test("is the owner's words as they are, byte for byte", () => {
    expect(promptOf({ ...job, prompt: " -rf\n\u202ex  " }, run(), { resumes: true })).toBe(" -rf\n\u202ex  ");
  });

  test("names the files that came with them, also where there are no words", () => {
    expect(promptOf({ ...job, prompt: "" }, run({ files: [at("/u/1.png"), at("/u/2.txt")] }), { resumes: false })).toBe(
      "[Files that came with this message, on this machine:]\n- /u/1.png\n- /u/2.txt",
    );
  });

  test("says after a crash that it was cut off, before the words", () => {
    expect(promptOf(job, run({ begun: newBegun(today(1)) }), { resumes: true })).toMatch(
      /^\[Note from Bellhop.*this conversation was cut off.*\]\n\nmend it$/s,
    );
  });

  test("repeats what was sent into the turn that it continues, because the agent may have lost it", () => {
    const given = promptOf(job, run({ mode: "continue", begun: newBegun(today(1)) }), {
      resumes: true,
      sent: ["and the tests", "and the docs"],
    });
    expect(given).toMatch(
      /Go on with what you were doing when you were interrupted\.\n\n\[Note from Bellhop.*You may have it already\..*\]\n\nand the tests\n\nand the docs$/s,
    );
    expect(promptOf(job, run(), { resumes: true, sent: ["and the tests"] })).toMatch(
      /^mend it\n\n\[Note.*\]\n\nand the tests$/s,
    );
  });

  test("says why the owner refused what was asked for before, where the conversation goes on", () => {
    const reasons = [
      { title: "rm -rf build", words: "not on a Friday" },
      { title: "npm test", words: "I did" },
    ];
    expect(promptOf(job, run(), { resumes: true, reasons })).toMatch(
      /^\[Note from Bellhop.*this is why.*\]\n\nrm -rf build: not on a Friday\n\nnpm test: I did\n\nmend it$/s,
    );
    expect(promptOf(job, run(), { resumes: false, reasons })).toBe("mend it");
  });

  test("to continue with after other work is named, for it is not what was done last", () => {
    expect(promptOf(job, run({ mode: "continue", files: [at("/u/1.png")] }), { resumes: true })).toMatch(
      /^\[Note from Bellhop.*other work has been done since.*finish it:\]\n\nmend it\n\n\[Files.*\n- \/u\/1\.png$/s,
    );
  });

  test("to continue with is no prompt a second time where the conversation is there, and the whole of it where it is lost", () => {
    expect(promptOf(job, run({ mode: "continue", begun: newBegun(today(1)) }), { resumes: true })).toMatch(
      /this conversation was cut off.*\]\n\nGo on with what you were doing when you were interrupted\.$/s,
    );
    // One that only goes on was given its files, and may have changed them since.
    expect(
      filesOf(run({ mode: "continue", begun: newBegun("job_1"), files: [at("/u/1.png")] }), true, "codex"),
    ).toEqual([]);
    const lost = promptOf(job, run({ mode: "continue", files: [at("/u/1.png")] }), { resumes: false });
    expect(lost).toMatch(
      /its conversation is lost.*\]\n\nGo on with what it was doing\. It had been asked:\n\nmend it\n\n\[Files.*\n- \/u\/1\.png$/s,
    );
  });

  test.each([
    [run(), {}],
    [run({ files: [at("/u/1.png")] }), { outputs: "/o]", resumes: false }],
    [run({ begun: newBegun(today(1)) }), { sent: ["and the tests"] }],
    [run({ mode: "continue", files: [at("/u/1.png")] }), {}],
    [run({ mode: "continue" }), { outputs: "/o", resumes: false }],
  ])("has the owner's words in it, which are found again (%#)", (one, around) => {
    expect(ownersWords(promptOf(job, one, { resumes: true, ...around }))).toBe("mend it");
  });
});
