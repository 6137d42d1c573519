/** Looks up what a person or another program named: `constructor` is no project, though every object answers to it. */
export function entryOf<T>(all: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
