/**
 * A prompt on its way into Claude's window: it is typed, submitted when the box shows it whole, and taken out of the
 * box again where Claude does not take it. While Claude computes or its screen changes, it is waited for: a machine may
 * be slow.
 */
import { type Screen, asPastes } from "../../host/terminal/tmux.ts";
import type { Outcome } from "../contract/updates.ts";
import { containsOnly, promptBoxOf, screenContainsOnly, isInterrupted } from "./prompt-box.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { WindowTurn } from "./turn.ts";
import { inBox, type WindowPane } from "./window-pane.ts";
import type { Clock } from "../../base/clock.ts";

const SHOWN_MS = 5_000;
const TAKEN_MS = 10_000;

const NOT_TAKEN: Outcome = { outcome: "failed", code: "E_PROMPT_NOT_TAKEN", details: {} };

interface TypingPlace {
  pane: WindowPane;
  /** Whether what is typed goes into the prompt box. */
  isOpen(screen: Screen): boolean;
  /** How its turn ends when the box is clear again: the job goes back to its queue. */
  refusePrompt(): Promise<Outcome>;
}

export class TypedPrompt {
  readonly turn: WindowTurn;
  readonly text: string;
  readonly #place: TypingPlace;
  readonly #taken = Promise.withResolvers<void>();
  /** Enter was pressed, so that Claude may have it. */
  #isEntered = false;
  #isTold = false;
  /** Claude was given it together with something else. */
  #isMixed = false;

  constructor(place: TypingPlace, turn: WindowTurn, text: string) {
    this.#place = place;
    this.turn = turn;
    this.text = text;
  }

  get isEntered(): boolean {
    return this.#isEntered;
  }

  /** A hook has told that Claude took it. */
  onTaken(): void {
    this.#isTold = true;
    this.#taken.resolve();
  }

  /** A hook has told of another prompt. */
  onOtherPrompt(prompt: string): void {
    this.#isMixed ||= isWithin(this.text, prompt);
  }

