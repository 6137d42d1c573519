/**
 * What agents' requests look like, so that one of them reads as a sentence: who wants to do what to which thing. A
 * shape is a closed template of a whole request. A field that it does not name, two fields that disagree, or another
 * literal, and the request has no shape: it is shown by its fields. What the verb and the thing do not say is bound to
 * a name and shown, so a request can be made again from its shape and what is shown, exactly.
 */
import { createTwoFilesPatch } from "diff";
import { shownLine } from "../../base/hidden-characters.ts";
import { longestBeginning } from "../../base/text.ts";

/** What a request would do. `write`: whether the file is there is not known. `use`: a tool of an MCP server. */
export type ActVerb =
  | "run"
  | "write"
  | "create"
  | "change"
  | "delete"
  | "move"
  | "read"
  | "fetch"
  | "search"
  | "plan_mode"
  | "use";

/** A request as the headline of its prompt says it. */
export interface Act {
  verb: ActVerb;
  /** On one line, shortened. */
  object: string;
  /** Where something is moved to, or whose tool it is. */
  where?: string;
}

/** What a request says beyond its template, by the names of the slots, in their order. */
export type Bindings = ReadonlyMap<string, unknown>;

/** A request together with the shape that it has. */
export interface ShapedRequest {
  shape: Shape;
  bindings: Bindings;
}

export interface Shape {
  verb: ActVerb;
  template: Template;
}

/** The slots for what a verb acts on, and for the second thing. */
export const ACTED_ON: Readonly<Record<ActVerb, { object?: string; where?: string }>> = {
  run: { object: "command" },
  write: { object: "path" },
  create: { object: "path" },
  change: { object: "path" },
  delete: { object: "path" },
  move: { object: "path", where: "to" },
  read: { object: "path" },
  fetch: { object: "url" },
  search: { object: "query" },
  plan_mode: {},
  use: { object: "tool" },
};

export type ToolRequest =
  | { tool: string; input: Record<string, unknown> }
  | { tool: string; call: Record<string, unknown> };

export const SLOT = Symbol("slot");
const EACH = Symbol("each");

/** A place in a template. One name in two places: both hold the same. */
export interface Slot {
  /** Its name. */
  [SLOT]: string;
  accepts(value: unknown): boolean;
  /** The field may be missing. */
  optional?: true;
  /** What follows from the others: a value that is just this is not shown. */
  implied?(bindings: Bindings): unknown;
}

/** A list of at least one; the names of its slots end with `#`, and each entry has its own number there. */
interface Each {
  [EACH]: Template;
}

type Template =
  | string
  | number
  | boolean
  | null
  | Slot
  | Each
  | readonly Template[]
  | { readonly [name: string]: Template };

/** The first shape that the request has; null: none. */
export function shapedRequest(request: ToolRequest): ShapedRequest | null {
  for (const shape of SHAPES) {
    const bindings = new Map<string, unknown>();
    if (!binds(shape.template, request, bindings, "")) continue;
    for (const slot of slotsIn(shape.template)) {
      if (slot.implied && isSame(bindings.get(slot[SLOT]), slot.implied(bindings))) bindings.delete(slot[SLOT]);
    }
    // No field more, and no two that disagree.
    if (isSame(filled(shape.template, bindings, ""), request)) return { shape, bindings };
  }
  return null;
}

/** The request that has this shape and says this: the inverse. */
export function requestFrom({ shape, bindings }: ShapedRequest): unknown {
  return filled(shape.template, bindings, "");
}

/**
 * The request as the headline says it; null if it has no shape.
 * @param cwd where its agent works: a path in there is shown from there on
 */
export function actOf(request: ToolRequest, cwd?: string): Act | null {
  const shaped = shapedRequest(request);
  if (shaped === null) return null;
  const { verb } = shaped.shape;
  const { object, where } = ACTED_ON[verb];
  const short = (slot = ""): string =>
    shortened(String(shaped.bindings.get(slot) ?? ""), object === "path" ? (cwd ?? "") : null);
  if (verb !== "use") return { verb, object: short(object), ...(where !== undefined && { where: short(where) }) };
  const [, server = "", tool = ""] = MCP.exec(valueOf(shaped.bindings, "tool")) ?? [];
  return { verb, object: cutAt(tool), where: cutAt(server) };
}

const OBJECT_CHARS = 60;

