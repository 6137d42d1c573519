/**
 * Rules of the owner's in words: what one covers and what it does not, made from the data that decides, and the choice
 * of those that could be made of a request.
 */
import { createHash } from "node:crypto";
import { ButtonStyle } from "discord-api-types/v10";
import { shownLine } from "../../../base/hidden-characters.ts";
import { oneLine } from "../../../base/text.ts";
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import type { Decision } from "../../../core/decisions/decision.ts";
import type { Cover, NotCovered, RuleOffer, RuleScope, StandingRule } from "../../../core/rules/judge.ts";
import { pressId } from "../custom-id.ts";
import { button, buttonRows, code, colours, plainLine, systemBody, type Body, type Button } from "../message.ts";

export const effectSigns = { allow: "📏", deny: "⛔" } as const;

const COVERED_CHARS = 200;

/** What it covers. @param title what the request from which it was made asks, in one line */
export function covers({ cover, title }: { cover: Cover; title: string }, locale: Locale): string {
  switch (cover.family) {
    case "exact":
      return say(locale, "rule_exact", {
        tool: `**${plainLine(cover.tool, 60)}**`,
        title: code(shownLine(title), COVERED_CHARS),
      });
    case "command": {
      const words = cover.words.map(({ is, open }) => (open === undefined ? is : `‹${say(locale, `rule_${open}`)}›`));
      return say(locale, "rule_command", { command: code(words.join(" "), COVERED_CHARS) });
    }
    case "path":
      return cover.folder === ""
        ? say(locale, `rule_${cover.act}_all`)
        : say(locale, `rule_${cover.act}`, { folder: code(shownLine(cover.folder), COVERED_CHARS) });
    case "tool":
      return say(locale, "rule_tool", {
        tool: `**${plainLine(cover.tool, 60)}**`,
        server: `**${plainLine(cover.server, 60)}**`,
      });
  }
}

/** Which of the offers a button stands for: what it covers, and where the rule would hold. */
interface OfferChoice {
  effect: StandingRule["effect"];
  by: RuleScope["by"];
  /** Of what it covers. */
  mark: string;
}

const EFFECTS = { a: "allow", d: "deny" } as const;
const SCOPES = { t: "thread", p: "project" } as const;

/** Null for what no button of ours says. */
export function choiceOf(detail: string): OfferChoice | null {
  const [, effect, by, mark] = /^([ad])([tp])\.([0-9a-f]{16})$/.exec(detail) ?? [];
  return effect === undefined || by === undefined || mark === undefined
    ? null
    : { effect: EFFECTS[effect as "a" | "d"], by: SCOPES[by as "t" | "p"], mark };
}

export function coverMark(cover: Cover): string {
  return createHash("sha256").update(JSON.stringify(cover)).digest("hex").slice(0, 16);
}

/** What rules could be made of it, narrowest first, each with where it could hold. */
export function offersBody(
  decision: Decision,
  { offers, effect, project }: { offers: readonly RuleOffer[]; effect: StandingRule["effect"]; project: string },
  locale: Locale,
): Body {
  const title = decision.subject?.title ?? "";
  const lines = offers.flatMap(({ cover, never, warns }, place) => [
    `**${place + 1}** · ${covers({ cover, title }, locale)}`,
    `-# ${say(locale, "rules_not", { what: never.map((one) => notCovered(one, locale)).join(" · ") })}`,
    ...(effect === "allow" ? warns.map((one) => `-# ⚠️ ${say(locale, `rule_warns_${one}`)}`) : []),
  ]);
  const rows = offers.map(({ cover }, place) =>
    scopes(decision, { cover, effect, project, number: place + 1 }, locale),
  );
  const other = effect === "allow" ? button(pressId(decision, "rules", "deny"), say(locale, "button_never")) : null;
  if (other) rows.at(-1)?.push(other);
  return {
    ...systemBody({
      color: effect === "allow" ? colours.asks : colours.bad,
      title: say(locale, effect === "allow" ? "rules_always_title" : "rules_never_title"),
      description: [...lines, "", say(locale, "rules_choose")].join("\n"),
    }),
    components: rows.flatMap((row) => buttonRows(row)),
  };
}

function scopes(
  decision: Decision,
  { cover, effect, project, number }: { cover: Cover; effect: StandingRule["effect"]; project: string; number: number },
  locale: Locale,
): Button[] {
  const detail = (by: "t" | "p"): string => `${effect === "allow" ? "a" : "d"}${by}.${coverMark(cover)}`;
  const style = effect === "allow" ? ButtonStyle.Secondary : ButtonStyle.Danger;
  return [
    button(pressId(decision, "rule", detail("t")), say(locale, "button_rule_thread", { number }), style),
    button(
      pressId(decision, "rule", detail("p")),
      oneLine(say(locale, "button_rule_project", { number, project }), 80),
      style,
    ),
  ];
}

function notCovered(what: NotCovered, locale: Locale): string {
  return say(locale, `rule_not_${what}` satisfies WordKey);
}
