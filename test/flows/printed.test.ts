/**
 * Whatever names, messages, paths, settings and files hold: nothing that any verb prints makes a terminal do anything,
 * or hides or reorders what is read. Every verb of the command line is walked, with its actions and with `--json`.
 */
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { en } from "../../src/base/words/en.ts";
import { bellhop as inProcess, verbs } from "../../src/cli/bellhop.ts";
import { events } from "./mcp/asked.ts";
import { hasTerminal, keys, openTerminal } from "./terminal.ts";
import { openWorld, type World } from "./world.ts";

const root = join(import.meta.dirname, "..", "..");
const program = join(root, "bin", "bellhop.cjs");

/**
 * Of each kind one, with a letter after it: sequences, C0, DEL, C1, directions, what has no width, and other line ends.
 */
const HOSTILE =
  "a\x1b[31mb\x1b]0;title\x07c\x1b]8;;http://x\x1b\\d\x1b]52;c;eA==\x07e\x1bP1\x1b\\f\x9b2Jg\x9d0;t\x9ch\x85i\x7fj\rk\x08l\u202em\u2066n\u200eo\u200fp\u200bq\u2060r\ufeffs\u2028t\u2029u\u202cv\u2069w\u200dx\u{e0041}y";
/** A name of a file or a directory, which cannot be longer than 255 bytes. */
const NAME = HOSTILE.replaceAll("/", "");
const RAW = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
/** That it was there, and is shown: as a mark, or escaped. */
const SHOWN = /⟨U\+(?:001B|202E)⟩|\\u(?:001b|202e)/;

interface Printed {
  code: number | null;
  out: string;
  err: string;
}

interface How {
  env?: Record<string, string>;
  cwd?: string;
  input?: string;
  /** Called once something is printed. */
  begun?: () => unknown;
  /** Ended in order as soon as this is printed. */
  until?: RegExp;
}

let world: World;
let job: string;
let base: Record<string, string> = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", LANG: "C.UTF-8" };

