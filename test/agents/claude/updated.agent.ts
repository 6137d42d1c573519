/** The real Claude Code, updated while it sleeps between two prompts: its link leads to another file. */
import { realpathSync, renameSync, symlinkSync } from "node:fs";
import { cp, link } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventsOf } from "../../flows/acceptance/stage.ts";
import { programOf } from "../bench.ts";
import { openReal } from "../real-world.ts";

it("is opened anew for the next prompt, and goes on in its conversation", async () => {
  const { world, start } = await openReal(["claude"]);
  const daemon = await start();
  const thread = await world.session();
  const say = async (prompt: string): Promise<void> => world.marked((await world.owner(thread).send(prompt)).id, "✅");
  await say("echo:one");
  await say("echo:two");
  const program = realpathSync(programOf("claude"));
  const next = join(world.home, "claude-next");
  await link(program, next).catch(() => cp(program, next));
  symlinkSync(next, `${next}-link`);
  renameSync(`${next}-link`, join(world.home, "bin", "claude"));
  await say("hist:");
  const pids = eventsOf(world).flatMap(({ type, payload }) =>
    type === "JobProgress" && payload["kind"] === "process" ? [payload["pid"]] : [],
  );
  expect(pids).toHaveLength(3);
  expect(pids[1]).toBe(pids[0]);
  expect(pids[2]).not.toBe(pids[0]);
  expect(world.said(thread).map(({ content }) => content)).toContainEqual(
    expect.stringMatching(/HISTORY .*echo:one.*echo:two/),
  );
  await daemon.kill("SIGTERM");
}, 120_000);
