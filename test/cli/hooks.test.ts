/**
 * `bellhop hooks`: Claude Code's settings get Bellhop's hooks and keep every other byte, whatever is in them and
 * whoever else changes them, and they come back as they were.
 */
import fc from "fast-check";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkHooks, openSettingsFile, hooks } from "../../src/cli/hooks.ts";
import { withHooks, withoutHooks } from "../../src/host/hooks/claude-settings.ts";
import { takeLock } from "../../src/journal/lock.ts";
import { hookNames } from "../../src/protocol/hooks.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs");
const OWN =
  '{\n\t"model": "opus",\n\t"big": 12345678901234567890,\n\t"hooks": { "Stop": [{"hooks": [{ "type":"command", "command": "say done" }]} ], "Mine": [] },\n\n\t"statusLine": {"type": "command", "command": "~/line"}\n}';

function openMachine() {
  const home = mkdtempSync(join(tmpdir(), "bellhop hooks' "));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { HOME: home, STATE_DIR: join(home, "state"), PATH: "/usr/bin:/bin", BELLHOP_LOCALE: "en" };
  const settings = join(home, ".claude", "settings.json");
  const run = async (...argv: string[]): Promise<string> => {
    let out = "";
    const io = { stdout: { write: (text: string) => (out += text) }, stderr: { write: () => undefined }, env };
    expect(await hooks(argv, io, program)).toBe(0);
    return out;
  };
  return {
    home,
    env,
    settings,
    run,
    write(text: string, mode = 0o644): void {
      mkdirSync(join(home, ".claude"), { recursive: true });
      writeFileSync(settings, text);
      chmodSync(settings, mode);
    },
    text: () => readFileSync(settings, "utf8"),
    check: () =>
      checkHooks({ env, stdout: process.stdout, stderr: process.stderr }, env.STATE_DIR, join(home, "managed.json")),
  };
}

const entriesOf = (text: string): Record<string, { hooks: { command: string }[] }[]> =>
  (JSON.parse(text) as { hooks: ReturnType<typeof entriesOf> }).hooks;

test("they are added beside what the owner has, and taken out again byte for byte", async () => {
  const machine = openMachine();
  machine.write(OWN, 0o640);
  expect(await machine.run("install")).toContain("Bellhop's hooks are in");
  const [first, ...others] = entriesOf(machine.text())["Stop"] ?? [];
  expect([first?.hooks[0]?.command, others.length]).toEqual(["say done", 1]);
  expect(machine.text()).toContain("12345678901234567890");
  expect(machine.text()).toContain('[{"hooks": [{ "type":"command", "command": "say done" }]}');
  expect(Object.keys(entriesOf(machine.text())).toSorted()).toEqual(
    [...hookNames.filter((name) => name !== "PreToolUse"), "Mine"].toSorted(),
  );
  expect(statSync(machine.settings).mode & 0o777).toBe(0o640);
  const [folder = ""] = readdirSync(join(machine.env.STATE_DIR, "hooks", "settings")).filter((name) =>
    name.endsWith(".before.json"),
  );
  expect(readFileSync(join(machine.env.STATE_DIR, "hooks", "settings", folder), "utf8")).toBe(OWN);
  expect(await machine.run("install")).toContain("Unchanged");
  expect(await machine.run("remove")).toContain("byte for byte");
  expect(machine.text()).toBe(OWN);
  expect(await machine.run("remove")).toContain("no hooks of Bellhop");
});

test("while only the sandbox runs they are for it, and those of both are taken out in whichever order they came", async () => {
  const machine = openMachine();
  const sandbox = join(machine.env.STATE_DIR, "sandbox");
  mkdirSync(sandbox, { recursive: true, mode: 0o700 });
  for (const first of [[], ["--sandbox"]]) {
    machine.write(OWN);
    await machine.run("install", ...first);
    await machine.run("install", ...(first.length === 0 ? ["--sandbox"] : []));
    expect(entriesOf(machine.text())["Stop"]).toHaveLength(3);
    await machine.run("remove");
    expect(machine.text()).toBe(OWN);
  }
  const lock = takeLock(sandbox);
  await machine.run("install");
  expect(machine.text()).toContain("/state/sandbox/hooks/hook.sh");
  expect(machine.text()).not.toContain("/state/hooks/hook.sh");
  lock.release();
  await machine.run("install");
  expect(machine.text()).toContain("/state/hooks/hook.sh");
});

