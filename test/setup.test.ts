/**
 * The set-up of a checkout, with an npm that only notes how it was called: what is installed and built when, and
 * what a failure leaves. (That the real npm and a bare clone get on is what the gate proves by running on one.)
 */
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
let checkout: string;

const NPM = `
const fs = require("node:fs");
fs.appendFileSync("calls", "npm " + process.argv.slice(2).join(" ") + " NODE_ENV=" + process.env.NODE_ENV + "\\n");
if (fs.existsSync("no-network")) process.exit(1);
fs.mkdirSync("node_modules/.bin", { recursive: true });
fs.writeFileSync("node_modules/.bin/node", "#!/bin/sh\\nexec \\"$REAL_NODE\\" \\"$@\\"\\n", { mode: 0o755 });
`;

const BUILD = `
import fs from "node:fs";
fs.appendFileSync("calls", "build\\n");
if (fs.existsSync("bad-source")) process.exit(1);
fs.mkdirSync("dist", { recursive: true });
`;

beforeEach(() => {
  checkout = mkdtempSync(path.join(tmpdir(), "bellhop-setup-"));
  copyFileSync(`${root}setup.cjs`, path.join(checkout, "setup.cjs"));
  write("npm-cli.js", NPM);
  write("build.mjs", BUILD);
  write("package.json", "{}");
  write("package-lock.json", "{}");
  mkdirSync(path.join(checkout, "src", "core"), { recursive: true });
  write("src/core/restart.ts", "export {};");
});

afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(path.join(checkout, name), text);
}

/** Runs the set-up; returns what it called. */
function setUp(env: Record<string, string> = {}): SpawnSyncReturns<string> & { calls: string[] } {
  rmSync(path.join(checkout, "calls"), { force: true });
  const done = spawnSync(process.execPath, ["setup.cjs"], {
    cwd: checkout,
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"],
      REAL_NODE: process.execPath,
      npm_execpath: path.join(checkout, "npm-cli.js"),
      ...env,
    },
  });
  const file = path.join(checkout, "calls");
  return { ...done, calls: existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [] };
}

const kinds = (calls: string[]): string[] => calls.map((call) => call.split(" ")[0] ?? "");

describe("the set-up of a checkout", () => {
  test("installs and builds the first time, and does nothing the second", () => {
    expect(kinds(setUp().calls)).toEqual(["npm", "build"]);
    expect(setUp()).toMatchObject({ status: 0, calls: [], stdout: "", stderr: "" });
  });

  test("installs what the lock names, development packages too, and runs no script of theirs", () => {
    const [npm] = setUp({ NODE_ENV: "production" }).calls;
    expect(npm).toMatch(/^npm ci --ignore-scripts --include=dev --include=optional .*NODE_ENV=development$/);
  });

  test("installs again when the lock changes, or when the packages are gone", () => {
    setUp();
    write("package-lock.json", '{ "lockfileVersion": 3 }');
    expect(kinds(setUp().calls)).toEqual(["npm", "build"]);
    rmSync(path.join(checkout, "node_modules"), { recursive: true });
    expect(kinds(setUp().calls)).toEqual(["npm"]);
  });

  test("builds again when a source is changed, added or removed", () => {
    setUp();
    write("src/core/restart.ts", "export const job = 1;");
    expect(setUp().calls).toEqual(["build"]);
    write("src/core/restart.ts", "");
    expect(setUp().calls).toEqual(["build"]);
    rmSync(path.join(checkout, "src/core/restart.ts"));
    expect(setUp().calls).toEqual(["build"]);
    expect(setUp().calls).toEqual([]);
  });

  test("that could not install says so, fails, and tries again the next time", () => {
    write("no-network", "");
    const failed = setUp();
    expect(failed.stderr).toMatch(/^Installing packages …\nInstalling packages failed/);
    expect(failed.status).toBe(1);
    expect(kinds(failed.calls)).toEqual(["npm"]);
    rmSync(path.join(checkout, "no-network"));
    expect(kinds(setUp().calls)).toEqual(["npm", "build"]);
  });

  test("that could not build says so, fails, and builds again the next time", () => {
    write("bad-source", "");
    expect(setUp()).toMatchObject({ status: 1, stderr: expect.stringContaining("Building failed") as string });
    rmSync(path.join(checkout, "bad-source"));
    expect(setUp().calls).toEqual(["build"]);
  });

  test("finds npm in PATH when it was not npm that called", () => {
    const npm = path.join(checkout, "npm");
    write("npm", `#!/bin/sh\nexec "$REAL_NODE" npm-cli.js "$@"\n`);
    chmodSync(npm, 0o755);
    expect(kinds(setUp({ npm_execpath: "", PATH: `${checkout}:${process.env["PATH"] ?? ""}` }).calls)).toEqual([
      "npm",
      "build",
    ]);
  });

  test("is written for Node 18: no import, and only what it has", () => {
    expect(readFileSync(`${root}setup.cjs`, "utf8")).not.toMatch(
      /^import |\bawait\b|import\.meta|styleText|\.toSorted|\.with\(/m,
    );
  });
});
