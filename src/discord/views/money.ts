/**
 * An amount of money as its reader writes it; what is less than one of its currency has four digits behind the point.
 */
import { say, type Locale } from "../../base/words/say.ts";
import { TOKENS } from "../../core/jobs/budget.ts";
import type { Cost } from "../../core/jobs/cost.ts";

const SMALL_DIGITS = 4;

export function money({ amount, currency }: Cost, locale: Locale): string {
  const small =
    amount > 0 && amount < 1 ? { minimumFractionDigits: SMALL_DIGITS, maximumFractionDigits: SMALL_DIGITS } : {};
  return new Intl.NumberFormat(locale, { style: "currency", currency, ...small }).format(amount);
}

/** An amount of a budget's unit. */
export function amount(unit: string, count: number, locale: Locale): string {
  return unit === TOKENS
    ? say(locale, "budget_tokens", { count: new Intl.NumberFormat(locale).format(count) })
    : money({ amount: count, currency: unit }, locale);
}

export function unitName(unit: string, locale: Locale): string {
  return unit === TOKENS ? say(locale, "budget_unit_tokens") : unit;
}

/** How much of a budget is used. */
export function shares(
  { unit, used, limit }: { unit: string; used: number; limit: number },
  locale: Locale,
): { used: string; limit: string; percent: number } {
  const percent = Math.floor((100 * used) / limit);
  return { used: amount(unit, used, locale), limit: amount(unit, limit, locale), percent };
}
