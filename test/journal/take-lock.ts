/**
 * A process that says `ready`, takes the lock of the directory it is given as soon as it is told anything, says
 * `held` or the refusal's code, and holds it until its input ends. For tests of the lock with real processes.
 */
import { once } from "node:events";

import { takeLock } from "../../src/journal/lock.ts";

const [dir = "", release] = process.argv.slice(2);
process.stdout.write("ready\n");
await once(process.stdin, "data");
let said = "held";
try {
  const lock = takeLock(dir);
  process.stdin.on("end", () => {
    if (release === "release") lock.release();
  });
} catch (error) {
  said = error instanceof Error && "code" in error ? String(error.code) : String(error);
}
process.stdout.write(`${said}\n`);
process.stdin.resume();
