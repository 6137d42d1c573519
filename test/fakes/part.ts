/** A thing of which a test needs these members only: whoever reads another one fails, and names it. */
export function part<T extends object>(members: Partial<T>): T {
  return new Proxy(members, {
    get(all, name, thing) {
      if (name in all || typeof name === "symbol" || name === "then") return Reflect.get(all, name, thing) as unknown;
      throw new Error(`this test has no ${name}`);
    },
  }) as T;
}
