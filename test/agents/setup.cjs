/**
 * Installs the real agents the contract tests run, exactly as locked, when they are missing or the lock has
 * changed. Plain CommonJS, so that it runs on any Node from 18 on. No install script runs: the native programs
 * are in the packages already, and `node_modules/.native` gets a link to each, to be put into a PATH.
 */
"use strict";
const { execFileSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const home = __dirname;
const installed = path.join(home, "node_modules");
const stamp = path.join(installed, ".lock-sha256");
const lock = createHash("sha256").update(fs.readFileSync(path.join(home, "package-lock.json"))).digest("hex");

if (!fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== lock) {
  console.log("test/agents: installing the pinned agents (some 400 MB, once)");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: home,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  linkNatives();
  fs.writeFileSync(stamp, lock);
}

/** One link a program, under the name its users call it by. */
function linkNatives() {
  const bin = path.join(installed, ".native");
  fs.mkdirSync(bin, { recursive: true });
  const scope = path.join(installed, "@anthropic-ai");
  const native = fs.readdirSync(scope).map((name) => path.join(scope, name, "claude")).find((file) => fs.existsSync(file));
  if (native === undefined) throw new Error(`no native claude for ${process.platform}-${process.arch} under ${scope}`);
  fs.rmSync(path.join(bin, "claude"), { force: true });
  fs.symlinkSync(path.relative(bin, native), path.join(bin, "claude"));
}
