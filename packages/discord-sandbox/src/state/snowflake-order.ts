/**
 * The order of snowflake ids, for the server and the page alike.
 */

/** Orders snowflakes by age. A longer one is newer, so their lengths are compared before their digits. */
export function compareSnowflakes(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
