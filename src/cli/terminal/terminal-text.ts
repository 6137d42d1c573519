/**
 * Filters an agent's text for a terminal, chunk by chunk: removes all control sequences, also those split across
 * chunks. Only text, newlines and tabs remain.
 */
import { withoutControls } from "../../base/text.ts";

/** An unfinished sequence longer than this does not hide what follows: its beginning is removed, the rest is text. */
const LONGEST_SEQUENCE = 1_000;

/** An end that may be the start of a sequence (or the CR of a CRLF, or half a character). */
const OPEN_END =
  /(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*\x1b?|\x1b[PX^_][^\x1b]*\x1b?|\x1b[ -/]*|\r|[\ud800-\udbff])$/;

export class TerminalText {
  #held = "";

  /** Returns what can be written now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const from = Math.max(0, text.length - LONGEST_SEQUENCE);
    const open = OPEN_END.exec(text.slice(from));
    const cut = open === null ? text.length : from + open.index;
    this.#held = text.slice(cut);
    return withoutControls(text.slice(0, cut));
  }

  /** Returns what was held back, at the end of the input. */
  end(): string {
    const text = this.#held;
    this.#held = "";
    return withoutControls(text);
  }
}
