/** Finds the markers with which an agent sends files. */
const OPENING = "[DISCORD_ATTACH:";
/** Of a marker, in code units. */
const LONGEST = 400;

/**
 * The marker with which an agent sends a file: `[DISCORD_ATTACH: name]`. It is removed from the agent's text before
 * anybody sees it, even if it comes in pieces; the possible start of a marker waits for the next piece.
 */
export class Markers {
  #held = "";

  /** The text of this piece without markers, and the names in the markers that it completes. */
  cut(delta: string): { text: string; names: string[] } {
    let rest = this.#held + delta;
    let text = "";
    const names: string[] = [];
    for (let at = rest.indexOf("["); at >= 0; at = rest.indexOf("[")) {
      text += rest.slice(0, at);
      rest = rest.slice(at);
      const seen = rest.slice(0, LONGEST);
      const end = seen.search(/[\]\n]/);
      if (
        seen.length < OPENING.length
          ? OPENING.startsWith(seen)
          : seen.startsWith(OPENING) && end < 0 && seen.length < LONGEST
      ) {
        this.#held = rest;
        return { text, names };
      }
      if (seen.startsWith(OPENING) && seen[end] === "]") {
        names.push(seen.slice(OPENING.length, end).trim());
        rest = rest.slice(end + 1);
      } else {
        text += "[";
        rest = rest.slice(1);
      }
    }
    this.#held = "";
    return { text: text + rest, names };
  }

  /** The text that was held back and is not a marker after all. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}
