/**
 * What `npm run dev` starts, and Node's watch mode starts again after each change: it builds what has changed and runs
 * Bellhop with its own local Discord.
 */
"use strict";
require("./setup.cjs");
process.argv = [process.argv[0], require.resolve("./bin/bellhop.cjs"), "start"];
require("./bin/bellhop.cjs");
