/**
 * The order of snowflake ids, for the server and the page alike.
 */

/** Orders snowflakes by age; their lengths differ only by age, so length goes before digits. */
export function compareSnowflakes(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
