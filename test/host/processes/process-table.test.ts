import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { systemProcessTable } from "../../../src/host/processes/process-table.ts";

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
