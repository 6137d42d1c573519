/**
 * `node bench/way.ts [TREE]`, where TREE is a checkout of this or an older version. A file is on the way when V8
 * counted a call of one of its functions in the built program between the moment before and the moment after; `--list`
 * names them.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { APIMessage } from "discord-api-types/v10";
import { build } from "esbuild";
import { shape } from "./shape.ts";
import { Bench, root } from "./stage.ts";

const list = process.argv.includes("--list");
const tree = resolve(process.argv.slice(2).find((word) => !word.startsWith("--")) ?? root);

/** Called by a signal, so that the program itself needs no change: writes what ran since the last time. */
const COVER = 'process.on("SIGUSR2", () => require("node:v8").takeCoverage());\n';

/** As in an installation whose owner has set nothing. */
const IDLE_AGENTS = 4;

/** A program that runs with its calls counted. */
interface Counted {
  child: ChildProcess;
  coverage: string;
}

/** The stage, with the checkout's own program in which each call is counted. */
class Way extends Bench {
  readonly programs: Counted[] = [];
  daemon!: Counted;

  override async open(): Promise<this> {
    await super.open({ strict: true, limits: { idle_agents: IDLE_AGENTS } });
    const program = join(this.home, "program");
    mkdirSync(program, { mode: 0o700 });
    await this.#build(program);
    writeFileSync(join(this.home, "cover.cjs"), COVER);
    this.daemon = this.run("start", "--json");
    await new Promise((done) => createInterface({ input: this.daemon.child.stdout! }).once("line", done));
    return this;
  }

  /** Unminified: there each file's code stands under its name. */
  async #build(program: string): Promise<void> {
    const { alias } = aliases();
    await build({
      absWorkingDir: tree,
      entryPoints: [{ in: join(tree, "src/cli/bellhop.ts"), out: "bellhop" }],
      bundle: true,
      platform: "node",
      format: "esm",
      outdir: join(program, "dist"),
      alias,
      external: ["bufferutil", "utf-8-validate", "zlib-sync"],
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      logLevel: "error",
    });
    // What becomes a daemon begins with a file of its own, here with the same text.
    copyFileSync(join(program, "dist", "bellhop.js"), join(program, "dist", "daemon.js"));
    cpSync(join(tree, "bin"), join(program, "bin"), { recursive: true });
    cpSync(join(tree, "package.json"), join(program, "package.json"));
  }

  run(...args: string[]): Counted {
    const coverage = join(this.home, `coverage-${this.programs.length}`);
    mkdirSync(coverage);
    const command = [
      "--require",
      join(this.home, "cover.cjs"),
      join(this.home, "program", "bin", "bellhop.cjs"),
      ...args,
    ];
    // Code from a cache is not counted function by function.
    const env = {
      ...this.environment(),
      DISCORD_CHANNEL_ID: this.sandbox.channelId,
      PROJECT_NAME: "app",
      NODE_V8_COVERAGE: coverage,
      NODE_DISABLE_COMPILE_CACHE: "1",
    };
    const counted = {
      child: spawn(process.execPath, command, { cwd: this.home, stdio: ["pipe", "pipe", "ignore"], env }),
      coverage,
    };
    this.programs.push(counted);
    return counted;
  }

  /** The files in which something ran since the last time this was asked. */
  async ran(...programs: Counted[]): Promise<string[]> {
    const files = new Set<string>();
    for (const { child, coverage } of programs) {
      const before = new Set(readdirSync(coverage));
      const written = whole(coverage, before);
      child.kill("SIGUSR2");
      for (const file of filesOf(await written)) files.add(file);
    }
    return [...files].filter((file) => file.startsWith("src/")).sort();
  }

  /** Its welcome is posted. */
  override async session(): Promise<string> {
    const thread = await super.session();
    await this.sandbox.until(({ messages }) => messages(thread).some(({ author }) => author.bot));
    return thread;
  }

  done(message: { id: string }): Promise<unknown> {
    return this.sandbox.until(({ reactions }) => reactions(message.id)["✅"]?.includes(this.sandbox.botId));
  }

  override async close(): Promise<void> {
    const gone = this.programs.map(({ child }) => new Promise((resolve) => child.once("exit", resolve)));
    for (const { child } of this.programs) child.kill("SIGKILL");
    await Promise.all(gone);
    await super.close();
  }
}

function aliases(): { alias: Record<string, string> } {
  const at = {
    "jsonc-parser": "node_modules/jsonc-parser/lib/esm/main.js",
    "@discordjs/rest": "node_modules/@discordjs/rest/dist/web.mjs",
  };
  return {
    alias: Object.fromEntries(
      Object.entries(at)
        .map(([name, file]) => [name, join(tree, file)])
        .filter(([, file]) => existsSync(file ?? "")),
    ),
  };
}

