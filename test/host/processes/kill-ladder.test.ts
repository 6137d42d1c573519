import { describe, expect, it } from "vitest";
import { endAll, membersOf } from "../../../src/host/processes/child.ts";
import { machine, mark, row } from "./fake-machine.ts";

const child = { pid: 100, startTime: "50@boot" };
const leader = row(100, { startTime: "50@boot" });
const marker = ["BELLHOP_JOB=job_1", "BELLHOP_OUTPUTS=/state/outputs/1"];
const marked = mark("/state/outputs/1");
const graces = { terminateMs: 100, killMs: 100 };

function members(rows: ReturnType<typeof row>[], environs: Record<number, string> = {}): number[] {
  return membersOf(machine(rows, environs).made, child, marker).map(({ pid }) => pid);
}

describe("the members of a child", () => {
  it("are its session, and those that left it but carry all of its marks", () => {
    const rows = [leader, row(101, { session: 100, startTime: "60@boot" }), ...[102, 103, 104].map((pid) => row(pid))];
    const environs = { 102: marked, 103: mark("/state/outputs/2"), 104: "BELLHOP_JOB=job_1\0" };
    expect(members(rows, environs)).toEqual([100, 101, 102]);
  });

  it("are not the session that got its number after it, nor what was there before it", () => {
    expect(members([row(100, { startTime: "70@boot" }), row(101, { session: 100 })])).toEqual([]);
    expect(members([leader, row(99, { startTime: "40@boot" })], { 99: marked })).toEqual([100]);
  });

  it("are still its session when it is dead itself", () => {
    expect(members([row(101, { session: 100 })])).toEqual([101]);
  });

  it("are never this process", () => {
    expect(members([leader, row(process.pid)], { [process.pid]: marked })).toEqual([100]);
  });

  it("are its group as one where the machine tells no more", () => {
    const { made, sent } = machine([leader]);
    made.table = { ...made.table, exact: false };
    expect(membersOf(made, child, marker)).toMatchObject([{ pid: 100 }]);
    made.signal = () => {
      throw new Error("ESRCH");
    };
    expect(membersOf(made, child, marker)).toEqual([]);
    expect(sent).toEqual([[-100, "0"]]);
  });
});

describe("ending them", () => {
  it("asks each group as one and the others one by one, and kills only who does not go", async () => {
    const rows = [leader, row(101, { session: 100 }), row(102)];
    const { made, sent } = machine(rows, { 102: marked }, [101]);
    expect(await endAll(made, () => membersOf(made, child, marker), graces)).toEqual([]);
    expect(sent).toEqual([
      [-100, "SIGTERM"],
      [-102, "SIGTERM"],
      [101, "SIGTERM"],
      [101, "SIGKILL"],
    ]);
  });

  it("of nobody signals nobody", async () => {
    const { made, sent } = machine([]);
    expect(await endAll(made, () => membersOf(made, child, marker), graces)).toEqual([]);
    expect(sent).toEqual([]);
  });
});
