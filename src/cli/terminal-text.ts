/**
 * Text of an agent on its way to a terminal, piece by piece: whatever a terminal would obey is taken out, also where
 * a piece ends in the middle of it. Only text, newlines and tabs come through.
 */
import { withoutControls } from "../base/text.ts";

/** A sequence that has not ended by now hides nothing behind it: its beginning is taken out, the rest is text. */
const LONGEST_SEQUENCE = 1_000;

/** An end that may be the beginning of a sequence (or the CR of a CRLF, or half a character). */
const OPEN_END =
  /(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*\x1b?|\x1b[PX^_][^\x1b]*\x1b?|\x1b[ -/]*|\r|[\ud800-\udbff])$/;

export class TerminalText {
  #held = "";

  /** What may be written now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const from = Math.max(0, text.length - LONGEST_SEQUENCE);
    const open = OPEN_END.exec(text.slice(from));
    const cut = open === null ? text.length : from + open.index;
    this.#held = text.slice(cut);
    return withoutControls(text.slice(0, cut));
  }

  /** What was held back, when nothing more comes. */
  end(): string {
    const text = this.#held;
    this.#held = "";
    return withoutControls(text);
  }
}
