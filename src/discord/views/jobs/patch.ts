/**
 * A job's changes as a message: a small change is in the message itself, readable at once on a phone; a larger one is
 * a file.
 */
import { isUtf8 } from "node:buffer";
import { say, type Locale } from "../../../base/words/say.ts";
import { shownLines } from "../../../core/decisions/hidden-characters.ts";
import { FENCE } from "../../text/agent-text.ts";
import { code } from "../body.ts";
import type { Body } from "../desired-posts.ts";

const INLINE_LINES = 40;
/** Fits into a message together with the line above it. */
const INLINE_CHARS = 1_700;

export function patchMessage(
  jobId: string,
  patch: Uint8Array,
  maxBytes: number,
  locale: Locale,
): Pick<Body, "content" | "files"> {
  const content = say(locale, "crash_patch", { job: code(jobId) });
  const lines = drawn(patch);
  if (lines !== null) return { content: [content, `${FENCE}diff`, ...lines, FENCE].join("\n") };
  if (patch.length > maxBytes)
    return { content: say(locale, "diff_too_large", { file: code(`results/${jobId}.patch`) }) };
  return { content, files: [{ name: `${jobId}.patch`, bytes: patch }] };
}

/** Its lines, with nothing in them that hides or ends the code; null if they are too many or not text. */
function drawn(patch: Uint8Array): string[] | null {
  if (patch.length > INLINE_CHARS * 4 || !isUtf8(patch)) return null;
  const text = Buffer.from(patch).toString("utf8").replace(/\n$/, "");
  // Git's index lines are for programs, and an unchanged empty line needs no mark.
  const lines = shownLines(text.replace(/^index [0-9a-f]+\.\.[0-9a-f]+(?: \d+)?\n/gm, "").replace(/^ $/gm, ""));
  return lines.length <= INLINE_LINES && lines.join("\n").length <= INLINE_CHARS ? lines : null;
}
