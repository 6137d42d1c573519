import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { systemProcessTable, ticksOf } from "../../../src/host/processes/process-table.ts";
import { withoutFiles } from "./without-files.ts";

it("tells the whole environment of a process, however large, and none of one that has ended", async () => {
  const table = systemProcessTable();
  const large = "x".repeat(100_000);
  const child = spawn("/bin/sh", ["-c", "echo begun; read over"], {
    env: { FIRST: "1", LARGE: large, LAST: "2" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  expect(table.environ(child.pid ?? 0)?.split("\0")).toEqual(["FIRST=1", `LARGE=${large}`, "LAST=2", ""]);
  child.stdin.end();
  await once(child, "exit");
  expect(table.environ(child.pid ?? 0)).toBeNull();
});

it("lists what began since then, whatever it was asked before", async () => {
  const table = systemProcessTable();
  const ours = table.read(process.pid);
  if (!ours) throw new Error("we are not in the table");
  const listed = (since: number): number[] => table.list(since).map(({ pid }) => pid);
  expect(listed(ticksOf(ours) + 1)).not.toContain(process.pid);
  const child = spawn("/bin/sh", ["-c", "echo begun; read over; exec /bin/sh -c 'echo again; read over'"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const began = ticksOf(table.read(child.pid ?? 0) ?? ours);
  expect(listed(began)).toContain(child.pid);
  expect(listed(began + 1)).not.toContain(child.pid);
  child.stdin.write("\n");
  await once(child.stdout, "data");
  expect(listed(began)).toContain(child.pid);
  expect(listed(ticksOf(ours))).toEqual(expect.arrayContaining([process.pid, child.pid]));
  child.stdin.end("\n");
  await once(child, "close");
  expect(listed(0)).not.toContain(child.pid);
});

it("sees processes also when no more files can be opened", async () => {
  const seen = await withoutFiles(`
    const { spawn } = await import("node:child_process");
    const table = (await load("host/processes/process-table.ts")).systemProcessTable();
    const child = spawn("/bin/sleep", ["600"]);
    table.list();
    exhaust();
    const isListed = table.list().some(({ pid }) => pid === child.pid);
    say([isListed, table.read(child.pid)?.pid === child.pid, table.environ(child.pid) !== null]);
    process.kill(child.pid, "SIGKILL");
  `);
  expect(seen).toEqual([true, true, true]);
});
