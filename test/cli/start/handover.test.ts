/** What one image of the daemon hands to the next: it is read once, and nobody else's is touched. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { takeHanded } from "../../../src/cli/start/handover.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "bellhop-handover-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const name = (pid: number, letter: string): string => `.token-${pid}-${letter.repeat(32)}`;

test("a handed token is taken, with what a dead process left lying, and what a living one laid there for itself stays", () => {
  const state = folder();
  const dead = spawnSync(process.execPath, ["-e", "0"]).pid;
  const [own, other, left] = [name(process.pid, "a"), name(process.ppid, "b"), name(dead, "c")];
  for (const file of [own, other, left, ".token-of-mine"])
    writeFileSync(join(state, file), '{"DISCORD_BOT_TOKEN":"secret","DISCORD_GUILD_ID":"1"}', { mode: 0o600 });
  const env = takeHanded({ HOME: "/home/me", BELLHOP_HANDED_TOKEN: join(state, own) });
  expect(env).toEqual({ HOME: "/home/me", DISCORD_BOT_TOKEN: "secret", DISCORD_GUILD_ID: "1" });
  expect(readdirSync(state).sort()).toEqual([other, ".token-of-mine"].sort());
});

test("where none was handed over the environment is as it was", () => {
  const env = { HOME: "/home/me" };
  expect(takeHanded(env)).toBe(env);
});
