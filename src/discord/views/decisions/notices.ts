/**
 * What is said of a message that settled no decision: in its thread or in the owner's direct messages, why not and
 * where the decisions are, in one pointer that changes with each further message; and below a message that keeps a
 * question open, that it still waits.
 */
import { ButtonStyle } from "discord-api-types/v10";
import { entryOf } from "../../../base/entry.ts";
import { isLeft } from "../../../core/decisions/settlement.ts";
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import { isHeld } from "../../../core/decisions/answering.ts";
import { workOf } from "../../../core/decisions/asker.ts";
import { nextQuestion, type Decision, isOpen } from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import { type Notice, type Pointed, type PointedMessage, noticesIn } from "../../../core/sessions/thread.ts";
import { button, code, inert, colours, systemBody, type Button } from "../body.ts";
import { customId } from "../custom-id.ts";
import { askerOf, promptLink, clock } from "./frame.ts";
import { REMOVED } from "../../../core/posts/post.ts";
import { keptControls } from "./controls.ts";
import type { Body, DesiredPost } from "../desired-posts.ts";
import { SAID } from "../../../core/posts/post-state.ts";
import { sentence } from "../error-details.ts";

/** Most links in one sentence. */
const NAMED = 5;

const WORDS: Readonly<Record<Pointed, WordKey>> = {
  bare: "pointed_bare",
  stop: "pointed_stop",
  which: "pointed_which",
  unseen: "pointed_unseen",
  no_yes: "pointed_no_yes",
  open: "pointed_open",
  settled: "pointed_settled",
  nothing: "pointed_nothing",
  sent: "pointed_sent",
};

/** Null for a notice of another kind. */
export function pointedText(state: State, { change, details }: Notice, locale: Locale): string | null {
  if (change === null || !(change in WORDS)) return null;
  const ids = String(details["decisions"] ?? "").split(",");
  return say(locale, WORDS[change as Pointed], { links: named(state, ids, locale), words: "" }).replace(/: $/, ".");
}

/** Names each of these decisions, with a link to its prompt. */
function named(state: State, ids: readonly string[], locale: Locale): string {
  const links = ids
    .flatMap((id) => entryOf(state.decisions, id) ?? [])
    .map((decision) => {
      const link = promptLink(state, decision);
      const name = `${say(locale, `pending_${decision.kind}`)}: ${about(state, decision)}`;
      return link === null ? name : `[${name}](${link})`;
    });
  return [...links.slice(0, NAMED), ...(links.length > NAMED ? ["…"] : [])].join(" · ");
}

const POINTER_PART = "pointer:";

/** The one pointer for messages that settled nothing of what is open, where the last of them was written. */
export function pointerPosts(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  const { decision_id: subject, thread_id, pointed } = decision;
  const desired = { subject, thread_id: thread_id ?? "", priority: "decision" } as const;
  if (pointed === undefined) {
    const gone = Object.keys(state.posts[subject] ?? {}).filter((part) => part.startsWith(POINTER_PART));
    return gone.map((part) => ({
      ...desired,
      part,
      want: { kind: "remove" },
      is: REMOVED,
      rings: false,
      since: Date.parse(decision.asked_at),
    }));
  }
  const { why, discord_message_id, channel_id, at } = pointed;
  const direct = state.channels[channel_id]?.kind === "direct";
  const isOver = !pointed.decisions.flatMap((id) => entryOf(state.decisions, id) ?? []).some(isOpen);
  const body = systemBody(
    { color: colours.waits, description: pointerText(state, pointed, locale, { direct, isOver }) },
    pointerButtons(state, decision, pointed, locale),
  );
  return [
    {
      ...desired,
      part: `${POINTER_PART}${channel_id}`,
      want: { kind: "show", body },
      is: `${why} ${discord_message_id} ${isOver ? "over" : standing(state, pointed)}`,
      rings: true,
      reply_to: discord_message_id,
      since: Date.parse(at),
      ...(direct && { to: "owner" as const }),
    },
  ];
}

/** What is asked next in each of these, by which it is named. */
function standing(state: State, { decisions }: PointedMessage): string {
  return decisions.map((id) => nextQuestion(entryOf(state.decisions, id) ?? { answers: [] })).join(",");
}

/** `isOver`: nothing of what it points to is open any more. */
function pointerText(
  state: State,
  { why, decisions, words }: PointedMessage,
  locale: Locale,
  { direct, isOver }: { direct: boolean; isOver: boolean },
): string {
  const isStanding = decisions.every((id) => isLeft(entryOf(state.decisions, id) ?? { state: "open", voided: null }));
  if (!isOver && direct && why !== "bare" && why !== "stop" && why !== "sent")
    return say(locale, says[why], { decisions: linksTo(state, decisions.join(",")) });
  return say(locale, isOver ? overWords(why, isStanding, direct) : WORDS[why], {
    links: named(state, decisions, locale),
    words: code(words ?? "…"),
  }).replace(/: $/, ".");
}

/** What is written in direct messages never becomes a job. */
function overWords(why: PointedMessage["why"], isStanding: boolean, direct: boolean): WordKey {
  if (why === "open" && !direct) return "pointed_open_over";
  if (why === "sent" || why === "settled") return WORDS[why];
  return isStanding ? "pointed_terminal" : "pointed_over";
}

