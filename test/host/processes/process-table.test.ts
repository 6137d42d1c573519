import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { systemProcessTable, ticksOf } from "../../../src/host/processes/process-table.ts";

it("tells the whole environment of a process, however large, and none of one that has ended", async () => {
  const table = systemProcessTable();
  const large = "x".repeat(100_000);
  const child = spawn("/bin/sh", ["-c", "echo begun; read over"], { env: { FIRST: "1", LARGE: large, LAST: "2" }, stdio: ["pipe", "pipe", "ignore"] });
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
  const child = spawn("/bin/sh", ["-c", "echo begun; read over; exec /bin/sh -c 'echo again; read over'"], { stdio: ["pipe", "pipe", "ignore"] });
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

/** Opens files until there can be no more, and then looks at itself and its child, in one process with a low limit. */
const CROWDED = `
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
const { systemProcessTable } = await import(process.argv[1]);
const table = systemProcessTable();
const child = spawn("/bin/sleep", ["600"]);
table.list();
try {
  for (;;) openSync("/dev/null", "r");
} catch {}
const isListed = table.list().some(({ pid }) => pid === child.pid);
process.stdout.write(JSON.stringify([isListed, table.read(child.pid)?.pid === child.pid, table.environ(child.pid) !== null]));
process.kill(child.pid, "SIGKILL");
process.exit();
`;

it("sees processes also when no more files can be opened", async () => {
  const source = fileURLToPath(new URL("../../../src/host/processes/process-table.ts", import.meta.url));
  const child = spawn("/bin/sh", ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, "--input-type=module", "-e", CROWDED, source], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await text(child.stdout)).toBe("[true,true,true]");
});
