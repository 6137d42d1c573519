/**
 * Installs the real agents the contract tests run, exactly as locked, when they are missing or the lock has
 * changed. Plain CommonJS, so that it runs on any Node from 18 on. No install script runs: the programs are in the
 * packages already, and `node_modules/.native` gets a link to each, to be put into a PATH.
 */
"use strict";
const { execFileSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const home = __dirname;
const installed = path.join(home, "node_modules");
const stamp = path.join(installed, ".lock-sha256");
const lock = createHash("sha256")
  .update(fs.readFileSync(path.join(home, "package-lock.json")))
  .digest("hex");

if (!fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== lock) {
  console.log("test/agents: installing the pinned agents (some 1.9 GB, once)");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: home,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  fs.writeFileSync(stamp, lock);
}
link("claude", beneath("@anthropic-ai", ["claude"], "claude-code-"));
link("codex", beneath("@openai", ["vendor", "*", "bin", "codex"]));
link("claude-agent-acp", path.join(installed, "@agentclientprotocol", "claude-agent-acp", "dist", "index.js"));
link("codex-acp", path.join(installed, "@agentclientprotocol", "codex-acp", "dist", "index.js"));
link("gemini", path.join(installed, "@google", "gemini-cli", "bundle", "gemini.js"));
// Its package for another platform is not in the lock: there it is left out, and its tests fail.
if (process.platform === "linux" && process.arch === "x64")
  link("opencode", path.join(installed, "opencode-linux-x64", "bin", "opencode"));

/** One link a program, under the name its users call it by. */
function link(name, program) {
  const bin = path.join(installed, ".native");
  fs.mkdirSync(bin, { recursive: true });
  if (program === undefined || !fs.existsSync(program))
    throw new Error(`no ${name} for ${process.platform}-${process.arch} under ${installed}`);
  fs.rmSync(path.join(bin, name), { force: true });
  fs.symlinkSync(path.relative(bin, program), path.join(bin, name));
}

/**
 * The platform's own package of a scope is the one that holds the program; `*` stands for any one directory. `prefix`:
 * of the package's name, where another one of the scope has a program of this name too.
 */
function beneath(scope, parts, prefix = "") {
  const from = path.join(installed, scope);
  let found = fs
    .readdirSync(from)
    .filter((name) => name.startsWith(prefix))
    .map((name) => path.join(from, name));
  for (const part of parts) {
    found = found
      .flatMap((directory) => (part === "*" ? list(directory) : [path.join(directory, part)]))
      .filter((file) => fs.existsSync(file));
  }
  return found[0];
}

function list(directory) {
  return fs.statSync(directory).isDirectory()
    ? fs.readdirSync(directory).map((name) => path.join(directory, name))
    : [];
}
