/**
 * What systemd and launchd have in common: one file that says how Bellhop is started, and commands to load and unload
 * it.
 */
import type { Start } from "./machine.ts";

export interface InitSystem {
  /** Absolute path of the unit file. */
  unit: string;
  /** Its content. @throws E_SERVICE_REFUSED for a path that it cannot express */
  text(start: Start): string;
  /** Run after the file is written: registers it, to be started at every login. */
  adopt: readonly string[][];
  /** Whether the service runs now. */
  isActive(): Promise<boolean>;
  start: readonly string[];
  /** The command shown to the person if it already runs. */
  restart: string;
  /** Run before the file is removed, and after. */
  stop: readonly string[];
  forget: readonly string[][];
  /** Whether a user's services end with the last login. */
  needsLinger: boolean;
}

/** Present in every unit file we write, and in no other. */
export const MARK = "Written by `bellhop service install`";
