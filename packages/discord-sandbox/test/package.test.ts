/**
 * The package as somebody installs it: packed, put into an empty folder with its two dependencies and no registry in
 * reach, run by its command, imported, and read for its types. The example of its README is run as it stands there.
 */
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

const source = path.resolve(import.meta.dirname, "..");
const modules = path.resolve(source, "../../node_modules");
let folder: string;

function run(command: string, args: readonly string[], cwd = folder): SpawnSyncReturns<string> {
  const env = {
    PATH: `${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: folder,
    npm_config_cache: path.join(folder, ".npm"),
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_update_notifier: "false",
  };
  return spawnSync(command, args, { cwd, encoding: "utf8", env, timeout: 120_000 });
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "discord-sandbox-"));
  // `npm test` has built what is packed; building again here would race with the tests that use it.
  for (const place of [source, path.join(modules, "ws"), path.join(modules, "discord-api-types")]) {
    expect(run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], place)).toMatchObject({ status: 0 });
  }
  writeFileSync(path.join(folder, "package.json"), '{ "name": "bot", "private": true, "type": "module" }');
  const added = run("npm", [
    "install",
    "--offline",
    "--no-audit",
    ...readdirSync(folder)
      .filter((name) => name.endsWith(".tgz"))
      .map((name) => `./${name}`),
  ]);
  expect(added.status, added.stderr).toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `npx discord-sandbox` with these arguments, ended with the test; and its first line. */
async function start(
  ...args: string[]
): Promise<{ told: Record<string, string>; end(): Promise<unknown>; errors(): string }> {
  const child = spawn(
    process.execPath,
    [path.join(folder, "node_modules", ".bin", "discord-sandbox"), "--json", "--port", "0", ...args],
    { cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const errors: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  const ended = once(child, "close");
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [unknown];
  const end = (): Promise<unknown> => {
    child.kill("SIGINT");
    return ended;
  };
  return { told: JSON.parse(String(line)) as Record<string, string>, end, errors: () => errors.join("") };
}

function post(told: Record<string, string>, token: string | undefined, body: object): Promise<Response> {
  const headers = { authorization: token ?? "", "content-type": "application/json" };
  return fetch(`${told["api"]}/v10/channels/${told["channelId"]}/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
}

test("the command serves the page and the API, prints what a bot does wrong, and ends when it is told to", async () => {
  const { told, end, errors } = await start();
  const page = await fetch(told["link"] ?? "");
  expect(await page.text()).toContain("app.js");
  expect((await fetch(new URL("/app.js", told["link"]))).status).toBe(200);
  expect((await post(told, told["ownerToken"], { content: "hello" })).status).toBe(200);
  expect((await post(told, `Bot ${told["botToken"]}`, { content: "x".repeat(2001) })).status).toBe(400);
  expect(await end()).toEqual([0, null]);
  expect(errors()).toBe(
    `bad_request: POST /api/v10/channels/${told["channelId"]}/messages: 400 (50035) Invalid Form Body\n`,
  );
});

test("a file keeps the world between runs, and the tokens are new", async () => {
  const first = await start("--file", "world.json");
  await post(first.told, first.told["ownerToken"], { content: "kept" });
  await first.end();
  const { told, end } = await start("--file", "world.json");
  expect(told).toMatchObject({ guildId: first.told["guildId"], channelId: first.told["channelId"] });
  expect(told["botToken"]).not.toBe(first.told["botToken"]);
  const list = await fetch(`${told["api"]}/v10/channels/${told["channelId"]}/messages`, {
    headers: { authorization: told["ownerToken"] ?? "" },
  });
  expect(await list.json()).toMatchObject([{ content: "kept" }]);
  await end();
});

test("a wrong call, a port in use and a file that is no world are said in a sentence", async () => {
  const command = path.join("node_modules", ".bin", "discord-sandbox");
  expect(run(command, ["--prot", "1"])).toMatchObject({
    status: 64,
    stderr: expect.stringMatching(/^Unknown option '--prot'[^]*\nUsage: discord-sandbox/) as string,
  });
  expect(run(command, ["--port", "70000"])).toMatchObject({
    status: 64,
    stderr: expect.stringMatching(/^--port: expected a number/) as string,
  });
  const { told, end } = await start();
  const { port } = new URL(told["api"] ?? "");
  expect(run(command, ["--port", port])).toMatchObject({
    status: 1,
    stderr: `Port ${port} is in use. Choose another with --port, or --port 0 for any free one.\n`,
  });
  await end();
  writeFileSync(path.join(folder, "other.json"), "{}");
  const refused = run(command, ["--port", "0", "--file", "other.json"]);
  expect(refused).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("other.json is not a sandbox world") as string,
  });
  expect(readFileSync(path.join(folder, "other.json"), "utf8")).toBe("{}");
});

