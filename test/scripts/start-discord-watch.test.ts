/**
 * The start script: one session of its own in tmux, nothing carried out of what stands in paths and arguments, no token
 * in sight.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
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
import { describe, expect, onTestFinished, test } from "vitest";
import { appears } from "../flows/world.ts";
import { which } from "../../src/host/processes/which.ts";

const root = join(import.meta.dirname, "..", "..");
const tmux = which("tmux", process.env["PATH"]);
/** Everything a shell, or tmux, would like to carry out. */
const NASTY = 'it\'s "here" $(touch a) `touch b` #(touch c) #{pid} ; touch d';

interface Place {
  home: string;
  folder: string;
  run(args: string[], env?: Record<string, string>): { code: number | null; said: string };
  tmux(...args: string[]): string;
}

/** A tmux of its own, and a copy of the script beside a watcher that only stays. */
function open(): Place {
  const home = mkdtempSync(join(tmpdir(), "bellhop-watch-"));
  const folder = join(home, NASTY);
  const copy = join(home, "in stall#(touch e)");
  for (const name of [folder, join(copy, "scripts"), join(copy, "bin"), join(home, "path")])
    mkdirSync(name, { recursive: true });
  execFileSync("cp", [join(root, "scripts", "start-discord-watch.sh"), join(copy, "scripts", "start.sh")]);
  writeFileSync(
    join(copy, "bin", "discord-watch.cjs"),
    'require("node:fs").writeFileSync(`${process.env.HOME}/watching`, ""); setInterval(() => undefined, 1e9);\n',
  );
  for (const program of ["sh", "dirname", "sed", "env"])
    symlinkSync(which(program, process.env["PATH"]) ?? "", join(home, "path", program));
  symlinkSync(process.execPath, join(home, "path", "node"));
  const env = { HOME: home, TMUX_TMPDIR: home, PATH: join(home, "path"), LANG: "C.UTF-8" };
  if (tmux !== null) symlinkSync(tmux, join(home, "path", "tmux"));
  const place: Place = {
    home,
    folder,
    run(args, more = {}) {
      const { status, stdout, stderr } = spawnSync("/bin/sh", [join(copy, "scripts", "start.sh"), ...args], {
        cwd: folder,
        env: { ...env, ...more },
        encoding: "utf8",
      });
      return { code: status, said: `${stdout}${stderr}` };
    },
    tmux: (...args) => execFileSync(tmux ?? "", ["-u", ...args], { env, encoding: "utf8" }).trim(),
  };
  onTestFinished(() => {
    if (tmux !== null) spawnSync(tmux, ["kill-server"], { env });
    rmSync(home, { recursive: true, force: true });
  });
  return place;
}

const needsTmux = test.skipIf(tmux === null && process.env["BELLHOP_TEST_ALL"] !== "1");

/** Nothing of what the names ask for was done. */
function expectUntouched({ home, folder }: Place): void {
  expect([...readdirSync(folder), ...readdirSync(home).filter((name) => name.length === 1)]).toEqual([]);
}

describe("with tmux", () => {
  needsTmux(
    "it starts one session, in this directory, with what it is given, and nothing of that is carried out",
    async () => {
      const place = open();
      const args = ["--interval", "5", "--channel", "$(touch f); #(touch g)"];
      expect(place.run(args)).toMatchObject({ code: 0, said: expect.stringContaining("tmux attach -t discord-watch") });
      // Until then its process may still be tmux's own.
      await appears(join(place.home, "watching"));
      expect(place.tmux("display-message", "-p", "-t", "=discord-watch:", "#{pane_current_path}")).toBe(place.folder);
      const pid = place.tmux("display-message", "-p", "-t", "=discord-watch:", "#{pane_pid}");
      expect(
        execFileSync("cat", [`/proc/${pid}/cmdline`], { encoding: "utf8" })
          .split("\0")
          .slice(2, -1),
      ).toEqual(args);
      expectUntouched(place);
    },
  );

  needsTmux("a second start leaves the first alone and says so", () => {
    const place = open();
    place.run([]);
    const pid = place.tmux("display-message", "-p", "-t", "=discord-watch:", "#{pane_pid}");
    expect(place.run([])).toMatchObject({ code: 0, said: expect.stringContaining("runs already") });
    expect(place.tmux("list-panes", "-a", "-F", "#{pane_pid}")).toBe(pid);
  });

  needsTmux("beside a server that runs already it hands on what is no secret, and never the token", () => {
    const place = open();
    place.tmux("new-session", "-d", "-s", "other", "--", "node", "-e", "setInterval(() => undefined, 1e9)");
    const { said } = place.run([], { DISCORD_CHANNEL_ID: "310000000000000001", DISCORD_BOT_TOKEN: "secret-token" });
    expect(said).toContain("not handed on");
    const environment = place.tmux("show-environment", "-t", "=discord-watch");
    expect(environment).toContain("DISCORD_CHANNEL_ID=310000000000000001");
    expect(environment).not.toContain("secret-token");
  });
});

test("without tmux it starts nothing and says what to do instead", () => {
  const place = open();
  rmSync(join(place.home, "path", "tmux"), { force: true });
  expect(place.run(["--interval", "7"])).toEqual({
    code: 69,
    said: expect.stringMatching(/tmux is not installed[\s\S]*discord-watch --interval 7/),
  });
});

test("the script is shipped, may be run, and is beside the watcher it starts", () => {
  const { files, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    files: string[];
    bin: Record<string, string>;
  };
  expect(files).toContain("scripts");
  expect(bin["discord-watch"]).toBe("bin/discord-watch.cjs");
  for (const path of ["scripts/start-discord-watch.sh", "bin/discord-watch.cjs"])
    expect(statSync(join(root, path)).mode & 0o111).toBe(0o111);
});
