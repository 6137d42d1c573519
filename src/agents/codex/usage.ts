/**
 * What a conversation has used so far. Codex counts from the conversation's start, so its next turn needs what the last
 * one reported. The names are those in the journal.
 */

/** Tokens since the conversation's start; `input` includes the cached ones. */
export interface Spent {
  input: number;
  cached: number;
  output: number;
}

export function countersOf({ input, cached, output }: Spent): Record<string, number> {
  return { conversation_input: input, conversation_cached: cached, conversation_output: output };
}

/** Null if a count is missing. */
export function spentIn(counters: Readonly<Record<string, number>> | null): Spent | null {
  const { conversation_input: input, conversation_cached: cached, conversation_output: output } = counters ?? {};
  return input === undefined || cached === undefined || output === undefined ? null : { input, cached, output };
}
