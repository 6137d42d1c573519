import { afterAll, describe, expect, it } from "vitest";
import { isAlive } from "../../../src/host/processes/process-table.ts";
import { clearAway, hasty, living, marks, named, play, quick, read, rest, table } from "../scene.ts";
import { openProcesses } from "../../../src/host/processes/processes.ts";

const processes = quick();
afterAll(() => clearAway(processes));

describe("a child", () => {
  it("is known by pid and start time, and runs as the leader of a session of its own", async () => {
    const child = play(processes, ["print:up", "stay"]);
    await read(child, 1);
    const row = table.read(child.identity!.pid);
    expect(row).toMatchObject({ ...child.identity, session: child.identity!.pid });
    await child.kill();
    expect(isAlive(table, child.identity!)).toBe(false);
  });

  it("gets its argv as it is: nothing is read by a shell", async () => {
    const hostile = ["$(id)", "`id`", "; id", "a  b", "\"'", "-x", "\u001b[31m"];
    const child = play(
      processes,
      hostile.map((text) => `print:${text}`),
    );
    expect(await rest(child)).toEqual(hostile);
  });

  it("gets the environment it is given and nothing else", async () => {
    const child = play(processes, ["env:HOME", "env:USER", "env:MINE"], { env: { PATH: "/usr/bin", MINE: "x" } });
    expect(await rest(child)).toEqual(["HOME=(none)", "USER=(none)", "MINE=x"]);
  });

  it("works under the umask the daemon was started with, which the daemon itself does not get", async () => {
    const before = process.umask(0o077);
    const open = openProcesses({ umask: 0o027 });
    const child = open.spawn({ file: "/bin/sh", args: ["-c", "umask"], cwd: "/", env: {} });
    expect(await rest(child)).toEqual(["0027"]);
    expect(process.umask(before)).toBe(0o077);
  });

  it.each([
    ["a file that is not there", { file: "/nonexistent/agent" }],
    ["a directory that is not there", { cwd: "/nonexistent" }],
    ["a NUL in an argument", { args: ["a\0b"] }],
    ["a file that may not be run", { file: "/etc/passwd" }],
  ])("that cannot be started ends, and says so: %s", async (_, wrong) => {
    const child = processes.spawn({ file: "/bin/true", args: [], cwd: "/", env: {}, ...wrong });
    expect(await rest(child)).toEqual([]);
    const exit = await child.exit;
    expect(exit.failure !== null || exit.code === 126 || exit.code === 127).toBe(true);
    await child.gone;
  });

  it("has its last words kept for a reader who comes when it is gone", async () => {
    const child = play(
      processes,
      Array.from({ length: 46 }, () => "giant:25000"),
    );
    // More than may wait for a reader, by as much as the pipe holds.
    await child.gone;
    expect(await rest(child)).toHaveLength(46);
  }, 20_000);

  it("keeps the end of what it wrote to stderr", async () => {
    const child = processes.spawn({
      file: "/bin/sh",
      args: ["-c", "head -c 100000 /dev/zero >&2; printf 'the end' >&2; exit 3"],
      cwd: "/",
      env: {},
    });
    await child.gone;
    expect(child.stderrTail().length).toBeLessThanOrEqual(16 * 1024);
    expect(child.stderrTail().endsWith("the end")).toBe(true);
    expect((await child.exit).code).toBe(3);
  });
});

describe("its stdin", () => {
  it("carries every byte", async () => {
    const text = "e\u0301 \u{1F600} \u0000 \r x".repeat(20_000);
    const child = play(processes, ["echo"]);
    expect(await child.input!.write(`${text}\n`)).toBe(true);
    child.input!.close();
    expect((await rest(child)).join("\n")).toBe(text);
  });

  it("costs no memory against a child that never reads, and no error when that child is ended", async () => {
    const child = play(processes, ["print:up", "deaf", "stay"]);
    await read(child, 1);
    const before = process.memoryUsage().arrayBuffers;
    const written = child.input!.write("x".repeat(4 * 1024 * 1024));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(6 * 1024 * 1024);
    await child.kill();
    expect(await written).toBe(false);
    expect(await child.input!.write("more")).toBe(false);
  });

  it("closed by the child is a write not taken", async () => {
    const child = processes.spawn({
      file: "/bin/sh",
      args: ["-c", "exec <&-; echo up; sleep 600"],
      cwd: "/",
      env: { PATH: "/bin:/usr/bin" },
    });
    await read(child, 1);
    expect(await child.input!.write("x".repeat(1_000_000))).toBe(false);
    await child.kill();
  });
});

