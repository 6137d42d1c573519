/** `bellhop doctor`: each fault is provoked, seen under its name, and told with the line that mends it. */
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PermissionFlagsBits as Bit } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config-file.ts";
import { openFreshMachine, type FreshMachine } from "./fresh-machine.ts";

interface Told {
  ok: boolean;
  mended: string[];
  findings: { check: string; verdict: string; says: string; mend: string | null; fixable: boolean }[];
}

async function doctor(
  machine: FreshMachine,
  argv: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Told & { code: number | null }> {
  const { code, out, err } = await machine.run(["doctor", "--json", ...argv], { env });
  expect(err).toBe("");
  expect(out).not.toContain(machine.sandbox.botToken.slice(-12));
  return { code, ...(JSON.parse(out) as Told) };
}

async function openSetUp(): Promise<FreshMachine> {
  const machine = await openFreshMachine();
  expect(
    (await machine.run(["init", "--yes", "--run", "later"], { env: { DISCORD_BOT_TOKEN: machine.sandbox.botToken } }))
      .code,
  ).toBe(0);
  return machine;
}

const config = ({ paths }: FreshMachine): string => join(paths.state, "config.json");

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

function addsAgent(name: string): void {
  readConfig(JSON.stringify({ version: 1, projects: {}, acp_agents: { [name]: { command: ["x"] } } }));
}

test("a healthy installation is all green, in words too", async () => {
  const machine = await openSetUp();
  await machine.start();
  const { code, ok, findings } = await doctor(machine);
  expect(findings.filter(({ verdict }) => verdict === "bad" || verdict === "warn")).toEqual([]);
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  const drivers = findings
    .filter(({ check }) => check.startsWith("agent "))
    .map(({ check }) => check.slice("agent ".length));
  expect(drivers).toContain("codex");
  for (const name of drivers)
    expect(() => addsAgent(name), "an agent of config.json would hide this driver").toThrow(
      expect.objectContaining({ code: "E_CONFIG_INVALID" }),
    );
  expect(() => addsAgent("another")).not.toThrow();
  // Whether tmux is there is this machine's matter.
  const good = findings
    .filter(({ verdict, check }) => verdict === "good" && check !== "tmux")
    .map(({ check }) => check);
  expect(good.sort()).toEqual([
    "agent claude",
    "channel",
    "clock",
    "config",
    "daemon",
    "disk",
    "gateway",
    "intents",
    "journal",
    "network",
    "server",
    "settings",
    "token",
  ]);
  const { out } = await machine.run(["doctor"]);
  expect(out).toContain("✓ In #general the bot has every permission it needs.\n");
  expect(out).toMatch(/- codex is not installed\.\n {4}→ npm install --global @openai\/codex {3}then: codex login\n/);
  expect(out).toMatch(/Everything needed works\.\n$/);
  // It neither identified nor stayed.
  expect(machine.sandbox.connections().filter(({ userId }) => userId === machine.sandbox.botId)).toHaveLength(1);
});

/** The main bot's server has a control panel in this channel. */
function withPanel(machine: FreshMachine, channelId: string): void {
  edit(config(machine), (text) =>
    JSON.stringify({
      ...(JSON.parse(text) as object),
      servers: { main: { guild_id: machine.sandbox.guildId, general_channel_id: channelId } },
    }),
  );
}

type Fault = [
  name: string,
  provoke: (machine: FreshMachine) => Record<string, string> | void | Promise<void>,
  check: string,
  verdict: "bad" | "warn",
  says: RegExp,
  mend: RegExp,
];

const faults: Fault[] = [
  [
    "a token that was reset",
    ({ sandbox }) => void sandbox.resetToken(sandbox.botId),
    "token",
    "bad",
    /Discord rejected the bot token/,
    /bellhop init --token-file -/,
  ],
  [
    "a token of another application",
    () => ({ DISCORD_APP_ID: "123456789012345678" }),
    "token",
    "bad",
    /DISCORD_APP_ID: found "123456789012345678"/,
    /./,
  ],
  [
    "a token that is none",
    ({ paths }) => writeFileSync(paths.token, "not a token\n"),
    "settings",
    "bad",
    /DISCORD_TOKEN_FILE: found/,
    /./,
  ],
  [
    "two tokens",
    ({ sandbox }) => ({ DISCORD_BOT_TOKEN: sandbox.botToken, DISCORD_TOKEN: "another" }),
    "settings",
    "warn",
    /DISCORD_TOKEN/,
    /./,
  ],
  [
    "an intent that is off",
    ({ sandbox }) => sandbox.setIntents({ messageContent: false }),
    "intents",
    "bad",
    /Message Content Intent is off/,
    /discord\.com\/developers\/applications\/\d+\/bot$/,
  ],
  [
    "a bot that is not in its server",
    ({ sandbox }) => void sandbox.kick(sandbox.botId),
    "server",
    "bad",
    /not in the server \d+/,
    /^Invite it: https:.*permissions=328565066752$/,
  ],
  [
    "a channel that is not there",
    () => ({ DISCORD_CHANNEL_ID: "123456789012345678" }),
    "channel",
    "bad",
    /no text channel 123456789012345678/,
    /bellhop init/,
  ],
  [
    "a permission that the channel takes away",
    ({ sandbox }) =>
      sandbox.setOverwrites(sandbox.channelId, [
        { id: sandbox.guildId, type: 0, allow: "0", deny: String(Bit.AddReactions | Bit.AttachFiles) },
      ]),
    "channel",
    "bad",
    /In #general the bot lacks: Attach Files, Add Reactions\./,
    /settings of #general, under Permissions/,
  ],
  [
    "a channel the bot cannot see",
    ({ sandbox }) =>
      sandbox.setOverwrites(sandbox.channelId, [
        { id: sandbox.guildId, type: 0, allow: "0", deny: String(Bit.ViewChannel) },
      ]),
    "channel",
    "bad",
    /lacks: View Channel, Send Messages/,
    /Permissions/,
  ],
  [
    "a control panel's channel that is not there",
    (machine) => withPanel(machine, "123456789012345678"),
    "panel",
    "bad",
    /no text channel 123456789012345678/,
    /^Set general_channel_id of this server in config\.json/,
  ],
  [
    "a control panel's channel in which the bot may not write",
    (machine) => {
      const { sandbox } = machine;
      const id = sandbox.addChannel("panel");
      sandbox.setOverwrites(id, [{ id: sandbox.guildId, type: 0, allow: "0", deny: String(Bit.SendMessages) }]);
      withPanel(machine, id);
    },
    "panel",
    "bad",
    /In #panel the bot lacks: Send Messages\./,
    /settings of #panel, under Permissions/,
  ],
  [
    "a config.json that is no JSON",
    (machine) => edit(config(machine), (text) => text.slice(0, -10)),
    "config",
    "bad",
    /config\.json \d+:\d+: found/,
    /./,
  ],
  [
    "a key that has no effect",
    (machine) => edit(config(machine), (text) => text.replace("{", '{ "after_cra": 1,')),
    "config",
    "warn",
    /after_cra.*after_crash/,
    /Correct or remove the key in .*config\.json/,
  ],
  [
    "a project whose directory is gone",
    ({ repository, home }) => {
      mkdirSync(join(home, "moved"));
      rmSync(join(repository, ".git"), { recursive: true });
      edit(join(home, ".local/state/bellhop/config.json"), (text) => text.replaceAll(repository, `${repository}-gone`));
    },
    "project shop",
    "warn",
    /The project shop is unavailable/,
    /Correct its path in .*config\.json/,
  ],
  [
    "an agent that is gone",
    ({ home }) => rmSync(join(home, "bin", "claude")),
    "agent claude",
    "bad",
    /claude is not installed/,
    /^npm install --global @anthropic-ai\/claude-code {3}then: claude auth login$/,
  ],
  [
    "an agent that does not start",
    ({ home }) => writeFileSync(join(home, "bin", "claude"), "#!/bin/sh\nexit 1\n"),
    "agent claude",
    "bad",
    /claude is installed, but does not say its version/,
    /^npm install --global/,
  ],
  [
    "an agent that is logged out",
    ({ home }) => {
      writeFileSync(join(home, "logged-out"), "");
      // As one that has run before.
      writeFileSync(join(home, ".claude.json"), "{}");
    },
    "agent claude",
    "bad",
    /claude 2\.1\.329 is not logged in/,
    /^Run: claude auth login$/,
  ],
  [
    "a Discord that cannot be reached, behind a proxy",
    () => ({ BELLHOP_DISCORD_API: "http://127.0.0.1:9/api", HTTPS_PROXY: "http://proxy:8080" }),
    "network",
    "bad",
    /Discord cannot be reached \(.+\)/,
    /HTTPS_PROXY is set, but Bellhop connects directly/,
  ],
  [
    "a network that wants a login first",
    ({ sandbox }) => void sandbox.faults.portal({ auth: "any" }),
    "network",
    "bad",
    /What answers at 127\.0\.0\.1:\d+ is not Discord/,
    /in a browser/,
  ],
  [
    "a gateway that greets nobody",
    ({ sandbox }) => void sandbox.faults.gateway({ kind: "slow_hello" }),
    "gateway",
    "bad",
    /The gateway does not answer \(Discord did not answer the connection\)/,
    /gateway\.discord\.gg/,
  ],
  [
    "a tmux that is too old",
    ({ home }) => writeFileSync(join(home, "bin", "tmux"), "#!/bin/sh\necho 'tmux 3.1c'\n", { mode: 0o755 }),
    "tmux",
    "warn",
    /^tmux 3\.1c is too old\.$/,
    /^Install tmux 3\.2 or newer\.$/,
  ],
  [
    "a lock in a form that nobody knows",
    ({ paths }) => writeFileSync(join(paths.state, "lock.7"), "{}"),
    "daemon",
    "bad",
    /lock\.7/,
    /./,
  ],
  ["no daemon", () => undefined, "daemon", "warn", /No daemon is running/, /bellhop start/],
];

describe("a fault is told with the line that mends it", () => {
  test.each(faults)("%s", async (_name, provoke, check, verdict, says, mend) => {
    const machine = await openSetUp();
    const env = (await provoke(machine)) ?? {};
    const { code, findings } = await doctor(machine, [], env);
    const found = findings.find(
      (finding) => finding.check === check && finding.verdict === verdict && says.test(finding.says),
    );
    expect(found, JSON.stringify(findings)).toBeDefined();
    // An error's own sentence says what to do.
    expect(found?.mend ?? found?.says).toMatch(mend);
    if (verdict === "bad") expect(code).toBe(1);
  });

  test("nothing set up at all", async () => {
    const machine = await openFreshMachine({ agent: false });
    const { code, findings } = await doctor(machine);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "token",
        verdict: "bad",
        mend: expect.stringMatching(/^Run: bellhop init/) as string,
      }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "agents",
        verdict: "bad",
        mend: expect.stringContaining("npm install") as string,
      }),
    );
    expect(machine.files()).toEqual({});
  });

  test("a state directory that cannot be made, by whatever needs it", async () => {
    const machine = await openFreshMachine();
    const wall = join(machine.home, ".local");
    writeFileSync(wall, "");
    const env = { DISCORD_BOT_TOKEN: machine.sandbox.botToken };
    const { code, findings } = await doctor(machine, [], env);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "state",
        verdict: "bad",
        says: expect.stringContaining(`Bellhop cannot use ${wall} (\`ENOTDIR\`). Make sure`) as string,
      }),
    );
    for (const argv of [["start"], ["sandbox"], ["hooks", "install"], ["journal", "verify"]]) {
      expect(await machine.run(argv, { env }), argv.join(" ")).toEqual({
        code: 73,
        out: "",
        err: expect.stringMatching(
          /^E_PATH_REFUSED: Bellhop cannot use .*\.local\/state\/bellhop.* \(`.*(ENOTDIR|ENOENT)`\)\. Make sure .*\n$/,
        ) as string,
      });
    }
    writeFileSync(join(machine.home, ".config"), "");
    const setUp = await machine.run(["init", "--yes", "--run", "later"], { env });
    expect([setUp.code, setUp.err]).toEqual([
      73,
      expect.stringMatching(/^E_PATH_REFUSED: Bellhop cannot use .*\.config\/bellhop \(`mkdir: ENOTDIR`\)/),
    ]);
  });

  test("a journal that is damaged", async () => {
    const machine = await openSetUp();
    await (await machine.start()).stop();
    rmSync(join(machine.paths.state, "snapshot.json"), { force: true });
    edit(join(machine.paths.state, "events.ndjson"), (text) => text.replace("shop", "shoq"));
    const { code, findings } = await doctor(machine);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "journal",
        verdict: "bad",
        says: expect.stringMatching(/^Damaged: .*events\.ndjson, byte \d+/) as string,
        mend: expect.stringContaining("bellhop journal repair") as string,
      }),
    );
  });

  test("a second daemon beside the first", async () => {
    const machine = await openSetUp();
    await machine.start();
    edit(machine.paths.env, (text) => `${text}STATE_DIR=${join(machine.home, "other")}\n`);
    await machine.start();
    const { code, findings } = await doctor(machine);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "daemons",
        verdict: "bad",
        says: expect.stringMatching(
          /^Two daemons are running: process \d+ in .*other, process \d+ in .*state\/bellhop/,
        ) as string,
        mend: expect.stringContaining("Stop one of them") as string,
      }),
    );
  });

  test("a daemon that holds its directory and does not answer, and one that does not hear Discord", async () => {
    const machine = await openSetUp();
    const { sandbox } = machine;
    const daemon = await machine.start();
    sandbox.faults.gateway({ kind: "no_upgrade" });
    sandbox.faults.gateway({ kind: "cut" });
    while ((await machine.run(["status"])).out.includes("Discord: connected"));
    const deaf = (await doctor(machine)).findings.find(({ check }) => check === "daemon");
    expect(deaf).toMatchObject({
      verdict: "bad",
      says: expect.stringContaining("is not connected to Discord") as string,
      mend: expect.stringContaining("restart it") as string,
    });
    process.kill(daemon.pid, "SIGSTOP");
    const { findings } = await doctor(machine);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "daemon",
        verdict: "bad",
        says: expect.stringContaining("does not answer") as string,
        mend: expect.stringContaining(`kill -9 ${daemon.pid}`) as string,
      }),
    );
  });
});

