/**
 * Before a job starts, its place, its conversation's checkout and the agents' configuration are compared; whatever has
 * changed is asked about once, and again only for what changes after that.
 */
import { describe, expect, test } from "vitest";
import type { ChangedWait, Checkout } from "../../../src/core/projects/checkout.ts";
import { RunnerScene, T1, T2, today } from "./runner-scene.ts";

type What = "place" | "checkout" | "configuration";

const main: Checkout = { cwd: "/srv/app", branch: "main", head: "a".repeat(40), tree: "1".repeat(40) };
const waitIn = (scene: RunnerScene, thread = T1): ChangedWait | null => {
  const wait = scene.engine.state.threads[thread]?.wait;
  return wait?.kind === "changed" ? wait : null;
};

/** The project's files stand in another directory now, and its path leads there. */
function move(scene: RunnerScene, to: string): void {
  scene.directories.set("/srv/app", { path: to, ours: false });
  scene.checkout = { ...scene.checkout, cwd: to };
}

function change(scene: RunnerScene, what: readonly What[]): void {
  if (what.includes("place")) move(scene, "/data/app");
  if (what.includes("checkout")) scene.checkout = { ...scene.checkout, branch: "other" };
  if (what.includes("configuration")) scene.configuration = [{ name: ".mcp.json", is: "1", text: "1\n" }];
}

/** A conversation in T1, whose next job finds this changed. */
async function found(...what: What[]): Promise<RunnerScene> {
  const scene = await new RunnerScene().withSessions(T1, T2);
  scene.checkout = main;
  await scene.answered();
  change(scene, what);
  await scene.hear("go on");
  await scene.waits();
  await scene.free();
  return scene;
}

const COMBINATIONS: What[][] = [
  ["place"],
  ["checkout"],
  ["configuration"],
  ["place", "checkout"],
  ["place", "configuration"],
  ["checkout", "configuration"],
  ["place", "checkout", "configuration"],
];

describe.each(COMBINATIONS.map((what) => [what.join(", "), what] as const))("where %s changed", (_name, what) => {
  test("one wait has all of it, Go on runs in the same conversation, and nothing is asked again", async () => {
    const scene = await found(...what);
    expect(["place", "checkout", "configuration"].filter((one) => one in (waitIn(scene) ?? {}))).toEqual(what);
    expect(scene.events.filter(({ type }) => type === "SessionParked")).toHaveLength(1);
    expect(scene.runs).toHaveLength(1);
    await scene.accept(today(2));
    const run = await scene.run(2);
    expect(run.request).toMatchObject({ text: "go on", key: "s1", cwd: scene.checkout.cwd });
    run.done();
    await scene.free();
    await scene.hear("and on");
    await scene.run(3);
    expect(scene.events.filter(({ type }) => type === "SessionParked")).toHaveLength(1);
  });

  test("New conversation here begins one, and nothing is asked again", async () => {
    const scene = await found(...what);
    await scene.accept(today(2), "fresh");
    const run = await scene.run(2);
    expect(run.request).toMatchObject({ text: "go on", key: null, cwd: scene.checkout.cwd });
    run.done();
    await scene.free();
    await scene.hear("and on");
    await scene.run(3);
  });

  test("what changes further is asked after the answer, and only that", async () => {
    for (const further of ["place", "checkout", "configuration"] as const) {
      const scene = await found(...what);
      const { digest } = waitIn(scene) ?? {};
      if (further === "place") move(scene, "/third/app");
      if (further === "checkout") scene.checkout = { ...scene.checkout, branch: "third" };
      if (further === "configuration") scene.configuration = [{ name: ".mcp.json", is: "2", text: "2\n" }];
      await scene.accept(today(2));
      await scene.engine.until(() => waitIn(scene) !== null && waitIn(scene)?.digest !== digest);
      const { place, checkout, configuration } = waitIn(scene) ?? {};
      expect([further, place?.is, checkout?.is.branch, configuration !== undefined]).toEqual([
        further,
        further === "place" ? "/third/app" : undefined,
        further === "checkout" ? "third" : undefined,
        further === "configuration",
      ]);
      expect(scene.runs).toHaveLength(1);
      const old = { type: "accept_changed", thread_id: T1, job_id: today(2), digest: digest ?? "" } as const;
      expect([await scene.do({ ...old, by: "seen" }), await scene.do({ ...old, by: "fresh" })]).toEqual([[], []]);
      await scene.free();
      await scene.accept(today(2));
      expect((await scene.run(2)).request.key).toBe("s1");
    }
  });
});

test("what cannot be read is no unchanged checkout and no unchanged configuration", async () => {
  const scene = await new RunnerScene().withSessions(T1);
  scene.checkout = main;
  await scene.answered();
  scene.checkout = { ...main, branch: null, head: null, tree: null };
  scene.configuration = [{ name: ".mcp.json", is: "EACCES", why: { because: "unreadable", code: "EACCES" } }];
  await scene.hear("go on");
  await scene.waits();
  expect(waitIn(scene)).toMatchObject({
    checkout: { is: { branch: null, head: null } },
    configuration: { project_name: "app" },
  });
  expect(scene.differences[0]).toContain("EACCES");
});

test("what was never read of a project is not seen in a directory that its owner has not seen", async () => {
  const scene = await new RunnerScene().withSessions(T1);
  await scene.do({ type: "see_project", project_name: "app", path: "/srv/app", configuration: null });
  change(scene, ["place", "configuration"]);
  await scene.hear("begin");
  await scene.waits();
  expect(Object.keys(waitIn(scene) ?? {})).toEqual(["kind", "job_id", "digest", "place"]);
  expect(scene.engine.state.seen?.["app"]).toEqual({ path: "/srv/app", configuration: null });
  await scene.free();
  await scene.accept(today(1));
  await scene.run(1);
  expect(scene.engine.state.seen?.["app"]).toMatchObject({ path: "/data/app", configuration: expect.any(String) });
});

test("no worktree is made in a directory that its owner has not seen: it is asked about alone, and the rest after that", async () => {
  const scene = new RunnerScene();
  const made: string[] = [];
  scene.options.worktrees.make = async (directory, name) => {
    made.push(directory);
    return { path: `${directory}/.claude/worktrees/${name}`, branch: name };
  };
  const config = scene.options.config();
  const app = { enabled_tools: ["claude"], default_tool: "claude", path: "/srv/app", isolation: "worktree" } as const;
  scene.options.config = () => ({ ...config, projects: { app } }) as unknown as typeof config;
  await scene.withSessions(T1);
  move(scene, "/data/app");
  scene.configuration = [{ name: ".mcp.json", is: "1", text: "1\n" }];
  await scene.hear("begin");
  await scene.waits();
  expect([waitIn(scene)?.place?.is, waitIn(scene)?.configuration, made]).toEqual(["/data/app", undefined, []]);
  await scene.free();
  await scene.accept(today(1));
  await scene.engine.until(() => waitIn(scene)?.configuration !== undefined);
  expect([waitIn(scene)?.place, made, scene.runs.length]).toEqual([undefined, ["/data/app"], 0]);
});