function pointerButtons(state: State, { asker }: Decision, pointed: PointedMessage, locale: Locale): Button[] {
  const { channel_id, discord_message_id, why } = pointed;
  if (!isHeld(pointed) || state.sessions[channel_id] === undefined) return [];
  const work = workOf(asker);
  const stop =
    why === "stop" && work !== null
      ? [button(customId("stop", { job: work }), say(locale, "pointer_stop"), ButtonStyle.Danger)]
      : [];
  return [
    ...stop,
    button(customId("send-held", { thread: channel_id, message: discord_message_id }), say(locale, "pointer_send")),
  ];
}

function about(state: State, decision: Decision): string {
  const { kind, subject, questions } = decision;
  if (kind === "plan") return askerOf(state, decision);
  return kind === "permission"
    ? inert(`${subject?.tool ?? ""} ${subject?.title ?? ""}`, 60)
    : inert(questions[nextQuestion(decision)]?.question ?? "", 60);
}

const KEPT_PART = "kept:";

/**
 * The reply to a message that keeps a question open, posted below that message: the question still waits, when it may
 * be asked again, and, for a question back to the agent, how its words reach the agent. It is removed once it no
 * longer applies.
 */
export function keptPosts(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  const { decision_id: subject, thread_id, kept } = decision;
  const posts = state.posts[subject] ?? {};
  const now = isOpen(decision) && kept ? `${KEPT_PART}${kept.discord_message_id}` : null;
  const gone = Object.keys(posts).filter((part) => part.startsWith(KEPT_PART) && part !== now);
  // The owner has just written and needs no ping.
  const desired = { subject, thread_id: thread_id ?? "", priority: "decision", rings: false } as const;
  const removed = gone.map((part): DesiredPost => ({
    ...desired,
    part,
    want: { kind: "remove" },
    is: REMOVED,
    since: Date.parse(decision.asked_at),
  }));
  if (now === null || !kept) return removed;
  const direct = kept.channel_id !== thread_id;
  const notice: DesiredPost = {
    ...desired,
    part: now,
    want: { kind: "show", body: body(state, decision, locale) },
    is: decision.snooze ? `${kept.why} snoozed ${decision.snooze.until}` : kept.why,
    reply_to: direct ? null : kept.discord_message_id,
    since: Date.parse(kept.at),
    ...(direct && { to: "owner" as const }),
  };
  return [...removed, notice];
}

function body(state: State, decision: Decision, locale: Locale): Body {
  const { kept, snooze } = decision;
  const url = promptLink(state, decision);
  const name = say(locale, "again_link");
  const link = url === null ? name : `[${name}](${url})`;
  const isQuestion = kept?.why === "question";
  const sends = isQuestion && (decision.questions[nextQuestion(decision)]?.words ?? false);
  const lines = [
    ...(snooze === undefined || isQuestion ? [say(locale, isQuestion ? "kept_question" : "kept_later", { link })] : []),
    ...(sends ? [say(locale, "kept_send")] : []),
    ...(snooze === undefined ? [] : [`💤 ${say(locale, "ask_snoozed", { at: clock(snooze.until, "f") })}`]),
  ];
  return {
    ...systemBody({ color: colours.asks, title: say(locale, "kept_title"), description: lines.join("\n") }),
    components: keptControls(decision, locale, sends),
  };
}

const NAMED_DIRECTLY = 10;
const says = {
  nothing: "direct_nothing",
  which: "direct_which",
  unseen: "direct_unseen",
  no_yes: "direct_no_yes",
  open: "direct_open",
  settled: "direct_settled",
} as const satisfies Record<Exclude<Pointed, "bare" | "stop" | "sent">, string>;

/**
 * Notices in the owner's direct messages about a message that settled nothing there. They are owed like every other
 * post, so a crash neither loses nor duplicates them. Empty unless the channel is the direct messages between the bot
 * and its owner.
 */
export function directNotices(state: State, channelId: string, locale: Locale): DesiredPost[] {
  if (state.channels[channelId]?.kind !== "direct") return [];
  return noticesIn(state, channelId).flatMap((notice) => notices(state, notice, locale));
}

function notices(state: State, notice: Notice, locale: Locale): DesiredPost[] {
  const { subject, thread_id, discord_message_id: reply_to, at } = notice;
  const description = wordsOf(state, notice, locale);
  if (description === null) return [];
  const body = systemBody({ color: colours.waits, description });
  return [
    {
      subject,
      part: "refused",
      thread_id,
      priority: "result",
      want: { kind: "show", body },
      is: SAID,
      rings: true,
      reply_to,
      since: Date.parse(at),
    },
  ];
}

/** Null for changes that only a job's message can have. */
function wordsOf(state: State, { change, code, details }: Notice, locale: Locale): string | null {
  if (code !== null) return `${sentence(locale, code, details)} \`${code}\``;
  if (change === null || !(change in says)) return null;
  return say(locale, says[change as keyof typeof says], {
    decisions: linksTo(state, String(details["decisions"] ?? "")),
  });
}

function linksTo(state: State, ids: string): string {
  const links = ids.split(",").flatMap((id) => {
    const decision = state.decisions[id];
    return decision === undefined ? [] : (promptLink(state, decision) ?? `<#${decision.thread_id}>`);
  });
  return links.length > NAMED_DIRECTLY ? `${links.slice(0, NAMED_DIRECTLY).join(" ")} …` : links.join(" ");
}