/** @param cwd null: it is no path */
function shortened(text: string, cwd: string | null): string {
  if (cwd !== null) {
    const inside = cwd !== "" && text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text;
    let path = shownLine(inside);
    // The end of a path tells most.
    for (let cut = 0; path.length > OBJECT_CHARS && (cut = inside.indexOf("/", cut + 1)) > 0;)
      path = `…${shownLine(inside.slice(cut))}`;
    return cutAt(path);
  }
  const [line = "", ...more] = text.trim().split("\n");
  return cutAt(`${shownLine(line)}${more.length > 0 ? " …" : ""}`);
}

function cutAt(line: string): string {
  if (line.length <= OBJECT_CHARS) return line;
  const start = longestBeginning(line, OBJECT_CHARS - 1);
  const mark = start.lastIndexOf("⟨");
  return `${mark > start.lastIndexOf("⟩") ? start.slice(0, mark) : start}…`;
}

/** Whether a request may have the shape, and what its slots would hold then. */
function binds(template: Template, value: unknown, bindings: Map<string, unknown>, number: string): boolean {
  if (!isNode(template)) return template === value;
  if (SLOT in template) {
    const name = nameOf(template, number);
    if (!template.accepts(value)) return false;
    if (!bindings.has(name)) bindings.set(name, value);
    return true;
  }
  if (EACH in template) {
    const { [EACH]: one } = template;
    return (
      Array.isArray(value) && value.length > 0 && value.every((entry, at) => binds(one, entry, bindings, String(at)))
    );
  }
  if (isList(template))
    return (
      Array.isArray(value) &&
      value.length === template.length &&
      template.every((entry, at) => binds(entry, value[at], bindings, number))
    );
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const fields = new Map(Object.entries(value));
  return Object.entries(template).every(([name, entry]) =>
    fields.has(name) ? binds(entry, fields.get(name), bindings, number) : isOptional(entry),
  );
}

function filled(template: Template, bindings: Bindings, number: string): unknown {
  if (!isNode(template)) return template;
  if (SLOT in template) {
    const name = nameOf(template, number);
    return bindings.has(name) ? bindings.get(name) : template.implied?.(bindings);
  }
  if (EACH in template) {
    const { [EACH]: one } = template;
    const count = Math.max(...[...slotsIn(one)].map((slot) => numbered(bindings, slot[SLOT]).length));
    return Array.from({ length: count }, (_, at) => filled(one, bindings, String(at)));
  }
  if (isList(template)) return template.map((entry) => filled(entry, bindings, number));
  return Object.fromEntries(
    Object.entries(template).flatMap(([name, entry]) =>
      isOptional(entry) && !bindings.has(nameOf(entry, number)) ? [] : [[name, filled(entry, bindings, number)]],
    ),
  );
}

/** The names in the bindings that a slot has in the entries of a list. */
export function numbered(bindings: Bindings, name: string): string[] {
  const names: string[] = [];
  while (name.endsWith("#") && bindings.has(`${name}${names.length}`)) names.push(`${name}${names.length}`);
  return names;
}

export function* slotsIn(template: Template): Generator<Slot> {
  if (!isNode(template)) return;
  if (SLOT in template) yield template;
  else for (const one of EACH in template ? [template[EACH]] : Object.values(template)) yield* slotsIn(one);
}

function nameOf(slot: Slot, number: string): string {
  return slot[SLOT].endsWith("#") ? `${slot[SLOT]}${number}` : slot[SLOT];
}

function isNode(template: Template): template is Exclude<Template, string | number | boolean | null> {
  return typeof template === "object" && template !== null;
}

function isList(template: Template): template is readonly Template[] {
  return Array.isArray(template);
}

function isOptional(template: Template): template is Slot {
  return isNode(template) && SLOT in template && template.optional === true;
}

/** Whether two values are the same JSON; the order of fields means nothing. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [fields, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return (
    fields.size === others.size &&
    [...fields].every(([name, value]) => others.has(name) && isSame(value, others.get(name)))
  );
}

/* The table. */

const isString = (value: unknown): boolean => typeof value === "string";

/** A text that the sentence or the page is about. */
function text(name: string): Slot {
  return { [SLOT]: name, accepts: isString };
}

/** A text of the agent's own; one that only repeats what the others say is not shown. */
function words(name: string, implied?: (bindings: Bindings) => string): Slot {
  return { [SLOT]: name, accepts: isString, ...(implied && { implied }) };
}

