/**
 * The frame in which everything is asked: an embed in a colour of its own that says who asks, which nothing an agent
 * writes can look like. What an agent brings into it comes from the structured request alone and is drawn as plain
 * words or as code.
 */
import type { APIEmbed } from "discord-api-types/v10";
import { excerpt } from "../base/text.ts";
import { say, type Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import { nextQuestion, type Answer, type Decision, type Question } from "../core/decision.ts";
import { PROMPT_PART } from "../core/post.ts";
import { colours, inert } from "./body.ts";
import { letterOf } from "./decision-controls.ts";

/** Who asks, in a few words; drawn as plain text. */
export function askerOf(state: Pick<State, "jobs">, { asker }: Decision): string {
  switch (asker.by) {
    case "job":
      return inert(state.jobs[asker.job_id]?.tool ?? "?", 40);
    case "mcp":
      return inert(asker.project, 60) || "MCP";
    case "hook":
      return "Claude";
  }
}

export function frame(decision: Decision, locale: Locale, embed: Pick<APIEmbed, "title" | "description">, state: Pick<State, "jobs">): APIEmbed {
  return { color: colours.asks, ...embed, footer: { text: footer(state, decision, locale) } };
}

/** What it is about, on one line. */
export function headline(state: Pick<State, "jobs">, decision: Decision, locale: Locale): string {
  const agent = askerOf(state, decision);
  switch (decision.kind) {
    case "permission":
      return `🔐 ${say(locale, "decision_permission", { agent, tool: inert(decision.subject?.tool ?? "?", 80) })}`;
    case "plan":
      return `📋 ${say(locale, "decision_plan", { agent })}`;
    case "question": {
      const count = decision.questions.length;
      const number = nextQuestion(decision) + 1;
      return [`❓ ${say(locale, "ask_question", { agent })}`, ...(count > 1 && number > 0 ? [say(locale, "ask_number", { number, count })] : [])].join(" · ");
    }
  }
}

/** Words from outside, line for line and quoted, at most so many characters. `cut`: not all of it fits. */
export function quoted(text: string, max: number): { text: string; cut: boolean } {
  const lines = text.replace(/\r\n?/g, "\n").trim().split("\n");
  const shown: string[] = [];
  let left = max;
  for (const line of lines) {
    const drawn = `> ${inert(line, Math.max(1, left))}`;
    if (drawn.length > left) return { text: [...shown, "> …"].join("\n"), cut: true };
    shown.push(drawn);
    left -= drawn.length + 1;
    if (line.length > max) return { text: shown.join("\n"), cut: true };
  }
  return { text: shown.join("\n"), cut: false };
}

/** What was answered to a question, in the owner's words or the options'. */
export function answerText({ options, ...question }: Question, { places, words }: Answer, max: number): string {
  const names = places.map((place) => {
    const letter = letterOf({ ...question, options }, place);
    return [...(letter === "" ? [] : [`**${letter}**`]), inert(options[place]?.label ?? "?", 200)].join(" ");
  });
  return excerpt(names.length > 0 ? names.join(", ") : inert(words ?? "", max), max);
}

/** Where its prompt stands; null while it stands nowhere. */
export function promptLink(state: Pick<State, "posts" | "threads">, { decision_id, thread_id }: Pick<Decision, "decision_id" | "thread_id">): string | null {
  const post = state.posts[decision_id]?.[PROMPT_PART];
  if (!post?.message_id) return null;
  const thread = state.threads[thread_id ?? ""];
  const inGuild = thread !== undefined && (post.channel_id === thread.thread_id || post.channel_id === thread.channel_id);
  return `https://discord.com/channels/${inGuild ? thread.guild_id : "@me"}/${post.channel_id}/${post.message_id}`;
}

/** Discord draws it in the reader's own time zone and language. */
export function clock(iso: string, how: "f" | "R"): string {
  return `<t:${Math.floor(Date.parse(iso) / 1000)}:${how}>`;
}

function footer(state: Pick<State, "jobs">, { asker }: Decision, locale: Locale): string {
  // No Markdown in a footer, so nothing to escape.
  switch (asker.by) {
    case "job":
      return say(locale, "ask_by", { agent: state.jobs[asker.job_id]?.tool ?? "?", job: asker.job_id });
    case "mcp":
      return excerpt(say(locale, "ask_by_mcp", { project: asker.project.replace(/\s+/g, " ") }), 200);
    case "hook":
      return say(locale, "ask_by_hook");
  }
}
