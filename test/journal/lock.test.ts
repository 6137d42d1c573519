import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

import { BellhopError } from "../../src/base/errors.ts";
import { lockHolder, openStateDirectory, takeLock, currentHolder } from "../../src/journal/lock.ts";
import { prepareStateDirectory } from "../../src/journal/state-directory.ts";

let home = "";
let dir = "";
const children: ChildProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bellhop-lock-"));
  dir = join(home, "state");
  mkdirSync(dir, { mode: 0o700 });
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(home, { recursive: true });
});

interface Contender {
  child: ChildProcess;
  said: string;
}

/** A process of its own that is about to take the lock; `go` lets it. */
async function contender(...more: string[]): Promise<{ go(): Promise<Contender> }> {
  const script = fileURLToPath(new URL("take-lock.ts", import.meta.url));
  const child = spawn(process.execPath, [script, dir, ...more], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  return {
    async go() {
      child.stdin.write("go\n");
      const [said] = (await once(lines, "line")) as [string];
      return { child, said };
    },
  };
}

async function end(child: ChildProcess, how: "SIGKILL" | "input"): Promise<void> {
  const gone = once(child, "exit");
  if (how === "SIGKILL") child.kill("SIGKILL");
  else child.stdin?.end();
  await gone;
}

function refusal(act: () => unknown): { code: string; details: Record<string, unknown> } {
  try {
    act();
  } catch (error) {
    if (error instanceof BellhopError) return { code: error.code, details: error.details };
    throw error;
  }
  return { code: "ok", details: {} };
}

function put(number: number, holder: object | string): void {
  writeFileSync(join(dir, `lock.${number}`), typeof holder === "string" ? holder : JSON.stringify(holder));
}

test("of six processes that come at once, one holds the lock, and again when its holder was killed", async () => {
  for (let round = 0; round < 2; round += 1) {
    const waiting = await Promise.all(Array.from({ length: 6 }, () => contender()));
    const all = await Promise.all(waiting.map((each) => each.go()));
    expect(all.map(({ said }) => said).sort()).toEqual([...Array<string>(5).fill("E_DAEMON_RUNNING"), "held"]);
    const holder = all.find(({ said }) => said === "held");
    expect(lockHolder(dir)?.pid).toBe(holder?.child.pid);
    await Promise.all(all.map(({ child }) => end(child, "SIGKILL")));
    expect(lockHolder(dir)).toBeUndefined();
  }
});

test("the second is told which process is in the way, and where", async () => {
  const { child } = await (await contender()).go();
  expect(refusal(() => takeLock(dir))).toEqual({ code: "E_DAEMON_RUNNING", details: { pid: child.pid, path: dir } });
});

test("a released lock is free, and so is one whose process ended without releasing it", async () => {
  for (const how of ["release", "keep"]) {
    const { child, said } = await (await contender(how)).go();
    expect(said).toBe("held");
    await end(child, "input");
  }
  takeLock(dir).release();
  const again = takeLock(dir);
  expect(refusal(() => takeLock(dir)).code).toBe("E_DAEMON_RUNNING");
  again.release();
});

const stale: [string, () => object | string][] = [
  ["of another boot", () => ({ ...currentHolder(), boot_id: "11111111-2222-3333-4444-555555555555" })],
  ["of a process that is gone", () => ({ ...currentHolder(), pid: 4_194_304 })],
  ["of a process whose number was given to another", () => ({ ...currentHolder(), start_time: "1" })],
  ["that a power cut left empty", () => ""],
  ["that a power cut left as NULs", () => "\0\0\0"],
];

test.for(stale)("a lock %s is stale", ([, holder]) => {
  put(7, holder());
  takeLock(dir).release();
  expect(readdirSync(dir)).toEqual(["lock.8.released"]);
});

test("a zombie holds nothing", async ({ skip }) => {
  if (!existsSync("/proc/self/stat")) return skip("no /proc here");
  // The child ends with its input, when its parent is a program that never asks after it: then it is a zombie.
  const parent = spawn("sh", ["-c", "exec 3<&0; cat <&3 >/dev/null & echo $!; exec tail -f /dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(parent);
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "tail\n") await new Promise(setImmediate);
  parent.stdin.end();
  const stat = (): string[] => readFileSync(`/proc/${line}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const dead = (): boolean => stat()[0] === "Z";
  while (!dead()) await new Promise(setImmediate);
  put(1, { ...currentHolder(), pid: Number(line), start_time: stat()[19] });
  takeLock(dir).release();
});

test("a lock that says something unknown is taken for a living one", () => {
  put(3, '{"holder":"a later version"}');
  expect(refusal(() => takeLock(dir)).code).toBe("E_DAEMON_RUNNING");
});

test("who lags behind cannot take a number that has come and gone", () => {
  const held = takeLock(dir);
  put(9, currentHolder());
  expect(refusal(() => takeLock(dir)).code).toBe("E_DAEMON_RUNNING");
  held.release();
  // The highest number counts, also when a lower one is free.
  expect(refusal(() => takeLock(dir)).code).toBe("E_DAEMON_RUNNING");
});

test("the state directory is made for us alone, durably, with what is missing above it", async () => {
  const synced: string[] = [];
  const path = join(home, "a", "b", "c");
  await prepareStateDirectory(path, { syncDirectory: async (each) => void synced.push(each) });
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(synced).toEqual([home, join(home, "a"), join(home, "a", "b")]);
  const { release } = await openStateDirectory(path);
  await release();
});

test("a state directory that others may enter, a symlink and a file are refused with how to mend it", async () => {
  chmodSync(dir, 0o750);
  const link = join(home, "link");
  symlinkSync(dir, link);
  const file = join(home, "file");
  writeFileSync(file, "");
  const found = async (path: string): Promise<unknown> => openStateDirectory(path).catch((error: unknown) => error);
  expect(await found(dir)).toMatchObject({
    code: "E_CONFIG_INVALID",
    details: { found: "mode 0750", expected: "mode 0700", mend: `chmod 700 '${dir}'` },
  });
  expect(await found(link)).toMatchObject({ code: "E_CONFIG_INVALID", details: { found: "symlink" } });
  expect(await found(file)).toMatchObject({ code: "E_CONFIG_INVALID", details: { found: "file" } });
});
