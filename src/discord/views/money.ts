/**
 * An amount of money as its reader writes it; what is less than one of its currency has four digits behind the point.
 */
import type { Locale } from "../../base/words/say.ts";
import type { Cost } from "../../core/jobs/cost.ts";

const SMALL_DIGITS = 4;

export function money({ amount, currency }: Cost, locale: Locale): string {
  const small =
    amount > 0 && amount < 1 ? { minimumFractionDigits: SMALL_DIGITS, maximumFractionDigits: SMALL_DIGITS } : {};
  return new Intl.NumberFormat(locale, { style: "currency", currency, ...small }).format(amount);
}
