/**
 * The package as somebody installs it: packed from this checkout, installed globally from the one file with no
 * registry in reach, and run by name. What runs is the bundle, so nothing of the checkout may be missing.
 */
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = process.execPath;
let home: string;
let installed: string;

/** With a fresh home and none of the tester's variables; no proxy leads anywhere. */
function environment(extra: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: `${path.dirname(node)}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    npm_config_cache: path.join(home, "cache"),
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_update_notifier: "false",
    ...extra,
  };
}

function run(command: string, args: string[], cwd: string, extra?: Record<string, string>): SpawnSyncReturns<string> {
  return spawnSync(command, args, { cwd, encoding: "utf8", env: environment(extra), timeout: 120_000 });
}

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), "bellhop-package-"));
  // `npm test` has built what is packed; building again here would race with the tests that use it.
  const packed = run("npm", ["pack", "--ignore-scripts", "--pack-destination", home], root);
  expect(packed.stderr + packed.stdout, "npm pack").toMatch(/bellhop-\d+\.\d+\.\d+\.tgz/);
  const file = readdirSync(home).find((name) => name.endsWith(".tgz")) ?? "none";
  const added = run("npm", ["install", "--global", "--prefix", path.join(home, "prefix"), path.join(home, file)], home);
  expect(added.status, added.stderr).toBe(0);
  installed = path.join(home, "prefix", "lib", "node_modules", "bellhop");
  // What was compiled here is no part of it; its own comes with its first start.
  expect(existsSync(path.join(installed, "dist", ".compiled"))).toBe(false);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const bellhop = (args: string[], extra?: Record<string, string>): SpawnSyncReturns<string> =>
  run(path.join(home, "prefix", "bin", "bellhop"), args, home, extra);

describe("the installed package", () => {
  test("says its version, and the verbs it has", () => {
    const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };
    expect(bellhop(["--version"])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
    expect(bellhop(["--help"])).toMatchObject({ status: 0, stdout: expect.stringContaining("start") as string });
  });

  test.each([
    ["discord-mcp", "bellhop mcp"],
    ["discord-watch", "bellhop watch"],
  ])("has %s, which is %s by another name", (name, verb) => {
    const program = path.join(home, "prefix", "bin", name);
    expect(run(program, ["--help"], home).stdout).toMatch(new RegExp(`^Usage: ${verb}\\b`));
    expect(run(program, ["--version"], home).stdout).toBe(bellhop(["--version"]).stdout);
  });

  test("serves an agent's tools to a client that installed it, on nothing but its pipes", () => {
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    };
    const client = spawnSync(path.join(home, "prefix", "bin", "discord-mcp"), [], {
      cwd: home,
      encoding: "utf8",
      env: environment(),
      input: `${JSON.stringify(hello)}\n`,
      timeout: 60_000,
    });
    expect(client).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(client.stdout)).toMatchObject({
      id: 1,
      result: { serverInfo: { name: "discord-decision-mcp" } },
    });
  });

  test("refuses a token that is none in one sentence, without repeating it", () => {
    const start = bellhop(["start"], { DISCORD_BOT_TOKEN: "not-a-token-at-all" });
    expect(start.stderr).toMatch(
      /^E_CONFIG_INVALID: DISCORD_BOT_TOKEN: found 18 characters in another form, expected [^\n]*\n$/,
    );
    expect(start.status).toBe(78);
  });

  test("runs without any development package: the daemon, its own Discord, and the page", async () => {
    const daemon = spawn(path.join(home, "prefix", "bin", "bellhop"), ["start", "--json"], {
      cwd: home,
      env: environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said: string[] = [];
    daemon.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    const ended = once(daemon, "exit");
    const [first] = (await Promise.race([once(createInterface(daemon.stdout), "line"), ended])) as [unknown];
    expect(first, said.join("")).toMatch(/^\{"event":"ready"/);
    const { link } = JSON.parse(String(first)) as { link: string };
    const page = await fetch(link);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("app.js");
    daemon.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("answers a verb it does not have with those it has, and 64", () => {
    expect(bellhop(["dance"])).toMatchObject({
      status: 64,
      stdout: "",
      stderr: expect.stringMatching(/^Unknown verb: dance\.\nUsage: bellhop/) as string,
    });
    expect(bellhop(["toString"]).status).toBe(64);
  });

  test("speaks the owner's language", () => {
    expect(bellhop(["--help"], { BELLHOP_LOCALE: "ja" }).stdout).toMatch(/^使い方/);
  });

  test("asks for no other package and runs no script of an install", () => {
    const manifest = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    for (const kind of ["dependencies", "optionalDependencies", "peerDependencies"])
      expect(manifest).not.toHaveProperty(kind);
    for (const script of ["preinstall", "install", "postinstall", "prepare"])
      expect(manifest.scripts).not.toHaveProperty(script);
    expect(existsSync(path.join(installed, "node_modules"))).toBe(false);
  });

  test("holds the program, the page, the licences, the start script, and nothing of the source", () => {
    expect(readdirSync(installed).sort()).toEqual([
      "LICENSE",
      "README.ja.md",
      "README.ko.md",
      "README.md",
      "README.zh-TW.md",
      "bin",
      "dist",
      "package.json",
      "scripts",
    ]);
    expect(readdirSync(path.join(installed, "scripts")).sort()).toEqual([
      "hook.sh",
      "start-discord-watch.sh",
      "status-line.sh",
    ]);
    const dist = readdirSync(path.join(installed, "dist"));
    expect(dist).toEqual(expect.arrayContaining(["bellhop.js", "page", "LICENCES.txt"]));
    expect(dist).not.toContain(".stamp");
    expect(readdirSync(path.join(installed, "dist", "page"))).toEqual(expect.arrayContaining(["app.js", "index.html"]));
    const licences = readFileSync(path.join(installed, "dist", "LICENCES.txt"), "utf8");
    for (const name of ["pino", "ws", "zod", "preact"]) expect(licences).toContain(`\n${name} `);
  });
});

describe("the launcher", () => {
  test("says what to do on a Node that is too old, in one line and with failure", () => {
    const old = `Object.defineProperty(process.versions, "node", { value: "20.20.2" }); process.argv.splice(1, 0, "bellhop"); require(${JSON.stringify(path.join(installed, "bin", "bellhop.cjs"))});`;
    const result = run(node, ["-e", old], home);
    expect(result.stderr).toBe(
      "Bellhop needs Node 22.19 or newer and this is Node 20.20.2. Install a newer one from https://nodejs.org and run the command again.\n",
    );
    expect(result.status).toBe(1);
  });

  test.each(readdirSync(`${root}bin`))("is written in a language that every Node can read: %s", (name) => {
    expect(readFileSync(`${root}bin/${name}`, "utf8")).not.toMatch(
      /\?\.|\?\?|^\s*(const|let|class)\b|=>|`[^`]*\$\{|"node:/m,
    );
  });

  test("takes npm's additions out of PATH again, because agents inherit it", () => {
    const seen = `${path.join(home, "node_modules", ".bin")}:/opt/x/node-gyp-bin:/usr/bin`;
    const show = `process.argv[2] = "--help"; require(${JSON.stringify(path.join(installed, "bin", "bellhop.cjs"))}); process.stderr.write(process.env.PATH);`;
    expect(run(node, ["-e", show], home, { PATH: seen, npm_lifecycle_event: "start" }).stderr).toBe("/usr/bin");
    expect(run(node, ["-e", show], home, { PATH: seen }).stderr).toBe(seen);
  });
});

describe("the lock", () => {
  const lock = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
    packages: Record<string, { resolved?: string; hasInstallScript?: boolean; integrity?: string; link?: boolean }>;
  };
  const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    devDependencies: Record<string, string>;
    allowScripts: Record<string, boolean>;
  };

  test("names no address to download from, and an integrity for every package", () => {
    for (const [name, entry] of Object.entries(lock.packages)) {
      expect(entry.resolved ?? "", name).not.toMatch(/^\w+:/);
      if (name.startsWith("node_modules/") && entry.link !== true) expect(entry.integrity, name).toMatch(/^sha512-/);
    }
  });

  test("pins exact versions, and denies every install script by name", () => {
    for (const version of Object.values(manifest.devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const scripted = Object.keys(lock.packages).filter((name) => lock.packages[name]?.hasInstallScript === true);
    for (const name of scripted)
      expect(manifest.allowScripts).toHaveProperty(name.replace(/^.*node_modules\//, ""), false);
  });
});
