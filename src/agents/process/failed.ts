/** The ends of turns that failed: as our code and what is known. */
import { theirWords, type ErrorCode, type ErrorDetails } from "../../base/errors.ts";
import type { TurnEnded } from "../contract/updates.ts";
import type { Program } from "./dialect.ts";
import { oneLine } from "./excerpts.ts";

export function failed(code: ErrorCode, details: ErrorDetails): TurnEnded {
  return { kind: "end", outcome: "failed", code, details };
}

/** The program is not there, or the machine cannot run it. */
export function notStarted({ tool, install }: Pick<Program, "tool" | "install">, why: ErrorDetails): TurnEnded {
  return failed("E_AGENT_START_FAILED", { tool, install, ...why });
}

/** Why something failed: what somebody else said of it, on one line, or what we know if that is nothing. */
export function why(words: string, ours: ErrorDetails = {}): ErrorDetails {
  const line = oneLine(words);
  return line === "" ? ours : { reason: theirWords(line) };
}

/** Why a command of the owner's was not found: he may have named a program, or the place where one is. */
export function notFound(command: string): ErrorDetails {
  return { because: command.includes("/") ? "why_no_program" : "why_not_in_path", command };
}
