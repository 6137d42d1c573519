#!/usr/bin/env node
/**
 * The command `bellhop`: answers `--version` by itself, and otherwise hands over to `dist/`. It is written so
 * that even a very old Node can read it, and then says in one line what to do instead of failing on syntax.
 */
"use strict";

main();

function main() {
  var version = process.versions.node.split(".").map(Number);
  if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
    return stop("Bellhop needs Node 22.19 or newer and this is Node " + process.versions.node + ". " + wayToNewNode());
  }
  if (process.argv[2] === "--version") {
    process.stdout.write(require("../package.json").version + "\n");
    return;
  }
  leaveNpm();
  startFrugally();
  outliveReaders();
  var unsafe = keepCompiled();
  // What becomes a daemon is a program of its own, in fewer files.
  import(/^(start|sandbox|init)$/.test(process.argv[2]) ? "../dist/daemon.js" : "../dist/bellhop.js").then(function (
    program
  ) {
    return run(program, unsafe);
  }, notBuilt);
}

/** A daemon replaces its process's image, and does that before it loads anything if it can. */
function startFrugally() {
  var file = __dirname + "/../dist/handover.cjs";
  if (process.argv[2] === "start" && require("fs").existsSync(file))
    require(file).leaveDiscordBehindEarly(process.argv.slice(2));
}

function wayToNewNode() {
  // A checkout brings its own Node, which `npm run` finds first.
  if (require("fs").existsSync(__dirname + "/../setup.cjs"))
    return "Run `npm run bellhop -- " + process.argv.slice(2).join(" ") + "`, which uses the checkout's own.";
  return "Install a newer one from https://nodejs.org and run the command again.";
}

/**
 * Compiled code is kept between starts, and is run as it is found: so it is kept beside what it was compiled from,
 * where whoever can write can change the program itself, in a folder that only its owner can use. Returns the folder
 * where something else is in its place. Where it cannot be made, as in an installation of root's, nothing is lost but
 * time.
 */
function keepCompiled() {
  var folder = require("path").join(__dirname, "..", "dist", ".compiled");
  try {
    if (!isOwn(folder)) return folder;
    require("module").enableCompileCache(folder);
  } catch (error) {
    if (typeof error.code !== "string") throw error;
  }
}

/**
 * Makes it if it is missing; one of ours that was open to others is closed, and what they may have put there is
 * removed.
 */
function isOwn(folder) {
  var fs = require("fs");
  var ours = parseInt("700", 8);
  try {
    fs.mkdirSync(folder, ours);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  var found = fs.lstatSync(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false;
  if (!process.getuid || (found.mode & parseInt("77", 8)) === 0) return true;
  fs.chmodSync(folder, ours);
  fs.rmSync(folder, { recursive: true });
  fs.mkdirSync(folder, ours);
  return true;
}

/** @param unsafe the folder for compiled code, if it is not used */
function run(program, unsafe) {
  var io = { stdout: process.stdout, stderr: process.stderr, env: process.env, unsafe: unsafe };
  return program.bellhop(process.argv.slice(2), io).then(function (code) {
    process.exitCode = code;
  });
}

function notBuilt(error) {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  stop("This checkout of Bellhop is not built yet. Run `npm start` in it, which builds first.");
}

/**
 * Whoever reads what is printed may stop reading (`bellhop logs | head`, a terminal that is closed). That ends what
 * is only printed, and must not end a daemon.
 */
function outliveReaders() {
  var daemon = process.argv[2] === "start" || process.argv[2] === "sandbox";
  // An agent's client may read no standard error at all and still want its answers.
  var answers = process.argv[2] === "mcp";
  ["stdout", "stderr"].forEach(function (name) {
    process[name].on("error", function (error) {
      if (!daemon && !(answers && name === "stderr")) process.exit(error.code === "EPIPE" ? 0 : 74);
    });
  });
}

/**
 * `npm run` puts the checkout's own `node_modules/.bin` before everything else in PATH. The agents we start
 * inherit PATH, and their `node` must be their owner's, not ours; so npm's additions go again.
 */
function leaveNpm() {
  if (!process.env.npm_lifecycle_event) return;
  var path = require("path");
  var parts = (process.env.PATH || "").split(path.delimiter);
  process.env.PATH = parts
    .filter(function (part) {
      return !/[/\\]node_modules[/\\]\.bin$|[/\\]node-gyp-bin$/.test(part);
    })
    .join(path.delimiter);
}

function stop(sentence) {
  process.stderr.write(sentence + "\n");
  process.exitCode = 1;
}
