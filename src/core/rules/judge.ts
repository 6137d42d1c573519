/**
 * Standing rules of the owner: what a request for permission would have to be so that nobody is asked again. A rule is
 * data, and so is what is offered; the same data decides and is shown. Nothing here throws: what cannot be read in full
 * asks. A no always wins, and one that cannot be judged keeps every rule from saying yes.
 */
import type { Asked } from "../decisions/decision.ts";
import type { ActVerb } from "../decisions/shapes.ts";
import { mayStandFor, wordsOf, type ReadCommand, type ReadWord } from "./commands.ts";
import { readableIn, type Readable } from "./readable.ts";
import { runsCode } from "./runs-code.ts";

/** What the owner made of an offer. */
export interface StandingRule {
  rule_id: string;
  effect: "allow" | "deny";
  scope: RuleScope;
  /** `RuleFacts.root` when it was made: it allows nothing elsewhere. */
  root: string;
  cover: Cover;
}

export type RuleScope = { by: "thread"; thread_id: string } | { by: "project"; project: string };

/** What a rule is about, narrowest family first. */
export type Cover = ExactCover | CommandCover | PathCover | ToolCover;

/** This request, to the byte. */
export interface ExactCover {
  family: "exact";
  /** As in its subject. */
  tool: string;
  sha256: string;
  /** Where its command starts; null: it is no command, or its agent does not say. */
  cwd: string | null;
}

/** One plain command of Claude's shell with these words, of which some may be others. */
export interface CommandCover {
  family: "command";
  /** The beginning of it that the table knows: `git diff`. */
  program: string;
  words: CommandWord[];
  /** Where it starts. */
  cwd: string;
  /** All else that the request says of how it runs, by field; what its agent says about it is no part of it. */
  beside: Record<string, unknown>;
}

/**
 * A word of a command. `open`: it may be any word of `A-Za-z0-9_.,/-` without a leading `-` or `/`, or as a `number` one
 * of digits. What its program takes for a path is always in the project and runs no code, left open or not; in place of
 * one that is left open only a file may stand, as a folder may hold anything. `is`: in a rule that leaves it open, the
 * word of the request it was made from.
 */
export type CommandWord = { is: string; open?: "value" | "number" | "path" };

/** Every path of the request is below a folder, and none runs code. */
export interface PathCover {
  family: "path";
  /** `edit`: files written, created, changed or moved there; never deleted. */
  act: "read" | "edit";
  /** From `StandingRule.root` on, without a slash at its ends; empty: all of it. */
  folder: string;
}

/** A tool of an MCP server with any input. */
export interface ToolCover {
  family: "tool";
  server: string;
  tool: string;
  /** The digest of the server's definition. */
  definition: string;
}

/** One thing that a request could be covered by. */
export interface RuleOffer {
  cover: Cover;
  /** What it will not cover, most important first. */
  never: NotCovered[];
  /** What the owner should know of it before he says yes. */
  warns: RuleWarning[];
}

/**
 * `other_bytes`: anything else at all. `other_words`: more, fewer or other words but those left open. `compound`:
 * several commands, pipes, redirections, variables. `elsewhere`: started in another folder. `other_options`: another
 * time limit, in the background, without a sandbox. `outside`: a path out of the folder, also through a link.
 * `runs_code`: files of the table `runs-code`. `delete`: deleting. `read`, `edit`: the other act. `other_tools` of the
 * server. `other_definition`: once the server is defined otherwise.
 */
export type NotCovered =
  | "other_bytes"
  | "other_words"
  | "compound"
  | "elsewhere"
  | "other_options"
  | "outside"
  | "runs_code"
  | "delete"
  | "read"
  | "edit"
  | "other_tools"
  | "other_definition";

/**
 * `project_code`: it runs whatever this project's files say. `redirectable`: a process that can write there can
 * redirect it. `any_input`: also commands.
 */
export type RuleWarning = "project_code" | "redirectable" | "any_input";

/** A request for permission as it was asked. */
export interface RuleRequest extends Pick<Asked, "kind" | "asker" | "subject"> {
  /** The very text that was kept, digested and shown; null: it is not at hand. */
  bytes: string | null;
}

/** What only the machine knows, at the time of judging. */
export interface RuleFacts {
  /** Null: it has no thread. */
  thread_id: string | null;
  /** Null: it belongs to none. */
  project: string | null;
  /**
   * The real path of the folder in which the session works: the project's, or its own worktree. Null: it is gone, or
   * the project's path, checkout or configuration waits for the owner; nothing is allowed then.
   */
  root: string | null;
  /**
   * The real path of the folder in which a command of this agent starts now. Null: it is not known, as over ACP, or
   * after a `cd` that nobody can follow.
   */
  cwd: string | null;
  /**
   * For each of `pathsOf`, by its `name`: the real path of what stands there, each link followed, the last too; where
   * nothing stands, the real path of the nearest existing folder above, and then the rest. Null or missing: not known,
   * as for a link that leads nowhere, a loop, or a folder that cannot be entered.
   */
  real: ReadonlyMap<string, string | null>;
  /** Of these names, those at which a regular file stands, after each link. */
  files: ReadonlySet<string>;
  /** Of the MCP server that `serverOf` names: the digest of its definition. Null: not known. */
  definition: string | null;
}

