/** A number as an answer, where a question takes nothing else. */

export interface NumberWanted {
  integer: boolean;
  /** Absent: no bound. */
  minimum?: number;
  maximum?: number;
}

/** Null if it is none, or none that fits. */
export function numberIn(text: string, { integer, minimum, maximum }: NumberWanted): number | null {
  const value = /^[+-]?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  const fits = Number.isFinite(value) && (!integer || Number.isSafeInteger(value)) && value >= (minimum ?? value) && value <= (maximum ?? value);
  return fits ? value : null;
}
