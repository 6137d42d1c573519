/**
 * How an agent may write stands on the first card of its session, and at the end of a job that could only read, or
 * whose changes are not known.
 */
import { expect, test } from "vitest";
import { job, T1, type Scene } from "../core/scene.ts";
import { description, of, running, view } from "./seen.ts";

/** The answer of the first job stands, so the message that closes it is owed. */
function answered(scene: Scene): Scene {
  scene.do({
    type: "record_post",
    subject: job(1),
    part: "answer:0",
    channel_id: T1,
    message_id: "5",
    hash: "h",
    is: "whole",
  });
  return scene;
}

test("the welcome says how the agent may write, and what lets one write that may only read", () => {
  const says = (access: "asks" | "edits" | "reads", writing: string[] | null): string =>
    description(of(view(running(), { sessionAccess: () => ({ access, writing }) }), "welcome"));
  expect(says("asks", null)).toContain("**claude** asks you before it changes anything.");
  expect(says("edits", null)).toContain("**claude** may change files here without asking.");
  expect(says("reads", ["-s", "x"])).toContain(
    '🔒 **claude** can only read here, unless its own configuration allows more. To let it write, give the project these arguments, in `args_json` of `/project create` or as `default_args` in `config.json`: `{"claude":["-s","x"]}`',
  );
});

test("a job that ended well although its agent could only read says so, unless it changed something after all", () => {
  const reading = (changed: boolean): string => {
    const scene = running();
    scene.do({ type: "progress", job_id: job(1), progress: { kind: "access", access: "reads" } });
    scene.finish(job(1));
    if (changed)
      scene.do({
        type: "progress",
        job_id: job(1),
        progress: { kind: "changes", changes: { files: 1, added: 1, removed: 0, patch: null }, stat: null },
      });
    return description(of(view(answered(scene)), "end"));
  };
  expect(reading(false)).toContain("🔒 **claude** could only read here");
  expect(reading(true)).not.toContain("🔒");
});

test("a job to which something was refused because its agent could only read says how to allow it, once", () => {
  const ended = (access: "reads" | null, locale: "en" | "ja" = "en"): string => {
    const scene = running();
    const learn = (progress: { kind: "access"; access: "reads" } | { kind: "denied"; name: string }): void =>
      void scene.do({ type: "progress", job_id: job(1), progress });
    if (access !== null) learn({ kind: "access", access });
    learn({ kind: "denied", name: "apply_patch" });
    learn({ kind: "denied", name: "apply_patch" });
    scene.finish(job(1));
    const sessionAccess = () => ({ access, writing: ["-s", "workspace-write"] });
    return description(of(view(answered(scene), { sessionAccess, locale }), "end"));
  };
  expect(ended("reads").split("\n").slice(2)).toEqual([
    "⛔ not allowed: apply\\_patch ×2",
    '🔒 Something that **claude** tried was refused, because it can only read here. To let it write, give the project these arguments, in `args_json` of `/project create` or as `default_args` in `config.json`: `{"claude":["-s","workspace-write"]}`',
  ]);
  expect(ended("reads", "ja")).toContain("読み取りしかできないため");
  expect(ended(null)).not.toContain("🔒");
});

test("a job whose changes took too long to find says so, in the message that stands already, unless they are known after all", () => {
  const scene = answered(running());
  scene.finish(job(1));
  const end = (): string => {
    const post = of(view(scene), "end");
    scene.do({
      type: "record_post",
      subject: job(1),
      part: "end",
      channel_id: T1,
      message_id: "6",
      hash: "h",
      is: post.is,
    });
    return description(post);
  };
  expect(end()).not.toContain("⚠️");
  expect(view(scene).some(({ part }) => part === "end")).toBe(false);
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "unmeasured" } });
  expect(end()).toContain("⚠️ What it changed is not shown: looking through this repository takes too long.");
  scene.do({
    type: "progress",
    job_id: job(1),
    progress: { kind: "changes", changes: { files: 1, added: 1, removed: 0, patch: null }, stat: null },
  });
  expect(end()).not.toContain("⚠️");
});
