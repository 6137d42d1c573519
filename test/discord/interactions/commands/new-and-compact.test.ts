import { describe, expect, test } from "vitest";
import { CommandScene, T1 } from "../scene.ts";

const inThread = { channel: { id: T1, type: 11 }, channel_id: T1 };

/** A session whose first job has said what its conversation is called, and has ended; the others wait. */
async function talked(more = 0): Promise<CommandScene> {
  const scene = await new CommandScene().withSession(1);
  scene.answer = ({ method }) => (method === "PATCH" ? { id: "200000000000000901", channel_id: T1 } : undefined);
  const job_id = scene.engine.state.sessions[T1]?.running_job_id ?? "";
  await scene.engine.submit({
    type: "progress",
    job_id,
    progress: { kind: "session_key", adapter_state: { session_id: "k1" } },
  });
  await scene.complete(job_id);
  for (let number = 0; number < more; number += 1) await scene.hear(`p${number}`);
  return scene;
}

const wanted = ({ engine }: CommandScene): unknown => engine.state.threads[T1]?.next_conversation;
const key = ({ engine }: CommandScene): unknown => engine.state.sessions[T1]?.adapter_state;
const queue = ({ engine }: CommandScene): unknown[] =>
  engine.state.sessions[T1]?.queue.map((id) => engine.state.jobs[id]?.prompt) ?? [];

async function window(scene: CommandScene, adopted: boolean): Promise<void> {
  const session = scene.engine.state.sessions[T1];
  if (session) session.tool = "tmux";
  await scene.engine.submit({
    type: "open_window",
    thread_id: T1,
    server: "own",
    socket: "/tmp/tmux",
    window_id: "@1",
    pane_id: "%1",
    pid: 7,
    start_time: "1@b",
    cwd: "/srv/app",
    adopted,
  });
}

describe("/new", () => {
  test("begins a new conversation with the next prompt, whose job has no key of the old one", async () => {
    const scene = await talked();
    expect(await scene.slash("new", {}, inThread)).toBe(
      "🆕 The next message here begins a new conversation with **claude**. `/resume` finds the old one.",
    );
    expect(key(scene)).toEqual({ session_id: "k1" });
    await scene.hear("again");
    expect(key(scene)).toEqual({});
    expect(wanted(scene)).toBeUndefined();
  });

  test("says what still runs in the old one and what waits for the new one; twice is the same as once", async () => {
    const scene = await talked(3);
    const says = await scene.slash("new", {}, inThread);
    expect(says).toMatch(/`job_\d+_0002` still ends in the old one\. Messages that wait go to the new one: 2\./);
    const events = scene.events.length;
    expect(await scene.slash("new", {}, inThread)).toBe(says);
    expect(scene.events.length).toBe(events);
  });

  test("without a conversation there is nothing to leave, and in a closed session nothing to begin", async () => {
    const scene = await new CommandScene().withSession();
    expect(await scene.slash("new", {}, inThread)).toBe(
      "There is no conversation here yet. The next message begins one.",
    );
    expect(wanted(scene)).toBeUndefined();
    await scene.slash("agent stop", {}, inThread);
    expect(await scene.slash("new", {}, inThread)).toContain("`E_NO_ACTIVE_SESSION`");
    expect(await scene.slash("new")).toContain("`E_NOT_IN_MANAGED_THREAD`");
  });

  test("does not leave a conversation that goes to another tool by its own", async () => {
    const scene = await talked();
    await scene.slash("new", {}, inThread);
    await scene.slash("tool", { tool: "codex" }, inThread);
    expect(wanted(scene)).toBeUndefined();
    await scene.slash("tool", { tool: "claude" }, inThread);
    expect(key(scene)).toEqual({});
  });

  test("in a window that its owner opened is asked about first, and done by the button", async () => {
    const scene = await talked();
    await window(scene, true);
    expect(await scene.slash("new", {}, inThread)).toContain("Bellhop would type `/clear`");
    expect(wanted(scene)).toBeUndefined();
    await scene.press(`s-sure:${T1}:new`, inThread);
    expect(wanted(scene)).toBe("new");
  });

  test("in a window of Bellhop's own is not asked about", async () => {
    const scene = await talked();
    await window(scene, false);
    await scene.slash("new", {}, inThread);
    expect(wanted(scene)).toBe("new");
  });
});

