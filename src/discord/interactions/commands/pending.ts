/**
 * `/pending`: everything that waits for the owner's answer, oldest first, with links to the prompts, and the grants of
 * sessions, which can be revoked one by one. Ephemeral and edited in place: each press shows the current list.
 */
import { ComponentType, type APIMessageTopLevelComponent } from "discord-api-types/v10";
import { createHash } from "node:crypto";
import { BellhopError } from "../../../base/errors.ts";
import { excerpt, oneLine } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { botOf, nextQuestion, openDecisions, type Decision } from "../../../core/decisions/decision.ts";
import { liveGrants, type Grant } from "../../../core/decisions/grant.ts";
import { shownLine } from "../../../base/hidden-characters.ts";
import type { State } from "../../../core/state.ts";
import { button, code, colours, plainLine, buttonRows, systemBody, type Body } from "../../views/message.ts";
import { customId } from "../../views/custom-id.ts";
import { askerOf, clock, promptLink } from "../../views/decisions/controls.ts";
import { failureText, type Handlers } from "../reply.ts";
import type { InteractionAnswer, SlashCommand, CommandContext } from "../command.ts";

/**
 * At most so many decisions, and so many grants, on one page; and together no more characters than Discord's 4096 for
 * an embed.
 */
const PAGE = 10;
const DECISION_CHARS = 2_500;
const GRANT_CHARS = 1_400;
const SIGNS = { question: "❓", permission: "🔐", plan: "📋" } as const;

export const pending: SlashCommand = {
  name: "pending",
  options: [],
  ephemeral: true,
  run: ({ locale }, context) => Promise.resolve(listed(1, locale, context)),
};

export const pendingButtons: Handlers<"pending_page" | "take_back_answer"> = {
  pending_page: async ({ page }, { reply, locale, context }) =>
    void (await reply.respond(listed(Number(page), locale, context))),
  async take_back_answer({ page }, { values: [value = ""], reply, locale, context }) {
    try {
      const said = await takeBack(value, locale, context);
      await reply.respond({ ...listed(Number(page), locale, context), content: said });
    } catch (error) {
      await reply.respond({ ...listed(1, locale, context), content: failureText(error, locale, context) });
    }
  },
};

/** @throws BellhopError E_DECISION_CLOSED for a grant already revoked, or a session that is over */
async function takeBack(value: string, locale: Locale, context: CommandContext): Promise<string> {
  const given = grantMeant(context.engine.state, value, optionsOf(locale, context));
  if (!given) throw new BellhopError("E_DECISION_CLOSED");
  await context.engine.submit({
    type: "revoke_grant",
    thread_id: given.thread_id,
    decision_id: given.grant.decision_id,
  });
  return say(locale, "pending_taken_back", named(given.grant));
}

function listed(page: number, locale: Locale, context: CommandContext): InteractionAnswer {
  const { content, embeds, components } = pendingBody(context.engine.state, page, optionsOf(locale, context));
  return { content, embeds, components };
}

function optionsOf(locale: Locale, { botId, clock }: CommandContext): PendingOptions {
  return { locale, botId, at: new Date(clock.now()).toISOString() };
}

interface PendingOptions {
  locale: Locale;
  /** Only what is asked through this bot. */
  botId: string;
  /** ISO 8601. */
  at: string;
}

/** @param wanted the page, from 1; limited to the existing pages */
function pendingBody(state: State, wanted: number, options: PendingOptions): Body {
  const { locale } = options;
  const open = openDecisions(state).filter((one) => botOf(state, one) === options.botId);
  const grants = grantsOf(state, options);
  const decided = pagesOf(open, (one) => decisionLine(state, one, locale), DECISION_CHARS);
  const granted = pagesOf(grants, (one) => grantLine(one, locale), GRANT_CHARS);
  const pages = Math.max(1, decided.length, granted.length);
  const page = Math.min(Math.max(1, wanted), pages);
  const allowed = granted[page - 1] ?? [];
  const lines = [
    ...(decided[page - 1] ?? []).map((decision) => decisionLine(state, decision, locale)),
    ...(open.length === 0 ? [say(locale, "pending_none")] : []),
    ...(grants.length === 0 ? [] : ["", `**${say(locale, "pending_grants", { count: grants.length })}**`]),
    ...allowed.map((one) => grantLine(one, locale)),
  ];
  const number = pages === 1 ? [] : [say(locale, "pending_page", { page, pages })];
  const title = [say(locale, "pending_title", { count: open.length }), ...number].join(" · ");
  const body = systemBody({
    color: open.length === 0 ? colours.quiet : colours.asks,
    title,
    description: lines.join("\n"),
  });
  return { ...body, components: [...takingBack(allowed, page, locale), ...turns("pending_page", page, pages, locale)] };
}

