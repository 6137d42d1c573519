/** The built daemon under a supervisor: what systemd hears of it, and how launchd is told of an end for good. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { answered, openWorld } from "./world.ts";

const present = ["/usr/bin/systemd-notify", "/usr/bin/perl"].every((program) => existsSync(program));
if (!present)
  process.stderr.write(
    "What systemd hears is not tried: there is no systemd-notify or perl (Debian: apt-get install systemd perl).\n",
  );

/**
 * systemd's end of the socket; a descriptor that comes along is let go of, which is what `systemd-notify` waits for.
 */
const RECEIVER = `
use strict; use Socket; $| = 1;
socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die; bind($s, sockaddr_un($ARGV[0])) or die; print "bound\\n";
while (defined recv($s, my $text, 65536, 0)) { print "$_\\n" for grep { !/^(STATUS|BARRIER)=/ } split(/\\n/, $text); }
`;

test.skipIf(!present && process.env["BELLHOP_TEST_ALL"] !== "1")(
  "systemd hears that it is ready, that it is alive and that it stops; its agents are told nothing of systemd",
  async () => {
    const world = await openWorld();
    const socket = join(world.home, "notify");
    const receiver = spawn("/usr/bin/perl", ["-e", RECEIVER, socket], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void receiver.kill("SIGKILL"));
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
    const heard = async (): Promise<string> => String((await lines.next()).value);
    expect(await heard()).toBe("bound");
    const daemon = world.daemon({ env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "600000" } });
    await daemon.ready;
    // On a busy machine the start takes longer than a sign of life; and each is sent by a process of its own, so one
    // may arrive before another that was sent earlier.
    const signs: string[] = [];
    while (!signs.includes("READY=1") || signs.filter((sign) => sign === "WATCHDOG=1").length < 2)
      signs.push(await heard());
    expect(signs.filter((sign) => sign !== "EXTEND_TIMEOUT_USEC=600000" && sign !== "WATCHDOG=1")).toEqual(["READY=1"]);
    const thread = await world.session();
    await world.owner(thread).send("echo:here");
    await answered(world, thread, ["here"]);
    expect(world.agentStarts()[0]?.env.filter((name) => /NOTIFY|WATCHDOG/.test(name))).toEqual([]);
    await daemon.kill("SIGTERM");
    let last = await heard();
    while (last === "WATCHDOG=1") last = await heard();
    expect(last).toBe("STOPPING=1");
    expect(await daemon.exited).toEqual({ code: 0, signal: null });
    expect(daemon.stderr()).not.toContain("could not be reported");
  },
);

test("a service without a token is never the sandbox; launchd is told of an end for good as of a success", async () => {
  const world = await openWorld({ agent: "none" });
  const start = (service: string) =>
    spawnSync(
      process.execPath,
      [join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs"), "start", `--service=${service}`],
      {
        cwd: world.home,
        env: { PATH: "/usr/bin:/bin", HOME: world.home, LANG: "C.UTF-8", STATE_DIR: world.stateDir },
        encoding: "utf8",
      },
    );
  for (const [service, code] of [
    ["systemd", 78],
    ["launchd", 0],
  ] as const) {
    const { status, stdout, stderr } = start(service);
    expect({ service, status, stdout }).toEqual({ service, status: code, stdout: "" });
    expect(stderr).toMatch(/^E_CONFIG_INVALID: DISCORD_BOT_TOKEN: found nothing/);
  }
});
