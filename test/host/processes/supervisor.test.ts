/** What systemd is told: asked of a fake clock, and once with systemd's own program and a socket like systemd's. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { runProgram, type ProgramAnswer } from "../../../src/host/processes/program.ts";
import { openSupervisor } from "../../../src/host/processes/supervisor.ts";
import { which } from "../../../src/host/processes/which.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

const WATCHED = { NOTIFY_SOCKET: "/run/somewhere", WATCHDOG_USEC: "30000000" };
const SIGN_MS = 10_000;

function scene(env: Record<string, string>) {
  const clock = createFakeClock();
  const said: string[] = [];
  const failures: string[] = [];
  const state = { healthy: true, answer: { code: 0, stdout: "", stderr: "" } as ProgramAnswer };
  const notify = async (words: readonly string[]): Promise<ProgramAnswer> => {
    said.push(words.filter((word) => !word.startsWith("STATUS=")).join(" "));
    return state.answer;
  };
  const supervisor = openSupervisor({
    env,
    clock,
    notifySystemd: notify,
    healthy: () => state.healthy,
    onNotifyFailure: (reason) => failures.push(reason),
  });
  return { clock, said, failures, state, supervisor };
}

test("nobody is told anything where nobody asked", async () => {
  const { clock, said, supervisor } = scene({ WATCHDOG_USEC: "30000000" });
  await supervisor.ready();
  await clock.advance(SIGN_MS * 10);
  await supervisor.stopping();
  expect(said).toEqual([]);
});

test("a start may take as long as it gives signs of life, and then it is alive three times in each watchdog's time", async () => {
  const { clock, said, supervisor } = scene(WATCHED);
  await clock.advance(SIGN_MS * 2);
  expect(said).toEqual(["EXTEND_TIMEOUT_USEC=30000000", "EXTEND_TIMEOUT_USEC=30000000"]);
  await supervisor.ready();
  await clock.advance(SIGN_MS * 3);
  await supervisor.stopping();
  await clock.advance(SIGN_MS * 3);
  expect(said.slice(2)).toEqual(["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"]);
});

test("a daemon that is not well gives no sign of life, and gives them again when it is", async () => {
  const { clock, said, state, supervisor } = scene(WATCHED);
  await supervisor.ready();
  state.healthy = false;
  await clock.advance(SIGN_MS * 5);
  expect(said).toEqual(["READY=1"]);
  state.healthy = true;
  await clock.advance(SIGN_MS);
  expect(said).toEqual(["READY=1", "WATCHDOG=1"]);
});

test("no watchdog, or another process's: ready is told, and no signs of life", async () => {
  for (const env of [
    { NOTIFY_SOCKET: "/run/x" },
    { ...WATCHED, WATCHDOG_PID: "1" },
    { ...WATCHED, WATCHDOG_USEC: "soon" },
  ]) {
    const { clock, said, supervisor } = scene(env);
    await supervisor.ready();
    await clock.advance(1_000_000);
    expect(said).toEqual(["READY=1"]);
  }
});

test("a systemd that cannot be told is a failure that is said once, and no end of anything", async () => {
  const { clock, failures, state, supervisor, said } = scene(WATCHED);
  state.answer = { code: 1, stdout: "", stderr: "no such socket" };
  await supervisor.ready();
  await clock.advance(SIGN_MS * 3);
  expect(said).toHaveLength(4);
  expect(failures).toEqual(["no such socket"]);
});

const notify = which("systemd-notify", process.env["PATH"]);
const present = notify !== null && existsSync("/usr/bin/perl");
if (!present)
  process.stderr.write("systemd-notify is not tried: it is not here (Debian: apt-get install systemd perl).\n");

/** systemd's end of the socket: prints what comes, and lets go of the descriptor that `systemd-notify` waits for. */
const RECEIVER = `
use strict; use Socket; $| = 1;
socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die; bind($s, sockaddr_un($ARGV[0])) or die; print "bound\\n";
while (defined recv($s, my $text, 65536, 0)) { print join(" ", split(/\\n/, $text)), "\\n"; }
`;

test.skipIf(!present && process.env["BELLHOP_TEST_ALL"] !== "1")(
  "systemd's own program takes our words to systemd's kind of socket",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "bellhop-notify-"));
    const socket = join(folder, "notify");
    const receiver = spawn("/usr/bin/perl", ["-e", RECEIVER, socket], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => {
      receiver.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    });
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
    await lines.next();
    const supervisor = openSupervisor({
      env: { NOTIFY_SOCKET: socket },
      clock: createFakeClock(),
      notifySystemd: (args) =>
        runProgram({ file: notify ?? "", args: ["--no-block", ...args], env: { NOTIFY_SOCKET: socket } }),
      healthy: () => true,
      onNotifyFailure: (reason) => expect.unreachable(reason),
    });
    await supervisor.ready();
    expect((await lines.next()).value).toMatch(/^READY=1 STATUS=Messages are accepted\./);
    await supervisor.stopping();
    expect((await lines.next()).value).toMatch(/^STOPPING=1 /);
  },
);
