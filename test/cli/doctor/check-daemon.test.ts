/** What `bellhop doctor` says of a daemon that does not run. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkDaemon } from "../../../src/cli/doctor.ts";
import { takeLock } from "../../../src/journal/lock.ts";

test("a daemon that runs only for the sandbox is told apart from none", async () => {
  const home = mkdtempSync(join(tmpdir(), "bellhop-doctor-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const state = join(home, "state");
  mkdirSync(join(state, "sandbox"), { recursive: true, mode: 0o700 });
  const io = { stdout: { write: () => true }, stderr: { write: () => true }, env: { HOME: home } };
  const said = async (): Promise<unknown[]> => (await checkDaemon(io, state)).map(({ says, args }) => [says, args]);
  expect(await said()).toEqual([["doctor.daemon.none", undefined]]);
  const lock = takeLock(join(state, "sandbox"));
  expect(await said()).toEqual([["doctor.daemon.sandbox", { pid: process.pid }]]);
  lock.release();
});
