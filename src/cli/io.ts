/**
 * What a verb is given instead of the process itself: where it may write and what the environment says. A test
 * hands in its own and reads what would have been printed.
 */
export interface Io {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  env: Readonly<Record<string, string | undefined>>;
}
