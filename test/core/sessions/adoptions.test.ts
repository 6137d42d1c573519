/** The owner's own Claude: offered once, taken by his word, never ended, and given back with its session closed. */
import { expect, test } from "vitest";
import type { Command } from "../../../src/core/slices.ts";
import type { RecordedEvent } from "../../../src/core/state.ts";
import { adoptedIn, offeredIn, type Offer } from "../../../src/core/sessions/adoptions.ts";
import { createApp, Scene } from "../scene.ts";

const CLAUDE = "6606b889-bc7a-453b-9ac5-38efed9f0452";
const THREAD = "200000000000000010";
const offer = (more: Partial<Offer> = {}): Command => ({
  type: "offer_adoption",
  claude_session: CLAUDE,
  project_name: "app",
  pid: 71,
  start_time: "7100@b",
  socket: "/tmp/s",
  window_id: "@1",
  pane_id: "%1",
  cwd: "/srv/app",
  channel_id: "2",
  guild_id: "3",
  bot_id: "4",
  ...more,
});
const adopt: Command = { type: "adopt", claude_session: CLAUDE, adopted: true, request_id: "200000000000000009" };
const ignore: Command = { type: "adopt", claude_session: CLAUDE, adopted: false };
const types = (recorded: readonly RecordedEvent[]): string[] => recorded.map(({ type }) => type);

function taken(): Scene {
  const scene = new Scene().withSessions();
  scene.do(offer());
  scene.do(adopt);
  scene.do({ type: "open_session", request_id: "200000000000000009", thread_id: THREAD });
  return scene;
}

test("one Claude is offered once; a mode that it tells later is added, in the place of its card", () => {
  const scene = new Scene();
  expect(types(scene.do(offer()))).toEqual(["AdoptionOffered"]);
  expect(scene.do(offer())).toEqual([]);
  expect(types(scene.do(offer({ mode: "auto", channel_id: "9" })))).toEqual(["AdoptionOffered"]);
  expect(scene.state.adoptions?.[CLAUDE]).toMatchObject({ mode: "auto", channel_id: "2", adopted: null });
  expect(scene.do(offer({ mode: "auto" }))).toEqual([]);
});

test("what is ignored is not offered again, also not by another process; one that ended before is", () => {
  const scene = new Scene();
  scene.do(offer());
  expect(types(scene.do(ignore))).toEqual(["AdoptionSettled"]);
  expect(scene.do(offer({ pid: 72 }))).toEqual([]);
  expect(scene.do(ignore)).toEqual([]);
  const other = new Scene();
  other.do(offer());
  other.do({ type: "adopt", claude_session: CLAUDE, adopted: false, gone: true });
  expect(other.do(offer())).toEqual([]);
  expect(types(other.do(offer({ pid: 72 })))).toEqual(["AdoptionOffered"]);
});

test("what is ignored can be adopted after all, until it has ended", () => {
  const scene = new Scene();
  scene.do(offer());
  scene.do(ignore);
  expect(types(scene.do(adopt))).toEqual(["SessionRequested"]);
  expect(types(scene.do({ type: "open_session", request_id: "200000000000000009", thread_id: THREAD }))).toEqual([
    "SessionCreated",
    "AdoptionSettled",
    "WindowOpened",
  ]);
  expect(scene.state.adoptions?.[CLAUDE]).toMatchObject({ adopted: true, thread_id: THREAD });
  const ended = new Scene();
  ended.do(offer());
  ended.do({ type: "adopt", claude_session: CLAUDE, adopted: false, gone: true });
  expect(ended.do(adopt)).toEqual([]);
});

test("adopted twice it gets one thread, whose window and conversation are its own", () => {
  const scene = new Scene();
  scene.do(offer());
  expect(types(scene.do(adopt))).toEqual(["SessionRequested"]);
  expect(scene.do({ ...adopt, request_id: "200000000000000008" })).toEqual([]);
  const opened = scene.do({ type: "open_session", request_id: "200000000000000009", thread_id: THREAD });
  expect(types(opened)).toEqual(["SessionCreated", "AdoptionSettled", "WindowOpened"]);
  expect(scene.state.windows?.[THREAD]).toMatchObject({ server: "owner", adopted: true, pid: 71 });
  expect(scene.state.sessions[THREAD]).toMatchObject({ tool: "tmux", adapter_state: { session_id: CLAUDE } });
});

