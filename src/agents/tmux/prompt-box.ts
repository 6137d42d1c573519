/**
 * Claude's screen, read: its prompt box between two lines, what stands in it, and whether Claude is at work. Only this
 * file knows what Claude's screen looks like. Pure.
 */
import type { Screen, VisibleLines } from "../../host/terminal/tmux.ts";

export interface PromptBox {
  /** What was typed, as far as it is visible; a suggestion of Claude's is no text. */
  text: string;
  /** Its beginning is visible. */
  whole: boolean;
  /** Claude says how it can be interrupted, or, above the box, what it is at. */
  busy: boolean;
  /** The last that it says above the box is that it was interrupted. */
  interrupted: boolean;
}

// eslint-disable-next-line no-control-regex -- the sequences of a terminal begin with one
const SEQUENCE = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][A-Z0-9])/g;
const LINE = /^\s*[─━]{20,}/;
/** Above a dialog, also above one that takes the place of the prompt box. */
const RULE = /^[─━▔]{20,}\s*$/;
/** Above a text that the box has no room for. */
const CUT = /^[─━]{3,} ↑ \d+ more [─━]{20,}/;
/** With a draft in the box this alone tells that it is at work. */
const WORKS = /^[·*✢✳✶✻✽∗] \S.*…/;
/**
 * A line of the picture that it greets with: nothing but these signs, among them one that only it has, or forty dots.
 */
const PICTURE_ONLY = /^[\s.*░▒▓█▄▀]+$/;
const OF_PICTURE = /[░▒▓█▄▀]|\.{40}/;
const PUT_ASIDE = /(?:text|Image) #\d/;
const KEY = /\b(sk-ant-)\.{3}\S+/g;
/** Lines further to the right are remarks. */
const SAID = /^\s{0,8}\S/;

/** Null if it cannot be seen, such as behind a dialog. */
export function promptBoxOf({ lines }: VisibleLines): PromptBox | null {
  const shown = lines.map(plain);
  const bottom = shown.findLastIndex((line) => LINE.test(line));
  if (bottom <= 0) return null;
  const top = shown.findLastIndex((line, at) => at < bottom && (LINE.test(line) || CUT.test(line)));
  const inside = withoutSuggestions(lines)
    .slice(top + 1, bottom)
    .map(plain);
  const whole = top !== -1 && isPrompt(shown[top + 1] ?? "");
  if (shown.slice(top + 1).some(isChoice) || (!whole && top !== -1 && !CUT.test(shown[top] ?? ""))) return null;
  const above = shown.slice(0, Math.max(top, 0));
  const said = above.slice(above.findLastIndex((line) => line.startsWith("❯")) + 1).filter((line) => SAID.test(line));
  return {
    text: inside
      .map((line) => line.replace(/^(?:❯|\s)[ \u00a0]?/, ""))
      .join("\n")
      .trim(),
    whole,
    busy:
      shown.slice(bottom).some((line) => /\besc to interrupt\b/i.test(line)) || said.some((line) => WORKS.test(line)),
    interrupted: /^\s*⎿\s+Interrupted\b/.test(said.at(-1) ?? ""),
  };
}

/** What was typed in the box, if that is all that the box has: what was pasted into it may stand there under a name. */
export function draftIn(screen: VisibleLines): string | null {
  const box = promptBoxOf(screen);
  return box === null || !box.whole || box.text === "" || PUT_ASIDE.test(box.text) ? null : box.text;
}

/** Whether a dialog stands there in which something can be chosen. */
export function showsDialog(screen: VisibleLines): boolean {
  return choiceOf(screen) !== -1;
}

/** The same text for as long as a dialog stands, whichever of its entries is chosen; null: none stands. */
export function dialogText(screen: VisibleLines): string | null {
  const choice = choiceOf(screen);
  if (choice === -1) return null;
  const shown = screen.lines.map((line) => plain(line).replace(/❯(?=\s*\d+\.\s)/, " "));
  const above = shown.findLastIndex((line, at) => at < choice && RULE.test(line));
  return screenText({ lines: shown.slice(above + 1) });
}

/**
 * Where the chosen entry of a dialog stands; -1: there is no dialog. At the left margin a prompt that was sent looks
 * the same, and has no such hint below it.
 */
function choiceOf({ lines }: VisibleLines): number {
  if (promptBoxOf({ lines }) !== null) return -1;
  const shown = lines.map(plain);
  const hint = shown.findLastIndex((line) => /\b(?:esc|enter) to \w/i.test(line));
  const indented = shown.findLastIndex(isChoice);
  return indented !== -1 ? indented : shown.findLastIndex((line, at) => at < hint && /^❯\s*\d+\.\s/.test(line));
}

/** What its program asks: a dialog stands below the last rule. */
export function askedText({ lines }: VisibleLines): string {
  const isBox = promptBoxOf({ lines })?.whole === true || lines.some((line) => CUT.test(plain(line)));
  const above = isBox ? -1 : lines.findLastIndex((line) => RULE.test(plain(line)));
  return screenText({ lines: lines.slice(above + 1) });
}