describe("/compact", () => {
  test("is a job of the agent's own command, with what is to be kept, once", async () => {
    const scene = await talked(1);
    expect(await scene.slash("compact", { focus: "the tests" }, inThread)).toBe("🗜️ `/compact the tests`");
    expect(queue(scene)).toEqual(["/compact the tests"]);
    expect(await scene.slash("compact", {}, inThread)).toMatch(/^This waits here already, as `job_\d+_0003`\.$/);
    expect(queue(scene)).toEqual(["/compact the tests"]);
  });

  test("comes before what waits where the conversation is full, and the queue goes on with it", async () => {
    const scene = await talked(2);
    const job_id = scene.engine.state.sessions[T1]?.running_job_id ?? "";
    await scene.engine.submit({ type: "put_back", job_id, why: "stuck" });
    const wait = { kind: "stuck", job_id, cause: "full", code: "E_CONVERSATION_FULL", details: {} } as const;
    await scene.engine.submit({
      type: "park",
      thread_id: T1,
      job_id,
      wait: { ...wait, since: "2026-02-26T14:00:00.000Z" },
    });
    await scene.engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
    await scene.slash("compact", {}, inThread);
    const { running_job_id = "" } = scene.engine.state.sessions[T1] ?? {};
    expect(scene.engine.state.jobs[running_job_id ?? ""]?.prompt).toBe("/compact");
    expect(queue(scene)).toEqual(["p0", "p1"]);
    expect(scene.engine.state.threads[T1]?.wait).toBeNull();
  });

  test("of a tool that does it with the next prompt is wanted until then, and of none refused", async () => {
    const scene = await talked();
    scene.compacts = "next";
    expect(await scene.slash("compact", {}, inThread)).toBe(
      "🗜️ **claude** makes the conversation shorter before your next prompt. It does not report by how much.",
    );
    await scene.hear("again");
    const { running_job_id } = scene.engine.state.sessions[T1] ?? {};
    expect(scene.engine.state.runs[running_job_id ?? ""]?.begun?.conversation).toBe("compacted");
    expect(key(scene)).toEqual({ session_id: "k1" });
    scene.compacts = undefined;
    expect(await scene.slash("compact", {}, inThread)).toBe(
      "**claude** cannot make its conversation shorter. `/new` begins a new one. `E_NOT_COMPACTED`",
    );
  });

  test("of an agent that offers it if it does is refused until it has offered it", async () => {
    const scene = await talked();
    scene.compacts = "offered";
    expect(await scene.slash("compact", {}, inThread)).toContain("`E_NOT_COMPACTED`");
    scene.agentCommands.set("claude", [{ name: "compact", description: "", hint: "" }]);
    expect(await scene.slash("compact", {}, inThread)).toBe("🗜️ `/compact`");
  });

  test("without a conversation makes no job, and in a window that its owner opened asks first", async () => {
    const none = await new CommandScene().withSession();
    expect(await none.slash("compact", {}, inThread)).toContain("nothing to make shorter");
    expect(queue(none)).toEqual([]);
    const scene = await talked();
    await window(scene, true);
    expect(await scene.slash("compact", { focus: "x" }, inThread)).toContain("Bellhop would type `/compact x`");
    expect(queue(scene)).toEqual([]);
    const message = { id: "200000000000000900", channel_id: T1, flags: 0, content: scene.answered() };
    await scene.press(`s-sure:${T1}:compact`, { ...inThread, message });
    const { running_job_id } = scene.engine.state.sessions[T1] ?? {};
    expect(scene.engine.state.jobs[running_job_id ?? ""]?.prompt).toBe("/compact x");
  });
});
