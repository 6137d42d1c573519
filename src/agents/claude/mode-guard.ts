/**
 * Holds a living Claude to the permission mode that its owner chose. Claude says its mode when it begins a turn and
 * when the mode changes. A mode in which it asks for less, whoever set it, is set back; a Claude that does not confirm
 * that must not go on.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { type Fields, inner, text } from "../process/fields.ts";
import { modeOf } from "./arguments.ts";

/**
 * Modes in which nothing runs that its owner was not asked about; `dontAsk` refuses what it would have to ask about.
 */
const ASKING = ["default", "manual", "plan", "dontAsk"] as const;

export interface ModeGuardOptions {
  clock: Clock;
  /** How long Claude may take to confirm. */
  withinMs: number;
  /** Called with the request that sets it back, and the mode that it had gone into. */
  setBack(request: Fields, mode: string): void;
  /** Called once when it is not set back in time. */
  lost(mode: string): void;
}

export class ModeGuard {
  readonly #options: ModeGuardOptions;
  /** The mode named in the project's arguments is the loosest. */
  readonly #chosen: string;
  /** The request that it has not confirmed yet. */
  #waiting: { id: string; mode: string; forget: () => void } | null = null;

  /** @param args the project's `default_args` */
  constructor(args: readonly string[], options: ModeGuardOptions) {
    this.#chosen = modeOf(args) ?? "default";
    this.#options = options;
  }

  /** Takes every line that says something of the whole conversation. */
  take(line: Fields): void {
    if (line["type"] === "control_response") return this.#answered(inner(line, "response"));
    const mode = line["type"] === "system" ? text(line["permissionMode"]) : "";
    if (mode === "" || mode === this.#chosen || ASKING.some((one) => one === mode) || this.#waiting !== null) return;
    const { clock, withinMs, setBack, lost } = this.#options;
    const id = randomUUID();
    this.#waiting = { id, mode, forget: clock.after(withinMs, () => lost(mode)) };
    setBack(this.request(id), mode);
  }

  /**
   * The request for the chosen mode. Written before the first prompt, it is read before Claude can act; written in the
   * middle of a turn, it comes while the model answers. The mode that Claude says afterwards tells whether it was
   * heard.
   */
  request(id: string = randomUUID()): Fields {
    return { type: "control_request", request_id: id, request: { subtype: "set_permission_mode", mode: this.#chosen } };
  }

  #answered({ request_id, subtype }: Fields): void {
    if (this.#waiting === null || request_id !== this.#waiting.id) return;
    const { mode, forget } = this.#waiting;
    this.#waiting = null;
    forget();
    if (subtype !== "success") this.#options.lost(mode);
  }
}
