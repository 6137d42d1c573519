/** A daemon is started so that it gives memory back, and its agents know nothing of that. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorld } from "./world.ts";

const DISCORDS = ["DISCORD_BOT_TOKEN", "DISCORD_GUILD_ID", "DISCORD_OWNER_ID"];
const without = (names: readonly string[]): string[] => ["env", ...names.flatMap((name) => ["-u", name])];

function told(pid: number | undefined, what: "cmdline" | "environ"): string[] {
  return readFileSync(`/proc/${pid}/${what}`, "utf8").split("\0");
}

function isFrugal(pid: number | undefined): void {
  expect(told(pid, "cmdline")[1]).toBe("--max-semi-space-size=4");
  expect(told(pid, "environ")).toEqual(expect.arrayContaining(["MALLOC_ARENA_MAX=2", "MALLOC_MMAP_THRESHOLD_=131072"]));
}

test("a daemon whose settings are in its environment runs with a small young generation and few arenas, and gives large buffers back; its agents are told nothing of it", async () => {
  const world = await openWorld();
  const daemon = world.daemon();
  await daemon.ready;
  isFrugal(daemon.pid);
  const thread = await world.session();
  await world.owner(thread).send("echo:here");
  await world.agents(1);
  expect(JSON.stringify(world.agentStarts()[0]?.env)).not.toContain("MALLOC_");
});

test("so does one whose settings are all in a file", async () => {
  const world = await openWorld();
  const file = join(world.home, "settings.env");
  const { botToken, guildId, owner } = world.sandbox;
  writeFileSync(file, `DISCORD_BOT_TOKEN=${botToken}\nDISCORD_GUILD_ID=${guildId}\nDISCORD_OWNER_ID=${owner.id}\n`, {
    mode: 0o600,
  });
  const daemon = world.daemon({ prefix: without(DISCORDS), args: ["--env-file", file] });
  await daemon.ready;
  isFrugal(daemon.pid);
});

test("so does the sandbox, and one that was started with a size of its own keeps that", async () => {
  const world = await openWorld();
  const prefix = without([...DISCORDS, "BELLHOP_DISCORD_API"]);
  const sandbox = world.daemon({ prefix, args: ["--port", "0"] });
  await sandbox.ready;
  isFrugal(sandbox.pid);
  await sandbox.kill("SIGTERM");
  const own = world.daemon({ prefix, args: ["--port", "0"], env: { NODE_OPTIONS: "--max-semi-space-size=8" } });
  await own.ready;
  expect(told(own.pid, "cmdline").join(" ")).not.toContain("semi-space");
});