interface ThreadGrant {
  thread_id: string;
  grant: Grant;
}

/** At most ten on one page, and no more characters than that. */
export function pagesOf<T>(all: readonly T[], lineOf: (one: T) => string, chars: number): T[][] {
  const pages: T[][] = [];
  let left = 0;
  for (const one of all) {
    const { length } = lineOf(one);
    const last = pages.at(-1);
    const hasRoom = last !== undefined && last.length < PAGE && length < left;
    left = (hasRoom ? left : chars) - length - 1;
    if (hasRoom) last.push(one);
    else pages.push([one]);
  }
  return pages;
}

function grantLine({ thread_id, grant }: ThreadGrant, locale: Locale): string {
  return `🔓 ${say(locale, "pending_grant", { ...named(grant), thread: `<#${thread_id}>`, until: clock(grant.until, "f") })}`;
}

/** The grant that a value of the select stands for. */
function grantMeant(state: State, value: string, options: PendingOptions): ThreadGrant | undefined {
  return grantsOf(state, options).find((one) => valueOf(one) === value);
}

/** Its tool and title, for display. */
function named({ tool, title }: Grant): { tool: string; title: string } {
  return { tool: `**${plainLine(tool, 60)}**`, title: code(shownLine(title), 120) };
}

function grantsOf(state: State, { at, botId }: PendingOptions): ThreadGrant[] {
  return Object.keys(state.grants).flatMap((thread_id) =>
    state.threads[thread_id]?.bot_id === botId
      ? liveGrants(state, thread_id, at).map((grant) => ({ thread_id, grant }))
      : [],
  );
}

function decisionLine(state: State, decision: Decision, locale: Locale): string {
  const { kind, state: is, subject, questions, asked_at, thread_id } = decision;
  const about =
    kind === "question"
      ? plainLine(questions[nextQuestion(decision)]?.question ?? "", 150)
      : [`**${plainLine(subject?.tool ?? "", 40)}**`, code(shownLine(subject?.title ?? ""), 100)].join(" ");
  const link = promptLink(state, decision);
  const where =
    link !== null
      ? `[${say(locale, "pointed_link")}](${link})`
      : thread_id === null
        ? say(locale, "pending_unplaced")
        : `<#${thread_id}>`;
  const who = say(locale, "pending_line", { agent: askerOf(state, decision), age: clock(asked_at, "R") });
  const away = is === "disconnected" ? [`🔌 ${say(locale, "pending_away")}`] : [];
  return `${SIGNS[kind]} ${say(locale, `pending_${kind}`)}: ${about}\n-# ${[where, who, ...away].join(" · ")}`;
}

function takingBack(grants: readonly ThreadGrant[], page: number, locale: Locale): APIMessageTopLevelComponent[] {
  if (grants.length === 0) return [];
  const options = grants.map((one) => ({
    label: oneLine(`${one.grant.tool} ${one.grant.title}`, 100) || "…",
    value: valueOf(one),
  }));
  const placeholder = excerpt(say(locale, "pending_take_back"), 150);
  return [
    {
      type: ComponentType.ActionRow,
      components: [
        {
          type: ComponentType.StringSelect,
          custom_id: customId("take_back_answer", { page: String(page) }),
          placeholder,
          options,
        },
      ],
    },
  ];
}

/** A digest, because the ids may have any length. */
function valueOf({ thread_id, grant }: ThreadGrant): string {
  return createHash("sha256")
    .update(JSON.stringify([thread_id, grant.decision_id]))
    .digest("hex")
    .slice(0, 40);
}

/** Buttons to the pages before and after. */
export function turns(
  action: "pending_page" | "rules_page",
  page: number,
  pages: number,
  locale: Locale,
): APIMessageTopLevelComponent[] {
  const to = [
    ...(page > 1 ? [{ page: page - 1, word: "button_page_before" as const }] : []),
    ...(page < pages ? [{ page: page + 1, word: "button_page_after" as const }] : []),
  ];
  return buttonRows(
    to.map(({ page: number, word }) => button(customId(action, { page: String(number) }), say(locale, word))),
  );
}
