/**
 * The package as somebody installs it: packed, put into an empty folder with no registry in reach, and run by its
 * command.
 */
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const source = path.resolve(import.meta.dirname, "..");
let folder: string;

function run(command: string, args: readonly string[], input = "", cwd = folder): SpawnSyncReturns<string> {
  const env = {
    PATH: `${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: folder,
    npm_config_cache: path.join(folder, ".npm"),
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_update_notifier: "false",
  };
  return spawnSync(command, args, { cwd, encoding: "utf8", env, input, timeout: 120_000 });
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "demo-agent-package-"));
  // `npm test` has built what is packed; building again here would race with the tests that use it.
  expect(run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], "", source)).toMatchObject({
    status: 0,
  });
  const [packed = "none"] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  const added = run("npm", [
    "install",
    "--global",
    "--offline",
    "--prefix",
    path.join(folder, "prefix"),
    path.join(folder, packed),
  ]);
  expect(added.status, added.stderr).toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the command answers an ACP client, with nothing but the protocol on its pipes", () => {
  const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };
  const done = run(path.join(folder, "prefix", "bin", "acp-demo-agent"), [], `${JSON.stringify(hello)}\n`);
  expect(done).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(done.stdout)).toMatchObject({
    id: 1,
    result: { protocolVersion: 1, agentInfo: { name: "acp-demo-agent" } },
  });
});

test("it carries the program and its licences, needs no other package, and runs no script at install", () => {
  const installed = path.join(folder, "prefix", "lib", "node_modules", "acp-demo-agent");
  expect(readdirSync(installed).sort()).toEqual(["LICENSE", "README.md", "bin", "dist", "package.json"]);
  expect(readdirSync(path.join(installed, "dist")).sort()).toEqual(["LICENCES.txt", "demo-agent.js"]);
  expect(readFileSync(path.join(installed, "dist", "LICENCES.txt"), "utf8")).toContain(
    "@agentclientprotocol/sdk 2.4.0 (Apache-2.0)",
  );
  const manifest = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8")) as {
    dependencies?: object;
    devDependencies: Record<string, string>;
    scripts: Record<string, string>;
  };
  expect(manifest).not.toHaveProperty("dependencies");
  for (const version of Object.values(manifest.devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  for (const script of ["preinstall", "install", "postinstall", "prepare"])
    expect(manifest.scripts).not.toHaveProperty(script);
});
