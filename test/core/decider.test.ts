import { expect, test } from "vitest";
import type { Event } from "../../src/core/slices.ts";
import { changeOf } from "../../src/core/evolve.ts";
import { everything } from "./everything.ts";
import { createApp, Scene, T1 } from "./scene.ts";

test("every event names what it is about", () => {
  const scene = everything();
  const topics = (type: string): Set<string> =>
    new Set(
      scene.events.filter((event) => event.type === type).map((event: Event) => changeOf(scene.state, event).topic),
    );
  expect([...topics("ProjectCreated")]).toEqual(["projects"]);
  expect([...topics("SessionRequested")]).toEqual(["starts"]);
  for (const type of [
    "SessionCreated",
    "JobStarted",
    "MessageRefused",
    "ThreadLost",
    "ChannelRead",
    "PostRecorded",
  ] as const) {
    expect(topics(type)).toContain(T1);
  }
  scene.checkReplay();
});

test("a refusal leaves the state as it was", () => {
  const scene = new Scene().withSessions(T1);
  const before = structuredClone(scene.state);
  expect(() => scene.do({ type: "retry", job_id: "job_20260226_0001" })).toThrow();
  expect(() => scene.do(createApp)).toThrow();
  expect(scene.state).toEqual(before);
});
