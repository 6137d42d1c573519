#!/usr/bin/env node
/**
 * The command `discord-mcp`: `bellhop mcp` under the name that an agent's configuration of older days has. It only
 * puts the verb in its place, and like its sister it is written so that every Node can read it.
 */
"use strict";

if (process.argv[2] !== "--version") process.argv.splice(2, 0, "mcp");
require("./bellhop.cjs");