interface Coverage {
  result: {
    url: string;
    functions: { functionName: string; ranges: { startOffset: number; endOffset: number; count: number }[] }[];
  }[];
}

/** The next coverage that is written to the folder, once it can be read. */
function whole(folder: string, before: ReadonlySet<string>): Promise<Coverage> {
  return new Promise((done) => {
    const watcher = watch(folder, look);
    function look(): void {
      const fresh = readdirSync(folder).find((name) => !before.has(name));
      if (fresh === undefined) return;
      try {
        const coverage = JSON.parse(readFileSync(join(folder, fresh), "utf8")) as Coverage;
        watcher.close();
        done(coverage);
      } catch {
        // It is being written.
      }
    }
    look();
  });
}

function filesOf({ result }: Coverage): string[] {
  return result.flatMap(({ url, functions }) => {
    if (!/\/dist\/(bellhop|daemon)\.js$/.test(url)) return [];
    const text = readFileSync(new URL(url), "utf8");
    const marks = [...text.matchAll(/^\/\/ (\S+\.(?:ts|js|mjs|cjs|tsx))$/gm)].map(({ index, 1: file = "" }) => ({
      index,
      file,
    }));
    // The first one is the bundle itself.
    return functions
      .filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0 && whole?.startOffset !== 0)
      .flatMap(({ ranges: [whole] }) => marks.findLast(({ index }) => index < (whole?.startOffset ?? 0))?.file ?? []);
  });
}

/** A message in a thread until its answer stands there and the message is marked as done. */
async function message(way: Way): Promise<string[]> {
  const thread = await way.session();
  await way.ran(way.daemon);
  await way.done(await way.owner(thread).send("count:one"));
  return way.ran(way.daemon);
}

/** From the owner's yes to one permission until the agent's next one stands there to be answered: a whole round. */
async function permission(way: Way): Promise<string[]> {
  const thread = await way.session();
  await way.owner(thread).send("permit");
  await allow(way, thread, 1);
  await prompt(way, thread, 2);
  await way.ran(way.daemon);
  await allow(way, thread, 2);
  await prompt(way, thread, 3);
  return way.ran(way.daemon);
}

function prompt(way: Way, thread: string, part: number): Promise<APIMessage> {
  return way.sandbox.until(({ messages }) =>
    messages(thread).find(
      ({ components, ...rest }) => JSON.stringify(rest).includes(`part-${part}`) && (components?.length ?? 0) > 0,
    ),
  );
}

async function allow(way: Way, thread: string, part: number): Promise<void> {
  const { id, components } = await prompt(way, thread, part);
  const [, button = ""] =
    /"custom_id":"([^"]*)","label":"Allow/.exec(JSON.stringify(components)) ??
    /"label":"Allow[^}]*"custom_id":"([^"]*)"/.exec(JSON.stringify(components)) ??
    [];
  await way.owner(thread).clickButton(id, button);
}

/** From a tool call of an agent's MCP client until the owner's answer has come back to it. */
async function question(way: Way): Promise<string[]> {
  const client = way.run("mcp");
  const lines = createInterface({ input: client.child.stdout! });
  const send = (line: Record<string, unknown>): void =>
    void client.child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`);
  const reply = (id: number): Promise<unknown> =>
    new Promise((done) => lines.on("line", (line) => (JSON.parse(line) as { id?: number }).id === id && done(line)));
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "way", version: "1" } },
  });
  await reply(1);
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "discord_check_pending", arguments: {} } });
  await reply(2);
  await way.ran(way.daemon, client);
  send({
    id: 3,
    method: "tools/call",
    params: {
      name: "discord_ask_decision",
      arguments: { question: "Deploy?", context: "It is ready.", options: ["Yes", "No"] },
    },
  });
  const answer = reply(3);
  const thread = await way.sandbox.until(({ threads }) => threads().find(({ name }) => name === "Deploy?")?.id);
  await way.sandbox.until(({ messages }) =>
    messages(thread).some(({ author, components }) => author.bot && (components?.length ?? 0) > 0),
  );
  await way.owner(thread).send("yes");
  await answer;
  await way.sandbox.until(({ threads }) => threads().find(({ id }) => id === thread)?.thread_metadata?.archived);
  return way.ran(way.daemon, client);
}

const flows: Record<string, (way: Way) => Promise<string[]>> = { message, permission, question };
for (const [name, flow] of Object.entries(flows)) {
  const way = await new Way().open();
  try {
    const files = await flow(way);
    console.log(`${name}: ${files.length} files${list ? `\n  ${files.join("\n  ")}` : ""}`);
  } finally {
    await way.close();
  }
}
for (const { name, count, found } of shape(tree))
  console.log(`${name}: ${count}${list ? found.map((line) => `\n  ${line}`).join("") : ""}`);
