/** The lines of `commands.txt`. */
import { readFileSync } from "node:fs";

export interface TableLine {
  /** `never`, `exact`, or a letter a word. */
  is: string;
  command: string;
  why: string;
}

const SIGNS: Readonly<Record<string, string>> = { "␊": "\n", "␍": "\r", "␉": "\t", "␀": "\0", "␠": " " };

export const table: TableLine[] = readFileSync(new URL("commands.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.includes(" │ ") && !line.startsWith("#"))
  .map((line) => {
    const [is = "", written = "", why = ""] = line.split(" │ ");
    const command = written
      .replaceAll(/[␊␍␉␀␠]/g, (sign) => SIGNS[sign] ?? "")
      .replaceAll(/⟨([0-9A-F]+)⟩/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
    return { is, command, why };
  });

/** Those that a rule can cover with other words, or with the same said otherwise. */
export const covered: string[] = table.flatMap(({ is, command }) =>
  is === "never" || is === "exact" ? [] : [command],
);
