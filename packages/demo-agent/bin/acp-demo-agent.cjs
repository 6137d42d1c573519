#!/usr/bin/env node
/**
 * The command `acp-demo-agent`. It is written so that even a very old Node can read it, and then says in one line what
 * to do instead of failing on syntax.
 */
"use strict";

main();

function main() {
  var version = process.versions.node.split(".").map(Number);
  if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
    process.stderr.write(
      "acp-demo-agent needs Node 22.19 or newer and this is Node " +
        process.versions.node +
        ". Install a newer one from https://nodejs.org and run the command again.\n"
    );
    process.exitCode = 1;
    return;
  }
  import("../dist/demo-agent.js").catch(notBuilt);
}

function notBuilt(error) {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  process.stderr.write("acp-demo-agent is not built yet. Run `node setup.cjs` in the checkout.\n");
  process.exitCode = 1;
}
