/**
 * The mode of one session: one in which the agent asks before it acts, the one that the project's arguments name, or
 * the one that its owner chose. Whatever the agent does by itself, it never asks for less than its owner last chose.
 */
import { BellhopError, type ReasonKey } from "../../base/errors.ts";
import type { KeptMode, Mode } from "../../core/sessions/modes.ts";
import type { AgentFacts, Offered } from "../../core/sessions/told.ts";
import type { Update } from "../contract/updates.ts";
import type { Fields } from "../process/fields.ts";
import { isBoundless } from "./arguments.ts";
import { askingModes } from "./asking-modes.ts";
import { modesOf, setMode, type Choice } from "./offered.ts";

type Request = (method: string, params: Fields) => Promise<Fields>;

export interface SessionModeOptions {
  sessionId: string;
  /** As it calls itself. */
  agentName: string;
  /** Null for an agent without modes. */
  modes: Choice | null;
  /** The mode that the project's arguments name; null: none. */
  named: string | null;
  request: Request;
}

/** Why a session cannot be used. */
type Unusable = { because: ReasonKey; mode: string };

const SHOWN_CHARS = 40;

export class SessionMode {
  readonly #options: SessionModeOptions;
  /** The modes in which the agent asks; null: nobody knows. */
  readonly #asking: readonly string[] | null;
  #modes: Choice | null;
  /** The modes that it may be in: those in which it asks, and a looser one only if its owner wants it. */
  #allowed: readonly string[] = [];
  /** The mode that we are setting; it may be told before it is confirmed. */
  #setting: string | null = null;
  #told: Update[] = [];

  constructor(options: SessionModeOptions) {
    this.#options = options;
    this.#modes = options.modes;
    this.#asking = askingModes(options.agentName);
  }

  /** Whether nobody knows in which of its modes it asks. */
  get isUnknown(): boolean {
    return this.#asking === null;
  }

  /** Undefined for an agent without modes. */
  get current(): string | undefined {
    return this.#modes?.current;
  }

  /** The modes that its owner may choose. */
  get offered(): readonly Offered[] {
    const { named } = this.#options;
    const mayBe = (id: string): boolean =>
      this.#asking === null ? !isBoundless(id) : this.#asking.includes(id) || id === named;
    return (this.#modes?.available ?? []).filter(({ id }) => mayBe(id));
  }

  facts(): AgentFacts {
    const { current } = this;
    return current === undefined
      ? {}
      : { mode: current, modes: this.offered.map((one) => ({ ...one, ...(this.isUnknown && { unsure: true }) })) };
  }

  /** What is still to be told of it; each thing is told once. */
  told(): Update[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }

  /**
   * Sets the mode of a session that was just opened, and reads back whether it is. An agent that has none in which it
   * asks stays in the first one it was ever in.
   * @param last the mode of the session's agent before it
   * @param asIs whether an agent that cannot be set to a mode that asks is used as it is
   * @returns why the session cannot be used; null: it can
   */
  async settle(last: KeptMode | undefined, asIs: boolean): Promise<Unusable | null> {
    const modes = this.#modes;
    if (modes === null) return null;
    const { named } = this.#options;
    const kept = last?.by === "agent" || last?.by === "owner" ? last.mode : undefined;
    const asking = this.#asking ?? [];
    const allowed = this.#allowedAfter(last?.chosen);
    const wanted = [kept, last?.chosen, named, modes.current, ...asking].find(
      (mode) => mode != null && allowed.includes(mode) && isOffered(modes, mode),
    );
    if (wanted != null && (await this.#set(wanted))) {
      const by =
        wanted === kept
          ? (last?.by ?? "agent")
          : wanted === last?.chosen
            ? "owner"
            : wanted === named
              ? "config"
              : "bellhop";
      if (wanted !== modes.current || by === "config")
        this.#tell({ mode: wanted, by }, last?.by === "owner" && by !== "owner");
      this.#allowed = allowed;
      return null;
    }
    const first = last?.mode ?? modes.current;
    const mode = modes.current.slice(0, SHOWN_CHARS);
    if (!asIs && !this.isUnknown) return { because: "why_mode_loose", mode };
    if (!(await this.#set(first))) return { because: "why_mode_kept", mode };
    this.#allowed = [first];
    this.#tell({ mode: first, by: kept === first ? (last?.by ?? "agent") : "agent" });
    return null;
  }

  /** @throws BellhopError E_MODE_UNAVAILABLE if the owner may not choose it, or the agent does not confirm it */
  async choose(mode: string): Promise<string> {
    const unavailable = new BellhopError("E_MODE_UNAVAILABLE", { mode });
    const modes = this.#modes;
    // Also where it seems to be in that mode already: it may be about to leave it.
    if (modes === null || !this.offered.some(({ id }) => id === mode) || !(await this.#request(modes, mode)))
      throw unavailable;
    this.#modes = { ...modes, current: mode };
    this.#allowed = this.#allowedAfter(mode);
    // What the agent did before is over.
    this.#told = [];
    return mode;
  }

  /**
   * The agent says that it is in this mode now.
   * @returns false if it may not be in it, and is to be set back
   */
  heard(mode: string): boolean {
    if (this.#modes === null || mode === this.#modes.current || mode === this.#setting) return true;
    if (!this.#allowed.includes(mode)) {
      this.#keep({ kind: "notice", code: "mode_set_back", text: mode });
      return false;
    }
    this.#modes = { ...this.#modes, current: mode };
    this.#tell({ mode, by: "agent" }, true);
    return true;
  }

  /** Whether it is in its last mode again. */
  async setBack(): Promise<boolean> {
    return this.#modes === null || this.#request(this.#modes, this.#modes.current);
  }

  /** @param chosen what the owner chose; undefined: nothing */
  #allowedAfter(chosen: string | undefined): readonly string[] {
    const { named } = this.#options;
    if (this.#asking === null) return chosen === undefined ? [] : [chosen];
    return named === null || (chosen !== undefined && chosen !== named) ? this.#asking : [named, ...this.#asking];
  }

  /** Whether it is in this mode now. */
  async #set(mode: string): Promise<boolean> {
    if (this.#modes === null || this.#modes.current === mode) return true;
    if (!(await this.#request(this.#modes, mode))) return false;
    this.#modes = { ...this.#modes, current: mode };
    return true;
  }

  async #request(modes: Choice, mode: string): Promise<boolean> {
    const { sessionId, request } = this.#options;
    const { method, params } = setMode(sessionId, modes, mode);
    this.#setting = mode;
    const answer = await request(method, params).catch(() => null);
    this.#setting = null;
    return answer !== null && (modesOf(answer)?.current ?? mode) === mode;
  }

  #tell(mode: Mode, isNews = false): void {
    this.#keep({ kind: "mode", ...mode });
    if (isNews) this.#keep({ kind: "notice", code: "mode_changed", text: mode.mode });
  }

  /** The last of its kind: an agent may change its mode however often before somebody listens. */
  #keep(update: Update): void {
    this.#told = [...this.#told.filter(({ kind }) => kind !== update.kind), update];
  }
}

function isOffered({ current, available }: Choice, mode: string): boolean {
  return mode === current || available.some(({ id }) => id === mode);
}
