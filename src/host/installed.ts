/** Where Bellhop itself is installed: its version, and the program that starts it. Only the bundle in `dist/` asks. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** From package.json, which is one level above `dist/`. */
export function version(): string {
  return (JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")) as { version: string })
    .version;
}

/** `bin/bellhop.cjs`, which is beside `dist/`. */
export function program(): string {
  return join(import.meta.dirname, "..", "bin", "bellhop.cjs");
}
