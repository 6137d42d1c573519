/**
 * The reply to a message that settled none of the open decisions: why not, and where they are.
 */
import { entryOf } from "../../../base/entry.ts";
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import { nextQuestion, type Decision } from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import type { Notice, Pointed } from "../../../core/sessions/thread.ts";
import { inert } from "../body.ts";
import { askerOf, promptLink } from "./frame.ts";

/** Most links in one sentence. */
const NAMED = 5;

const WORDS: Readonly<Record<Pointed, WordKey>> = {
  which: "pointed_which",
  unseen: "pointed_unseen",
  no_yes: "pointed_no_yes",
  open: "pointed_open",
  settled: "pointed_settled",
  nothing: "pointed_nothing",
};

/** Null for a notice of another kind. */
export function pointedText(state: State, { change, details }: Notice, locale: Locale): string | null {
  if (change === null || !(change in WORDS)) return null;
  const ids = String(details["decisions"] ?? "").split(",");
  const decisions = ids.flatMap((id) => entryOf(state.decisions, id) ?? []);
  const links = decisions.map((decision) => {
    const link = promptLink(state, decision);
    const name = `${say(locale, `pending_${decision.kind}`)}: ${about(state, decision)}`;
    return link === null ? name : `[${name}](${link})`;
  });
  const named = [...links.slice(0, NAMED), ...(links.length > NAMED ? ["…"] : [])].join(" · ");
  return say(locale, WORDS[change as Pointed], { links: named }).replace(/: $/, ".");
}

function about(state: State, decision: Decision): string {
  const { kind, subject, questions } = decision;
  if (kind === "plan") return askerOf(state, decision);
  return kind === "permission" ? inert(`${subject?.tool ?? ""} ${subject?.title ?? ""}`, 60) : inert(questions[nextQuestion(decision)]?.question ?? "", 60);
}
