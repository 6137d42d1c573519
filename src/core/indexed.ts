/**
 * Finds entries of a record by something other than their id, without walking the record. An index is derived from its
 * record: it is built on first use, updated by each `follow`, and is in no snapshot and no copy. Code that adds,
 * changes or deletes an entry calls `follow`; `evolve` does so for the subject of an event.
 */

/** A record without a prototype: an id such as `constructor` is in it only if it was put there. */
export function emptyRecord<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** The keys under which an entry can be found. */
export type KeysOf<T> = (one: T, id: string) => readonly string[];

/** A property that copies, comparisons and JSON text of the record do not include. */
const INDEX = Symbol("index");

const NONE: readonly string[] = [];

class Index<T> {
  readonly #record: Readonly<Record<string, T>>;
  readonly #keysOf: KeysOf<T>;
  /** The position of each entry in the order of the record. */
  readonly #places = new Map<string, number>();
  readonly #keys = new Map<string, readonly string[]>();
  readonly #ids = new Map<string, Set<string>>();
  /** What was last asked for and has not changed since, by key: the same few keys are asked for at each change. */
  readonly #lists = new Map<string, readonly string[]>();
  /** How many keys are without ids now. */
  #unused = 0;
  #next = 0;

  constructor(record: Readonly<Record<string, T>>, keysOf: KeysOf<T>) {
    this.#record = record;
    this.#keysOf = keysOf;
    for (const id of Object.keys(record)) this.follow(id);
  }

  /** The ids under this key, in the order of the record. */
  idsOf(key: string): readonly string[] {
    const ids = this.#ids.get(key);
    if (ids === undefined || ids.size === 0) return NONE;
    if (ids.size === 1) return [...ids];
    let list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, (list = this.inOrder([...ids])));
    return list;
  }

  /** The given ids that are in the record, in its order. */
  inOrder(ids: readonly string[]): string[] {
    const there = ids.filter((id) => this.#places.has(id));
    const placeOf = (id: string): number => this.#places.get(id) ?? 0;
    // Mostly they came under their key in the order of the record.
    const isSorted = there.every((id, at) => at === 0 || placeOf(there[at - 1] ?? "") <= placeOf(id));
    return isSorted ? there : there.sort((a, b) => placeOf(a) - placeOf(b));
  }

  count(key: string): number {
    return this.#ids.get(key)?.size ?? 0;
  }

  /** The id that has been under this key longest. */
  first(key: string): string | undefined {
    return this.#ids.get(key)?.values().next().value;
  }

  /** The entry is new, has changed, or is gone. */
  follow(id: string): void {
    const one = this.#record[id];
    const keys = one === undefined ? [] : this.#keysOf(one, id);
    const before = this.#keys.get(id) ?? [];
    for (const key of before) if (!keys.includes(key)) this.#leave(key, id);
    for (const key of keys) if (!before.includes(key)) this.#enter(key, id);
    if (one === undefined) {
      this.#keys.delete(id);
      this.#places.delete(id);
    } else {
      this.#keys.set(id, keys);
      if (!this.#places.has(id)) this.#places.set(id, this.#next++);
    }
  }

  #enter(key: string, id: string): void {
    const ids = this.#ids.get(key);
    this.#lists.delete(key);
    if (ids?.size === 0) this.#unused -= 1;
    if (ids) ids.add(id);
    else this.#ids.set(key, new Set([id]));
  }

  /**
   * A key without ids stays until half of them are: in a large Map each deletion of a key leaves a hole, and whoever
   * looks for the key while it is not there passes all of its holes.
   */
  #leave(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (ids?.delete(id) !== true) return;
    this.#lists.delete(key);
    if (ids.size > 0) return;
    this.#unused += 1;
    if (this.#unused * 2 <= this.#ids.size) return;
    for (const [one, { size }] of this.#ids) if (size === 0) this.#ids.delete(one);
    this.#unused = 0;
  }
}

export type { Index };

/**
 * The record's index, built if there is none yet. A record has one index, so it is always used with the same `keysOf`.
 */
export function indexed<T>(record: Record<string, T>, keysOf: KeysOf<T>): Index<T> {
  const known = indexOf<T>(record);
  if (known) return known;
  const index = new Index(record, keysOf);
  if (Object.isExtensible(record)) Object.defineProperty(record, INDEX, { value: index });
  return index;
}

/** To be called after each change of an entry. Does nothing if the index has not been used yet. */
export function follow(record: Record<string, unknown>, id: string): void {
  indexOf(record)?.follow(id);
}

/** Puts the entry at the end of the record. */
export function putLast<T>(record: Record<string, T>, id: string, one: T): void {
  remove(record, id);
  record[id] = one;
  follow(record, id);
}

export function remove(record: Record<string, unknown>, id: string): void {
  delete record[id];
  follow(record, id);
}

function indexOf<T>(record: Record<string, T>): Index<T> | undefined {
  return (record as { [INDEX]?: Index<T> })[INDEX];
}
