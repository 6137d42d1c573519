/** What the owner is shown of an agent's request, and until when he can answer it. */
import { isoTime } from "../../../base/clock.ts";
import type { DecisionKind, Question, Subject } from "../../../core/decisions/decision.ts";
import { GRANT_MS } from "../../../core/decisions/grant.ts";
import { reviewText } from "../../../core/decisions/review-text.ts";
import { digestOf } from "../../../host/files/decision-files.ts";
import type { RunDependencies } from "../dependencies.ts";
import { bytesFor, questionsFor, titleFor, type Manner, type Request } from "./decision-request.ts";

export interface Shown {
  /** What would run, to the byte; kept in memory only. Null for a question. */
  bytes: string | null;
  /** The same with marks in place of secrets: this is stored and shown. */
  shown: string | null;
  /** Null if it is too long to ask. */
  questions: Question[] | null;
  subject: Subject | null;
}

export function shownOf(options: Pick<RunDependencies, "clock" | "fingerprint" | "redactValue">, manner: Manner, request: Request): Shown {
  const bytes = bytesFor(request);
  const shown = bytesFor(options.redactValue(request));
  const questions = questionsFor(request, manner);
  if (bytes === null || shown === null || request.kind === "question" || questions === null) return { bytes, shown, questions, subject: null };
  const grant_until = isoTime(options.clock.now() + GRANT_MS);
  const described = { ...(request.kind === "permission" && request.shown === "call" && { described: true as const }), ...(request.noYes && { no_yes: true as const }) };
  const subject = { ...titleFor(request, manner), sha256: digestOf(shown), pages: reviewText(shown).pages.length, grant_until, ...described };
  return { bytes, shown, questions, subject: shown === bytes ? subject : { ...subject, exact: options.fingerprint(bytes) } };
}

/** @param waited milliseconds for which it has already been asked; null: it never expires */
export function lapsesAt({ clock, lapseSeconds }: Pick<RunDependencies, "clock" | "lapseSeconds">, kind: DecisionKind, tool: string, waited = 0): string | null {
  const seconds = lapseSeconds(kind, tool);
  return seconds === undefined ? null : isoTime(Math.ceil(clock.now() - waited + seconds * 1000));
}
