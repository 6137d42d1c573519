import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { openProcesses, sweep } from "../../../src/host/processes/processes.ts";
import { ended } from "../../ended.ts";
import { machine, mark, row } from "./fake-machine.ts";
import { hasty, living, marks, named, scripted, table } from "../scene.ts";

const graces = { terminateMs: 100, killMs: 100 };
const request = { outputsRoot: "/state/outputs", recorded: [], graces };

describe("the sweep at the start", () => {
  it("ends whatever carries the mark of this state directory, and nothing else", async () => {
    const environs = {
      11: mark("/state/outputs/1"),
      12: mark("/state/outputs-of-another/1"),
      13: mark("/other/state/outputs/1"),
      14: "PATH=/bin\0BELLHOP_OUTPUTS=/state/outputs/1\0",
      15: "NOTE=BELLHOP_JOB= BELLHOP_OUTPUTS=/state/outputs/1\0",
    };
    const { made, dead } = machine(
      [11, 12, 13, 14, 15, 16].map((pid) => row(pid)),
      environs,
    );
    expect(await sweep(made, request)).toEqual({ ended: 1, left: [] });
    expect([...dead]).toEqual([11]);
  });

  it("ends a recorded process and its session, though nobody carries a mark any more", async () => {
    const { made, dead } = machine([row(21), row(22, { session: 21 }), row(23)]);
    expect(await sweep(made, { ...request, recorded: [{ pid: 21, startTime: "21@boot" }] })).toEqual({
      ended: 2,
      left: [],
    });
    expect([...dead].sort()).toEqual([21, 22]);
  });

  it("never signals a recycled pid, nor the session that has its number now", async () => {
    const { made, sent } = machine([row(21, { startTime: "999@boot" }), row(22, { session: 21 })]);
    await sweep(made, { ...request, recorded: [{ pid: 21, startTime: "21@boot" }] });
    await sweep(made, { ...request, recorded: [{ pid: 21, startTime: "999@earlier-boot" }] });
    expect(sent).toEqual([]);
  });

  it("never signals a pid that was recycled between the look and the signal", async () => {
    const rows = [row(21)];
    const environs: Record<number, string> = { 21: mark("/state/outputs/1") };
    const { made, sent } = machine(rows, environs);
    const { environ } = made.table;
    made.table.environ = (pid) => {
      const seen = environ(pid);
      rows[0] = row(21, { startTime: "999@boot" });
      delete environs[pid];
      return seen;
    };
    await sweep(made, request);
    expect(sent).toEqual([]);
  });

  it("spares this process and those it comes from, though they carry the mark", async () => {
    const parent = table.read(process.pid)!.parent;
    const rows = [row(process.pid, { parent }), row(parent), row(31)];
    const marked = mark("/state/outputs/1");
    const { made, dead } = machine(rows, { [process.pid]: marked, [parent]: marked, 31: marked });
    await sweep(made, request);
    expect([...dead]).toEqual([31]);
  });

  it("asks, then kills, and says who stands even then", async () => {
    const { made, sent } = machine([row(41)], { 41: mark("/state/outputs/1") }, [41]);
    expect(await sweep(made, request)).toEqual({ ended: 1, left: [] });
    expect(sent).toEqual([
      [-41, "SIGTERM"],
      [-41, "SIGKILL"],
    ]);
    const unkillable = machine([row(42)], { 42: mark("/state/outputs/1") });
    unkillable.made.signal = () => {};
    expect(await sweep(unkillable.made, request)).toEqual({ ended: 0, left: [{ pid: 42, startTime: "42@boot" }] });
  });

  it("takes a zombie for dead", async () => {
    const { made, sent } = machine([row(51, { state: "Z" })], { 51: mark("/state/outputs/1") });
    expect(await sweep(made, request)).toEqual({ ended: 0, left: [] });
    expect(sent).toEqual([]);
  });

  it("without a process table ends nobody, and says whose pids are in use", async () => {
    const { made, sent } = machine([row(61)]);
    made.table = { ...made.table, exact: false };
    const recorded = [
      { pid: 61, startTime: "" },
      { pid: 62, startTime: "" },
    ];
    expect(await sweep(made, { ...request, recorded })).toEqual({ ended: 0, left: [recorded[0]] });
    expect(sent).toEqual([]);
  });
});

describe.runIf(process.platform === "linux")("agents of a dead daemon", () => {
  it("are ended by the kernel, and what they left behind by the next start", async () => {
    // A daemon of its own, which starts an agent that starts others, and is killed. Nobody else looks after them: what
    // is left must be there for the sweep.
    const daemon = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import { openProcesses } from ${JSON.stringify(new URL("../../../src/host/processes/processes.ts", import.meta.url).href)};
         const child = openProcesses().spawn({ file: process.execPath, args: [${JSON.stringify(scripted)}, "child", "bare", "stay"],
           cwd: "/", env: ${JSON.stringify({ ...marks(), BELLHOP_OUTPUTS: "/tmp/dead daemon é/outputs/7" })} });
         console.log("pid " + child.identity.pid);
         for await (const line of child.lines) console.log(line.bytes.toString());`,
      ],
      { cwd: "/", env: marks(), stdio: ["ignore", "pipe", "inherit"] },
    );
    const said: string[] = [];
    for await (const line of createInterface({ input: daemon.stdout })) if (said.push(line) === 3) break;
    const [agent, ...others] = named(said);
    daemon.kill("SIGKILL");
    await ended(agent!.pid);
    expect(others).toHaveLength(2);
    const next = openProcesses(hasty);
    const swept = await next.sweep({ outputsRoot: "/tmp/dead daemon é/outputs", recorded: [agent!] });
    expect(swept.left).toEqual([]);
    // The agent itself had no say: the kernel ended it with its daemon, so the sweep found the other two only.
    expect(swept.ended).toBe(2);
    expect(living([agent!, ...others])).toEqual([]);
  });
});
