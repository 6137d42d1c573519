/** The message in the owner's channel that says that Bellhop is locked, and how it is opened; later, that it was. */
import { say, type Locale } from "../../base/words/say.ts";
import { lockSubject } from "../../core/jobs/lock.ts";
import type { State } from "../../core/state.ts";
import { colours, systemBody, type DesiredPost } from "./message.ts";

const PART = "lock";

/** Of the last lock; one that was opened before it could be posted is not. */
export function lockNotice(state: State, channelId: string, locale: Locale): DesiredPost[] {
  const { lock } = state;
  if (lock === undefined) return [];
  const { since, by, opened } = lock;
  const subject = lockSubject(lock);
  if (opened !== undefined && !state.posts[subject]?.[PART]?.message_id) return [];
  const body =
    opened === undefined
      ? systemBody({
          color: colours.bad,
          title: `🔒 ${say(locale, "lock_title")}`,
          description: `${lockedWords(since, locale)}\n${say(locale, `lock_by_${by}`)}`,
        })
      : systemBody({
          color: colours.quiet,
          description: `🔓 ${say(locale, "lock_opened", { since: timeOf(since), until: timeOf(opened.at) })}`,
        });
  return [
    {
      subject,
      part: PART,
      thread_id: channelId,
      priority: "decision",
      want: { kind: "show", body },
      is: opened === undefined ? "locked" : "opened",
      news: { kind: "waits" },
      since: Date.parse(since),
    },
  ];
}

/** Since when, and how it is opened. */
export function lockedWords(since: string, locale: Locale): string {
  return say(locale, "lock_locked", { since: timeOf(since) });
}

/** Discord draws it in the reader's own time zone and language. */
export function timeOf(at: string): string {
  return `<t:${Math.floor(Date.parse(at) / 1000)}:f>`;
}