test("those of an earlier version are replaced, those of a state directory that is gone are taken out, and nothing is left of them", async () => {
  const machine = openMachine();
  machine.write(OWN);
  const { STATE_DIR } = machine.env;
  await machine.run("install");
  // As they were once written, and then rewritten by a program that sorts and indents.
  const { hooks: hooked, ...rest } = JSON.parse(machine.text()) as { hooks: ReturnType<typeof entriesOf> };
  const once = (name: string, command: string): string =>
    command.replace(/(\[ -r (.*hook\.sh') \] .*?); \[ "\$0" .*/, `$1; exec /bin/sh $2 ${name}`);
  const earlier = Object.entries(hooked)
    .toSorted()
    .map(([name, all]) => [
      name,
      all.map((entry) => ({
        ...entry,
        hooks: entry.hooks.map((hook) => ({ ...hook, command: once(name, hook.command) })),
      })),
    ]);
  machine.write(JSON.stringify({ hooks: Object.fromEntries(earlier), ...rest }, null, 4));
  expect(machine.text()).toMatch(/; exec \/bin\/sh '.*hook\.sh' Stop"/);
  await machine.run("install");
  expect(
    Object.entries(entriesOf(machine.text()))
      .filter(([name]) => name !== "Mine")
      .map(([name, all]) => [name, all.length]),
  ).toEqual(
    hookNames
      .filter((name) => name !== "PreToolUse")
      .toSorted()
      .map((name) => [name, name === "Stop" ? 2 : 1]),
  );
  expect(machine.text()).not.toMatch(/; exec \/bin\/sh '.*hook\.sh' Stop"/);
  await machine.run("remove");
  expect(JSON.parse(machine.text())).toEqual(JSON.parse(OWN));
  await machine.run("install");
  rmSync(STATE_DIR, { recursive: true });
  machine.env.STATE_DIR = join(machine.home, "another", "state");
  mkdirSync(join(machine.home, "another"));
  await machine.run("install");
  expect(entriesOf(machine.text())["Stop"]).toHaveLength(2);
  await machine.run("remove");
  expect(JSON.parse(machine.text())).toEqual(JSON.parse(OWN));
});

test("what the owner changes after that stays, and what he had before comes back", async () => {
  const machine = openMachine();
  machine.write(OWN);
  await machine.run("install");
  machine.write(machine.text().replace('"opus"', '"sonnet"'));
  expect(await machine.run("install")).toContain("Unchanged");
  expect(await machine.run("remove")).toContain("are kept");
  expect(JSON.parse(machine.text())).toEqual({ ...(JSON.parse(OWN) as object), model: "sonnet" });
});

test("a hook that the owner puts beside one of ours stays when ours are replaced and taken out", async () => {
  const machine = openMachine();
  machine.write("{}");
  await machine.run("install");
  const settings = JSON.parse(machine.text()) as { hooks: ReturnType<typeof entriesOf> };
  const his = { type: "command", command: "say done" };
  settings.hooks["Stop"]?.[0]?.hooks.push(his);
  machine.write(JSON.stringify(settings, null, 2));
  await machine.run("install");
  expect(entriesOf(machine.text())["Stop"]?.map(({ hooks: all }) => all.length)).toEqual([1, 1]);
  await machine.run("remove");
  expect(JSON.parse(machine.text())).toEqual({ hooks: { Stop: [{ hooks: [his] }] } });
});

test("a pipe in the place of the settings keeps neither doctor nor print waiting", async () => {
  const machine = openMachine();
  mkdirSync(join(machine.home, ".claude"));
  spawnSync("mkfifo", [machine.settings]);
  expect((await machine.check()).map(({ says }) => says)).toEqual(["doctor.hooks.strange"]);
  expect(JSON.parse(await machine.run("print"))).toMatchObject({ statusLine: { type: "command" } });
});

test("the owner's status line is run by ours; what he changes in it stays, and a change of its command is seen", async () => {
  const machine = openMachine();
  machine.write('{ "statusLine": {"padding": 2, "type": "command", "command": "printf \\"it\u0027s\\"" } }');
  await machine.run("install");
  const { statusLine: ours } = JSON.parse(machine.text()) as { statusLine: { command: string; padding: number } };
  expect(ours).toMatchObject({ type: "command", padding: 2 });
  expect(spawnSync("/bin/sh", ["-c", ours.command], { encoding: "utf8", input: "{}" }).stdout).toBe("it's");
  expect(JSON.parse(await machine.run("print"))).toMatchObject({ statusLine: ours });
  machine.write(machine.text().replace('"padding": 2', '"padding": 0'));
  expect(await machine.run("install")).toContain("Unchanged");
  await machine.run("remove");
  expect(JSON.parse(machine.text())).toEqual({
    statusLine: { padding: 0, type: "command", command: 'printf "it\'s"' },
  });
  machine.write("{}");
  await machine.run("install");
  machine.write(
    JSON.stringify({ ...(JSON.parse(machine.text()) as object), statusLine: { type: "command", command: "mine" } }),
  );
  expect((await machine.check()).map(({ says }) => says)).toEqual(["doctor.hooks", "doctor.hooks.line"]);
  await machine.run("install");
  await machine.run("remove");
  expect(JSON.parse(machine.text())).toMatchObject({ statusLine: { type: "command", command: "mine" } });
});

test("without a file one is made, readable only by its owner, and goes again", async () => {
  const machine = openMachine();
  await machine.run("install");
  expect(statSync(machine.settings).mode & 0o777).toBe(0o600);
  expect(await machine.run("remove")).toContain("none before");
  expect(existsSync(machine.settings)).toBe(false);
});

test("a link is followed and stays a link; CLAUDE_CONFIG_DIR is heeded", async () => {
  const machine = openMachine();
  const [elsewhere, dotfiles] = [join(machine.home, "elsewhere"), join(machine.home, "dotfiles.json")];
  mkdirSync(elsewhere);
  writeFileSync(dotfiles, OWN);
  symlinkSync(dotfiles, join(elsewhere, "settings.json"));
  Object.assign(machine.env, { CLAUDE_CONFIG_DIR: elsewhere });
  await machine.run("install");
  expect(entriesOf(readFileSync(dotfiles, "utf8"))["SessionStart"]).toHaveLength(1);
  await machine.run("remove");
  expect(readFileSync(dotfiles, "utf8")).toBe(OWN);
});

test.each([
  ["broken", (machine: ReturnType<typeof openMachine>) => machine.write('{\n "hooks": {,}\n}'), /line 2/],
  ["a list", (machine) => machine.write("[]"), /form/],
  ["with hooks of another form", (machine) => machine.write('{"hooks": {"Stop": {}}}'), /form/],
  ["with a status line of another form", (machine) => machine.write('{"statusLine": {"type": "other"}}'), /form/],
  [
    "not UTF-8",
    (machine) => (machine.write(""), writeFileSync(machine.settings, Buffer.from([0x7b, 0xff, 0x7d]))),
    /UTF-8/,
  ],
  ["read-only", (machine) => machine.write(OWN, 0o444), /read-only/],
  ["a directory", (machine) => mkdirSync(machine.settings, { recursive: true }), /not a file/],
  [
    "a link to nothing",
    (machine) => (mkdirSync(join(machine.home, ".claude")), symlinkSync("/nowhere/x", machine.settings)),
    /\/nowhere\/x/,
  ],
] satisfies [string, (machine: ReturnType<typeof openMachine>) => unknown, RegExp][])(
  "a settings file that is %s is not touched, and it is said why",
  async (_what, make, why) => {
    const machine = openMachine();
    make(machine);
    const before =
      existsSync(machine.settings) && statSync(machine.settings).isFile() ? readFileSync(machine.settings) : null;
    await expect(machine.run("install")).rejects.toMatchObject({
      code: "E_HOOKS_REFUSED",
      details: { why: expect.stringMatching(why) as unknown },
    });
    if (before !== null) expect(readFileSync(machine.settings)).toEqual(before);
  },
);

test("another program's change meanwhile is kept, and one that never stops is not fought", async () => {
  const machine = openMachine();
  machine.write("{}");
  mkdirSync(machine.env.STATE_DIR, { mode: 0o700 });
  const file = await openSettingsFile(machine.settings, machine.env.STATE_DIR);
  const seen: (string | null)[] = [];
  const once = (text: string | null): string => {
    if (seen.push(text) === 1) machine.write('{"theme":1}');
    return `${text} `;
  };
  expect(await file.change(once, (text) => text)).toBe(true);
  expect([seen, machine.text()]).toEqual([["{}", '{"theme":1}'], '{"theme":1} ']);
  let count = 0;
  const always = (text: string | null): string => (machine.write(String((count += 1))), `${text}!`);
  await expect(file.change(always, (text) => text)).rejects.toMatchObject({ why: "cli.hooks.why.changing" });
  expect(machine.text()).toBe(String(count));
});

test("tools that are asked about before each use have a hook that blocks when it fails", async () => {
  const machine = openMachine();
  mkdirSync(machine.env.STATE_DIR, { mode: 0o700 });
  writeFileSync(
    join(machine.env.STATE_DIR, "config.json"),
    JSON.stringify({ version: 1, permission_tools: ["Bash", "WebFetch"] }),
    { mode: 0o600 },
  );
  const { PreToolUse: [before] = [] } = entriesOf(await machine.run("print"));
  expect(before).toMatchObject({ matcher: "Bash|WebFetch", hooks: [{ onFailure: "block", timeout: 86_400 }] });
});

test("doctor sees whether they are there, this version's, and turned off", async () => {
  const machine = openMachine();
  const says = async (): Promise<string[]> => (await machine.check()).map((finding) => finding.says);
  expect(await says()).toEqual(["doctor.hooks.none"]);
  await machine.run("install");
  expect(await says()).toEqual(["doctor.hooks"]);
  machine.write(machine.text().replace('"timeout": 86400', '"timeout": 60'));
  expect(await says()).toEqual(["doctor.hooks.old"]);
  machine.write(JSON.stringify({ ...(JSON.parse(machine.text()) as object), disableAllHooks: true }));
  writeFileSync(join(machine.home, "managed.json"), '{"allowManagedHooksOnly":true}');
  machine.env.PATH = machine.home;
  expect(await says()).toEqual(["doctor.hooks.old", "doctor.hooks.off", "doctor.hooks.off", "doctor.hooks.curl"]);
  machine.write("{");
  expect(await says()).toEqual(["doctor.hooks.strange"]);
});

test("whatever else is in the file, what is put in can be taken out, and nothing else changes", () => {
  const wanted = { folder: "/s/hooks", permissionTools: ["Bash"] };
  const value = fc
    .object({ key: fc.constantFrom("a", "hooks", "é", '"'), maxDepth: 2 })
    .map(({ hooks: _none, ...rest }) => rest);
  const entries = fc.dictionary(
    fc.constantFrom("Stop", "PreToolUse", "Other"),
    fc.array(fc.record({ matcher: fc.string(), hooks: fc.constant([{ type: "command", command: "x" }]) }), {
      maxLength: 2,
    }),
  );
  const line = fc.record({
    type: fc.constant("command"),
    command: fc.string({ unit: fc.constantFrom("'", "\\", '"', "é", ";", "x") }),
  });
  const indents = fc.constantFrom<string | number>(0, 2, "\t");
  fc.assert(
    fc.property(value, fc.option(entries), fc.option(line), indents, (rest, own, statusLine, indent) => {
      const source = JSON.stringify(
        { ...rest, ...(own && { hooks: own }), ...(statusLine && { statusLine }) },
        null,
        indent,
      );
      const added = withHooks(source, wanted);
      expect(withHooks(added, wanted)).toBe(added);
      expect(JSON.parse(withoutHooks(added, wanted.folder, source))).toEqual(JSON.parse(source));
    }),
    { numRuns: 100 },
  );
});

test("the command that is written runs in any shell, with any path", async () => {
  const machine = openMachine();
  machine.write("{}");
  await machine.run("install");
  const { Stop: [stop] = [] } = entriesOf(machine.text());
  for (const shell of ["/bin/sh", "/bin/bash"]) {
    const child = spawn(shell, ["-c", stop?.hooks[0]?.command ?? ""], {
      env: { PATH: "/usr/bin:/bin", BELLHOP_SESSION: "200000000000000020" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.end(JSON.stringify({ session_id: "s", hook_event_name: "Stop", cwd: "/" }));
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  }
  expect(readdirSync(join(machine.env.STATE_DIR, "hooks", "spool"))).toHaveLength(2);
});
