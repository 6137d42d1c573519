/** Before the tests of what is built: an older build is refused, because they would say nothing of the sources. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export function setup(): void {
  const file = fileURLToPath(new URL("../setup.cjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [file, "--check"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.trim());
}
