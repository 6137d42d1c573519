/**
 * Makes a checkout ready: installs what the lock names and builds `dist/`, each only when it is not so already.
 * It promises to run on any Node from 18 on with nothing installed, because on a fresh machine it is the
 * first thing that runs, and to leave either a finished set-up or a sentence saying what is in the way.
 */
"use strict";
const { spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const root = __dirname;
const modules = path.join(root, "node_modules");
const installStamp = path.join(modules, ".bellhop-setup");
const buildStamp = path.join(root, "dist", ".stamp");

if (process.argv[2] === "--check") check();
else setUp();

/** For the tests that try `dist/`, which must not try an older one. */
function check() {
  if (read(buildStamp) === hashOf(buildInputs(), "")) return;
  stop("dist/ is older than the sources. Run `npm run build`, or `npm test`, which builds first.");
}

function setUp() {
  const installed = hashOf([path.join(root, "package-lock.json")], process.platform + process.arch);
  if (read(installStamp) !== installed) {
    install();
    fs.writeFileSync(installStamp, installed);
  }
  // Unit tests need nothing built.
  if (process.argv[2] === "--install") return;
  const node = newNode();
  const built = hashOf(buildInputs(), "");
  if (read(buildStamp) !== built) {
    run("Building", node, [path.join(root, "build.mjs")], process.env);
    fs.writeFileSync(buildStamp, built);
  }
}

/** `npm ci` by the npm that called us, else the one in PATH. No package's own install script runs. */
function install() {
  // A NODE_ENV or npm configuration that leaves out development packages must not leave out ours.
  const args = [
    "ci",
    "--ignore-scripts",
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const npm = process.env.npm_execpath;
  const env = { ...process.env, NODE_ENV: "development" };
  if (npm && /npm-cli\.[cm]?js$/.test(npm)) run("Installing packages", process.execPath, [npm, ...args], env);
  else run("Installing packages", process.platform === "win32" ? "npm.cmd" : "npm", args, env);
}

/** The locked Node where the platform has one, else the one running this, if it is new enough. */
function newNode() {
  const locked = path.join(modules, ".bin", process.platform === "win32" ? "node.cmd" : "node");
  if (fs.existsSync(locked)) return locked;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  stop(
    "There is no locked Node for " +
      process.platform +
      " " +
      process.arch +
      ", and this is Node " +
      process.versions.node +
      ". Install Node 22.19 or newer and run the command again."
  );
}

/** Everything that can change what is built. */
function buildInputs() {
  const files = ["build.mjs", "package.json", "package-lock.json"].map((name) => path.join(root, name));
  const walk = (directory) => {
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      const full = path.join(directory, entry.name);
      if (entry.isDirectory()) walk(full);
      else files.push(full);
    }
  };
  if (fs.existsSync(path.join(root, "src"))) walk(path.join(root, "src"));
  for (const name of ["demo-agent", "discord-sandbox"]) {
    const folder = path.join(root, "packages", name);
    for (const part of ["src", "bin"]) if (fs.existsSync(path.join(folder, part))) walk(path.join(folder, part));
    for (const file of ["build.mjs", "package.json", "tsconfig.json"])
      if (fs.existsSync(path.join(folder, file))) files.push(path.join(folder, file));
  }
  return files.sort();
}

function hashOf(files, seed) {
  const hash = createHash("sha256").update(seed);
  for (const file of files)
    hash.update(path.relative(root, file)).update("\0").update(fs.readFileSync(file)).update("\0");
  return hash.digest("hex");
}

function read(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function run(what, command, args, env) {
  process.stderr.write(what + " …\n");
  const shell = command.endsWith(".cmd");
  // Standard output belongs to the command that is set up here (`npm start -- --json`), so children write to stderr.
  const done = spawnSync(command, args, { cwd: root, env, stdio: ["ignore", 2, 2], shell });
  if (done.error) stop(what + " failed: " + done.error.message + ". Check that npm is installed and try again.");
  if (done.status !== 0) stop(what + " failed (see above). Fix that and run the command again.");
}

function stop(sentence) {
  process.stderr.write(sentence + "\n");
  process.exit(1);
}
