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

const TITLE_CHARS = 200;
/** Of what a rule names. A word left open is shown as a longer one. */
const COVERED_CHARS = 120;
const NAME_CHARS = 60;
/** Whatever is in a line of so many characters, its words left open fit too. */
const LINE_CHARS = 1_200;

/**
 * Whether its line shows all of what it covers, each word apart from the next; else no rule is offered. One for exactly
 * this request has its prompt to show it.
 */
export function isShownWhole(cover: Cover): boolean {
  switch (cover.family) {
    case "exact":
      return true;
    case "command":
      return isWhole(cover.words.map(({ is }) => shownWord(is)).join(" "), COVERED_CHARS);
    case "path":
      return cover.folder === "" || isWhole(cover.folder, COVERED_CHARS);
    case "tool":
      return isWhole(cover.server, NAME_CHARS) && isWhole(cover.tool, NAME_CHARS);
  }
}

function isWhole(text: string, max: number): boolean {
  return code(shownLine(text), max) === `\`${text}\``;
}

/** A word as a shell takes it, so that two words do not look like one. */
function shownWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return word.includes("'") ? JSON.stringify(word) : `'${word}'`;
}

interface Covering extends Pick<StandingRule, "cover" | "effect"> {
  /** What the request from which it was made asks, in one line. */
  title: string;
}

/** What it covers. A no is about more than a yes: about any word that is left open, and about deleting. */
export function covers({ cover, effect, title }: Covering, locale: Locale): string {
  switch (cover.family) {
    case "exact":
      return say(locale, "rule_exact", {
        tool: `**${plainLine(cover.tool, NAME_CHARS)}**`,
        title: code(shownLine(title), TITLE_CHARS),
      });
    case "command": {
      const words = cover.words.map(({ is, open }) =>
        open === undefined ? shownWord(is) : `‹${say(locale, effect === "deny" ? "rule_value" : `rule_${open}`)}›`,
      );
      return say(locale, "rule_command", { command: code(words.join(" "), LINE_CHARS) });
    }
    case "path": {
      const act = effect === "deny" && cover.act === "edit" ? "change" : cover.act;
      return cover.folder === ""
        ? say(locale, `rule_${act}_all`)
        : say(locale, `rule_${act}`, { folder: code(shownLine(cover.folder), COVERED_CHARS) });
    }
    case "tool":
      return say(locale, "rule_tool", {
        tool: `**${plainLine(cover.tool, NAME_CHARS)}**`,
        server: `**${plainLine(cover.server, NAME_CHARS)}**`,
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

/** @param root where it would hold, `StandingRule.root`: what is offered elsewhere later is another offer */
export function coverMark(cover: Cover, root: string): string {
  return createHash("sha256")
    .update(JSON.stringify([root, cover]))
    .digest("hex")
    .slice(0, 16);
}

/** A no holds wherever and however it would run, for a file that runs code too, and whatever its server becomes. */
const LIMITS_OF_A_NO: ReadonlySet<NotCovered> = new Set([
  "other_bytes",
  "other_words",
  "compound",
  "read",
  "edit",
  "other_tools",
]);

interface OffersShown {
  offers: readonly RuleOffer[];
  root: string;
  effect: StandingRule["effect"];
  project: string;
}

/** What rules could be made of it, narrowest first, each with where it could hold. */
export function offersBody(decision: Decision, { offers, root, effect, project }: OffersShown, locale: Locale): Body {
  const title = decision.subject?.title ?? "";
  const limitsOf = ({ never, warns }: RuleOffer): string[] => {
    const what = effect === "allow" ? never : never.filter((one) => LIMITS_OF_A_NO.has(one));
    return [
      say(locale, "rules_not", { what: what.map((one) => notCovered(one, locale)).join(" · ") }),
      ...(effect === "allow" ? warns.map((one) => `⚠️ ${say(locale, `rule_warns_${one}`)}`) : []),
    ];
  };
  const lines = offers.flatMap((offer, place) => {
    const line = `**${place + 1}** · ${covers({ cover: offer.cover, effect, title }, locale)}`;
    const limits = limitsOf(offer);
    const isSame = (other: RuleOffer | undefined): boolean =>
      other !== undefined && limitsOf(other).join("\n") === limits.join("\n");
    // What several have in common is said once, below the last of them.
    if (isSame(offers[place + 1])) return [line];
    const first = offers.findIndex(isSame);
    const numbers = first === place ? "" : `**${first + 1}–${place + 1}** · `;
    return [line, ...limits.map((one) => `-# ${numbers}${one}`)];
  });
  const rows = offers.map(({ cover }, place) =>
    scopes(decision, { mark: coverMark(cover, root), effect, project, number: place + 1 }, locale),
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
  { mark, effect, project, number }: { mark: string; number: number } & Pick<OffersShown, "effect" | "project">,
  locale: Locale,
): Button[] {
  const detail = (by: "t" | "p"): string => `${effect === "allow" ? "a" : "d"}${by}.${mark}`;
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
