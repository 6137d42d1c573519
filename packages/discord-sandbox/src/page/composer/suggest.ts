/**
 * What the composer offers while one types: people after `@`, channels after `#`, emoji after `:`, commands after `/`.
 */
export interface Asked {
  kind: "command" | "user" | "channel" | "emoji";
  /** What stands after the mark. */
  typed: string;
  /** Where the mark stands; the suggestion replaces the text from here to the caret. */
  from: number;
}

const marks: Record<string, Asked["kind"]> = { "@": "user", "#": "channel", ":": "emoji" };

/** The suggestion asked for at the caret, if any. */
export function askedAt(text: string, caret: number): Asked | undefined {
  if (text.startsWith("/") && !text.includes("\n")) return { kind: "command", typed: text.slice(1), from: 0 };
  const before = text.slice(0, caret);
  const match = /(?:^|\s)([@#:])([\p{L}\p{N}_+-]{0,32})$/u.exec(before);
  const kind = match ? marks[match[1] ?? ""] : undefined;
  if (!match || !kind) return undefined;
  const typed = (match[2] ?? "").toLowerCase();
  if (kind === "emoji" && typed.length < 2) return undefined;
  return { kind, typed, from: caret - typed.length - 1 };
}

/** The text with the suggestion in place and a space after it, and where the caret then stands. */
export function filled(text: string, caret: number, asked: Asked, insert: string): { text: string; caret: number } {
  const head = `${text.slice(0, asked.from)}${insert} `;
  return { text: head + text.slice(caret).replace(/^ /, ""), caret: head.length };
}
