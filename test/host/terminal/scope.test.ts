/**
 * A tmux server that a systemd service starts stands in a scope of its own, or stopping the service would end it with
 * every window. Here systemd-run is a stand-in that writes down its words; the real one is asked where there is one.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { which } from "../../../src/host/processes/which.ts";
import { outOfUnit, openTmux, type Tmux } from "../../../src/host/terminal/tmux.ts";

const file = which("tmux", process.env["PATH"]);
const UNIT = { INVOCATION_ID: "0123456789abcdef0123456789abcdef" };
const WORDS = "--user --scope --collect --quiet --";

function openScene(answer = 0): { folder: string; PATH: string; asked(): string[] } {
  const folder = mkdtempSync(join(tmpdir(), "bellhop-scope-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(folder, "bin"));
  const log = join(folder, "asked");
  writeFileSync(log, "");
  writeFileSync(
    join(folder, "bin", "systemd-run"),
    `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\n[ ${answer} = 0 ] || exit ${answer}\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n`,
    { mode: 0o755 },
  );
  return {
    folder,
    PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
    asked: () => readFileSync(log, "utf8").split("\n").slice(0, -1),
  };
}

function server(folder: string, service: Record<string, string>): Tmux {
  const tmux = openTmux({
    file: file ?? "",
    env: { PATH: "/usr/bin:/bin", HOME: folder, LANG: "C.UTF-8" },
    service,
    socket: join(folder, "socket"),
  });
  onTestFinished(async () => {
    for (const pane of await tmux.panes()) await tmux.close(pane);
  });
  return tmux;
}

const window = (cwd: string): Parameters<Tmux["open"]>[0] => ({
  session: "test",
  name: "one",
  cwd,
  argv: ["/bin/sh", "-c", "exec cat"],
  env: {},
});

test.skipIf(file === null)(
  "in a service the server is started in a scope, once, and further windows and keys are not",
  async () => {
    const { folder, PATH, asked } = openScene();
    const tmux = server(folder, { ...UNIT, PATH });
    const pane = await tmux.open(window(folder));
    await tmux.open(window(folder));
    expect(await tmux.write(pane.pane_id, "x")).toBe(true);
    expect(asked()).toEqual([
      `${WORDS} /bin/true`,
      expect.stringMatching(new RegExp(`^${WORDS} ${file} -u -S ${tmux.socket} -f /dev/null start-server ; `)),
    ]);
    expect(asked().join()).not.toContain(UNIT.INVOCATION_ID);
  },
);

test.skipIf(file === null)("a user manager that does not answer is no reason not to open a window", async () => {
  const { folder, PATH, asked } = openScene(1);
  const tmux = server(folder, { ...UNIT, PATH });
  expect(await tmux.panes()).toEqual([]);
  await tmux.open(window(folder));
  expect(await tmux.panes()).toHaveLength(1);
  expect(asked()).toEqual([`${WORDS} /bin/true`]);
});

test("outside of a service, and without systemd-run, nothing is put before it", async () => {
  const { folder, PATH, asked } = openScene();
  expect(await outOfUnit({ PATH })).toEqual([]);
  expect(await outOfUnit({ ...UNIT, PATH: folder })).toEqual([]);
  expect(asked()).toEqual([]);
});

/** The whole row: a service that is stopped leaves its windows. */
test("stopping a real service leaves the server of its scope alive", () => {
  const manager = systemd("is-system-running");
  // No container has one, so that this is no test to skip: it would be missing from each run in which nothing may be.
  if (!/^(running|degraded)/.test(manager) || file === null) {
    process.stderr.write(
      "NOT SHOWN: that windows outlive `systemctl --user restart`, because no systemd user manager answers here.\n",
    );
    return;
  }
  const { folder } = openScene();
  const unit = `bellhop-test-${process.pid}`;
  const socket = join(folder, "real");
  const script = `exec systemd-run --user --scope --collect --quiet -- ${file} -S ${socket} -f /dev/null new-session -d cat`;
  // It is over with its script, and everything in it is ended.
  execFileSync(which("systemd-run", process.env["PATH"]) ?? "", [
    "--user",
    "--collect",
    "--wait",
    `--unit=${unit}`,
    "/bin/sh",
    "-c",
    script,
  ]);
  expect(execFileSync(file, ["-S", socket, "list-panes", "-a"], { encoding: "utf8" })).not.toBe("");
  execFileSync(file, ["-S", socket, "kill-server"]);
});

function systemd(...args: string[]): string {
  try {
    return execFileSync(which("systemctl", process.env["PATH"]) ?? "", ["--user", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout ?? "");
  }
}
