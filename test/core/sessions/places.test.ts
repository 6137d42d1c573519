/** Places that the owner made, as sessions: the channel of a project, and threads that are found there. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Command } from "../../../src/core/slices.ts";
import { channelSessions } from "../../../src/core/sessions/thread.ts";
import { isGivenUp } from "../../../src/discord/intake/listener.ts";
import { AT, createApp, Scene } from "../scene.ts";

const PLACE = "200000000000000001";
const SINCE = "300000000000000000";
const take = (more: object = {}): Command => ({
  type: "take_place",
  kind: "channel",
  thread_id: PLACE,
  channel_id: PLACE,
  project_name: "app",
  guild_id: "3",
  bot_id: "4",
  since: SINCE,
  ...more,
});
const adopt = (...projects: [name: string, channel_id?: string][]): Command => ({
  type: "adopt_projects",
  projects: projects.map(([name, channel_id]) => ({
    name,
    path: `/w/${name}`,
    enabled_tools: ["claude"],
    default_tool: "claude",
    default_args: {},
    created_at: AT,
    updated_at: AT,
    ...(channel_id && { channel_id }),
  })),
});

test("a place is taken once, for a project there is, with a tool that is allowed in it", () => {
  const scene = new Scene();
  expect(scene.types(take())).toEqual([]);
  scene.do(createApp);
  expect(scene.types(take({ tool: "nobody" }))).toEqual(["SessionCreated"]);
  expect(scene.types(take())).toEqual([]);
  expect(scene.state.sessions[PLACE]).toMatchObject({ project_name: "app", tool: "claude" });
  expect(scene.state.threads[PLACE]).toMatchObject({ kind: "channel", since: SINCE, channel_id: PLACE });
  expect(channelSessions(scene.state).map(({ thread_id }) => thread_id)).toEqual([PLACE]);
  scene.checkReplay();
});

test("a question's thread never becomes a session", () => {
  const scene = new Scene();
  scene.do(createApp);
  scene.question("d1", ["Which?"]);
  scene.place("d1", PLACE);
  expect(scene.state.threads[PLACE]).toBeDefined();
  expect(scene.types(take({ kind: "found" }))).toEqual([]);
});

test("nothing up to `since` becomes a job, whatever the order in which it arrives; everything after it becomes one", () => {
  const id = fc.bigInt({ min: BigInt(SINCE) - 50n, max: BigInt(SINCE) + 50n }).map(String);
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 15 }), (ids) => {
      const scene = new Scene();
      scene.do(createApp);
      scene.do(take());
      for (const one of ids) scene.hear(PLACE, one);
      const jobs = Object.values(scene.state.jobs).map(({ discord_message_id }) => discord_message_id);
      expect(jobs).toEqual(ids.filter((one) => BigInt(one) > BigInt(SINCE)));
    }),
  );
});

test("a channel that was watched is watched no more", () => {
  const scene = new Scene();
  scene.do(createApp);
  scene.do({ type: "open_channel", channel_id: PLACE, guild_id: "3", bot_id: "4", kind: "watched", since: "1" });
  scene.do(take());
  expect(scene.state.channels).toEqual({});
  expect(scene.hear(PLACE, "300000000000000001").map(({ type }) => type)).toEqual(["JobEnqueued", "JobStarted"]);
});

test("a channel is heard while config.json names it for its session's project, and only then", () => {
  const scene = new Scene();
  scene.do(adopt(["app", PLACE], ["other"]));
  scene.do(take());
  expect(isGivenUp(scene.state, PLACE)).toBe(false);
  for (const projects of [[["app"], ["other"]], [["app"], ["other", PLACE]], [["other"]]] as [string, string?][][]) {
    scene.do(adopt(...projects));
    expect(isGivenUp(scene.state, PLACE)).toBe(true);
    scene.do(adopt(["app", PLACE], ["other"]));
    expect(isGivenUp(scene.state, PLACE)).toBe(false);
  }
  scene.checkReplay();
});
