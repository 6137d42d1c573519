/**
 * Text for a terminal. What a terminal would obey instead of show, and what is invisible or reorders what is read, is
 * shown as `⟨U+202E⟩`, or escaped as `\u202e` in JSON, where it stays the same value. Only newlines and tabs are kept,
 * and what makes an emoji of several characters.
 */
import { oneLine, withoutSequences } from "./text.ts";

const PICTURE = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?`;
const OF_AN_EMOJI = [
  String.raw`(?<=${PICTURE}|[0-9#*](?=\ufe0f\u20e3))\ufe0f`,
  String.raw`(?<=\p{Extended_Pictographic})\ufe0e`,
  String.raw`(?<=${PICTURE}\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
];
const HIDDEN = new RegExp(
  String.raw`(?!${OF_AN_EMOJI.join("|")})[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]]`,
  "gv",
);

/**
 * The text as a person reads it in a terminal. Everything that is printed goes through here; twice is the same as once.
 */
export function forTerminal(text: string): string {
  return text.replace(HIDDEN, (found) => `⟨U+${hex(found.codePointAt(0) ?? 0).toUpperCase()}⟩`);
}

/** The same on one line, cut to `max` code units between whole characters. */
export function terminalLine(text: string, max: number): string {
  return oneLine(forTerminal(text), max);
}

/**
 * What an agent's program wrote for a terminal, as running text: its colours and movements of the cursor are left out.
 */
export function programText(text: string): string {
  return forTerminal(withoutSequences(text));
}

/** A value as JSON, to be printed: on one line, unless it is indented. */
export function jsonForTerminal(value: unknown, indent?: number): string {
  return escapedJson(JSON.stringify(value, null, indent));
}

/** JSON as it is, with the same values; what is no JSON has nothing hidden in it either. */
export function escapedJson(json: string): string {
  return json.replace(HIDDEN, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${hex(found.charCodeAt(at))}`).join(""),
  );
}

function hex(code: number): string {
  return code.toString(16).padStart(4, "0");
}
