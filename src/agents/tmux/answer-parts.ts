/**
 * A turn's answer from the pieces that Claude displays: in the order of its messages, whatever order their hooks come
 * in, and completed by the last message that the end of the turn brings. Of a turn that is heard only from its middle
 * on, the message that was being displayed then has no beginning, which comes with the end if it is the last. Pure.
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
  /** The first message may have begun before this daemon listened. */
  readonly #isJoined: boolean;
  #isEmpty: boolean;

  /**
   * @param before what was said of a turn that is heard only from its middle on; absent: it is heard from its beginning
   * on
   */
  constructor(before?: string) {
    this.#before = before ?? "";
    this.#isJoined = before !== undefined;
    this.#isEmpty = this.#before === "";
  }

  /** How many messages were displayed to their end. */
  get whole(): number {
    return [...this.#messages.values()].filter(isWhole).length;
  }

  /** What can be added to the answer now. */
  add({
    message_id,
    index,
    final,
    delta,
  }: Pick<PayloadOf<"MessageDisplay">, "message_id" | "index" | "final" | "delta">): string {
    const known = this.#messages.get(message_id) ?? {
      pieces: new Map<number, string>(),
      given: 0,
      last: null,
      text: "",
    };
    this.#messages.set(message_id, known);
    if (index >= known.given) known.pieces.set(index, delta);
    if (final) known.last = index;
    return this.#ready();
  }

  /** Whether all of the last message was displayed. */
  isComplete(last: string): boolean {
    if (last.trim() === "") return true;
    const [message] = [...this.#messages.values()].slice(-1);
    return (
      (message !== undefined && isWhole(message) && message.text.trim() === last.trim()) ||
      this.#before.trimEnd().endsWith(last.trim())
    );
  }

  /** What is missing of the answer at its end. */
  rest(last: string): string {
    const all = [...this.#messages.values()];
    const newest = all.at(-1);
    const isCut = newest !== undefined && this.#isCut(newest, last);
    // Pieces that wait for others will wait no longer. Where the beginning is missing, the end has all of it.
    const more = all.map((message) => (isCut && message === newest ? "" : this.#giveAll(message))).join("");
    if (this.isComplete(last)) return more;
    if (isCut || newest === undefined) return more + this.#after(last);
    const text = newest.text.trim();
    if (text !== "" && last.trim().startsWith(text)) return more + last.trim().slice(text.length);
    return more + this.#block(last);
  }

  #ready(): string {
    const all = [...this.#messages.values()];
    let more = "";
    for (const message of all) {
      while (message.pieces.has(message.given)) more += this.#give(message, message.given);
      if (isWhole(message)) continue;
      // What it waits for was displayed before anybody listened.
      if (!this.#isFirst(message) || message === all.at(-1)) break;
      more += this.#giveAll(message);
    }
    return more;
  }

  #isFirst(message: Message): boolean {
    return this.#isJoined && message === this.#messages.values().next().value;
  }

  /** Whether it is the last message of its turn, and its beginning was displayed before anybody listened. */
  #isCut(message: Message, last: string): boolean {
    return (
      this.#isFirst(message) &&
      message.given === 0 &&
      last.trim() !== "" &&
      [...message.pieces.values()].every((piece) => last.includes(piece.trim()))
    );
  }

  #giveAll(message: Message): string {
    const order = [...message.pieces.keys()].sort((a, b) => a - b);
    return order.map((index) => this.#give(message, index)).join("");
  }

  #give(message: Message, index: number): string {
    const piece = message.pieces.get(index) ?? "";
    message.pieces.delete(index);
    message.given = index + 1;
    const more = message.text === "" ? this.#block(piece) : piece;
    message.text += piece;
    return more;
  }

  /** The last message, without what of it was said before this daemon listened. */
  #after(last: string): string {
    const [said, whole] = [this.#before.trimEnd(), last.trim()];
    const starts = [0, ...[...said.matchAll(/\n\n/g)].map(({ index }) => index + 2)].filter(
      (at) => at < said.length && said.length - at <= whole.length,
    );
    const start = starts.find((at) => whole.startsWith(said.slice(at)));
    if (start === undefined) return this.#block(last);
    const rest = whole.slice(said.length - start);
    const blank = this.#before.slice(said.length);
    return rest.startsWith(blank) ? rest.slice(blank.length) : rest;
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
