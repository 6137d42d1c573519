/** Callers that connect to the daemon's sockets and say nothing keep nobody out who says something. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hookCommand } from "../../src/host/hooks/hook-folder.ts";
import { openSession, type World } from "./world.ts";

/** Resolves when all are connected, or were at once hung up on. */
async function crowd(path: string, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(path).on("error", () => undefined));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve).once("close", resolve))),
  );
  return sockets;
}

/** What Claude Code runs for a hook that must be answered: a Stop that nobody takes is written into a file instead. */
function hook({ home, stateDir }: World, name: string): Promise<{ code: number | null; stdout: string }> {
  const payload = {
    session_id: "11111111-2222-4333-8444-555555555555",
    transcript_path: join(home, "none.jsonl"),
    cwd: home,
    hook_event_name: name,
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command: "true" },
    tool_use_id: "toolu_1",
  };
  const child = spawn("/bin/sh", ["-c", hookCommand(join(stateDir, "hooks"), name)], {
    cwd: home,
    env: { PATH: "/usr/bin:/bin", HOME: home, BELLHOP_SESSION: "1" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stdin.end(JSON.stringify(payload));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout })));
}

/** As `hook.sh` calls, without its second and further tries; resolves with the status. */
function call({ stateDir }: World): Promise<string> {
  const folder = join(stateDir, "hooks");
  const child = spawn(
    "curl",
    [
      "-q",
      "-K",
      "connection",
      "-m",
      "20",
      "-H",
      "Bellhop-Hook: Stop 1 1 0 - -",
      "-H",
      "Bellhop-Tmux: ",
      "--data-binary",
      "{}",
    ],
    { cwd: folder, stdio: ["ignore", "pipe", "ignore"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  return new Promise((resolve) =>
    child.once("close", (code) => resolve(`${code} ${stdout.trim().split("\n").at(-1)}`)),
  );
}

test.each([600, 3_000])(
  "%i callers of the hooks' socket that say nothing: a hook is answered all the same",
  async (count) => {
    const { world } = await openSession();
    const folder = join(world.stateDir, "hooks");
    await crowd(join(folder, "hook.sock"), count);
    expect(await call(world)).toBe("0 200");
    // It is nobody's Claude, so the daemon lets its own dialog ask; where it is not heard, it is refused in other
    // words.
    const { code, stdout } = await hook(world, "PreToolUse");
    expect([code, stdout]).toEqual([0, ""]);
    expect(readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8")).not.toContain("E_INTERNAL");
  },
);

test.each([600, 3_000])(
  "%i callers of the daemon's own socket that say nothing: bellhop status is answered all the same",
  async (count) => {
    const { world } = await openSession();
    const { socket } = JSON.parse(readFileSync(join(world.stateDir, "link.json"), "utf8")) as { socket: string };
    await crowd(socket, count);
    const child = spawn(process.execPath, [join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs"), "status"], {
      env: { PATH: "/usr/bin:/bin", HOME: world.home, STATE_DIR: world.stateDir },
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  },
);
