/** The SHA-256 of a text, by which other code tells whether it is still the same. */
import { createHash } from "node:crypto";

/** Of its UTF-8; 64 hex digits. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
