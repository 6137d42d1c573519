/**
 * What is blanked in the journal's lines when a session is forgotten. Every string goes, unless it stands under a key
 * that holds ids, times, or words of ours from a fixed list; numbers and marks stay. So each line is still read, and
 * `SessionForgotten` makes the same state of blanked and unblanked ones.
 */

/** A line of the journal. */
interface NumberedEvent {
  seq: number;
  type: string;
  payload: object;
}

type PayloadFields = Readonly<Record<string, unknown>>;

/** Ids of Discord's and of ours, digests of nothing that was said, and what names a place on this machine. */
const IDS = [
  ...["thread_id", "channel_id", "guild_id", "bot_id", "author_id", "discord_message_id", "message_id", "message_ids"],
  ...["reply_to", "on_message", "since", "through", "job_id", "turn_id", "decision_id", "decisions", "request_id"],
  ...["into", "retry_of", "after_crash_of", "wanted_thread", "subject", "part", "project_name", "project"],
  ...["pending_dir", "claude_session", "adoption", "socket", "window_id", "pane_id", "start_time", "rule_id"],
];
const TIMES = ["at", "until", "began_at", "timestamp", "lapses_at", "grant_until"];
/** What has few values, which we, or a tool's maker, have named. */
const NAMES = [
  ...["kind", "how", "by", "is", "whose", "origin", "mode", "tool", "change", "code", "error_code", "outcome", "place"],
  ...["cause", "verb", "of", "access", "declined", "server", "currency", "unit", "tells", "why", "effect", "family"],
];
const KEPT: ReadonlySet<string> = new Set([...IDS, ...TIMES, ...NAMES]);

/** In an object or a list under these nothing stays, whatever it is called. */
const NOTHING_BELOW: ReadonlySet<string> = new Set([
  ...["adapter_state", "carried", "details", "error_details", "told", "place", "configuration", "wanted"],
]);
/** Lists of what a word consists of. */
const EMPTIED: ReadonlySet<string> = new Set(["letters"]);

/**
 * What stands in the owner's repository and in his agent's settings, and goes on to hold for the session or its
 * project.
 */
const WHOLE: ReadonlySet<string> = new Set([
  ...["WorktreeMade", "WorktreeRemoved", "WorktreeLost", "WorktreeSeen"],
  ...["ThreadArchived", "ArchiveAsked", "ArchiveDone", "RulesAllowed"],
]);

/** Which lines are a session's, learnt by reading them in their order once. */
export class SessionLines {
  readonly threadId: string;
  /** Its jobs and outside turns. */
  readonly works = new Set<string>();
  /** Its decisions, and where a file mirrors each; null: nowhere. */
  readonly decisions = new Map<string, string | null>();
  readonly #requests = new Set<string>();
  /** Messages that notices may be about. */
  readonly #messages = new Set<string>();
  /** What came into the inbox there, and the message on which its thread stands. */
  readonly #received = new Set<string>();
  /** Where the files of decisions without a thread are. */
  readonly #asked = new Map<string, string>();
  /** Its last `SessionForgotten`. */
  #until = 0;

  constructor(threadId: string) {
    this.threadId = threadId;
    this.#received.add(threadId);
  }

  read({ seq, type, payload }: NumberedEvent): void {
    const fields = payload as PayloadFields;
    if (type === "DecisionAsked") this.#readAsked(fields);
    if (placeOf(type, fields) !== this.threadId) return;
    if (type === "SessionForgotten") this.#until = seq;
    const { job_id, turn_id, request_id, decision_id } = fields;
    for (const id of [job_id, turn_id]) if (typeof id === "string") this.works.add(id);
    if (typeof decision_id === "string" && !this.decisions.has(decision_id))
      this.decisions.set(decision_id, this.#asked.get(decision_id) ?? null);
    if (type === "SessionCreated" && typeof request_id === "string") this.#requests.add(request_id);
    const { discord_message_id, message_id } = fields;
    if (typeof discord_message_id === "string") this.#messages.add(discord_message_id);
    if (type === "InboxReceived" && typeof message_id === "string") this.#received.add(message_id);
  }

  #readAsked({ decision_id, asker }: PayloadFields): void {
    const { pending_dir } = asker as PayloadFields;
    if (typeof decision_id === "string" && typeof pending_dir === "string") this.#asked.set(decision_id, pending_dir);
  }

  /** The payload without its words; null where there is nothing to blank. */
  blanked(line: NumberedEvent): object | null {
    if (line.seq >= this.#until || WHOLE.has(line.type) || !this.#owns(line)) return null;
    const blank = blankIn(line.payload) as object;
    return JSON.stringify(blank) === JSON.stringify(line.payload) ? null : { ...blank, forgotten: true };
  }

  #owns({ type, payload }: NumberedEvent): boolean {
    const fields = payload as PayloadFields;
    const has = (ids: { has(id: string): boolean }, id: unknown): boolean => typeof id === "string" && ids.has(id);
    if (type === "PostRecorded") {
      const subject = String(fields["subject"]);
      const isNotice = fields["channel_id"] === this.threadId && this.#messages.has(subject.split(":")[0] ?? "");
      return subject === this.threadId || this.works.has(subject) || this.decisions.has(subject) || isNotice;
    }
    return (
      placeOf(type, fields) === this.threadId ||
      has(this.decisions, fields["decision_id"]) ||
      (type.startsWith("Inbox") && has(this.#received, fields["message_id"])) ||
      (type.startsWith("SessionRequest") && has(this.#requests, fields["request_id"]))
    );
  }
}

/** The thread that a line names; for what came into the inbox, the channel if it was not in a thread. */
function placeOf(type: string, { thread_id, channel_id }: PayloadFields): unknown {
  return type === "InboxReceived" ? (thread_id ?? channel_id) : thread_id;
}

function blankIn(value: unknown, key = "", isBelow = false): unknown {
  if (typeof value === "string") return KEPT.has(key) && !isBelow ? value : "";
  if (typeof value !== "object" || value === null) return value;
  const below = isBelow || NOTHING_BELOW.has(key);
  if (Array.isArray(value)) return EMPTIED.has(key) ? [] : value.map((one) => blankIn(one, key, below));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, blankIn(one, name, below)]));
}