  /** Resolves with null when Claude has taken it, else with the end of its turn. */
  async submit(): Promise<Outcome | null> {
    const { pane } = this.#place;
    await pane.write(keysFor(this.text));
    const isShown = await pane.patiently(
      SHOWN_MS,
      (screen) => this.#isTold || this.#isMixed || this.#isInBox(screen),
      inBox,
    );
    // Its owner, who sits there, may have pressed Enter.
    if (this.#isTold) return null;
    if (this.#isMixed) return NOT_TAKEN;
    if (!isShown || this.turn.stopped) return this.#takeBack();
    this.#isEntered = true;
    await pane.press("Enter");
    if (await this.#isTaken()) return null;
    // Nobody knows whether it was taken, unless it still stands there.
    const screen = await pane.screen();
    const box = screen === null ? null : promptBoxOf(screen);
    return box !== null && containsOnly(box, this.text) ? this.#takeBack() : NOT_TAKEN;
  }

  /** Enter once more, if it was lost and nothing but the prompt can take it. */
  async #isTaken(): Promise<boolean> {
    const { pane } = this.#place;
    if (await Promise.race([this.#taken.promise.then(() => true), pane.pause(TAKEN_MS / 5).then(() => false)]))
      return true;
    if (await this.#willBeTold(TAKEN_MS / 5)) return true;
    const screen = await pane.screen();
    if (screen !== null && this.#isInBox(screen)) await pane.press("Enter");
    return this.#willBeTold((TAKEN_MS * 3) / 5);
  }

  /** Claude's hooks may be late while it is seen to work. */
  #willBeTold(ms: number): Promise<boolean> {
    return this.#place.pane.patiently(
      ms,
      () => this.#isTold,
      ({ lines }) => lines.join("\n"),
    );
  }

  #isInBox(screen: Screen): boolean {
    return this.#place.isOpen(screen) && screenContainsOnly(screen, this.text);
  }

  async #takeBack(): Promise<Outcome | null> {
    const { pane, isOpen, refusePrompt: refused } = this.#place;
    const isClear = await pane.erase((screen) => isOpen(screen));
    // The box is empty too where Enter has come through before the keys that erase.
    if (this.#isTold || (this.#isEntered && (await this.#willBeTold(TAKEN_MS)))) return null;
    if (this.turn.stopped) return { outcome: "cancelled" };
    return isClear || (!this.#isEntered && (await pane.isClosed())) ? refused() : NOT_TAKEN;
  }
}

/** Claude's own commands that are typed for its owner: how often each was done is told by the hook that follows it. */
export class OwnCommands {
  /** The next prompt begins a new conversation. */
  renews = false;
  readonly #place: Pick<TypingPlace, "pane" | "isOpen"> & { isGone(): boolean };
  readonly #began = { clear: 0, compact: 0 };

  constructor(place: Pick<TypingPlace, "pane" | "isOpen"> & { isGone(): boolean }) {
    this.#place = place;
  }

  /** Claude has begun a conversation, or goes on with one. @param source as its hook says */
  onBegun(source: string): void {
    if (source === "clear" || source === "compact") this.#began[source] += 1;
  }

  /** Resolves with whether a new conversation has begun. */
  async clear(): Promise<boolean> {
    this.renews = !(await this.#enter("/clear", "clear"));
    return !this.renews;
  }

  /** A turn of its own, of which no hook tells the beginning. */
  async compact(turn: WindowTurn, process: ProcessIdentity, command: string): Promise<void> {
    turn.begin(process, null);
    if (await this.#enter(command, "compact")) {
      turn.compacted();
      return turn.end({ outcome: "done", result: "" });
    }
    turn.end({ outcome: "failed", code: "E_NOT_COMPACTED", details: { because: "why_nothing_said" } });
  }

  /** Resolves with whether it was done, which is waited for while the screen changes; what is not taken is erased. */
  async #enter(command: string, source: "clear" | "compact"): Promise<boolean> {
    const { pane, isOpen, isGone } = this.#place;
    const before = this.#began[source];
    const isInBox = (screen: Screen): boolean =>
      isOpen(screen) && withoutHint(promptBoxOf(screen)?.text ?? "") === withoutHint(command);
    const isDone = (): boolean => this.#began[source] > before;
    await pane.write(keysFor(command));
    if (await pane.patiently(SHOWN_MS, isInBox, inBox)) {
      await pane.press("Enter");
      await pane.patiently(
        TAKEN_MS,
        () => isDone() || isGone(),
        ({ lines }) => lines.join("\n"),
      );
    }
    if (isDone()) return true;
    const screen = await pane.screen();
    if (screen !== null && isInBox(screen)) await pane.erase((one) => isOpen(one));
    return false;
  }
}

/** Claude shows behind a command what may follow it, such as `[name]`. */
function withoutHint(typed: string): string {
  return typed.replace(/\[[^[\]]*\]\s*$/, "").trim();
}

/** Whether it is the command that makes the conversation shorter, which can be typed as it is. */
export function isCompaction(prompt: string): boolean {
  return /^\/compact(?: [^\n]*)?$/.test(prompt);
}

/*
 * A prompt as it is typed into Claude's prompt box: what Claude itself would make of it when it is pasted, so that what
 * Claude confirms is what was typed. What its terminal would read as a command is not typed at all. Pure.
 */

/** Text to type, or what would make it a command: its first character, or the one word that it is. */
type TypingInput = { text: string } | { command: string };

/** The first character opens Claude's shell, runs one of its commands, or sends it elsewhere. */
const COMMANDS = new Set(["!", "/", "&"]);
/** Each of these alone ends Claude, in exactly these letters (2.1.329). */
const ENDINGS = new Set(["exit", "quit", ":q", ":q!", ":wq", ":wq!"]);
/**
 * Claude has no command with a second `/` in its name, so this is text to it. With a `:` it could be one of a folder's.
 */
const PATH = /^\/[^\s/:]+\/[^\s:]*(?:\s|$)/;

/**
 * Longer pastes are put aside and given to the model in a wrapping of Claude's own. So is what has this word of its own
 * in one piece, and the path of a picture in one piece becomes that picture.
 */
const PIECE = { chars: 700, lines: 2, end: /ultra(?=plan)|\.(?=png|jpe?g|gif|webp)/gi } as const;

export function typedText(prompt: string): TypingInput {
  const text = visible(prompt.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n").replaceAll("\t", "    ")).trimEnd();
  const bare = text.trim();
  const first = bare[0] ?? "";
  if (ENDINGS.has(bare)) return { command: bare };
  return COMMANDS.has(first) && !PATH.test(bare) ? { command: first } : { text };
}

/**
 * The bytes that type it. The blank at the end closes a list of suggestions, in which Enter would choose one; Claude
 * drops it.
 */
export function keysFor(text: string): string {
  return asPastes(`${text} `, PIECE);
}

/** Whether Claude confirms this very text, whatever it did to blanks and to characters that nobody sees. */
export function isSame(typed: string, confirmed: string): boolean {
  return compared(typed) === compared(confirmed);
}

/** Whether it is a part of what Claude confirms, because its owner typed something beside it in the same moment. */
function isWithin(typed: string, confirmed: string): boolean {
  return compared(confirmed).includes(compared(typed));
}

function compared(text: string): string {
  return visible(text).replace(/\s+/g, " ").trim();
}

/** Whether Claude has prompted itself, because what it does in the background has ended, and nobody has typed this. */
export function isReport(prompt: string): boolean {
  return prompt.startsWith("<task-notification>");
}

/**
 * Without control and format characters, except where one joins two pictographs, and without those of plane 14, which
 * Claude drops.
 */
function visible(text: string): string {
  return text
    .replace(/[^\P{Cc}\n]|[\u{e0000}-\u{e0fff}]/gu, "")
    .replace(/(?<!\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D|(?!\u200D)\p{Cf}/gu, "")
    .toWellFormed()
    .normalize("NFC");
}

/*
 * Ends a turn of a Claude in a window by Escape. Claude may lose one that comes while it begins with a prompt, and its
 * screen is drawn a moment after: the key is pressed again while it is seen to work, and Claude counts as free when
 * it was seen to wait for a while.
 */

const AGAIN_MS = 1_000;
const LONGEST_MS = 10_000;
/** How long it has to be seen to wait: where it says that it was interrupted, and where only nothing is at work. */
const FREE_MS = { said: 200, silent: 5_000 } as const;
/** A turn that began under an earlier daemon is over when the screen has shown nothing of it for this long. */
const UNSEEN_MS = 3_000;
const LOOKED_MS = 8_000;

interface Interrupted {
  clock: Clock;
  pane: WindowPane;
  /** What is typed goes to this Claude. */
  isReached(): boolean;
}

/** @param text of the turn's prompt. Resolves when Claude waits, or does not in time. */
export async function interrupt(
  { clock, pane, isReached }: Interrupted,
  turn: WindowTurn,
  text: string,
): Promise<void> {
  const never = Number.NEGATIVE_INFINITY;
  let pressed = never;
  let worked = never;
  await pane.until(LONGEST_MS, async (seen) => {
    const now = clock.monotonic();
    if (turn.ended || !isReached()) return true;
    const isBusy = promptBoxOf(seen)?.busy !== false;
    if (pressed === never || (isBusy && now - pressed >= AGAIN_MS)) {
      await pane.press("Escape");
      [pressed, worked] = [now, now];
    } else if (isBusy) worked = now;
    return now - worked >= (isInterrupted(seen, text) ? FREE_MS.said : FREE_MS.silent);
  });
}

/** Whether nothing is to be seen of a turn that an earlier daemon left. */
export async function isUnseen(clock: Clock, pane: WindowPane, turn: WindowTurn): Promise<boolean> {
  let since = clock.monotonic();
  let isOver = false;
  await pane.until(LOOKED_MS, (screen) => {
    const box = promptBoxOf(screen);
    if (turn.ended || box === null || box.busy) return true;
    if (!box.whole) since = clock.monotonic();
    return (isOver = clock.monotonic() - since >= UNSEEN_MS);
  });
  return isOver;
}
