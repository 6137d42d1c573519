/** The lines of `commands.txt` and `paths.txt`. */
import { readFileSync } from "node:fs";

export interface TableLine {
  is: string;
  /** The command, or the path. */
  of: string;
  why: string;
}

const SIGNS: Readonly<Record<string, string>> = { "␊": "\n", "␍": "\r", "␉": "\t", "␀": "\0", "␠": " " };

function linesIn(file: string): TableLine[] {
  return readFileSync(new URL(file, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.includes(" │ ") && !line.startsWith("#"))
    .map((line) => {
      const [is = "", written = "", why = ""] = line.split(" │ ");
      const of = written
        .replaceAll(/[␊␍␉␀␠]/g, (sign) => SIGNS[sign] ?? "")
        .replaceAll(/⟨([0-9A-F]+)⟩/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
      return { is, of, why };
    });
}

/** `is`: `never`, `exact`, or a letter a word. */
export const commandTable: TableLine[] = linesIn("commands.txt");
/** `is`: `yes` or `no`. */
export const pathTable: TableLine[] = linesIn("paths.txt");

/** The commands that a rule can cover with other words, or with the same said otherwise. */
export const covered: string[] = commandTable.flatMap(({ is, of }) => (is === "never" || is === "exact" ? [] : [of]));
