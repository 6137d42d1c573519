/**
 * `/rules`: what the owner allows or denies without being asked: what each rule covers, where, since when, and how
 * often it was used. Each can be removed. Ephemeral and edited in place: each press shows the current list.
 */
import { ComponentType, type APIMessageTopLevelComponent } from "discord-api-types/v10";
import { excerpt, oneLine } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { liveRules, type OwnerRule } from "../../../core/rules/owner-rules.ts";
import { customId } from "../../views/custom-id.ts";
import { clock as timeOf } from "../../views/decisions/controls.ts";
import { covers, effectSigns } from "../../views/decisions/rules.ts";
import { colours, plainLine, systemBody } from "../../views/message.ts";
import type { CommandContext, InteractionAnswer, SlashCommand } from "../command.ts";
import { failureText, type Handlers } from "../reply.ts";
import { pagesOf, turns } from "./pending.ts";

const LIST_CHARS = 3_500;

export const rules: SlashCommand = {
  name: "rules",
  options: [],
  ephemeral: true,
  run: ({ locale }, context) => Promise.resolve(listed(1, locale, context)),
};

export const ruleButtons: Handlers<"rules_page" | "remove_rule"> = {
  rules_page: async ({ page }, { reply, locale, context }) =>
    void (await reply.respond(listed(Number(page), locale, context))),
  async remove_rule({ page }, { values: [rule_id = ""], reply, locale, context }) {
    try {
      const removed = rulesOf(context).find((one) => one.rule_id === rule_id);
      await context.engine.submit({ type: "remove_rule", rule_id });
      const content = removed === undefined ? "" : say(locale, "rules_removed", { rule: covers(removed, locale) });
      await reply.respond({ ...listed(Number(page), locale, context), content });
    } catch (error) {
      await reply.respond({ ...listed(1, locale, context), content: failureText(error, locale, context) });
    }
  },
};

/** Those that were made through this bot. */
function rulesOf({ engine: { state }, botId, clock }: CommandContext): OwnerRule[] {
  return liveRules(state, new Date(clock.now()).toISOString()).filter(
    ({ thread_id }) => (state.threads[thread_id]?.bot_id ?? botId) === botId,
  );
}

/** @param wanted the page, from 1; limited to the existing pages */
function listed(wanted: number, locale: Locale, context: CommandContext): InteractionAnswer {
  const all = rulesOf(context);
  const lineOf = (one: OwnerRule): string => ruleLine(one, locale);
  const pages = pagesOf(all, lineOf, LIST_CHARS);
  const page = Math.min(Math.max(1, wanted), Math.max(1, pages.length));
  const shown = pages[page - 1] ?? [];
  const number = pages.length < 2 ? [] : [say(locale, "pending_page", { page, pages: pages.length })];
  const { content, embeds } = systemBody({
    color: colours.quiet,
    title: [say(locale, "rules_title", { count: all.length }), ...number].join(" · "),
    description: all.length === 0 ? say(locale, "rules_none") : shown.map(lineOf).join("\n"),
  });
  return {
    content,
    embeds,
    components: [...removing(shown, page, locale), ...turns("rules_page", page, pages.length, locale)],
  };
}

function ruleLine(rule: OwnerRule, locale: Locale): string {
  const { scope, thread_id, at, author_id, used, last_used } = rule;
  const where =
    scope.by === "thread"
      ? `<#${thread_id}>`
      : say(locale, "rules_in_project", { project: `**${plainLine(scope.project, 40)}**`, thread: `<#${thread_id}>` });
  const facts = [
    where,
    say(locale, "rules_made", { owner: `<@${author_id}>`, at: timeOf(at, "f") }),
    last_used === null
      ? say(locale, "rules_unused")
      : say(locale, "rules_used", { count: used, at: timeOf(last_used, "R") }),
  ];
  return `${effectSigns[rule.effect]} ${covers(rule, locale)}\n-# ${facts.join(" · ")}`;
}

function removing(shown: readonly OwnerRule[], page: number, locale: Locale): APIMessageTopLevelComponent[] {
  if (shown.length === 0) return [];
  const options = shown.map((one) => ({
    label: oneLine(covers(one, locale).replaceAll("`", ""), 100) || "…",
    value: one.rule_id,
  }));
  const custom_id = customId("remove_rule", { page: String(page) });
  const placeholder = excerpt(say(locale, "rules_remove"), 150);
  return [
    {
      type: ComponentType.ActionRow,
      components: [{ type: ComponentType.StringSelect, custom_id, placeholder, options }],
    },
  ];
}
