/**
 * What people see of a tool: one line that says what it is about to do, and the start of its output. Both are for
 * reading only; permissions are decided on the whole input.
 */
import { beginning, excerpt, oneLine as line } from "../../base/text.ts";

const LINE_CHARS = 200;
const SUMMARY_CHARS = 400;
/** More is not read for one line, even where most of it shows nothing. */
const READ_CHARS = 20_000;

/** On one line, at most 200 characters. */
export function oneLine(text: string): string {
  return line(beginning(text, READ_CHARS), LINE_CHARS);
}

/** The start of a tool's output, at most 400 characters. */
export function summary(text: string): string {
  return excerpt(text.trim(), SUMMARY_CHARS);
}