describe("what is Bellhop's own", () => {
  test("is mended by --fix, and by nothing else: a token file that others can read, and an open state directory", async () => {
    const machine = await openSetUp();
    const { paths } = machine;
    chmodSync(paths.token, 0o644);
    chmodSync(paths.state, 0o755);
    const before = await doctor(machine);
    expect(before.code).toBe(1);
    expect(before.findings.filter(({ fixable }) => fixable).map(({ check }) => check)).toEqual(["settings", "state"]);
    expect(statSync(paths.token).mode & 0o777).toBe(0o644);
    const after = await doctor(machine, ["--fix"]);
    expect(after).toMatchObject({ code: 0, ok: true, mended: ["settings", "state"] });
    expect([statSync(paths.token).mode & 0o777, statSync(paths.state).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test("is mended by --fix: a settings file with the token in it that others can read", async () => {
    const machine = await openSetUp();
    const { paths, sandbox } = machine;
    edit(paths.env, (text) => `${text}DISCORD_BOT_TOKEN=${sandbox.botToken}\n`);
    chmodSync(paths.env, 0o644);
    const before = await doctor(machine);
    expect(before.findings).toContainEqual(
      expect.objectContaining({
        check: "secrets",
        verdict: "bad",
        says: `${paths.env} has secrets in it and can be read by others.`,
        mend: "`bellhop doctor --fix` repairs it.",
      }),
    );
    expect(await doctor(machine, ["--fix"])).toMatchObject({ code: 0, mended: ["secrets"] });
    expect(statSync(paths.env).mode & 0o777).toBe(0o600);
  });

  test("is mended by --fix: the socket and the lock of a daemon that was killed, and a new one starts", async () => {
    const machine = await openSetUp();
    const { paths } = machine;
    const daemon = await machine.start();
    process.kill(daemon.pid, "SIGKILL");
    await daemon.stop();
    const left = (): string[] =>
      readdirSync(paths.state)
        .filter((name) => /^(lock\.\d+|link\.json|bellhop\.sock)$/.test(name))
        .sort();
    expect(left()).toEqual(["bellhop.sock", "link.json", "lock.1"]);
    expect((await doctor(machine)).findings).toContainEqual(
      expect.objectContaining({
        check: "leftovers",
        verdict: "warn",
        says: expect.stringContaining(`process ${daemon.pid}`) as string,
        fixable: true,
      }),
    );
    const { mended, findings } = await doctor(machine, ["--fix"]);
    expect(mended).toEqual(["leftovers"]);
    expect(findings.map(({ check }) => check)).not.toContain("leftovers");
    expect(left()).toEqual([]);
    await machine.start();
    expect((await doctor(machine)).code).toBe(0);
  });

  test("is left as it is, with the reason, where it cannot be mended: something else than a socket stands there", async () => {
    const machine = await openSetUp();
    const { paths } = machine;
    const daemon = await machine.start();
    process.kill(daemon.pid, "SIGKILL");
    await daemon.stop();
    rmSync(join(paths.state, "bellhop.sock"));
    writeFileSync(join(paths.state, "bellhop.sock"), "mine");
    const { out, err } = await machine.run(["doctor", "--fix"]);
    expect(err).toMatch(/^Could not fix leftovers: .*bellhop\.sock exists and is not a socket/);
    expect(out).toContain("left its socket and lock");
    expect(readFileSync(join(paths.state, "bellhop.sock"), "utf8")).toBe("mine");
  });
});

describe("a round trip", () => {
  test("is made only where it is asked for, with each agent that can work", async () => {
    const machine = await openSetUp();
    expect((await doctor(machine)).findings.map(({ check }) => check).join()).not.toContain("round trip");
    const { findings } = await doctor(machine, ["--round-trip"]);
    expect(findings.filter(({ check }) => check.startsWith("round trip"))).toEqual([
      {
        check: "round trip claude",
        verdict: "good",
        says: expect.stringMatching(/^claude answered in \d+(\.\d)? s: ok$/) as string,
        mend: null,
        fixable: false,
      },
    ]);
  });

  test("that fails says what a job would say", async () => {
    const machine = await openSetUp();
    const failing = (how: string): void =>
      writeFileSync(
        join(machine.home, "bin", "claude"),
        `#!/bin/sh\ncase $1 in --version) echo 2.1.329;; auth) exit 0;; *) ${how};; esac\n`,
      );
    failing("echo no model >&2; exit 3");
    const { code, findings } = await doctor(machine, ["--round-trip"]);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "round trip claude",
        verdict: "bad",
        says: expect.stringMatching(/^claude stopped: “no model”\./) as string,
      }),
    );
    failing("exit 3");
    const silent = await doctor(machine, ["--round-trip"], { LC_ALL: "ja_JP.UTF-8" });
    expect(silent.findings).toContainEqual(
      expect.objectContaining({
        check: "round trip claude",
        says: expect.stringMatching(/^claude が停止しました: 終了コード 3 で終了しました。/) as string,
      }),
    );
  });
});

test("run by npm in a checkout, it names the commands as they are typed there", async () => {
  const machine = await openFreshMachine();
  const npm = { npm_package_name: "bellhop", npm_lifecycle_event: "bellhop" };
  expect((await machine.run(["status"], { env: npm })).out).toContain("Start it with `npm start`.");
  const { findings } = await doctor(machine, [], npm);
  expect(findings.find(({ check }) => check === "token")?.mend).toBe(
    "Run: npm run init. (For a service's own settings: npm run bellhop -- doctor --env-file ~/.config/bellhop/service.env)",
  );
});