/** `name`: as the request writes it; `at`: absolute, or null if nobody can say where it is. */
export interface NamedPath {
  name: string;
  at: string | null;
}

export type Judgement = { allowedBy: StandingRule } | { deniedBy: StandingRule } | "ask";

/** So many are offered. */
const MOST_OFFERS = 5;

/** Whether rules say yes or no to it, and which; else its owner is asked. */
export function judge(request: RuleRequest, rules: readonly StandingRule[], facts: RuleFacts): Judgement {
  return unlessThrown("ask", () => judged(request, rules, facts));
}

/** What could cover it, narrowest first and widest last, at most `MOST_OFFERS`. None: it is always asked. */
export function offersFor(request: RuleRequest, facts: RuleFacts): RuleOffer[] {
  return unlessThrown([], () => {
    const readable = readableIn(request);
    return readable === null ? [] : offered(readable, facts).slice(0, MOST_OFFERS);
  });
}

/** The paths that `RuleFacts.real` has to know, each once. */
export function pathsOf(request: RuleRequest, facts: Pick<RuleFacts, "root" | "cwd">): NamedPath[] {
  return unlessThrown([], () => {
    const readable = readableIn(request);
    return readable === null ? [] : pathsIn(readable, facts);
  });
}

/** The MCP server whose definition `RuleFacts` has to know; null: it uses none. */
export function serverOf(request: RuleRequest): string | null {
  return unlessThrown(null, () => readableIn(request)?.mcp?.server ?? null);
}

