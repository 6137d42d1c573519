/**
 * The custom ids of everything that can be pressed under a decision. One names the decision, the question it stands
 * under, what is wanted, and the beginning of the digest of what was shown; so a press means what stood there when it
 * was pressed, days later and after any restart, or nothing at all.
 */
import { createHash } from "node:crypto";
import type { State } from "../core/house.ts";
import { nextQuestion, type Decision } from "../core/decision.ts";

/**
 * - `option`: this place; - `words`: asks for words, `detail` the place they come with, or none; - `select`: one of a
 * select's places; - `page`: shows this page of what would be done; - `pick`: shows this page of the options, with
 * what is chosen so far; - `done`: what is chosen is the answer.
 */
export type Verb = "option" | "words" | "select" | "page" | "pick" | "done";

export interface Pressed {
  verb: Verb;
  question: number;
  detail: string;
  /** The first hex digits of the subject's digest, or `-`. */
  digest: string;
  /** The decision's id, or its own digest where that is too long. */
  ref: string;
}

const LETTERS: Readonly<Record<Verb, string>> = { option: "o", words: "w", select: "s", page: "p", pick: "m", done: "y" };
const VERBS: ReadonlyMap<string, Verb> = new Map(Object.entries(LETTERS).map(([verb, letter]) => [letter, verb as Verb]));
const ID = /^d([owspmy]):(\d{1,3}):([\w.-]*):([0-9a-f]{8}|-):(.+)$/s;
const LONGEST_REF = 48;
const DIGEST_REF = /^~[0-9a-f]{40}$/;

/** At most 100 characters. `detail`: letters, digits, `_`, `-`, `.`, at most 40 of them. */
export function pressId(decision: Decision, verb: Verb, detail: string | number = ""): string {
  const { decision_id } = decision;
  const ref = decision_id.length <= LONGEST_REF && !decision_id.startsWith("~") ? decision_id : digestRef(decision_id);
  return `d${LETTERS[verb]}:${Math.max(0, nextQuestion(decision))}:${detail}:${digestOf(decision)}:${ref}`;
}

/** Null for what is none of these. */
export function readPress(customId: string): Pressed | null {
  const [, letter = "", question, detail = "", digest = "", ref = ""] = ID.exec(customId) ?? [];
  const verb = VERBS.get(letter);
  return verb === undefined ? null : { verb, question: Number(question), detail, digest, ref };
}

/** The decision that is meant, if what was shown with the press is what it is about. */
export function meantBy({ ref, digest }: Pressed, { decisions }: Pick<State, "decisions">): Decision | undefined {
  const found = DIGEST_REF.test(ref)
    ? Object.values(decisions).find(({ decision_id }) => digestRef(decision_id) === ref)
    : Object.hasOwn(decisions, ref) ? decisions[ref] : undefined;
  return found !== undefined && digestOf(found) === digest ? found : undefined;
}

/** Places as text for a custom id; the places of at most 120 options fit. */
export function packed(places: readonly number[]): string {
  const bytes = Buffer.alloc(Math.ceil((Math.max(-1, ...places) + 1) / 8));
  for (const place of places) bytes[place >> 3] = (bytes[place >> 3] ?? 0) | (1 << (place & 7));
  return bytes.toString("base64url");
}

/** Ascending. */
export function unpacked(text: string): number[] {
  const bytes = Buffer.from(text, "base64url");
  return Array.from({ length: bytes.length * 8 }, (_, place) => place).filter((place) => ((bytes[place >> 3] ?? 0) & (1 << (place & 7))) !== 0);
}

function digestOf({ subject }: Decision): string {
  return subject?.sha256.slice(0, 8) ?? "-";
}

function digestRef(decisionId: string): string {
  return `~${createHash("sha256").update(decisionId).digest("hex").slice(0, 40)}`;
}
