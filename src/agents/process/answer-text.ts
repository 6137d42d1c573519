/**
 * The growing answer: all text of the turn addressed to the user, in order, each block once, with a blank line between
 * two blocks. Streamed text stays: a reply that the model restarted appears twice, because the user has already read
 * it. The agent's `result` is only its last block and is used if the stream did not contain it. Whatever the length,
 * only the beginning, the end and the beginning of the last block are kept here; the rest was passed on.
 */

/** Characters kept of each part: enough to compare with earlier text and with the end of the answer. */
const KEPT = 1024 * 1024;

export class Answer {
  #beginning = "";
  #end = "";
  #length = 0;
  /** The last block that was streamed but has not come whole yet, with its message. */
  #open: { message: string; text: string; length: number } | null = null;

  /** The whole answer, or the beginning of one that is too long. */
  get whole(): string {
    return this.#beginning;
  }

  /** Starts a streamed block of a message. */
  begin(message: string): void {
    this.#open = { message, text: "", length: 0 };
  }

  /** Adds a piece of the streamed block; returns the text to append. */
  piece(delta: string): string {
    if (this.#open === null) this.begin("");
    const open = this.#open!;
    const first = open.length === 0;
    if (open.length <= KEPT) open.text += delta;
    open.length += delta.length;
    return this.#add(delta, first);
  }

  /**
   * Adds a whole block, which may repeat the streamed one (after a broken stream, under another message's id); returns
   * the part that was not streamed.
   */
  block(message: string, whole: string): string {
    const open = this.#open;
    this.#open = null;
    if (open === null || open.length === 0) return this.#add(whole, true);
    if (whole.startsWith(open.text)) return this.#add(whole.slice(open.length), false);
    return open.message === message ? "" : this.#add(whole, true);
  }

  /** Adds the agent's final result; returns it unless the answer already ends with it. */
  conclude(result: string): string {
    const [told, last] = [solid(this.#end), solid(result)];
    const isTold = told.endsWith(last) || (this.#length > this.#end.length && last.endsWith(told));
    return isTold ? "" : this.#add(result, true);
  }

  #add(delta: string, begins: boolean): string {
    if (delta === "") return "";
    const added = begins ? `${this.#gap()}${delta}` : delta;
    this.#length += added.length;
    if (this.#beginning.length < KEPT) this.#beginning += added.slice(0, KEPT - this.#beginning.length);
    this.#end += added;
    if (this.#end.length > 2 * KEPT) this.#end = this.#end.slice(-KEPT);
    return added;
  }

  #gap(): string {
    if (this.#length === 0 || this.#end.endsWith("\n\n")) return "";
    return this.#end.endsWith("\n") ? "\n" : "\n\n";
  }
}

function solid(text: string): string {
  return text.replace(/\s+/g, "");
}
