/** Where the socket is, and what is never followed, removed or believed on the way to it. */
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { openCaller } from "../../src/client/call.ts";
import { systemClock } from "../../src/base/clock.ts";
import { readAddress } from "../../src/host/socket-path.ts";
import { freshDir, goodHello, openRaw, openScene } from "../ipc/scene.ts";

function callerOf(stateDir: string): ReturnType<typeof openCaller> {
  return openCaller({ stateDir, role: "cli", clock: systemClock });
}

describe("the place", () => {
  test("is XDG_RUNTIME_DIR where that is ours, and a caller with another environment finds it", async () => {
    const runtimeDir = freshDir();
    const { link, caller } = await openScene({ runtimeDir });
    expect(link.socket).toMatch(new RegExp(`^${runtimeDir}/bellhop/[0-9a-f]{24}\\.sock$`));
    expect(statSync(join(runtimeDir, "bellhop")).mode & 0o777).toBe(0o700);
    expect(await (await caller()).call("status", 1)).toBe(1);
  });

  test("is another one for another state directory", async () => {
    const runtimeDir = freshDir();
    const [one, two] = [await openScene({ runtimeDir }), await openScene({ runtimeDir })];
    expect(one.link.socket).not.toBe(two.link.socket);
    expect(await (await one.caller()).call("status", "one")).toBe("one");
  });

  test.each([
    ["open to others", (dir: string) => chmodSync(dir, 0o755)],
    [
      "one with an open folder of our name",
      (dir: string) => mkdirSync(join(dir, "bellhop"), { mode: 0o777 }) ?? chmodSync(join(dir, "bellhop"), 0o777),
    ],
    ["one with a symlink of our name", (dir: string) => symlinkSync(freshDir(), join(dir, "bellhop"))],
    ["one with a file of our name", (dir: string) => writeFileSync(join(dir, "bellhop"), "")],
  ])("is STATE_DIR where XDG_RUNTIME_DIR is %s", async (_what, spoil) => {
    const runtimeDir = freshDir();
    spoil(runtimeDir);
    const { link, stateDir, caller } = await openScene({ runtimeDir });
    expect(link.socket).toBe(join(stateDir, "bellhop.sock"));
    expect(await (await caller()).call("status", 1)).toBe(1);
  });

  test("may be far longer than a socket's address can be", async () => {
    const stateDir = join(freshDir(), "d".repeat(200), "e".repeat(200));
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const { link, caller } = await openScene({ stateDir });
    expect(lstatSync(link.socket).mode & 0o777).toBe(0o600);
    expect(await (await caller()).call("status", 1)).toBe(1);
    await link.close();
    expect(existsSync(link.socket)).toBe(false);
  });

  test("of a daemon that died is taken over", async () => {
    const stateDir = freshDir();
    const path = join(stateDir, "bellhop.sock");
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(`${path}.moving`, resolve));
    renameSync(`${path}.moving`, path);
    await new Promise((resolve) => dead.close(resolve));
    expect(lstatSync(path).isSocket()).toBe(true);
    const { caller } = await openScene({ stateDir });
    expect(await (await caller()).call("status", 1)).toBe(1);
  });

  test.each([
    ["a file", (path: string) => writeFileSync(path, "mine")],
    ["a symlink", (path: string) => symlinkSync("/nowhere", path)],
    ["a directory", (path: string) => mkdirSync(path)],
  ])("is never cleared of %s", async (_what, put) => {
    const stateDir = freshDir();
    put(join(stateDir, "bellhop.sock"));
    const before = lstatSync(join(stateDir, "bellhop.sock")).ino;
    await expect(openScene({ stateDir })).rejects.toThrow(/not a socket of Bellhop/);
    expect(lstatSync(join(stateDir, "bellhop.sock")).ino).toBe(before);
  });
});

