/**
 * Standing rules of the owner: what a request for permission would have to be so that nobody is asked again. A rule is
 * data, and so is what is offered; the same data decides and is shown. Nothing here throws: what cannot be read in full
 * asks. A no always wins, and one that cannot be judged keeps every rule from saying yes.
 */
import { digestOf } from "../../base/digest.ts";
import { visibleLines } from "../../base/hidden-characters.ts";
import type { Asked } from "../decisions/decision.ts";
import { requestIn } from "../decisions/review-text.ts";
import { shapedRequest, type ToolRequest } from "../decisions/shapes.ts";

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
 * A word of a command. `open`: it may be any word of `A-Za-z0-9_.,/-` without a leading `-` or `/`; as a `path`, one
 * that is in the project and runs no code. `is`: in a rule that leaves it open, the word of the request it was made from.
 */
export type CommandWord = { is: string; open?: "value" | "path" };

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
  /** Of the MCP server that `serverOf` names: the digest of its definition. Null: not known. */
  definition: string | null;
}

/** `name`: as the request writes it; `at`: absolute, or null if nobody can say where it is. */
export interface NamedPath {
  name: string;
  at: string | null;
}

export type Judgement = { allowedBy: StandingRule } | { deniedBy: StandingRule } | "ask";

/** Of more characters than that, no family covers a request. */
const MOST_CHARS = 3_000;
/** So many are offered. */
export const MOST_OFFERS = 5;

/** Whether rules say yes or no to it, and which; else its owner is asked. */
export function judge(request: RuleRequest, rules: readonly StandingRule[], facts: RuleFacts): Judgement {
  try {
    return judged(request, rules, facts);
  } catch {
    return "ask";
  }
}

/** What could cover it, narrowest first and widest last, at most `MOST_OFFERS`. None: it is always asked. */
export function offersFor(request: RuleRequest, facts: RuleFacts): RuleOffer[] {
  try {
    const readable = readableIn(request);
    return readable === null ? [] : offered(readable, facts).slice(0, MOST_OFFERS);
  } catch {
    return [];
  }
}

/** The paths that `RuleFacts.real` has to know, each once. */
export function pathsOf(_request: RuleRequest, _facts: Pick<RuleFacts, "root" | "cwd">): NamedPath[] {
  return [];
}

/** The MCP server whose definition `RuleFacts` has to know; null: it uses none. */
export function serverOf(_request: RuleRequest): string | null {
  return null;
}

/** A request that can be read in full. */
interface Readable {
  tool: string;
  sha256: string;
  request: ToolRequest;
}

/** Null: no family covers it. */
function readableIn({ kind, asker, subject, bytes }: RuleRequest): Readable | null {
  if (kind !== "permission" || subject === null || bytes === null || bytes.length > MOST_CHARS) return null;
  if (asker.by === "mcp" || (asker.by === "hook" && asker.screen === true)) return null;
  // Masked, mixed, or one that takes no yes.
  if (subject.exact !== undefined || subject.mixed !== undefined || subject.no_yes === true) return null;
  const request = requestIn(bytes);
  if (request === null || "plan" in request || subject.sha256 !== digestOf(bytes)) return null;
  // What reads differently for another reader, as with a name twice, is none.
  if (JSON.stringify(request) !== bytes || !isAllSeen(request)) return null;
  return { tool: subject.tool, sha256: subject.sha256, request };
}

/** Whether nothing in it would be shown with a mark. */
function isAllSeen(value: unknown): boolean {
  if (typeof value === "string") return isSeenText(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, inside]: [string, unknown]) => isSeenText(name) && isAllSeen(inside));
}

function isSeenText(text: string): boolean {
  return [...visibleLines(text, true)].filter((line) => line !== null).join("\n") === text;
}

function judged(request: RuleRequest, rules: readonly StandingRule[], facts: RuleFacts): Judgement {
  const readable = readableIn(request);
  if (readable === null) return "ask";
  const here = rules.filter(({ scope }) => isScope(scope, facts));
  const denied = here.find((rule) => rule.effect === "deny" && isExact(rule.cover, readable));
  if (denied !== undefined) return { deniedBy: denied };
  const allowed = here.find(
    ({ effect, root, cover }) =>
      effect === "allow" &&
      root === facts.root &&
      isExact(cover, readable) &&
      cover.cwd === cwdOf(readable.request, facts),
  );
  return allowed === undefined ? "ask" : { allowedBy: allowed };
}

function isScope(scope: RuleScope, facts: RuleFacts): boolean {
  return scope.by === "thread" ? scope.thread_id === facts.thread_id : scope.project === facts.project;
}

function isExact(cover: Cover, { tool, sha256 }: Readable): cover is ExactCover {
  return cover.family === "exact" && cover.tool === tool && cover.sha256 === sha256;
}

/** Where it starts, if it is a command or nobody knows what it is. */
function cwdOf(request: ToolRequest, { cwd }: RuleFacts): string | null {
  const verb = shapedRequest(request)?.shape.verb ?? "run";
  return verb === "run" ? cwd : null;
}

function offered({ tool, sha256, request }: Readable, facts: RuleFacts): RuleOffer[] {
  if (facts.root === null) return [];
  const exact: RuleOffer = {
    cover: { family: "exact", tool, sha256, cwd: cwdOf(request, facts) },
    never: ["other_bytes"],
    warns: [],
  };
  return [exact];
}
