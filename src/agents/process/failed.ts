/** The ends of turns that failed: as our code and what is known. */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import type { TurnEnded } from "../contract/updates.ts";
import type { Program } from "./dialect.ts";

export function failed(code: ErrorCode, details: ErrorDetails): TurnEnded {
  return { kind: "end", outcome: "failed", code, details };
}

/** The program is not there, or the machine cannot run it. */
export function notStarted({ tool, install }: Pick<Program, "tool" | "install">, reason: string): TurnEnded {
  return failed("E_AGENT_START_FAILED", { tool, install, reason });
}
