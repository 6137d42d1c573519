/**
 * Every command that the documents name is run here as it stands there, by a shell with nothing but this machine's
 * environment, unless `commands.ts` has a reason why not. `test/docs.test.ts` holds that list to the documents.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFreshMachine, type FreshMachine } from "../fresh-machine.ts";
import { hasTerminal, keys, openShell } from "../terminal.ts";
import { asked, besideDaemon, onItsOwn, type Place, type Run } from "./commands.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The programs a person has in PATH. */
function withPrograms({ home, env }: FreshMachine): Record<string, string> {
  const bin = join(home, "bin");
  for (const name of ["bellhop", "discord-watch"])
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${root}bin/${name}.cjs' "$@"\n`, {
      mode: 0o755,
    });
  symlinkSync(process.execPath, join(bin, "node"));
  for (const name of ["npm", "npx"]) symlinkSync(found(name), join(bin, name));
  return {
    ...env,
    npm_config_cache: join(home, "cache"),
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_update_notifier: "false",
  };
}

function found(name: string): string {
  const folder = (process.env["PATH"] ?? "").split(delimiter).find((one) => existsSync(join(one, name)));
  if (folder === undefined) throw new Error(`${name} is not in PATH`);
  return realpathSync(join(folder, name));
}

interface Ended {
  code: number | null;
  out: string;
}

/** Runs a line to its end, or until it has said what it should and is told to stop. */
function typed(
  line: string,
  { says, runsOn }: { says: RegExp; runsOn?: true | undefined },
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Ended> {
  const child = spawn("/bin/sh", ["-c", line], { cwd, env, detached: true });
  let out = "";
  let told = false;
  const hear = (text: string): void => {
    out += text;
    if (!runsOn || told || !says.test(out)) return;
    told = true;
    process.kill(-(child.pid ?? 0), "SIGTERM");
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", hear);
  child.stdin.end();
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out })));
}

const inCheckout = (line: string): boolean => /^(npm|npx|node) /.test(line);

async function isRun(command: string, run: Run, at: Place, env: Record<string, string>): Promise<void> {
  const { repository, paths } = at.machine;
  const cwd = command.startsWith("sed ") ? paths.state : repository;
  const line = run.as?.(at) ?? command;
  const says = typeof run.says === "function" ? run.says(at) : run.says;
  const { code, out } = await typed(line, { says, runsOn: run.runsOn }, { cwd: inCheckout(line) ? root : cwd, env });
  expect(out).toMatch(says);
  // Told to stop, a shell or npm in between may end with the signal's own code.
  if (!run.runsOn) expect({ code, out }).toEqual({ code: run.code ?? 0, out });
}

describe("beside a daemon that has done a job", () => {
  const ends: (() => Promise<void>)[] = [];
  let at: Place;
  let env: Record<string, string>;

  beforeAll(async () => {
    const machine = await openFreshMachine({ after: (end) => ends.push(end) });
    const { sandbox, paths } = machine;
    env = withPrograms(machine);
    expect(
      (await machine.run(["init", "--yes", "--run", "later"], { env: { DISCORD_BOT_TOKEN: sandbox.botToken } })).code,
    ).toBe(0);
    const first = await machine.start();
    await sandbox.until(({ commands }) => commands().some(({ name }) => name === "start"));
    const answer = await (await sandbox.channel(sandbox.channelId).user(sandbox.owner.id).slash("start")).answer();
    const [thread = ""] = /\d{17,20}/.exec(answer.content) ?? [];
    await sandbox.channel(thread).user(sandbox.owner.id).send("echo:All is well.");
    await sandbox.until(({ messages }) =>
      messages(thread).some((message) => JSON.stringify(message).includes("✅ done ·")),
    );
    await first.stop();
    const copy = join(machine.home, "copy");
    cpSync(paths.state, copy, { recursive: true });
    const [job = ""] = /job_\d{8}_\d{4}/.exec(readFileSync(join(copy, "events.ndjson"), "utf8")) ?? [];
    await machine.start();
    at = { machine, job, copy };
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  test.each(Object.entries(besideDaemon))("%s", async (command, run) => {
    await isRun(command, run, at, env);
  });
});

describe("with nothing set up", () => {
  test.each(Object.entries(onItsOwn))("%s", async (command, run) => {
    const machine = await openFreshMachine();
    await isRun(command, run, { machine, job: "", copy: "" }, withPrograms(machine));
  });
});

describe.skipIf(!hasTerminal)("in a terminal", () => {
  test.each(asked)("%s", async (line) => {
    const machine = await openFreshMachine();
    const terminal = openShell(line, { cwd: inCheckout(line) ? root : machine.repository, env: withPrograms(machine) });
    await terminal.sees(/The bot token/);
    terminal.type(`${machine.sandbox.botToken}${keys.enter}`);
    await terminal.sees(/In which directories/);
    terminal.type(keys.enter);
    await terminal.sees(/How should Bellhop run\?[\s\S]*Not now/);
    terminal.type(keys.enter);
    expect(await terminal.done).toBe(0);
    expect(machine.posted()).toHaveLength(1);
    expect(terminal.shown).toContain(
      inCheckout(line) ? "To start Bellhop: npm start" : "To start Bellhop: bellhop start",
    );
  });
});
