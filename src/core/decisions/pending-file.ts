/**
 * A decision as its mirrored file holds it: fixed fields, its own names for states, times to the second. Made from the
 * decision and never read back; what an agent is told about an answer also comes from here.
 */
import { isOpen, type Decision } from "./decision.ts";
import { PROMPT_PART, type Posts } from "../posts/post.ts";

export interface PendingFile {
  question_id: string;
  project: string;
  question: string;
  context: string;
  options: string[];
  timeout_seconds: number | null;
  /** Empty until there is a thread. */
  thread_id: string;
  message_id: string;
  asked_at: string;
  status: PendingStatus;
  clarify_attempts: number;
  resolved_at: string | null;
  resolution: string | null;
  selected_option: string | null;
}

export type PendingStatus = "pending" | "disconnected" | "resolved" | "aborted";

const STATUS = {
  open: "pending",
  disconnected: "disconnected",
  answered: "resolved",
  lapsed: "aborted",
  aborted: "aborted",
  void: "aborted",
} as const;

/** Null if no agent asked it through its own tools. */
export function pendingFile({ posts }: { posts: Posts }, decision: Decision): PendingFile | null {
  const { asker, decision_id, questions, context, thread_id, asked_at, typed } = decision;
  if (asker.by !== "mcp") return null;
  const { answer, selected_option } = answerOf(decision);
  return {
    question_id: decision_id,
    project: asker.project,
    question: questions[0]?.question ?? "",
    context,
    options: (questions[0]?.options ?? []).map(({ label }) => label),
    timeout_seconds: asker.timeout_seconds,
    thread_id: thread_id ?? "",
    message_id: posts[decision_id]?.[PROMPT_PART]?.message_id ?? "",
    asked_at: toTheSecond(asked_at),
    status: statusOf(decision),
    clarify_attempts: typed.reasked,
    resolved_at: isOpen(decision) ? null : toTheSecond(decision.settled_at),
    resolution: answer,
    selected_option,
  };
}

export function statusOf({ state }: Decision): PendingStatus {
  return STATUS[state];
}

/** The answer: the option's full text, or the owner's own words, which are no option. Null: none. */
export function answerOf({ state, answers, questions }: Decision): {
  answer: string | null;
  selected_option: string | null;
} {
  const [given] = answers;
  if (state !== "answered" || !given) return { answer: null, selected_option: null };
  if (given.places.length === 0) return { answer: given.words, selected_option: null };
  const chosen = given.places.map((place) => questions[0]?.options[place]?.label ?? "").join(", ");
  return { answer: chosen, selected_option: chosen };
}

/** Such as `2026-03-01T10:30:00Z`. */
export function toTheSecond(iso: string): string {
  return `${iso.slice(0, 19)}Z`;
}
