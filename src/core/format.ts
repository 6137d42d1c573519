/**
 * Which journals this release understands. A release that writes a new kind of event, or gives an old one a new
 * meaning, raises the format first: an older release then refuses the journal and its snapshots instead of
 * misreading them.
 */

/** The format this release writes, and the highest it reads. 1: no `FormatRaised` was ever written. */
export const FORMAT = 2;

/** Journaled once, at the first start of a release with a higher format. */
export interface FormatEvent {
  type: "FormatRaised";
  payload: { format: number };
}

export function decideFormat({ version }: { version: number }): FormatEvent[] {
  return version < FORMAT ? [{ type: "FormatRaised", payload: { format: FORMAT } }] : [];
}

export function evolveFormat(state: { version: number }, { payload }: FormatEvent): void {
  state.version = payload.format;
}