/** Fields that may be missing, with any value. */
function maybe(...names: string[]): Record<string, Slot> {
  return Object.fromEntries(names.map((name) => [name, { [SLOT]: name, accepts: () => true, optional: true }]));
}

function each(template: Template): Each {
  return { [EACH]: template };
}

const valueOf = (bindings: Bindings, name: string): string => String(bindings.get(name));

/** A few words, then the file's name. */
function naming(verb: string): Slot {
  return words("title", (said) => `${verb} ${valueOf(said, "path").split("/").at(-1)}`);
}

/** A server and a tool of it that can be told apart. */
export const MCP = /^mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)$/;

const path = text("path");
const change = { oldText: text("old"), newText: text("new") };
const said = (one: Template): Template => [{ type: "content", content: { type: "text", text: one } }];

/** What Claude says itself, headless and in a window. */
const CLAUDE: Shape[] = [
  native("run", "Bash", { command: text("command"), ...maybe("description", "timeout", "run_in_background") }),
  native("write", "Write", { file_path: path, content: text("text") }),
  native("change", "Edit", {
    file_path: path,
    old_string: text("old"),
    new_string: text("new"),
    ...maybe("replace_all"),
  }),
  native("change", "NotebookEdit", {
    notebook_path: path,
    new_source: text("text"),
    ...maybe("cell_id", "cell_type", "edit_mode"),
  }),
  native("read", "Read", { file_path: path, ...maybe("offset", "limit", "pages") }),
  native("fetch", "WebFetch", { url: text("url"), prompt: words("prompt") }),
  native("search", "WebSearch", { query: text("query"), ...maybe("allowed_domains", "blocked_domains") }),
  native("plan_mode", "EnterPlanMode", {}),
  {
    verb: "use",
    template: {
      tool: { [SLOT]: "tool", accepts: (value) => typeof value === "string" && MCP.test(value) },
      input: { [SLOT]: "input", accepts: () => true },
    },
  },
];

/** `claude-agent-acp`: the tool's own input, and beside it a description for editors. */
const CLAUDE_ACP: Shape[] = [
  ...[[], said(words("description"))].flatMap((content, at) =>
    [{}, { locations: [] }, { locations: each({ path: words("location#") }) }].map((locations) =>
      claude("run", "Bash", {
        rawInput: {
          command: text("command"),
          ...(at === 0 ? {} : { description: words("description") }),
          ...maybe("timeout", "run_in_background"),
        },
        title: text("command"),
        kind: "execute",
        content,
        ...locations,
      }),
    ),
  ),
  claude("write", "Write", {
    rawInput: { file_path: path, content: text("text") },
    title: naming("Write"),
    kind: "edit",
    content: [{ type: "diff", path, oldText: null, newText: text("text") }],
    locations: [{ path }],
  }),
  claude("change", "Edit", {
    rawInput: { file_path: path, old_string: text("old"), new_string: text("new"), ...maybe("replace_all") },
    title: naming("Edit"),
    kind: "edit",
    content: [{ type: "diff", path, ...change }],
    locations: [{ path, ...maybe("line") }],
  }),
  claude("read", "Read", {
    rawInput: { file_path: path, ...maybe("offset", "limit", "pages") },
    title: words("title", (all) => `Read ${valueOf(all, "path")}`),
    kind: "read",
    content: [],
    locations: [{ path, line: { [SLOT]: "line", accepts: () => true, implied: (all) => all.get("offset") ?? 1 } }],
  }),
  claude("fetch", "WebFetch", {
    rawInput: { url: text("url"), prompt: words("prompt") },
    title: words("title", (all) => `Fetch ${valueOf(all, "url")}`),
    kind: "fetch",
    content: said(words("prompt")),
    ...maybe("locations"),
  }),
  claude("search", "WebSearch", {
    rawInput: { query: text("query"), ...maybe("allowed_domains", "blocked_domains") },
    title: words("title", (all) => `Search "${valueOf(all, "query")}"`),
    kind: "fetch",
    content: [],
    ...maybe("locations"),
  }),
  claude("plan_mode", "EnterPlanMode", {
    rawInput: {},
    title: "EnterPlanMode",
    kind: "switch_mode",
    content: [],
    ...maybe("locations"),
  }),
];

