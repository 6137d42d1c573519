/**
 * Which of a project's `default_args` are refused for an agent whose options nobody knows: those that by their name let
 * it act without asking. What an agent's other options do to its mode shows when its session is open.
 */
import type { Access } from "../contract/driver.ts";
import { valueOf } from "../process/arguments.ts";

/** Modes by which an agent may do everything. */
const BOUNDLESS = new Set(["bypassPermissions", "yolo", "agent-full-access"]);
/** Agents name a mode in one of these ways. */
const NAMING = ["--permission-mode", "--approval-mode", "--approvalMode", "--mode"];

const UNGUARDED = /^(?:--yolo\b|-y$|--(?:allow-)?dangerously)/i;

/** The first refused argument, or null. */
export function refusedArgument(args: readonly string[]): string | null {
  return (
    args.find((argument) => argument.includes("\0") || UNGUARDED.test(argument)) ??
    (isBoundless(namedMode(args) ?? "") ? namedMode(args) : null)
  );
}

export function isBoundless(mode: string): boolean {
  return BOUNDLESS.has(mode);
}

/** The mode that the arguments name, as the protocol spells it (Gemini's `auto_edit` is its `autoEdit`); null: none. */
export function namedMode(args: readonly string[]): string | null {
  return valueOf(NAMING, args)?.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) ?? null;
}

/** How an agent that is known may write. */
export function accessOf(args: readonly string[]): Access {
  return [null, "default", "plan", "read-only"].includes(namedMode(args)) ? "asks" : "edits";
}
