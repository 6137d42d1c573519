/**
 * The answer as it grows: all text of the turn that is spoken to the person, in order, each block once, with a
 * blank line between two blocks. What was streamed stays: a reply that the model began twice is there twice, for
 * the person has read it, and nothing read may vanish. The `result` of the agent is only its last block; it is
 * used where the stream did not have it.
 */
export class Answer {
  #whole = "";
  /** The last block that came in pieces and has not been told whole yet, and of which message it is. */
  #open: { message: string; text: string } | null = null;

  get whole(): string {
    return this.#whole;
  }

  /** A block of a message begins to be streamed. */
  begin(message: string): void {
    this.#open = { message, text: "" };
  }

  /** A piece of the streamed block; returns what to add to the shown text. */
  piece(delta: string): string {
    if (this.#open === null) this.begin("");
    const open = this.#open!;
    const first = open.text === "";
    open.text += delta;
    return this.#add(delta, first);
  }

  /**
   * A whole block, which may be the streamed one told again (after a broken stream under another message's name);
   * returns what of it had not been streamed.
   */
  block(message: string, whole: string): string {
    const open = this.#open;
    this.#open = null;
    if (open === null || open.text === "") return this.#add(whole, true);
    if (whole.startsWith(open.text)) return this.#add(whole.slice(open.text.length), false);
    return open.message === message ? "" : this.#add(whole, true);
  }

  /** The agent's own last word; returns it where it is not what the answer ends with already. */
  conclude(result: string): string {
    return solid(this.#whole).endsWith(solid(result)) ? "" : this.#add(result, true);
  }

  #add(delta: string, begins: boolean): string {
    if (delta === "") return "";
    const added = begins ? `${this.#gap()}${delta}` : delta;
    this.#whole += added;
    return added;
  }

  #gap(): string {
    if (this.#whole === "" || this.#whole.endsWith("\n\n")) return "";
    return this.#whole.endsWith("\n") ? "\n" : "\n\n";
  }
}

function solid(text: string): string {
  return text.replace(/\s+/g, "");
}
