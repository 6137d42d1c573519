/** A link as a QR code for a terminal, always dark on light, because not every phone reads one on a dark ground. */
import { renderUnicodeCompact } from "uqr";

/** The blocks are the light parts. */
const LIGHT_BLOCKS = "\x1b[97;40m";
const RESET = "\x1b[0m";

/** Null if the terminal is too narrow. @param columns of the terminal; undefined if unknown */
export function qrCode(link: string, columns = 80): string | null {
  const lines = renderUnicodeCompact(link, { border: 2 }).split("\n");
  if (lines.some((line) => [...line].length > columns)) return null;
  return lines.map((line) => `${LIGHT_BLOCKS}${line}${RESET}`).join("\n");
}