/** What is no request, rule or fact at all can be read as nothing. */
function unlessThrown<T>(otherwise: T, work: () => T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** What a rule for paths calls them; deleting is none of its acts, but a no to editing is one to deleting. */
const ACTS: ReadonlyMap<ActVerb | null, PathCover["act"] | "delete"> = new Map([
  ["read", "read"],
  ["write", "edit"],
  ["create", "edit"],
  ["change", "edit"],
  ["move", "edit"],
  ["delete", "delete"],
] as const);

function pathsIn({ files, command }: Readable, { cwd }: Pick<RuleFacts, "cwd">): NamedPath[] {
  const words = command?.read?.words.flatMap(({ text, kind }) => (kind === "path" ? [text] : [])) ?? [];
  return [...new Set([...(files ?? []), ...words])].map((name) => ({ name, at: placeOf(name, cwd) }));
}

/** What goes up again, or home, is for nobody to resolve. */
function placeOf(name: string, cwd: string | null): string | null {
  if (name === "" || name.startsWith("~") || name.split("/").includes("..")) return null;
  if (name.startsWith("/")) return name;
  return cwd === null ? null : `${cwd}/${name}`;
}

/** `real`: its names from the root on; `written`: those by which the request reaches it. */
interface PlacedPath {
  real: string[];
  written: string[];
}

/** Every path of it; null: one of them is not known, or is not in the root. */
function placedIn(readable: Readable, facts: RuleFacts): PlacedPath[] | null {
  if (readable.files === null) return null;
  const placed = pathsIn(readable, facts).map(({ name, at }) => {
    const found = facts.real.get(name) ?? "";
    const real = at === null || !isPlain(found) ? null : namesBelow(found, facts.root);
    return at === null || real === null ? null : { real, written: namesBelow(at, facts.root) ?? namesIn(at) };
  });
  return placed.every((one) => one !== null) ? placed : null;
}

/** Null: the path is neither the folder nor below it, or is not written in full. */
function namesBelow(path: string | null, folder: string | null): string[] | null {
  if (path === null || folder === null || !isPlain(folder)) return null;
  if (path !== folder && !path.startsWith(`${folder}/`)) return null;
  return namesIn(path.slice(folder.length));
}

function namesIn(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** Absolute, and without a step that goes nowhere or up. */
function isPlain(path: string): boolean {
  return path.startsWith("/") && `/${namesIn(path).join("/")}` === path && !namesIn(path).includes("..");
}

function runsNoCode({ real, written }: PlacedPath): boolean {
  return !runsCode(real) && !runsCode(written);
}

/** Whether a file is below a folder of the root, which is empty for the root itself. */
function isBelow(names: readonly string[], folder: string): boolean {
  const above = namesIn(folder);
  return names.length > above.length && above.every((name, at) => name === names[at]);
}

/** How a no sees names: on a file system that knows no case it is about the same file. */
function isPartOf({ real, written }: PlacedPath, folder: string): boolean {
  const above = namesIn(folder).map(caseless);
  return [real, written].some((names) => above.every((name, at) => name === caseless(names[at] ?? "")));
}

function isAbove({ real, written }: PlacedPath, folder: string): boolean {
  const below = namesIn(folder).map(caseless);
  return [real, written].some((names) => names.every((name, at) => caseless(name) === below[at]));
}

/** Whether the same program is given one of the words that a no is about, spelled otherwise or among others. */
function isNamedIn({ program, words: denied }: CommandCover, words: readonly string[]): boolean {
  const head = program.split(" ");
  if (!head.every((word, at) => words[at] === word)) return false;
  const plain = (word: string): string => caseless(namesIn(word).join("/"));
  const given = new Set(words.slice(head.length).map(plain));
  return denied
    .slice(head.length)
    .some(({ is, open }) => open === undefined && !is.startsWith("-") && given.has(plain(is)));
}

function caseless(name: string): string {
  return name.normalize("NFC").toUpperCase().toLowerCase();
}

function judged(request: RuleRequest, rules: readonly StandingRule[], facts: RuleFacts): Judgement {
  const readable = readableIn(request);
  if (readable === null) return "ask";
  const here = rules.filter(({ scope }) => isScope(scope, facts));
  const noes = here
    .filter(({ effect }) => effect !== "allow")
    .map((rule) => ({ rule, denies: denies(rule.cover, readable, facts) }));
  const denied = noes.find(({ denies: how }) => how === "yes");
  if (denied !== undefined) return { deniedBy: denied.rule };
  if (noes.some(({ denies: how }) => how === "perhaps")) return "ask";
  const allowed = here.find((rule) => rule.effect === "allow" && allows(rule, readable, facts));
  return allowed === undefined ? "ask" : { allowedBy: allowed };
}

function isScope(scope: RuleScope, facts: RuleFacts): boolean {
  return scope.by === "thread" ? scope.thread_id === facts.thread_id : scope.project === facts.project;
}

/**
 * Whether a no is about it, wherever and however it would run. `perhaps`: nobody can say, or a command names a path that
 * the no is about.
 */
function denies(cover: Cover, readable: Readable, facts: RuleFacts): "yes" | "no" | "perhaps" {
  const { verb, command, mcp } = readable;
  switch (cover.family) {
    case "exact":
      return isExact(cover, readable) ? "yes" : "no";
    case "command": {
      const words = command === null ? null : wordsOf(command.text);
      if (words === null) return "no";
      const isOne = words.length === cover.words.length;
      if (isOne && cover.words.every(({ is, open }, at) => open !== undefined || words[at] === is)) return "yes";
      return isNamedIn(cover, words) ? "perhaps" : "no";
    }
    case "tool":
      return mcp !== null && mcp.server === cover.server && mcp.tool === cover.tool ? "yes" : "no";
    case "path": {
      const act = ACTS.get(verb);
      if (act === (cover.act === "read" ? "edit" : "read") || (act === "delete" && cover.act === "read")) return "no";
      const placed = placedIn(readable, facts);
      if (placed === null) return "perhaps";
      // A command may look into folders, and where it names none, into the one where it starts.
      if (act === undefined)
        return placed.length === 0 || placed.some((one) => isPartOf(one, cover.folder) || isAbove(one, cover.folder))
          ? "perhaps"
          : "no";
      return placed.some((one) => isPartOf(one, cover.folder)) ? "yes" : "no";
    }
    default:
      return "perhaps";
  }
}

function allows({ root, cover }: StandingRule, readable: Readable, facts: RuleFacts): boolean {
  if (facts.root === null || root !== facts.root) return false;
  switch (cover.family) {
    case "exact":
      return isExact(cover, readable) && cover.cwd === cwdOf(readable, facts);
    case "command":
      return allowsCommand(cover, readable, facts);
    case "path":
      return allowsPaths(cover, readable, facts);
    case "tool": {
      const { mcp } = readable;
      const isIts = mcp !== null && mcp.server === cover.server && mcp.tool === cover.tool;
      return isIts && facts.definition !== null && facts.definition === cover.definition;
    }
  }
}

function isExact(cover: ExactCover, { tool, sha256 }: Readable): boolean {
  return cover.tool === tool && cover.sha256 === sha256;
}

/** Where it starts, if it is a command or nobody knows what it is. */
function cwdOf({ verb }: Readable, { cwd }: RuleFacts): string | null {
  return verb === "run" || verb === null ? cwd : null;
}

/** Word by word, each option known, and every path of it, left open or not, where it may be. */
function allowsCommand(cover: CommandCover, readable: Readable, facts: RuleFacts): boolean {
  const { command } = readable;
  const { read = null, beside = {} } = command ?? {};
  if (read === null || read.program !== cover.program || read.words.length !== cover.words.length) return false;
  if (cover.cwd !== facts.cwd || namesBelow(facts.cwd, facts.root) === null || !isSame(beside, cover.beside))
    return false;
  const isAllowed = read.words.every(({ text, kind }, at) => {
    const { is, open } = cover.words[at] ?? { is: "" };
    return text === is || (open === kind && mayVary(read, { text, kind }, facts));
  });
  return isAllowed && (placedIn(readable, facts)?.every(runsNoCode) ?? false);
}

/** Whether another word may stand in place of this one, or it in place of another. */
function mayVary(read: ReadCommand, { text, kind }: ReadWord, { files }: RuleFacts): boolean {
  if (!mayStandFor(text, kind)) return false;
  if (kind === "path") return files.has(text);
  const paths = read.words.filter((word) => word.kind === "path");
  // What searches folders finds what no path may name.
  return kind !== "value" || !read.searches || (paths.length > 0 && paths.every((word) => files.has(word.text)));
}

/** Fields with simple values, in any order. */
function isSame(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && JSON.stringify(one[name]) === JSON.stringify(other[name]))
  );
}

