import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Resolves when the process has ended, which takes a moment after its kill; it need not be a child of the test. */
export async function ended(pid: number): Promise<void> {
  await promisify(execFile)("tail", [`--pid=${pid}`, "-s", "0.05", "-f", "/dev/null"]);
}
