/** Where Bellhop itself is installed: its version, and the program that starts it. Only the bundle in `dist/` asks. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** From package.json, which is one level above `dist/`. */
export function version(): string {
  return (JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")) as { version: string })
    .version;
}

/**
 * From now on, the version that has been installed here meanwhile, also if it bears the same number; null: none, or it is
 * gone.
 */
export function watchInstalled(): () => string | null {
  // Whatever is built anew bears another name, and this file names it.
  const read = (): string => readFileSync(join(import.meta.dirname, "daemon.js"), "utf8");
  try {
    const begun = read();
    return () => {
      try {
        return read() === begun ? null : version();
      } catch {
        return null;
      }
    };
  } catch {
    return () => null;
  }
}

/** `bin/bellhop.cjs`, which is beside `dist/`. */
export function program(): string {
  return join(import.meta.dirname, "..", "bin", "bellhop.cjs");
}
