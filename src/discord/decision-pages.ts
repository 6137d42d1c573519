/**
 * What would be done, page by page: a tool's input as code, with nothing in it that ends the code; a plan as the
 * agent wrote it, quoted, its links and mentions without teeth. Every page is within Discord's limits whatever is on it.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { Decision } from "../core/decision.ts";
import type { State } from "../core/house.ts";
import { agentText, FENCE } from "./agent-text.ts";
import { told } from "./body.ts";
import { pageControls } from "./decision-controls.ts";
import { frame, headline } from "./decision-frame.ts";
import type { Markdown } from "./markdown.ts";
import type { Body } from "./owed.ts";

/** Discord's limit on an embed's description. */
const DESCRIPTION_LIMIT = 4096;
/** So many pages of a plan stand in the thread as messages; the others are shown when they are asked for. */
export const PLAN_MESSAGES = 5;

/** One page of what would be done, for the owner's eyes, with what comes next. */
export function pageBody(state: State, decision: Decision, pages: readonly string[], page: number, markdown: Markdown, locale: Locale): Body {
  const shown = decision.kind === "plan" ? planPage(pages, page, markdown) : inCodeFrame(pages[page - 1] ?? "");
  const last = page >= pages.length ? [`-# ${say(locale, "ask_page_last")}`] : [];
  return { ...told(frame(decision, locale, { title: pageTitle(state, decision, page, pages.length, locale), description: [shown, ...last].join("\n") }, state)), components: pageControls(decision, page, locale) };
}

/** The first pages of a plan, each a message of its own: they stay when it is settled. */
export function planBodies(state: State, decision: Decision, pages: readonly string[], markdown: Markdown, locale: Locale): Body[] {
  return pages.slice(0, PLAN_MESSAGES).map((_, at) => {
    const number = pages.length === 1 ? [] : [say(locale, "ask_page", { page: at + 1, pages: pages.length })];
    const title = [`📋 ${say(locale, "pending_plan")}`, ...number].join(" · ");
    const body = told(frame(decision, locale, { title, description: planPage(pages, at + 1, markdown) }, state));
    return at === 0 && pages.length > 1 ? { ...body, files: [{ name: "plan.md", bytes: Buffer.from(pages.join("\n"), "utf8") }] } : body;
  });
}

/** In a block of code. The pages hold no run of three backticks, so nothing on them ends it. */
export function inCodeFrame(page: string): string {
  const language = /^[+-] /m.test(page) ? "diff" : "";
  return `${FENCE}${language}\n${page}\n${FENCE}`;
}

/** A page of Markdown. Code that is open where it begins is opened again. */
function planPage(pages: readonly string[], page: number, markdown: Markdown): string {
  const before = pages.slice(0, page - 1).join("\n");
  const opened = isOpen(before) ? `${FENCE}\n` : "";
  const source = `${opened}${pages[page - 1] ?? ""}`;
  const { text } = agentText(source, markdown);
  const quote = `${text}${isOpen(text) ? `\n${FENCE}` : ""}`.split("\n").map((line) => `> ${line}`).join("\n");
  if (quote.length <= DESCRIPTION_LIMIT - 100) return quote;
  // So much of it means something to Discord that it would be too long without its meaning.
  return inCodeFrame((pages[page - 1] ?? "").replace(/`{3,}/g, (run) => "ˋ".repeat(run.length)));
}

function isOpen(text: string): boolean {
  return (text.match(/^(?: {0,3}> )?```/gm) ?? []).length % 2 === 1;
}

function pageTitle(state: State, decision: Decision, page: number, pages: number, locale: Locale): string {
  return `${headline(state, decision, locale)} · ${say(locale, "ask_page", { page, pages })}`;
}