describe("the address", () => {
  test("is a file of 0600 with a capability of 256 bits for each role, new for each daemon, and gone with it", async () => {
    const first = await openScene();
    const file = join(first.stateDir, "link.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { capabilities } = JSON.parse(readFileSync(file, "utf8")) as { capabilities: Record<string, string> };
    expect(Object.keys(capabilities)).toEqual(["cli", "mcp", "hook", "watch"]);
    expect(new Set(Object.values(capabilities)).size).toBe(4);
    for (const capability of Object.values(capabilities)) expect(capability).toMatch(/^[0-9a-f]{64}$/);
    await first.link.close();
    expect(existsSync(file)).toBe(false);
    const second = await openScene({ stateDir: first.stateDir });
    expect((await readAddress(second.stateDir))?.capabilities.cli).not.toBe(capabilities["cli"]);
  });

  test("that a dead daemon left is gone before anybody could meet the next one with it", async () => {
    const stateDir = freshDir();
    const stale = {
      socket: join(stateDir, "bellhop.sock"),
      pid: 1,
      capabilities: { cli: "old", mcp: "old", hook: "old", watch: "old" },
    };
    writeFileSync(join(stateDir, "link.json"), JSON.stringify(stale), { mode: 0o600 });
    // The next one gets no further than to where it would listen.
    mkdirSync(join(stateDir, "bellhop.sock"));
    await expect(openScene({ stateDir })).rejects.toThrow(/not a socket of Bellhop/);
    expect(existsSync(join(stateDir, "link.json"))).toBe(false);
  });

  test.each([
    ["others may read it", (file: string) => chmodSync(file, 0o640)],
    ["it is a symlink", (file: string) => renameSync(file, `${file}.real`) ?? symlinkSync(`${file}.real`, file)],
    ["it is no JSON", (file: string) => writeFileSync(file, "{")],
    ["it is too long", (file: string) => writeFileSync(file, "x".repeat(100_000))],
    [
      "it names no path",
      (file: string) =>
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), socket: "x.sock" })),
    ],
  ])("is not believed where %s", async (_what, spoil) => {
    const { stateDir } = await openScene();
    spoil(join(stateDir, "link.json"));
    await expect(callerOf(stateDir)).rejects.toMatchObject({ code: "E_LINK_REFUSED" });
  });

  test("is not followed to a socket in a directory that others may write", async () => {
    const { stateDir, link } = await openScene();
    chmodSync(dirname(link.socket), 0o770);
    onTestFinished(() => chmodSync(dirname(link.socket), 0o700));
    await expect(callerOf(stateDir)).rejects.toMatchObject({ code: "E_LINK_REFUSED" });
  });
});

test("another user is kept out by the directory's mode, and by the socket's own where he gets that far", async ({
  annotate,
}) => {
  const { link, stateDir, calls } = await openScene();
  expect([statSync(stateDir).mode & 0o777, lstatSync(link.socket).mode & 0o777]).toEqual([0o700, 0o600]);
  if (process.getuid?.() !== 0)
    return void annotate("Only root can become another user; the modes alone were looked at.");
  const { hello } = await goodHello(stateDir);
  const script = `const s = require("node:net").connect(${JSON.stringify(link.socket)}, () => { s.write(${JSON.stringify(`${JSON.stringify({ hello })}\n`)}); console.log("connected"); s.destroy(); });
    s.on("error", (error) => console.log(error.code));`;
  const asOther = async (): Promise<string> => {
    // Node itself may stand where another user may not go; Debian's does not.
    const { stdout } = await promisify(execFile)("/usr/bin/node", ["-e", script], {
      uid: 65_534,
      gid: 65_534,
      cwd: "/",
    });
    return stdout.trim();
  };
  expect(await asOther()).toBe("EACCES");
  chmodSync(stateDir, 0o711);
  expect(await asOther()).toBe("EACCES");
  expect(calls).toEqual([]);
  chmodSync(stateDir, 0o700);
  expect(await (await openRaw(link.socket)).socket.destroy().destroyed).toBe(true);
});
