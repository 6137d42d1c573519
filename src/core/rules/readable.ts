/**
 * A request as rules see it: read in full, or not at all. What it is comes from its shape, which leaves out nothing; what
 * its agent says about it is no part of what it is.
 */
import { digestOf } from "../../base/digest.ts";
import { visibleLines } from "../../base/hidden-characters.ts";
import { requestIn } from "../decisions/review-text.ts";
import { MCP, shapedRequest, type ActVerb, type Bindings, type ToolRequest } from "../decisions/shapes.ts";
import { readCommand, type ReadCommand } from "./commands.ts";
import type { RuleRequest } from "./judge.ts";

/** Of more characters than that, no family covers a request. */
const MOST_CHARS = 3_000;

/** A request that can be read in full. */
export interface Readable {
  tool: string;
  sha256: string;
  /** What it is; null: it has no known shape. */
  verb: ActVerb | null;
  /** The files that it reads or changes, as it writes them; null: nobody can say. */
  files: string[] | null;
  /** `read`: null over ACP, where nobody says in which shell and where it runs, and for what the table does not know. */
  command: { text: string; read: ReadCommand | null; beside: Record<string, unknown> } | null;
  mcp: { server: string; tool: string } | null;
}

/** Null: no family covers it. */
export function readableIn({ kind, asker, subject, bytes }: RuleRequest): Readable | null {
  if (kind !== "permission" || subject === null || bytes === null || bytes.length > MOST_CHARS) return null;
  if (asker.by === "mcp" || (asker.by === "hook" && asker.screen === true)) return null;
  // Masked, mixed, or one that takes no yes.
  if (subject.exact !== undefined || subject.mixed !== undefined || subject.no_yes === true) return null;
  const request = requestIn(bytes);
  if (request === null || "plan" in request || subject.sha256 !== digestOf(bytes)) return null;
  // What reads differently for another reader, as with a name twice, is none.
  if (JSON.stringify(request) !== bytes || !isAllSeen(request)) return null;
  return { tool: subject.tool, sha256: subject.sha256, ...readingOf(request) };
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

function readingOf(request: ToolRequest): Omit<Readable, "tool" | "sha256"> {
  const shaped = shapedRequest(request);
  if (shaped === null) return { verb: null, files: null, command: null, mcp: null };
  const { bindings, shape } = shaped;
  const [, server, tool] = MCP.exec(request.tool) ?? [];
  return {
    verb: shape.verb,
    files: filesIn(bindings),
    command: shape.verb === "run" ? commandIn(bindings, "input" in request) : null,
    mcp: shape.verb === "use" && server !== undefined && tool !== undefined ? { server, tool } : null,
  };
}

/** Whatever its agent says about a command runs nothing. */
function commandIn(bindings: Bindings, isShell: boolean): Readable["command"] {
  const { command, description: _words, ...beside } = Object.fromEntries(bindings);
  const text = String(command);
  return { text, read: isShell ? readCommand(text) : null, beside };
}

/** A patch that is not just what the rest says may be of another file. */
function filesIn(bindings: Bindings): string[] | null {
  return bindings.has("diff")
    ? null
    : ["path", "to"].flatMap((slot) => (bindings.has(slot) ? [String(bindings.get(slot))] : []));
}
