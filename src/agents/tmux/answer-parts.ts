/**
 * A turn's answer from the pieces that Claude displays: in the order of its messages, whatever order their hooks come
 * in, and completed by the last message that the end of the turn brings. Pure.
 */
import type { PayloadOf } from "../../protocol/hooks.ts";

interface Message {
  pieces: Map<number, string>;
  /** Pieces that were given out. */
  given: number;
  /** The number of its last piece; null: not known yet. */
  last: number | null;
  text: string;
}

export class AnswerParts {
  readonly #messages = new Map<string, Message>();
  /** What was said before this daemon listened. */
  readonly #before: string;
  #isEmpty: boolean;

  constructor(before = "") {
    this.#before = before;
    this.#isEmpty = before === "";
  }

  /** How many messages were displayed to their end. */
  get whole(): number {
    return [...this.#messages.values()].filter(isWhole).length;
  }

  /** What can be added to the answer now. */
  add({ message_id, index, final, delta }: Pick<PayloadOf<"MessageDisplay">, "message_id" | "index" | "final" | "delta">): string {
    const known = this.#messages.get(message_id) ?? { pieces: new Map<number, string>(), given: 0, last: null, text: "" };
    this.#messages.set(message_id, known);
    if (index >= known.given) known.pieces.set(index, delta);
    if (final) known.last = index;
    return this.#ready();
  }

  /** Whether all of the last message was displayed. */
  isComplete(last: string): boolean {
    if (last.trim() === "") return true;
    const [message] = [...this.#messages.values()].slice(-1);
    return (message !== undefined && isWhole(message) && message.text.trim() === last.trim()) || this.#before.trimEnd().endsWith(last.trim());
  }

  /** What is missing of the answer at its end. */
  rest(last: string): string {
    // Pieces that wait for others will wait no longer.
    let more = "";
    for (const message of this.#messages.values()) {
      for (const index of [...message.pieces.keys()].sort((a, b) => a - b)) more += this.#give(message, index);
    }
    if (this.isComplete(last)) return more;
    const text = [...this.#messages.values()].at(-1)?.text.trim() ?? "";
    if (text !== "" && last.trim().startsWith(text)) return more + last.trim().slice(text.length);
    return more + this.#block(last);
  }

  #ready(): string {
    let more = "";
    for (const message of this.#messages.values()) {
      while (message.pieces.has(message.given)) more += this.#give(message, message.given);
      if (!isWhole(message)) break;
    }
    return more;
  }

  #give(message: Message, index: number): string {
    const piece = message.pieces.get(index) ?? "";
    message.pieces.delete(index);
    message.given = index + 1;
    const more = message.text === "" ? this.#block(piece) : piece;
    message.text += piece;
    return more;
  }

  /** A text of its own, below what was said before. */
  #block(text: string): string {
    if (text === "") return "";
    const separator = this.#isEmpty ? "" : "\n\n";
    this.#isEmpty = false;
    return separator + text;
  }
}

function isWhole({ given, last }: Message): boolean {
  return last !== null && given > last;
}
