/** What is said to stay when a session is forgotten. */
import { say, type Locale } from "./words/say.ts";

export interface Stays {
  /** The agents that worked in it, and where each keeps its own record; null: that is not known. */
  records: { tool: string; place: string | null }[];
  /** Copies of the journal in the state directory. */
  copies: string[];
}

export function sayWhatStays(locale: Locale, { records, copies }: Stays): string[] {
  return [
    say(locale, "forget_stays"),
    ...records.map(({ tool, place }) =>
      place === null ? say(locale, "forget_record_unknown", { tool }) : say(locale, "forget_record", { tool, place }),
    ),
    ...(copies.length > 0 ? [say(locale, "forget_copies", { files: copies.join(", ") })] : []),
  ];
}