function allowsPaths(cover: PathCover, readable: Readable, facts: RuleFacts): boolean {
  const placed = placedIn(readable, facts);
  return (
    ACTS.get(readable.verb) === cover.act &&
    placed !== null &&
    placed.length > 0 &&
    placed.every((one) => runsNoCode(one) && isBelow(one.real, cover.folder))
  );
}

function offered(readable: Readable, facts: RuleFacts): RuleOffer[] {
  if (facts.root === null) return [];
  const { tool, sha256 } = readable;
  const exact: Cover = { family: "exact", tool, sha256, cwd: cwdOf(readable, facts) };
  const wider = [...commandsFor(readable, facts), ...foldersFor(readable, facts), ...toolFor(readable, facts)];
  const root = facts.root;
  // What would not cover even this is no offer.
  const covering = wider.filter((cover) =>
    allows({ rule_id: "", effect: "allow", scope: { by: "thread", thread_id: "" }, root, cover }, readable, facts),
  );
  return [exact, ...covering].map((cover) => ({ cover, ...limitsOf(cover) }));
}

/** The same words; with the last one open that may be; with all of those. */
function commandsFor({ command }: Readable, facts: RuleFacts): CommandCover[] {
  const { cwd } = facts;
  const read = command?.read;
  if (!command || !read || cwd === null) return [];
  const { program, words } = read;
  const places = words.flatMap((word, at) => (mayVary(read, word, facts) ? [at] : []));
  const choices = [[], places.slice(-1), places].filter((one, at, all) => one.length > (all[at - 1]?.length ?? -1));
  return choices.map((open) => ({
    family: "command",
    program,
    words: words.map(({ text, kind }, at) => ({
      is: text,
      ...(open.includes(at) && kind !== "fixed" && { open: kind }),
    })),
    cwd,
    beside: command.beside,
  }));
}

/** The folder that all of its paths are in, the one of the root that this is in, and the root. */
function foldersFor(readable: Readable, facts: RuleFacts): PathCover[] {
  const act = ACTS.get(readable.verb);
  const placed = act === "read" || act === "edit" ? placedIn(readable, facts) : null;
  if (placed === null || placed.length === 0 || (act !== "read" && act !== "edit")) return [];
  const above = placed.map(({ real }) => real.slice(0, -1));
  const [first = []] = above;
  const shared = first.filter((_, at) =>
    above.every((names) => first.slice(0, at + 1).every((name, n) => name === names[n])),
  );
  const folders = new Set([shared.join("/"), shared[0] ?? "", ""]);
  return [...folders].map((folder) => ({ family: "path", act, folder }));
}

function toolFor({ mcp }: Readable, { definition }: RuleFacts): ToolCover[] {
  return mcp === null || definition === null ? [] : [{ family: "tool", ...mcp, definition }];
}

/** What is said of a family, beside what it covers. */
function limitsOf(cover: Cover): Pick<RuleOffer, "never" | "warns"> {
  switch (cover.family) {
    case "exact":
      return { never: ["other_bytes", ...(cover.cwd === null ? [] : (["elsewhere"] as const))], warns: [] };
    case "command":
      return {
        never: [
          "other_words",
          "compound",
          ...(cover.words.some(({ open }) => open === "path") ? (["outside", "runs_code"] as const) : []),
          "elsewhere",
          "other_options",
        ],
        warns: ["project_code"],
      };
    case "path":
      return {
        never: ["outside", "runs_code", "delete", cover.act === "read" ? "edit" : "read"],
        warns: ["redirectable"],
      };
    case "tool":
      return { never: ["other_tools", "other_definition"], warns: ["any_input"] };
  }
}
