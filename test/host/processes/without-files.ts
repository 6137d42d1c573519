/** A process of its own that comes to its limit of open files, which for the test's own process is far away. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const PRELUDE = `
import { closeSync, openSync } from "node:fs";
const load = (path) => import("${fileURLToPath(new URL("../../../src/", import.meta.url))}" + path);
const exhaust = (left = 0) => {
  const files = [];
  try {
    for (;;) files.push(openSync("/dev/null", "r"));
  } catch {}
  for (const file of files.splice(0, left)) closeSync(file);
};
const say = (what) => process.stdout.write(JSON.stringify(what), () => process.exit());
`;

/**
 * What the code gives to `say`. It can `load` a source file, and after `exhaust(left)` opens no more files than are
 * left.
 */
export async function withoutFiles(code: string): Promise<unknown> {
  const child = spawn(
    "/bin/sh",
    ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, "--input-type=module", "-e", PRELUDE + code],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  return JSON.parse(await text(child.stdout)) as unknown;
}