/** `gemini --acp`. Only its title has the command. It says `add` and `delete` of texts, so the latter is a change. */
const GEMINI: Shape[] = [
  acp("run", "execute", {
    title: text("command"),
    content: said({ [SLOT]: "explanation", accepts: (value) => typeof value === "string" && value.startsWith("[") }),
    locations: [],
  }),
  gemini("create", "add", { oldText: "", newText: text("text") }),
  gemini("change", "modify", change),
  gemini("change", "delete", { oldText: text("old"), newText: "" }),
];

/** `codex-acp`: a part of the file for each change in it, and for a file that moves, only the place where it was. */
const CODEX: Shape[] = [
  acp("run", "execute", {
    title: words("title", (all) => valueOf(all, "command")),
    rawInput: { command: text("command"), cwd: words("cwd") },
    ...maybe("locations"),
  }),
  codex("create", path, [{ type: "diff", path, oldText: null, newText: text("text"), _meta: { kind: "add" } }]),
  codex("delete", path, [{ type: "diff", path, oldText: text("text"), newText: "", _meta: { kind: "delete" } }]),
  ...[path, text("to")].map((target) =>
    codex(
      target === path ? "change" : "move",
      path,
      each({
        type: "diff",
        path: target,
        oldText: text("old#"),
        newText: text("new#"),
        _meta: { kind: "update" },
      }),
    ),
  ),
];

/** `opencode acp`: a change twice, once as a patch. */
const OPENCODE: Shape[] = [
  acp("run", "execute", {
    title: words("title", (all) => valueOf(all, "command")),
    locations: [],
    rawInput: { command: text("command") },
  }),
  ...(
    [
      ["write", { oldText: "", newText: text("text") }],
      ["change", change],
    ] as const
  ).map(([verb, texts]) =>
    acp(verb, "edit", {
      title: path,
      locations: [{ path }],
      rawInput: { filepath: path, diff: words("diff", patchOf) },
      content: [{ type: "diff", path, ...texts }],
    }),
  ),
  acp("fetch", "fetch", {
    title: text("url"),
    locations: [],
    rawInput: { url: text("url"), ...maybe("format", "timeout") },
  }),
];

/** The demo agent. */
const DEMO: Shape[] = (
  [
    ["create", { oldText: null, newText: text("text") }],
    ["change", change],
  ] as const
).map(([verb, texts]) =>
  acp(
    verb,
    "edit",
    {
      name: "write",
      title: naming("Write"),
      rawInput: { path, content: texts.newText },
      locations: [{ path }],
      content: [{ type: "diff", path, ...texts }],
    },
    "write",
  ),
);

export const SHAPES: readonly Shape[] = [...CLAUDE, ...CLAUDE_ACP, ...CODEX, ...GEMINI, ...OPENCODE, ...DEMO];

function native(verb: ActVerb, tool: string, input: Template): Shape {
  return { verb, template: { tool, input } };
}

function acp(verb: ActVerb, kind: string, call: Record<string, Template>, tool = kind): Shape {
  return { verb, template: { tool, call: { ...call, kind, status: "pending" } } };
}

function claude(verb: ActVerb, name: string, call: Record<string, Template>): Shape {
  return { verb, template: { tool: name, call: { ...call, name, status: "pending" } } };
}

function gemini(verb: ActVerb, kind: string, texts: Record<string, Template>): Shape {
  const content = [{ type: "diff", path, ...texts, _meta: { kind } }];
  return acp(verb, "edit", { title: naming("Writing to"), content, locations: [{ path }] });
}

function codex(verb: ActVerb, at: Template, content: Template): Shape {
  return acp(verb, "edit", { title: "Edit files", locations: [{ path: at }], content });
}

/** The patch of a change in more lines, or of a file of more, is shown beside it. */
const FEW_CHANGES = 300;
const FEW_LINES = 20_000;

function patchOf(bindings: Bindings): string {
  const [name, old, fresh] = ["path", "old", "new"].map((slot) => bindings.get(slot));
  const before = old === undefined ? "" : String(old);
  const after = String(fresh ?? bindings.get("text"));
  return (
    createTwoFilesPatch(String(name), String(name), before, after, undefined, undefined, {
      maxEditLength: before === "" ? FEW_LINES : FEW_CHANGES,
    }) ?? ""
  );
}