/**
 * What stands on it, as text for people: on a phone a rule as wide as the window, and Claude's picture, would fill many
 * lines. Claude shows the end of a key, which is removed.
 */
export function screenText({ lines }: VisibleLines): string {
  const shown = lines
    .map((line) => plain(line).trimEnd())
    .map((line) => (isPicture(line) ? "" : line.replace(KEY, "$1…")));
  const indent = Math.min(...shown.flatMap((line) => (line === "" ? [] : [line.search(/\S/)])));
  return shown
    .map((line) => line.slice(indent))
    .join("\n")
    .replace(/([^\w\s])\1{20,}/gu, (_rule, sign: string) => sign.repeat(20))
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function isPicture(line: string): boolean {
  return PICTURE_ONLY.test(line) && OF_PICTURE.test(line);
}

/** Whether the box holds this text and nothing else; of a long one only the end is visible. */
export function containsOnly({ text, whole }: PromptBox, typed: string): boolean {
  const [shown, wanted] = [bare(text), bare(typed)];
  return whole ? shown === wanted : shown !== "" && wanted.endsWith(shown);
}

/** Whether the box holds this prompt as Bellhop types it, with nothing but notes of Bellhop's before it. */
export function containsTypedPrompt(box: PromptBox, typed: string): boolean {
  const [shown, wanted] = [bare(box.text), bare(typed)];
  if (wanted === "" || !box.whole || !shown.endsWith(wanted)) return wanted !== "" && containsOnly(box, typed);
  return /^(?:\[NotefromBellhop,.*\])?$/s.test(shown.slice(0, -wanted.length));
}

/** Whether the box can be seen and holds this text and nothing else. */
export function screenContainsOnly(screen: VisibleLines, typed: string): boolean {
  const box = promptBoxOf(screen);
  return box !== null && typed !== "" && containsOnly(box, typed);
}

/**
 * Whether Claude waits after it was interrupted in the turn of this prompt. It puts a prompt that was not answered at
 * all back into the box, without a word.
 */
export function isInterrupted(screen: Screen, typed: string): boolean {
  return isAtRest(screen) && (promptBoxOf(screen)?.interrupted === true || screenContainsOnly(screen, typed));
}

/** Whether its prompt box stands there and nothing is to be seen of any work. */
export function isAtRest(screen: Screen): boolean {
  const box = promptBoxOf(screen);
  return box !== null && box.whole && !box.busy && !screen.dead;
}

function plain(line: string): string {
  return line.replace(SEQUENCE, "");
}

function isPrompt(line: string): boolean {
  return /^❯(?:[ \u00a0]|$)/.test(line);
}

/** An entry of a dialog that can be chosen. */
function isChoice(line: string): boolean {
  return /^\s+❯\s*\d+\.\s/.test(line);
}

/**
 * The characters that every terminal shows alike. Those beyond the first plane may be newer than the terminal knows,
 * which leaves them out then, so they are not compared.
 */
function bare(text: string): string {
  return text.normalize("NFC").replace(/[\s\p{M}\p{C}\p{Extended_Pictographic}\u{10000}-\u{10ffff}]/gu, "");
}

// eslint-disable-next-line no-control-regex -- the sequences of a terminal begin with one
const STYLE = /(\u001b\[[0-9;:]*m)/;
/** How many numbers of a colour follow the kind that it is given in. */
const COLOUR_NUMBERS: Readonly<Record<string, number>> = { "5": 1, "2": 3 };

interface Style {
  dim: boolean;
  inverse: boolean;
}

/**
 * The screen's lines without what Claude suggests in its prompt box: that is dim, but for its first character, on which
 * the cursor stands and which is inverse. A style lasts beyond the end of its line.
 */
function withoutSuggestions(lines: readonly string[]): string[] {
  let style: Style = { dim: false, inverse: false };
  return lines.map((line) => {
    const kept: string[] = [];
    let isUnderCursor = false;
    for (const part of line.split(STYLE)) {
      if (STYLE.test(part)) style = after(style, part.slice(2, -1));
      else if (part !== "" && style.dim) {
        if (isUnderCursor) kept.pop();
        isUnderCursor = false;
      } else if (part !== "") {
        kept.push(part);
        isUnderCursor = style.inverse;
      }
    }
    return kept.join("");
  });
}

function after(style: Style, numbers: string): Style {
  let { dim, inverse } = style;
  const all = numbers.split(";");
  for (let at = 0; at < all.length; at += 1) {
    const one = all[at] ?? "";
    if (one === "38" || one === "48" || one === "58") at += 1 + (COLOUR_NUMBERS[all[at + 1] ?? ""] ?? 0);
    else if (one === "" || one === "0") [dim, inverse] = [false, false];
    else if (one === "2") dim = true;
    else if (one === "22") dim = false;
    else if (one === "7") inverse = true;
    else if (one === "27") inverse = false;
  }
  return { dim, inverse };
}
