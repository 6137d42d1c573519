/** What a turn or a conversation has cost, in the currency in which its agent counts. */
export interface Cost {
  amount: number;
  /** Three capital letters, as in ISO 4217. */
  currency: string;
}

export function isCurrency(text: string): boolean {
  return /^[A-Z]{3}$/.test(text);
}

/** The name under which the journal keeps it among a turn's usage. */
export function costKey(currency: string): string {
  return `cost_${currency.toLowerCase()}`;
}

/** An agent counts in one currency; null: it told no cost. */
export function costIn(usage: Readonly<Record<string, number>> | null | undefined): Cost | null {
  for (const [name, amount] of Object.entries(usage ?? {})) {
    const currency = /^cost_([a-z]{3})$/.exec(name)?.[1];
    if (currency !== undefined) return { amount, currency: currency.toUpperCase() };
  }
  return null;
}

/** One sum for each currency. */
export function sumCosts(costs: readonly Cost[]): Cost[] {
  const sums = Map.groupBy(costs, ({ currency }) => currency);
  return [...sums].map(([currency, all]) => ({ currency, amount: all.reduce((sum, { amount }) => sum + amount, 0) }));
}