test("where the channel is a session without a terminal and a conversation it goes on there, else in a thread", () => {
  const channel = "210000000000000001";
  const place: Command = {
    type: "take_place",
    kind: "channel",
    thread_id: channel,
    channel_id: channel,
    project_name: "app",
    guild_id: "3",
    bot_id: "4",
    since: "100000000000000001",
  };
  const places: Command[] = [
    { ...createApp, project: { ...createApp.project, enabled_tools: ["claude", "tmux"], default_args: {} } },
    place,
    { type: "change_tool", thread_id: channel, tool: "tmux" },
  ];
  const adoptedIn = (scene: Scene): string[] => {
    scene.do(offer({ channel_id: channel }));
    return types(scene.do(adopt));
  };
  const free = new Scene();
  places.forEach((one) => free.do(one));
  expect(adoptedIn(free)).toEqual(["AdoptionSettled", "WindowOpened"]);
  expect(free.state.windows?.[channel]).toMatchObject({ adopted: true, pid: 71 });
  expect(free.state.sessions[channel]?.adapter_state).toEqual({ session_id: CLAUDE });
  // A second one finds a terminal there.
  const second = { claude_session: "second", pid: 72 };
  free.do(offer({ channel_id: channel, ...second }));
  expect(types(free.do({ ...adopt, claude_session: "second" }))).toEqual(["SessionRequested"]);
  const reasons: Command[] = [
    { type: "change_tool", thread_id: channel, tool: "claude" },
    { type: "close_session", thread_id: channel, by: "owner" },
    {
      type: "open_window",
      thread_id: channel,
      server: "own",
      socket: "/s",
      window_id: "@9",
      pane_id: "%9",
      pid: 9,
      start_time: "9",
      cwd: "/srv/app",
      adopted: false,
    },
  ];
  for (const reason of reasons) {
    const scene = new Scene();
    places.forEach((one) => scene.do(one));
    scene.do(reason);
    expect(adoptedIn(scene)).toEqual(["SessionRequested"]);
  }
  const busy = new Scene();
  places.forEach((one) => busy.do(one));
  busy.hear(channel, "300000000000000001", "do it");
  expect(adoptedIn(busy)).toEqual(["SessionRequested"]);
});

test("released, or its session closed, nothing of it is cancelled, and what it asks is left to its terminal", () => {
  for (const command of [
    { type: "release", thread_id: THREAD },
    { type: "close_session", thread_id: THREAD, by: "killed" },
  ] satisfies Command[]) {
    const scene = taken();
    scene.hear(THREAD, "300000000000000001", "do it");
    expect(scene.state.sessions[THREAD]?.running_job_id).not.toBeNull();
    expect(types(scene.do(command))).toEqual(["SessionClosed", "WindowClosed"]);
    expect(scene.state.adoptions?.[CLAUDE]?.ended?.why).toBe("released");
    expect(scene.do({ type: "release", thread_id: THREAD })).toEqual([]);
  }
});

test("another tool leaves it where it is", () => {
  const scene = taken();
  expect(types(scene.do({ type: "change_tool", thread_id: THREAD, tool: "claude" }))).toEqual([
    "ToolChanged",
    "WindowClosed",
  ]);
});

test("lost over a restart it is said to be; the same conversation in a new process goes on in its thread", () => {
  const scene = taken();
  expect(types(scene.do({ type: "restart" }))).toContain("WindowClosed");
  expect(scene.state.adoptions?.[CLAUDE]?.ended?.why).toBe("lost");
  expect(types(scene.do(offer({ pid: 72 })))).toEqual(["AdoptionOffered"]);
  expect(types(scene.do(adopt))).toEqual(["AdoptionSettled", "WindowOpened"]);
  expect(scene.state.windows?.[THREAD]?.pid).toBe(72);
});

test("of many, the oldest that are settled are forgotten, with their posts; one that is in its thread never", () => {
  const scene = taken();
  expect(offeredIn(scene.state, "2")).toHaveLength(1);
  for (let number = 0; number < 230; number += 1) {
    const claude_session = `00000000-${number}`;
    scene.do(offer({ claude_session, pid: 1000 + number }));
    scene.do({
      type: "record_post",
      subject: `adoption:${claude_session}:${1000 + number}`,
      part: "offer",
      channel_id: "2",
      message_id: String(400000000000000000n + BigInt(number)),
      hash: "h",
      is: "open",
    });
    scene.do({ type: "adopt", claude_session, adopted: false });
  }
  const all = Object.values(scene.state.adoptions ?? {});
  const names = all.map(({ claude_session }) => claude_session);
  // Found by place as a walk finds them, those that were forgotten too.
  expect([offeredIn(scene.state, "2"), adoptedIn(scene.state, THREAD)]).toEqual([
    all,
    all.filter(({ thread_id }) => thread_id === THREAD),
  ]);
  expect([offeredIn(scene.state, "9"), adoptedIn(scene.state, "9")]).toEqual([[], []]);
  expect(names.length).toBeLessThanOrEqual(201);
  expect(names).toContain(CLAUDE);
  expect(names).not.toContain("00000000-0");
  expect(scene.state.posts["adoption:00000000-0:1000"]).toBeUndefined();
});
