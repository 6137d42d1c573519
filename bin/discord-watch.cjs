#!/usr/bin/env node
/**
 * The command `discord-watch`: `bellhop watch` under the name that start scripts of older days have. It only puts the
 * verb in its place, and like its sister it is written so that every Node can read it.
 */
"use strict";

if (process.argv[2] !== "--version") process.argv.splice(2, 0, "watch");
require("./bellhop.cjs");