test("the example of the README passes as it stands there", () => {
  symlinkSync(path.join(modules, "discord.js"), path.join(folder, "node_modules", "discord.js"));
  const readme = readFileSync(path.join(folder, "node_modules", "discord-sandbox", "README.md"), "utf8");
  const example = [...readme.matchAll(/```js\n([^]*?)```/g)]
    .map(([, code]) => code ?? "")
    .find((code) => code.includes("node:test"));
  writeFileSync(path.join(folder, "bot.test.js"), example ?? "");
  const done = run(process.execPath, ["--test", "bot.test.js"]);
  expect(done.status, done.stdout + done.stderr).toBe(0);
  expect(done.stdout).toMatch(/pass 1\b/);
});

test("its types hold for a strict TypeScript that checks libraries too", () => {
  mkdirSync(path.join(folder, "typed"));
  writeFileSync(
    path.join(folder, "typed", "bot.ts"),
    `
    import { checkMessage, ClientError, Refusal, startSandbox, type Clock, type GatewayFaultKind, type Sandbox, type UserActor } from "discord-sandbox";
    export async function use(clock: Clock, fault: GatewayFaultKind): Promise<string> {
      const sandbox: Sandbox = await startSandbox({ clock });
      const owner: UserActor = sandbox.channel(sandbox.channelId).user(sandbox.owner.id);
      sandbox.faults.gateway(fault).lift();
      const handle = await owner.slash("ping", { count: 1 });
      // @ts-expect-error A port is a number.
      await startSandbox({ port: "1" });
      return (await handle.answer()).content;
    }
    export const known: unknown[] = [checkMessage, ClientError, Refusal];
  `,
  );
  const options = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2024",
    lib: ["es2024", "esnext.disposable"],
    skipLibCheck: false,
    types: ["node"],
    typeRoots: [path.join(modules, "@types")],
  };
  writeFileSync(path.join(folder, "typed", "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
  expect(run(process.execPath, [path.join(modules, "typescript", "bin", "tsc"), "-p", "typed"])).toMatchObject({
    status: 0,
    stdout: "",
  });
});

test("it carries the program, the page, its types and licences, and nothing of the source", () => {
  const installed = path.join(folder, "node_modules", "discord-sandbox");
  expect(readdirSync(installed).sort()).toEqual(["LICENSE", "README.md", "bin", "dist", "package.json"]);
  expect(readdirSync(path.join(installed, "dist", "page")).sort()).toEqual([
    "app.css",
    "app.js",
    "chat.css",
    "favicon.svg",
    "index.html",
    "parts.css",
  ]);
  expect(readFileSync(path.join(installed, "dist", "LICENCES.txt"), "utf8")).toMatch(/^preact /);
  const files = readdirSync(path.join(installed, "dist"), { recursive: true, encoding: "utf8" });
  expect(files.filter((name) => /(?<!\.d)\.tsx?$/.test(name))).toEqual([]);
  expect(
    readdirSync(path.join(folder, "node_modules"))
      .filter((name) => !name.startsWith(".") && name !== "discord.js")
      .sort(),
  ).toEqual(["discord-api-types", "discord-sandbox", "ws"]);
  const manifest = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
    scripts: Record<string, string>;
  };
  for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  for (const script of ["preinstall", "install", "postinstall", "prepare"])
    expect(manifest.scripts).not.toHaveProperty(script);
});
