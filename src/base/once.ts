/** What is made when it is first needed, and only once. */

/** Calls the function at most once, and returns its answer to every caller. */
export function once<T, Args extends unknown[] = []>(make: (...args: Args) => T): (...args: Args) => T {
  let made: { value: T } | null = null;
  return (...args) => (made ??= { value: make(...args) }).value;
}
