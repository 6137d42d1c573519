/**
 * `bellhop service`: what it writes, what it asks of the system, what it leaves alone, and that systemd takes the unit.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseDotenv } from "../../src/config/env-files.ts";
import { errors } from "../../src/base/errors.ts";
import { runProgram } from "../../src/host/processes/program.ts";
import { which } from "../../src/host/processes/which.ts";
import { takeLock } from "../../src/journal/lock.ts";
import { readPlist } from "./unit/plist.ts";
import { openScene, TOKEN } from "./unit/scene.ts";

const UNIT = ".config/systemd/user/bellhop.service";
const SETTINGS = ".config/bellhop/service.env";
const TOKEN_FILE = ".config/bellhop/token";
const PLIST = "Library/LaunchAgents/bellhop.plist";
const started = [
  "systemctl --version",
  "systemctl --user daemon-reload",
  "systemctl --user enable bellhop.service",
  "systemctl --user is-active bellhop.service",
  "systemctl --user --no-block start bellhop.service",
];

describe("install", () => {
  test("writes unit, settings and token, each readable by its owner alone, starts it, and says how to let it linger", async () => {
    const { run, asked, read, mode, home } = openScene();
    const { code, out } = await run("install");
    expect(code).toBe(0);
    expect(asked).toEqual(started);
    expect([UNIT, SETTINGS, TOKEN_FILE].map(mode)).toEqual(["600", "600", "600"]);
    expect(read(TOKEN_FILE)).toBe(`${TOKEN}\n`);
    for (const path of [UNIT, SETTINGS, TOKEN_FILE]) expect(out).toContain(`Written: ${join(home, path)}\n`);
    expect(out).toContain("It is starting.");
    expect(out).toContain("loginctl enable-linger");
    expect(out).not.toContain(TOKEN);
  });

  test("puts no secret into the unit, and the token into no environment", async () => {
    const { run, read, machine, home } = openScene();
    machine.env = {
      ...machine.env,
      ANTHROPIC_API_KEY: "sk-secret-of-the-owner",
      TERM: "xterm",
      SSH_AUTH_SOCK: "/tmp/x",
      CLAUDECODE: "1",
    };
    await run("install");
    expect(read(UNIT)).not.toContain("sk-secret");
    expect(read(UNIT) + read(SETTINGS)).not.toContain(TOKEN);
    expect(Object.fromEntries(parseDotenv(read(SETTINGS)).values)).toEqual({
      ANTHROPIC_API_KEY: "sk-secret-of-the-owner",
      STATE_DIR: join(home, ".local/state/bellhop"),
      DISCORD_TOKEN_FILE: join(home, TOKEN_FILE),
    });
  });

  test("run again, changes nothing, and does not start what runs", async () => {
    const { run, asked, answers, home } = openScene();
    await run("install");
    answers["systemctl --user is-active"] = { code: 0, stdout: "active\n" };
    asked.length = 0;
    const { code, out } = await run("install");
    expect(code).toBe(0);
    expect(asked).toEqual(started.slice(0, -1));
    for (const path of [UNIT, SETTINGS, TOKEN_FILE]) expect(out).toContain(`Unchanged: ${join(home, path)}\n`);
    expect(out).not.toContain("restart");
  });

  test("brings an older unit up to date, and leaves a running one running until its owner says so", async () => {
    const { run, read, write, asked, answers, home } = openScene();
    write(UNIT, "# Written by `bellhop service install`\n[Service]\nExecStart=/old/bellhop start\n");
    answers["systemctl --user is-active"] = { code: 3, stdout: "activating\n" };
    const { out } = await run("install");
    expect(out).toContain(`Updated: ${join(home, UNIT)}`);
    expect(out).toContain("systemctl --user restart bellhop");
    expect(read(UNIT)).toContain("WatchdogSec=");
    expect(asked.filter((command) => /start|stop/.test(command))).toEqual([]);
  });

  test("keeps what an earlier installation or its owner set, comments too, and takes what is set now", async () => {
    const { run, read, write, machine } = openScene();
    machine.env = { HOME: machine.home, BELLHOP_LOCALE: "ko", LANG: "ko_KR.UTF-8" };
    write("my token", `${TOKEN}\n`);
    write(
      SETTINGS,
      `# mine\nOPENAI_API_KEY="a b"\nBELLHOP_LOCALE='ja'\nDISCORD_TOKEN_FILE='${join(machine.home, "my token")}'\nSTATE_DIR='/somewhere/else'\n`,
    );
    expect((await run("install")).code).toBe(0);
    expect(read(SETTINGS)).toBe(
      `# mine\nOPENAI_API_KEY="a b"\nBELLHOP_LOCALE='ko'\nDISCORD_TOKEN_FILE='${join(machine.home, "my token")}'\nSTATE_DIR='/somewhere/else'\nLANG='ko_KR.UTF-8'\n`,
    );
    expect(existsSync(join(machine.home, TOKEN_FILE))).toBe(false);
  });

  test("takes the `.env` that is named, its paths made absolute, under what the shell says", async () => {
    const { run, read, machine } = openScene();
    machine.env = { HOME: machine.home, DISCORD_GUILD_ID: "223456789012345678" };
    writeFileSync(join(machine.cwd, "t"), TOKEN, { mode: 0o600 });
    writeFileSync(
      join(machine.cwd, ".env"),
      `DISCORD_TOKEN_FILE=t\nSTATE_DIR=state\nDISCORD_GUILD_ID=123456789012345678\nAGENT_COMMAND='["a b"]'\nEDITOR=vi\n`,
    );
    // Unnamed it may be anybody's, and a service without it would be another one.
    expect((await run("install")).code).toBe("E_CONFIG_INVALID");
    machine.envFile = ".env";
    expect((await run("install")).code).toBe(0);
    expect(Object.fromEntries(parseDotenv(read(SETTINGS)).values)).toEqual({
      DISCORD_TOKEN_FILE: join(machine.cwd, "t"),
      STATE_DIR: join(machine.cwd, "state"),
      DISCORD_GUILD_ID: "223456789012345678",
      AGENT_COMMAND: '["a b"]',
    });
  });

  test("never makes a file's word for where the token goes the service's own", async () => {
    const { run, write, machine } = openScene();
    mkdirSync(join(machine.home, ".config", "bellhop"), { recursive: true });
    write(".config/bellhop/.env", "BELLHOP_DISCORD_API=https://example.com/api\n");
    expect((await run("install")).code).toBe("E_CONFIG_INVALID");
  });

  test("leaves out a value that no such file can hold, and says which", async () => {
    const { run, read, machine } = openScene();
    machine.env = { ...machine.env, ANTHROPIC_CUSTOM: "it's\nlong" };
    expect((await run("install")).out).toContain("ANTHROPIC_CUSTOM has a value that this file cannot hold");
    expect(read(SETTINGS)).not.toContain("ANTHROPIC");
  });

  test("does not start beside a daemon that has the state directory already", async () => {
    const { run, write, asked, home } = openScene();
    write(".local/state/bellhop/x", "");
    chmodSync(join(home, ".local/state/bellhop"), 0o700);
    const lock = takeLock(join(home, ".local/state/bellhop"));
    const { out } = await run("install");
    lock.release();
    expect(out).toMatch(
      new RegExp(`Another Bellhop \\(process ${process.pid}\\).*: systemctl --user start bellhop.service\\n`),
    );
    expect(asked.some((command) => command.includes("start"))).toBe(false);
  });

  test("a systemd that cannot be asked: the files stand, and the owner is told what to run and why", async () => {
    const { run, answers, home } = openScene();
    answers["systemctl --user daemon-reload"] = { code: 1, stderr: "Failed to connect to bus: No medium found\n" };
    const { code, out } = await run("install");
    expect(code).toBe(71);
    expect(out).toContain(
      "systemctl did not answer (Failed to connect to bus: No medium found). Run this where it works: systemctl --user daemon-reload && systemctl --user enable bellhop.service && systemctl --user --no-block start bellhop.service\n",
    );
    expect(existsSync(join(home, UNIT))).toBe(true);
  });
});

describe("a refusal changes nothing", () => {
  const files = (home: string): string[] =>
    readdirSync(home, { recursive: true })
      .map(String)
      .filter((name) => name !== "shell");

  test.each([
    ["neither systemd nor launchd", { systemd: false }, /neither systemd nor launchd/],
    ["Windows", { platform: "win32" as const }, /neither systemd nor launchd/],
    [
      "another user's home, as with sudo",
      { uid: 1 + (process.getuid?.() ?? 0) },
      /does not belong to the current user/,
    ],
    [
      "npm's cache, which is cleaned away",
      { program: "/home/me/.npm/_npx/ab12/node_modules/bellhop/bin/bellhop.cjs" },
      /npm install -g bellhop/,
    ],
    ["a program no unit can name", { node: '/home/me/"mine"/node' }, /a unit file cannot hold/],
    ["a path no unit can name", { program: "/home/me/new\nline/bellhop.cjs" }, /a unit file cannot hold/],
  ])("%s", async (_why, more, sentence) => {
    const { run, home } = openScene(more);
    expect(await run("install")).toMatchObject({
      code: "E_SERVICE_REFUSED",
      out: "",
      why: expect.stringMatching(sentence) as string,
    });
    expect(files(home)).toEqual([]);
  });

  test("no token, and a wrong setting", async () => {
    const { run, machine, home } = openScene();
    machine.env = { HOME: home };
    expect(await run("install")).toMatchObject({ code: "E_CONFIG_INVALID", why: { where: "DISCORD_BOT_TOKEN" } });
    machine.env = { HOME: home, DISCORD_BOT_TOKEN: TOKEN, DISCORD_OWNER_ID: "me" };
    expect(await run("install")).toMatchObject({ code: "E_CONFIG_INVALID", why: { where: "DISCORD_OWNER_ID" } });
    expect(files(home)).toEqual([]);
  });

  test("a unit somebody else wrote, or a link: neither install nor remove touches it", async () => {
    const { run, write, read, home } = openScene();
    write(UNIT, "[Service]\nExecStart=/usr/bin/mine\n");
    for (const verb of ["install", "remove"])
      expect(await run(verb)).toMatchObject({ code: "E_UNIT_FOREIGN", why: join(home, UNIT) });
    expect(read(UNIT)).toContain("/usr/bin/mine");
    const other = openScene();
    other.write("elsewhere", "# Written by `bellhop service install`\n");
    other.write(".config/systemd/user/x", "");
    symlinkSync(join(other.home, "elsewhere"), join(other.home, UNIT));
    expect(await other.run("install")).toMatchObject({ code: "E_UNIT_FOREIGN" });
  });

  test("a directory that cannot be made is named", async () => {
    const { run, write, home } = openScene();
    write(".config/bellhop", "a file where the directory belongs");
    expect(await run("install")).toMatchObject({
      code: "E_SERVICE_REFUSED",
      why: expect.stringContaining(join(home, TOKEN_FILE)) as string,
    });
  });
});

describe("remove", () => {
  test("stops it, removes the unit and nothing else; done twice, it says that there is nothing", async () => {
    const { run, asked, home } = openScene();
    await run("install");
    asked.length = 0;
    const { code, out } = await run("remove");
    expect(code).toBe(0);
    expect(asked).toEqual([
      "systemctl --version",
      "systemctl --user disable --now bellhop.service",
      "systemctl --user daemon-reload",
    ]);
    expect(out).toBe(`Stopped and removed: ${join(home, UNIT)}\nNot changed: ${join(home, ".config/bellhop")}\n`);
    expect([UNIT, SETTINGS, TOKEN_FILE].map((path) => existsSync(join(home, path)))).toEqual([false, true, true]);
    expect(await run("remove")).toEqual({
      code: 0,
      out: `There is no service to remove: ${join(home, UNIT)} does not exist.\n`,
    });
  });
});

describe("the unit", () => {
  test("is started again only after ends that a restart may help", async () => {
    const { out } = await openScene().run("print");
    const prevented = /^RestartPreventExitStatus=(.*)$/m.exec(out)?.[1]?.split(" ").map(Number) ?? [];
    for (const [code, { exit, restart }] of Object.entries(errors)) {
      if (restart !== undefined) expect(prevented.includes(exit ?? -1), code).toBe(!restart);
    }
    expect(prevented).toContain(64);
    expect(prevented).not.toContain(0);
  });

  test("print writes nothing, and asks for more patience where systemd knows how", async () => {
    const { run, answers, home } = openScene();
    expect((await run("print")).out).not.toContain("RestartSteps");
    answers["systemctl --version"] = { stdout: "systemd 257 (257.2)\n" };
    expect((await run("print")).out).toContain("RestartSteps=8\nRestartMaxDelaySec=5min\n");
    expect(readdirSync(home)).toEqual(["shell"]);
  });

  test("print works where systemd does not run, and where it is not installed", async () => {
    const { run, answers } = openScene({ systemd: false });
    answers["systemctl --version"] = { code: null, stderr: "systemctl: not found" };
    expect(await run("print")).toMatchObject({
      code: 0,
      out: expect.stringContaining("[Service]\nType=notify\n") as string,
    });
    expect(await run("remove")).toMatchObject({ code: "E_SERVICE_REFUSED" });
  });

  test("takes from the daemon and its agents what neither needs, and says what it cannot take", async () => {
    const { out } = await openScene().run("print");
    for (const line of ["NoNewPrivileges=yes", "RestrictRealtime=yes", "LimitCORE=0:infinity"])
      expect(out).toContain(`\n${line}\n`);
    expect(out).toContain("# Agents are children of this service");
    expect(out).toContain("whoever runs as you can stop this service anyway.\nNotifyAccess=all\n");
  });

  const analyze = which("systemd-analyze", process.env["PATH"]);
  if (analyze === null)
    process.stderr.write("The unit is not verified: there is no systemd-analyze (Debian: apt-get install systemd).\n");

  test.skipIf(analyze === null && process.env["BELLHOP_TEST_ALL"] !== "1")(
    "is one that systemd takes without a word, whatever its paths hold",
    async () => {
      const scene = openScene();
      const version = await runProgram({
        file: which("systemctl", process.env["PATH"]) ?? "",
        args: ["--version"],
        env: process.env,
      });
      scene.answers["systemctl --version"] = version;
      // systemd wants the programs to be there.
      scene.write("odd % $HOME dir/no de", "#!/bin/sh\n", 0o755);
      scene.machine.node = join(scene.home, "odd % $HOME dir/no de");
      scene.machine.env = { ...scene.machine.env, PATH: '/usr/bin:/odd % dir/$x/"y"\\z' };
      await scene.run("install");
      const unit = join(scene.home, UNIT);
      const verify = async () =>
        runProgram({
          file: analyze ?? "",
          args: ["--user", "--man=no", "verify", unit],
          env: { PATH: process.env["PATH"], HOME: scene.home, XDG_RUNTIME_DIR: scene.home, LC_ALL: "C" },
        });
      expect(await verify()).toEqual({ code: 0, stdout: "", stderr: "" });
      // The check bites.
      writeFileSync(unit, scene.read(UNIT).replace("WatchdogSec=120", "WatchdogSec=sometimes"));
      expect((await verify()).stderr).toContain("sometimes");
    },
  );
});

describe("launchd", () => {
  const mac = () => openScene({ platform: "darwin", systemd: false });

  test("gets an agent that a parser reads back, with nothing secret in it", async () => {
    const { run, read, machine, home, asked } = mac();
    machine.env = { ...machine.env, PATH: "/a&b:/<c>", OPENAI_API_KEY: "sk-secret" };
    const { code, out } = await run("install");
    expect({ code, linger: out.includes("linger") }).toEqual({ code: 0, linger: false });
    expect(read(PLIST)).not.toContain("sk-secret");
    expect(readPlist(read(PLIST))).toEqual({
      Label: "bellhop",
      ProgramArguments: [
        machine.node,
        `--env-file-if-exists=${join(home, SETTINGS)}`,
        machine.program,
        "start",
        "--service=launchd",
      ],
      WorkingDirectory: join(home, ".config/bellhop"),
      EnvironmentVariables: { PATH: "/a&b:/<c>" },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 30,
      ExitTimeOut: 60,
      StandardErrorPath: join(home, ".local/state/bellhop/logs/launchd.log"),
    });
    expect(asked).toEqual([
      `launchctl print gui/${machine.uid}/bellhop`,
      `launchctl bootstrap gui/${machine.uid} ${join(home, PLIST)}`,
    ]);
  });

  test("lets it go again", async () => {
    const { run, machine, asked, home } = mac();
    await run("install");
    asked.length = 0;
    expect((await run("remove")).code).toBe(0);
    expect(asked).toEqual([`launchctl bootout gui/${machine.uid}/bellhop`]);
    expect(existsSync(join(home, PLIST))).toBe(false);
  });
});
