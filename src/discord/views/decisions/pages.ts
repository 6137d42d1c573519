/**
 * What would be done, page by page: a tool's input as `review-text.ts` formats it; a plan as the agent wrote it,
 * quoted, with links and mentions made harmless. Every page fits Discord's limits, whatever it contains.
 */
import { say } from "../../../base/words/say.ts";
import type { Decision } from "../../../core/decisions/decision.ts";
import { runToEnd } from "../../../base/hidden-characters.ts";
import type { Page } from "../../../core/decisions/pages.ts";
import type { State } from "../../../core/state.ts";
import { agentText, FENCE } from "../../text/agent-text.ts";
import { systemBody, type Body, type Rendering } from "../message.ts";
import { pageControls, frame, headline } from "./controls.ts";
import type { Markdown } from "../../text/markdown.ts";

/** Discord's limit on an embed's description. */
const DESCRIPTION_LIMIT = 4096;
/** This many pages of a plan are messages in the thread; the others are shown on request. */
export const PLAN_MESSAGES = 5;

/** Which of the pages is looked at, from 1. */
export interface OpenedPage {
  pages: readonly Page[];
  page: number;
}

/** One page of what would be done, visible only to the owner, with the controls for the next step. */
export function pageBody(
  state: State,
  decision: Decision,
  { pages, page }: OpenedPage,
  { markdown, locale }: Rendering,
): Body {
  const shown = pageText(pages, page, markdown);
  const last = page >= pages.length ? [`-# ${say(locale, "ask_page_last")}`] : [];
  return {
    ...systemBody(
      frame(
        decision,
        locale,
        {
          title: `${headline(state, decision, locale)} · ${say(locale, "ask_page", { page, pages: pages.length })}`,
          description: [shown, ...last].join("\n"),
        },
        state,
      ),
    ),
    components: pageControls(decision, page, locale),
  };
}

/** The first pages of a plan, each as a message of its own; they stay when it is settled. */
export function planBodies(
  state: State,
  decision: Decision,
  pages: readonly Page[],
  { markdown, locale }: Rendering,
): Body[] {
  return pages.slice(0, PLAN_MESSAGES).map((_, at) => {
    const number = pages.length === 1 ? [] : [say(locale, "ask_page", { page: at + 1, pages: pages.length })];
    const title = [`📋 ${say(locale, "pending_plan")}`, ...number].join(" · ");
    const body = systemBody(frame(decision, locale, { title, description: pageText(pages, at + 1, markdown) }, state));
    return at === 0 && pages.length > 1 ? { ...body, files: [wholeFile("plan.md", pages)] } : body;
  });
}

const known = new WeakMap<readonly Page[], Uint8Array>();

/** A file with all of what would be done, as it is shown. */
export function wholeFile(name: string, pages: readonly Page[]): { name: string; bytes: Uint8Array } {
  return { name, bytes: known.get(pages) ?? runToEnd(wholeBytes(pages)) };
}

/**
 * Makes what is in that file, once, because it may be long and is looked at again and again. It may pause at each
 * yield.
 */
export function* wholeBytes(pages: readonly Page[]): Generator<null, Uint8Array> {
  const texts = pages.flatMap(({ prose, text }) => [prose, text].filter(Boolean));
  const bytes = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0));
  let at = 0;
  for (const text of texts) {
    at += bytes.write(`${text}\n`, at);
    yield null;
  }
  known.set(pages, bytes);
  return bytes;
}

function pageText(pages: readonly Page[], number: number, markdown: Markdown): string {
  const { prose = "", text = "" } = pages[number - 1] ?? {};
  if (prose === "") return text;
  const quote = prosePage(
    prose,
    pages
      .slice(0, number - 1)
      .map((page) => page.prose)
      .join("\n"),
    DESCRIPTION_LIMIT - 100 - text.length,
    markdown,
  );
  return [quote, text].filter(Boolean).join("\n");
}

/** A page of the agent's Markdown. A code block that is open at its beginning is reopened. */
function prosePage(page: string, before: string, room: number, markdown: Markdown): string {
  const opened = isOpen(before) ? `${FENCE}\n` : "";
  const { text } = agentText(`${opened}${page}`, markdown);
  const quote = `${text}${isOpen(text) ? `\n${FENCE}` : ""}`
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
  if (quote.length <= room) return quote;
  // Escaped, it is too long, so it is shown as code.
  return `${FENCE}\n${page.replace(/`{3,}/g, (run) => "ˋ".repeat(run.length))}\n${FENCE}`;
}

function isOpen(text: string): boolean {
  return (text.match(/^(?: {0,3}> )?```/gm) ?? []).length % 2 === 1;
}