describe("its end", () => {
  it("comes with its exit, not with the closing of a pipe that a grandchild keeps", async () => {
    const child = play(processes, ["child", "stray", "print:last words", "exit:0"]);
    const lines = await rest(child);
    expect(lines.at(-1)).toBe("last words");
    expect(await child.exit).toEqual({ code: 0, signal: null, failure: null });
    await child.gone;
    expect(living(named(lines))).toEqual([]);
  });

  it("leaves nobody: not its group, not a child in a session of its own, not an orphan of two forks", async () => {
    const child = play(processes, ["child", "bare", "orphan", "print:ready", "exit:0"]);
    const lines: string[] = [];
    for (;;) {
      const [line = ""] = await read(child, 1);
      lines.push(line);
      if (line === "ready") break;
    }
    const others = named(lines);
    await rest(child);
    await child.gone;
    expect(others.length).toBeGreaterThanOrEqual(2);
    expect(living(others)).toEqual([]);
  });

  it("bounds what a grandchild can pour into its pipe after it, though nobody reads", async () => {
    const flood = `yes ${"y".repeat(1000)} & exit 0`;
    const child = processes.spawn({ file: "/bin/sh", args: ["-c", flood], cwd: "/", env: marks() });
    await child.gone;
    const lines = await rest(child);
    expect(lines.length).toBeGreaterThan(100);
    expect(lines.length * 1065).toBeLessThan(17 * 1024 * 1024);
  });

  it("spares the processes of a job of the same name in another state directory", async () => {
    const env = marks();
    const elsewhere = { ...env, BELLHOP_OUTPUTS: `${env["BELLHOP_OUTPUTS"]}0` };
    const child = play(processes, ["bare", "echo", "exit:0"], { env: elsewhere });
    const mine = await read(child, 1);
    const other = play(processes, ["print:up", "stay"], { env });
    await read(other, 1);
    child.input!.close();
    await child.gone;
    expect(living(named(mine))).toEqual([]);
    expect(isAlive(table, other.identity!)).toBe(true);
    await other.kill();
  });
});

describe("stopping a child", () => {
  it("that ignores SIGINT and SIGTERM ends it all the same, and its children with it", async () => {
    const child = play(processes, ["ignore", "child", "stray", "print:up", "stay"]);
    const others = named(await read(child, 3));
    await child.stop();
    expect((await child.exit).signal).toBe("SIGKILL");
    expect(living([child.identity!, ...others])).toEqual([]);
  });

  it("lets it end its turn by itself first", async () => {
    // On a busy machine it may need a while to hear of it.
    const patient = openProcesses({ ...hasty, graces: { interruptMs: 50_000 } });
    const child = patient.spawn({
      file: "/bin/sh",
      args: ["-c", "trap 'echo asked; exit 7' INT; echo up; while :; do sleep 0.05; done"],
      cwd: "/",
      env: { PATH: "/bin:/usr/bin" },
    });
    await read(child, 1);
    const stopped = child.stop();
    expect(await rest(child)).toEqual(["asked"]);
    await stopped;
    expect((await child.exit).code).toBe(7);
  });

  it("with two hundred children leaves none of them", async () => {
    const count = process.env["BELLHOP_TEST_LONG"] ? 200 : 40;
    const child = play(processes, [`many:${count}`, "stay"]);
    const others = named(await read(child, count));
    expect(others).toHaveLength(count);
    await child.stop();
    expect(living(others)).toEqual([]);
  });

  it("twice, or after its end, changes nothing", async () => {
    const child = play(processes, ["exit:4"]);
    await child.exit;
    await Promise.all([child.stop(), child.stop(), child.kill()]);
    expect((await child.exit).code).toBe(4);
  });

  it("that lingers after all was said stops it after the time it was given", async () => {
    const open = openProcesses({ ...hasty });
    const child = play(open, ["ignore", "print:the result", "stay"]);
    await read(child, 1);
    child.finishOutput(50);
    await child.gone;
    expect((await child.exit).signal).toBe("SIGKILL");
  });
});
