/**
 * The permission mode that a thread was told last. Claude's dialogs and keys change it without a hook: the next hook that
 * comes names it, and its turn says it.
 */
import type { HookPayload } from "../../protocol/hooks.ts";
import type { WindowTurn } from "./turn.ts";

export class PermissionMode {
  #told: string;

  constructor(told: string) {
    this.#told = told;
  }

  /** A subagent may be in another. */
  learn(turn: WindowTurn | null, { permission_mode: mode, agent_id }: HookPayload): void {
    if (turn === null || turn.ended || mode === undefined || agent_id !== undefined || mode === this.#told) return;
    this.#told = mode;
    turn.changeMode(mode);
  }
}
