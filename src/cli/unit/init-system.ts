/**
 * What systemd and launchd have in common for us: one file that says how Bellhop is started, and commands to take it
 * up and to let it go.
 */
import type { Start } from "./machine.ts";

export interface InitSystem {
  /** Absolute path of the file. */
  unit: string;
  /** Its text. @throws E_SERVICE_REFUSED for a path that it cannot name */
  text(start: Start): string;
  /** After the file was written: it is known, and started at every login from now on. */
  adopt: readonly string[][];
  /** Whether Bellhop runs by it now. */
  isActive(): Promise<boolean>;
  start: readonly string[];
  /** For the person, where it runs already. */
  restart: string;
  /** Before the file is removed, and after. */
  stop: readonly string[];
  forget: readonly string[][];
  /** Whether a user's services end with the last login. */
  needsLinger: boolean;
}

/** Stands in every file we write, and in none of anybody else's. */
export const MARK = "Written by `bellhop service install`";
