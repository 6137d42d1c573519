/**
 * The one form of custom ids: the action and what it is about, as in `q-page:<thread>:2`. All buttons, selects and
 * modals have their ids from here, and an id that is not of this form is nobody's. A message stays in Discord for ever,
 * so an action may be added, but never renamed, and its fields never change.
 */

/** What an id can name, and its form; only the last one of an id may contain a colon. */
const FIELDS = {
  /** Or an outside turn. */
  job: /^(?:job_\d{8}_\d{4,12}|turn_\d{8}_[0-9a-f]{32})$/,
  thread: /^\d{17,20}$/,
  message: /^\d{17,20}$/,
  page: /^\d{1,4}$/,
  /** A digest of what was shown with the button. */
  mark: /^[0-9a-f]{32}$/,
  project: /^.+$/s,
  question: /^\d{1,3}$/,
  detail: /^[\w.-]*$/,
  digest: /^(?:[0-9a-f]{8}|-)$/,
  ref: /^.+$/s,
  chosen: /^.+$/s,
  claude: /^[0-9A-Za-z][0-9A-Za-z-]{0,63}$/,
  verb: /^(?:stop|kill|status|model|mode|usage)$/,
} as const;

/** Under a decision; see `decisions/custom-id.ts`. */
const DECISION = ["question", "detail", "digest", "ref"] as const;

const ACTIONS = {
  retry: ["job"],
  continue: ["job"],
  discard: ["job"],
  diff: ["job"],
  unpark: ["job"],
  anyway: ["job"],
  fresh: ["job"],
  drop: ["job"],
  there: ["job", "mark"],
  with: ["job", "mark"],
  "t-clear": ["job", "mark"],
  "q-cancel": ["job"],
  "q-first": ["job"],
  "q-send": ["job"],
  "q-pick": ["thread"],
  "q-clear": ["thread"],
  "q-page": ["thread", "page"],
  "q-sure": ["thread", "job"],
  "p-page": ["page"],
  "p-back": ["page"],
  stop: ["job"],
  "send-held": ["thread", "message"],
  "s-open": ["project"],
  "s-reopen": ["thread", "message"],
  "w-remove": ["thread", "mark"],
  "w-start": ["project"],
  "w-stop": ["project"],
  "w-pick": ["page"],
  "a-pick": ["verb", "chosen"],
  "ad-take": ["claude"],
  "ad-leave": ["claude"],
  "ad-back": ["thread"],
  do: DECISION,
  dw: DECISION,
  ds: DECISION,
  dp: DECISION,
  dm: DECISION,
  dy: DECISION,
  dz: DECISION,
  db: DECISION,
  dn: DECISION,
} as const satisfies Record<string, readonly (keyof typeof FIELDS)[]>;

export type Action = keyof typeof ACTIONS;
export type Fields<A extends Action> = Readonly<Record<(typeof ACTIONS)[A][number], string>>;
export type CustomId<A extends Action = Action> = { [K in A]: { action: K; fields: Fields<K> } }[A];

/** At most 100 characters, unless a field is longer than any of its kind. */
export function customId<A extends Action>(action: A, fields: Fields<A>): string {
  const given: Readonly<Record<string, string>> = fields;
  return [action, ...ACTIONS[action].map((name) => given[name] ?? "")].join(":");
}

/** Null for an id that none of our messages has. */
export function readCustomId(id: string): CustomId | null {
  const [action = "", ...parts] = id.split(":");
  if (!isAction(action)) return null;
  const names: readonly (keyof typeof FIELDS)[] = ACTIONS[action];
  const last = names.length - 1;
  const values = [...parts.slice(0, last), parts.slice(last).join(":")];
  if (parts.length < names.length || !names.every((name, place) => FIELDS[name].test(values[place] ?? ""))) return null;
  return { action, fields: Object.fromEntries(names.map((name, place) => [name, values[place]])) } as CustomId;
}

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}