function bellhop(argv: readonly string[], { env = {}, cwd = root, input, begun, until }: How = {}): Promise<Printed> {
  const child = spawn(process.execPath, [program, ...argv], { cwd, env: { ...base, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  const look = (): void => void (until?.test(out + err) && child.kill("SIGTERM"));
  child.stdout.setEncoding("utf8").on("data", (text: string) => ((out += text), look()));
  child.stderr.setEncoding("utf8").on("data", (text: string) => ((err += text), look()));
  if (begun !== undefined) child.stdout.once("data", begun);
  child.stdin.on("error", () => undefined);
  if (input !== undefined) child.stdin.end(input);
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

/**
 * The same in this process, for what reads nothing and is not ended from outside: a process takes a second to start.
 */
async function here(argv: readonly string[], { env = {} }: How = {}): Promise<Printed> {
  const printed = { out: "", err: "" };
  const code = await inProcess(argv, {
    stdout: { write: (text) => (printed.out += text) },
    stderr: { write: (text) => (printed.err += text) },
    env: { ...base, ...env },
  });
  return { code, ...printed };
}

/** A daemon that runs, and a job, a log and a conversation that hold all of it. */
async function open(): Promise<void> {
  world = await openWorld({ discord: { names: { guild: `Server ${HOSTILE}`, bot: `Bot ${HOSTILE}` } } });
  base = {
    PATH: `${join(world.home, "bin")}:/usr/bin:/bin`,
    HOME: world.home,
    LANG: "C.UTF-8",
    STATE_DIR: world.stateDir,
    XDG_CACHE_HOME: join(root, "node_modules", ".cache"),
    BELLHOP_DISCORD_API: world.sandbox.api,
  };
  await world.daemon({ env: { DISCORD_CHANNEL_ID: world.sandbox.channelId } }).ready;
  const thread = await world.session();
  const { id } = await world.owner(thread).send(`spell:${HOSTILE}`);
  await world.marked(id, "✅");
  job = String(events(world, "JobEnqueued")[0]?.["job_id"] ?? "");
  // What no tool of ours would write.
  for (const line of [
    JSON.stringify({ level: "warn", ts: "2026-02-26T14:00:00.000Z", module: NAME, msg: HOSTILE, [HOSTILE]: HOSTILE }),
    `no JSON ${HOSTILE}`,
  ])
    appendFileSync(join(world.stateDir, "logs", "app.ndjson"), `${line}\n`);
  appendFileSync(join(world.stateDir, "logs", "job", `${job}.log`), `${HOSTILE}\n`);
}

/** Each thing that is printed once, by verb and action. `fully`: it must show what was hidden, in this case. */
const cases: Record<string, Record<string, () => Promise<{ printed: Printed; fully: boolean }[]>>> = {
  start: {
    "": async () => {
      const bad = freshState({ owner_id: HOSTILE });
      const token = { DISCORD_BOT_TOKEN: world.sandbox.botToken, BELLHOP_LOCALE: "en" };
      const other = freshState(undefined, `state ${NAME}`);
      return [
        { printed: await bellhop(["start"], { env: { STATE_DIR: bad, ...token } }), fully: true },
        {
          printed: await bellhop(["start", "--json"], { env: { ...token, STATE_DIR: bad, DISCORD_GUILD_ID: HOSTILE } }),
          fully: true,
        },
        {
          printed: await bellhop(["start", "--json"], {
            env: { ...token, STATE_DIR: other, DISCORD_OWNER_ID: world.sandbox.owner.id },
            until: /"event":"ready".*\n/,
          }),
          fully: true,
        },
      ];
    },
  },
  sandbox: {
    "": async () => {
      const dir = freshState(undefined, `state ${NAME}`);
      const project = join(dir, `project ${NAME}`);
      mkdirSync(join(project, ".git"), { recursive: true });
      return [
        {
          printed: await bellhop(["sandbox", "--port", "0", "--json"], {
            env: { STATE_DIR: dir },
            cwd: project,
            until: /"event":"ready".*\n/,
          }),
          fully: true,
        },
        {
          printed: await bellhop(["sandbox", "--port", "0"], {
            env: { STATE_DIR: dir },
            cwd: project,
            until: /http:.*\n/,
          }),
          fully: false,
        },
      ];
    },
  },
  init: {
    "": async () => {
      const home = freshState();
      const project = join(home, `project ${NAME}`);
      mkdirSync(project);
      const env = { HOME: home, STATE_DIR: join(home, "state"), DISCORD_BOT_TOKEN: world.sandbox.botToken };
      return [
        { printed: await here(["init", "--yes", "--run", "later", "--project", project], { env }), fully: true },
        { printed: await here(["init", "--yes", "--channel", HOSTILE], { env }), fully: true },
        {
          printed: await here(["init", "--yes", "--token-file", join(home, NAME)], { env: { HOME: home } }),
          fully: true,
        },
      ];
    },
  },
  doctor: {
    "": async () => {
      const env = { DISCORD_BOT_TOKEN: world.sandbox.botToken, DISCORD_OWNER_ID: world.sandbox.owner.id };
      const bad = freshState({ owner_id: HOSTILE, projects: { app: { path: `/${NAME}` } } });
      return [
        { printed: await bellhop(["doctor"], { env }), fully: true },
        { printed: await bellhop(["doctor", "--json"], { env }), fully: true },
        { printed: await bellhop(["doctor", "--fix"], { env: { ...env, STATE_DIR: bad } }), fully: true },
      ];
    },
  },
  status: {
    "": async () => {
      const none = join(world.home, `none ${NAME}`);
      return [
        { printed: await here(["status"]), fully: false },
        { printed: await here(["status", "--json"]), fully: false },
        { printed: await here(["status"], { env: { STATE_DIR: none } }), fully: true },
        { printed: await here(["status", "--json"], { env: { STATE_DIR: none } }), fully: true },
      ];
    },
  },
  logs: {
    "": async () => [
      { printed: await here(["logs"]), fully: true },
      { printed: await here(["logs", "--json"]), fully: true },
      { printed: await here(["logs", job]), fully: true },
      { printed: await here(["logs"], { env: { STATE_DIR: join(world.home, NAME) } }), fully: true },
    ],
  },
  forget: {
    "": async () => [
      { printed: await here(["forget", "--thread", HOSTILE]), fully: true },
      { printed: await here(["forget", "--thread", HOSTILE, "--json"]), fully: true },
    ],
  },
  tail: {
    "": async () => [
      { printed: await here(["tail", job]), fully: true },
      { printed: await here(["tail", job, "--json"]), fully: true },
    ],
  },
  mcp: {
    "": async () => {
      const asks = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } } })}\n`;
      const wrong = await bellhop(["mcp"], {
        env: { DISCORD_CHANNEL_ID: HOSTILE, DISCORD_BOT_TOKEN: world.sandbox.botToken },
        input: asks,
      });
      return [{ printed: { ...wrong, out: "" }, fully: true }];
    },
  },
  watch: {
    "": async () => {
      const env = {
        DISCORD_BOT_TOKEN: world.sandbox.botToken,
        DISCORD_CHANNEL_ID: world.sandbox.channelId,
        DISCORD_GUILD_ID: world.sandbox.guildId,
        DISCORD_OWNER_ID: world.sandbox.owner.id,
      };
      const until = /⟨U\+202E⟩|\\u202e/;
      const begun = () => world.owner(world.sandbox.channelId).send(`to the watcher ${HOSTILE}`);
      return [
        { printed: await bellhop(["watch", "--interval", "1"], { env, begun, until }), fully: true },
        { printed: await bellhop(["watch", "--interval", "1", "--json"], { env, begun, until }), fully: true },
      ];
    },
  },
  service: {
    install: async () => [{ printed: await here(["service", "install"], { env: odd() }), fully: false }],
    remove: async () => [{ printed: await here(["service", "remove"], { env: odd() }), fully: false }],
    print: async () => [
      { printed: await here(["service", "print"], { env: odd() }), fully: true },
      { printed: await here(["service", "print"]), fully: false },
    ],
  },
  hooks: {
    install: async () => [{ printed: await bellhop(["hooks", "install"], { env: odd() }), fully: true }],
    print: async () => [{ printed: await bellhop(["hooks", "print"], { env: odd() }), fully: true }],
    remove: async () => [{ printed: await bellhop(["hooks", "remove"], { env: odd() }), fully: true }],
  },
  hook: {
    "": async () => {
      const folder = freshState();
      const answer = {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: HOSTILE,
        },
      };
      const server = createServer(
        (request, response) => void request.resume().once("end", () => response.end(JSON.stringify(answer))),
      );
      await new Promise<void>((resolve) => server.listen(join(folder, "hook.sock"), resolve));
      onTestFinished(() => void server.close());
      writeFileSync(join(folder, "connection"), 'header = "Authorization: Bearer x"\n');
      const printed = await bellhop(["hook", "5", "PreToolUse 1 1 0 - -", ""], { cwd: folder, input: "{}" });
      expect(JSON.parse(printed.out.split("\n")[0] ?? "")).toEqual(answer);
      return [{ printed, fully: true }];
    },
  },
  backup: {
    "": async () => {
      const file = join(world.home, `${NAME.slice(0, 100)}.tar.gz`);
      const into = { env: { STATE_DIR: join(world.home, "restored") } };
      return [
        { printed: await here(["backup", file]), fully: true },
        { printed: await here(["backup", file]), fully: true },
        { printed: await here(["backup", "--restore", file], into), fully: false },
        { printed: await here(["backup", "--restore", file], into), fully: false },
      ];
    },
  },
  journal: {
    verify: async () => [
      { printed: await here(["journal", "verify"]), fully: false },
      { printed: await here(["journal", "verify", "--json"]), fully: false },
      { printed: await here(["journal", "verify"], { env: { STATE_DIR: join(world.home, NAME) } }), fully: true },
    ],
    repair: async () => [
      { printed: await here(["journal", "repair"]), fully: false },
      {
        printed: await here(["journal", "repair", "--json"], { env: { STATE_DIR: join(world.home, NAME) } }),
        fully: true,
      },
    ],
    async export() {
      const printed = await here(["journal", "export"]);
      const told = printed.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { type: string; payload: { prompt?: string } });
      expect(told.find(({ type }) => type === "JobEnqueued")?.payload.prompt).toBe(
        events(world, "JobEnqueued")[0]?.["prompt"],
      );
      expect(JSON.stringify(told)).toMatch(RAW);
      return [
        { printed, fully: true },
        { printed: await here(["journal", "export", "--json"]), fully: true },
      ];
    },
  },
  // The last ones, as a daemon that is locked does nothing else.
  lock: {
    "": async () => [
      { printed: await here(["lock"], { env: { STATE_DIR: join(world.home, `none ${NAME}`) } }), fully: true },
      { printed: await here(["lock"]), fully: false },
    ],
  },
  unlock: { "": async () => [{ printed: await here(["unlock"]), fully: false }] },
};

/** A home or state directory of its own, below the world's; `name` for one that is below that. */
function freshState(config?: object, name?: string): string {
  const above = mkdtempSync(join(tmpdir(), "bellhop-printed-"));
  onTestFinished(() => rmSync(above, { recursive: true, force: true, maxRetries: 5 }));
  const dir = name === undefined ? above : join(above, name);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (config !== undefined) writeFileSync(join(dir, "config.json"), JSON.stringify({ version: 1, ...config }));
  return dir;
}

function odd(): Record<string, string> {
  const home = freshState(undefined, `home ${NAME}`);
  return { HOME: home, STATE_DIR: join(home, "state"), DISCORD_BOT_TOKEN: world.sandbox.botToken };
}

/** The actions that the verb's own usage names: `bellhop journal verify|repair|export`. */
function actionsOf(verb: string): string[] {
  const usage = en[verbs[verb]?.usage as keyof typeof en];
  const [, words] = new RegExp(`^Usage: bellhop ${verb} ((?:[a-z]+\\|)+[a-z]+)`).exec(usage) ?? [];
  return words === undefined ? [""] : words.split("|");
}

test("every verb, every action and every --json has its case here", () => {
  expect(Object.keys(cases).toSorted()).toEqual(Object.keys(verbs).toSorted());
  for (const verb of Object.keys(verbs)) {
    expect({ verb, actions: Object.keys(cases[verb] ?? {}).toSorted() }).toEqual({
      verb,
      actions: actionsOf(verb).toSorted(),
    });
    const asJson = en[verbs[verb]?.usage as keyof typeof en].includes("[--json]");
    const source = Object.values(cases[verb] ?? {}).join("\n");
    expect({ verb, json: source.includes('"--json"') }).toEqual({ verb, json: asJson });
  }
});

test("what each verb prints holds nothing that a terminal obeys, and shows what was hidden", async () => {
  await open();
  const wrong: unknown[] = [];
  for (const [verb, actions] of Object.entries(cases)) {
    for (const [action, run] of Object.entries(actions)) {
      for (const { printed, fully } of await run()) {
        const text = printed.out + printed.err;
        if (RAW.test(text) || text.trim() === "" || (fully && !SHOWN.test(text)))
          wrong.push({ verb, action, raw: RAW.exec(text)?.[0], ...printed });
      }
    }
  }
  expect(wrong).toEqual([]);
}, 180_000);

test.each([...Object.keys(verbs), ""])(
  "a wrong call of %j repeats it without what a terminal would obey",
  async (verb) => {
    // What is repeated of it is cut.
    const word = `\u202e\x9b${HOSTILE}`;
    const words = verb === "" ? [word] : [verb, word, word, word, word];
    for (const argv of [words, [...words.slice(0, 1), `--${word}`, `-${word}`], ["help", word]]) {
      let said = "";
      const write = (text: string): unknown => (said += text);
      await inProcess(argv, { stdout: { write }, stderr: { write }, env: { HOME: "/nonexistent" } });
      expect(RAW.exec(said)?.[0]).toBe(undefined);
      expect(said).not.toBe("");
    }
  },
);

test.skipIf(!hasTerminal)(
  "in a terminal init keeps its colours and cursor, and Discord's names and folders bring none",
  async () => {
    await open();
    const home = freshState();
    for (const name of ["one", "two"]) mkdirSync(join(home, "code", `${name} ${NAME}`, ".git"), { recursive: true });
    const terminal = openTerminal(["init"], {
      cwd: home,
      env: {
        ...base,
        HOME: home,
        STATE_DIR: join(home, "state"),
        DISCORD_BOT_TOKEN: world.sandbox.botToken,
        LANG: "C.UTF-8",
      },
    });
    await terminal.sees(/one a⟨U\+001B⟩/);
    terminal.type(keys.stop);
    await terminal.done;
    expect(terminal.raw).toContain("\x1b[");
    expect(terminal.raw).toContain("Server a⟨U+001B⟩[31mb⟨U+001B⟩]0;title⟨U+0007⟩");
    expect(terminal.shown).not.toMatch(
      /[\x00-\x08\x0b\x0c\x0e-\x1a\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/,
    );
    expect(terminal.raw).not.toMatch(/\x1b[\]P]/);
  },
);
