/**
 * The frame of every decision: an embed in a colour of its own that says who asks, which no agent text can imitate.
 * Agent text in it comes only from the structured request and is drawn as plain text or as code.
 */
import type { APIEmbed } from "discord-api-types/v10";
import { beginning, excerpt } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { isOnScreen } from "../../../core/decisions/asker.ts";
import { nextQuestion, type Answer, type Decision, type Question } from "../../../core/decisions/decision.ts";
import { PROMPT_PART } from "../../../core/posts/post.ts";
import { colours, inert, urlOf } from "../body.ts";
import { lettersOf } from "./controls.ts";

/** A shorter beginning of a line is not worth showing. */
const ENOUGH_CHARS = 12;
const SUBAGENT_CHARS = 80;

/** Who asks, in a few words; drawn as plain text. */
export function askerOf(state: Pick<State, "jobs" | "turns">, { asker, asker_tool }: Decision): string {
  switch (asker.by) {
    case "job":
    case "turn": {
      const tool = inert(asker_tool ?? toolOf(state, asker), 40);
      return asker.subagent === undefined ? tool : `${tool} › ${inert(asker.subagent, SUBAGENT_CHARS)}`;
    }
    case "mcp":
      return inert(asker.project, 60) || "MCP";
    case "hook":
      return "Claude";
  }
}

function toolOf(
  { jobs, turns }: Pick<State, "jobs" | "turns">,
  asker: Extract<Decision["asker"], { by: "job" | "turn" }>,
): string {
  return (asker.by === "job" ? jobs[asker.job_id] : turns?.[asker.turn_id])?.tool ?? "?";
}

export function frame(
  decision: Decision,
  locale: Locale,
  embed: Pick<APIEmbed, "title" | "description">,
  state: Pick<State, "jobs" | "turns">,
): APIEmbed {
  return { color: colours.asks, ...embed, footer: { text: footer(state, decision, locale) } };
}

/** The subject of the decision, on one line. */
export function headline(state: Pick<State, "jobs" | "turns">, decision: Decision, locale: Locale): string {
  const agent = askerOf(state, decision);
  switch (decision.kind) {
    case "permission":
      if (isOnScreen(decision.asker)) return `🖥️ ${say(locale, "decision_screen", { agent })}`;
      return `🔐 ${say(locale, "decision_permission", { agent, tool: inert(decision.subject?.tool ?? "?", 80) })}`;
    case "plan":
      return `📋 ${say(locale, "decision_plan", { agent })}`;
    case "question": {
      // The last question of a form is ours: whether to send the answers.
      const count = decision.questions.length - (decision.form === true ? 1 : 0);
      const number = nextQuestion(decision) + 1;
      return [
        `❓ ${say(locale, "ask_question", { agent })}`,
        ...(count > 1 && number > 0 && number <= count ? [say(locale, "ask_number", { number, count })] : []),
      ].join(" · ");
    }
  }
}

/** External text, quoted line by line, in at most `max` characters; longer text is cut at the end. */
export function quoted(text: string, max: number): string {
  const shown: string[] = [];
  let left = max;
  for (const line of text.replace(/\r\n?/g, "\n").trim().split("\n")) {
    const drawn = `> ${inert(line, max)}`;
    if (drawn.length > left) {
      const cut = beginning(drawn, left - 1).trimEnd();
      // A backslash whose escaped character was cut off would escape the ellipsis.
      const [escapes = ""] = /(?<!\\)\\*$/.exec(cut) ?? [];
      shown.push(left < ENOUGH_CHARS ? "> …" : `${escapes.length % 2 === 1 ? cut.slice(0, -1) : cut}…`);
      break;
    }
    shown.push(drawn);
    left -= drawn.length + 1;
  }
  return shown.join("\n");
}

/** The answer to a question: the labels of the chosen options, and the owner's words. */
export function answerText({ options }: Question, { places, words }: Answer, max: number): string {
  const letters = places.length > 0 ? lettersOf({ options }) : [];
  const names = places.map((place) => {
    const letter = letters[place] ?? "";
    return [...(letter === "" ? [] : [`**${letter}**`]), inert(options[place]?.label ?? "?", 200)].join(" ");
  });
  if (names.length === 0 && words === null) return "—";
  return excerpt(names.length > 0 ? names.join(", ") : inert(words ?? "", max), max);
}

/** The link to its prompt; null while the prompt is not posted. */
export function promptLink(
  state: Pick<State, "posts" | "threads">,
  { decision_id, thread_id }: Pick<Decision, "decision_id" | "thread_id">,
): string | null {
  const post = state.posts[decision_id]?.[PROMPT_PART];
  return post?.message_id ? urlOf(state, thread_id ?? "", post) : null;
}

/** A timestamp that Discord draws in the reader's own time zone and language. */
export function clock(iso: string, how: "f" | "R"): string {
  return `<t:${Math.floor(Date.parse(iso) / 1000)}:${how}>`;
}

function footer(state: Pick<State, "jobs" | "turns">, { asker, asker_tool }: Decision, locale: Locale): string {
  // Footers have no Markdown, so nothing is escaped.
  switch (asker.by) {
    case "job":
    case "turn": {
      const { subagent } = asker;
      const tool = asker_tool ?? toolOf(state, asker);
      const agent =
        subagent === undefined ? tool : `${tool} › ${excerpt(subagent.replace(/\s+/g, " "), SUBAGENT_CHARS)}`;
      return asker.by === "job"
        ? say(locale, "ask_by", { agent, job: asker.job_id })
        : say(locale, "ask_by_turn", { agent });
    }
    case "mcp":
      return excerpt(say(locale, "ask_by_mcp", { project: asker.project.replace(/\s+/g, " ") }), 200);
    case "hook":
      return say(locale, "ask_by_hook");
  }
}
