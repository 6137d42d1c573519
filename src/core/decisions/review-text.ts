/**
 * What the owner is shown of a tool's input or a plan before he settles it: all of it, in an order for people, with
 * nothing hidden. A command, a file or a change is in its own code block, short values are ordinary text around it.
 * What is shown can be read back to the exact bytes that are kept and digested, so a yes means these bytes and no
 * others.
 */
import { callParts } from "./call-parts.ts";
import { code, fieldParts, isObject, isText, languageOf, texts } from "./field-parts.ts";
import { shownLines } from "./hidden-characters.ts";
import { joinedPages, paged, type Page, type Part } from "./pages.ts";

/**
 * `call`: a tool call as an agent describes it; `plan`: the whole input of the tool that presents it, with the plan
 * itself under `plan`.
 */
export type Shown = { tool: string; input: Record<string, unknown> } | { tool: string; call: Record<string, unknown> } | { plan: Record<string, unknown> };

const TOOL = /^[\w.-]{1,60}$/;

/** What people look for first, for known tools; the rest follows as the agent sent it. */
const FIRST: ReadonlyMap<string, readonly string[]> = new Map([
  ["Bash", ["command"]],
  ["Edit", ["file_path", "old_string", "new_string"]],
  ["MultiEdit", ["file_path", "edits"]],
  ["NotebookEdit", ["notebook_path", "new_source"]],
  ["Write", ["file_path", "content"]],
]);

/** The exact JSON text that is kept and digested. */
export function bytesOf(subject: Shown): string {
  if ("plan" in subject) return JSON.stringify({ plan: ordered(subject.plan, ["plan"]) });
  // It is shown in another order than it came, and the order of its fields means nothing.
  if ("call" in subject) return JSON.stringify({ tool: subject.tool, call: sorted(subject.call) });
  const { tool, input } = subject;
  return JSON.stringify({ tool, input: ordered(input, FIRST.get(tool) ?? []) });
}

/**
 * Everything the bytes say, as pages of Discord's Markdown; at least one. The tool's name is omitted if the title says
 * it in full. Never throws: what is neither a tool's input nor a plan is shown as it is.
 */
export function reviewText(bytes: string): { pages: Page[] } {
  const subject = read(bytes);
  if (subject === null) return { pages: paged([code("", texts(bytes))]) };
  if ("plan" in subject) return { pages: planPages(subject.plan) };
  const { tool } = subject;
  const name: Part[] = TOOL.test(tool) ? [] : [{ line: "🔧" }, code("json", texts(JSON.stringify(tool)))];
  const parts = [...name, ...("call" in subject ? callParts(subject.call) : fieldParts(subject.input, "", languagesOf(tool, subject.input)))];
  return { pages: paged(parts.length === 0 ? [{ line: "`{}`" }] : parts) };
}

/** The same for some fields only, as one text. */
export function fieldsText(input: Record<string, unknown>): string {
  return paged(fieldParts(input, "", () => ""), Number.POSITIVE_INFINITY).map(({ text }) => text).join("\n");
}

/** The plan as Markdown, and then whatever else came with it. */
function planPages(whole: Record<string, unknown>): Page[] {
  const { plan, ...more } = whole;
  const isProse = isText(plan) && plan.trim() !== "";
  const prose = isProse ? paged([{ prose: shownLines(plan, true) }]) : [];
  const others = fieldParts(isProse ? more : whole, "", () => "");
  if (others.length === 0) return prose.length > 0 ? prose : paged([{ line: "`{}`" }]);
  return joinedPages(prose, paged(others));
}

function ordered(input: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const first = names.filter((name) => Object.hasOwn(input, name));
  const all = [...first, ...Object.keys(input).filter((name) => !first.includes(name))];
  return Object.fromEntries(all.map((name) => [name, input[name]]));
}

/** By the fields' names, at every depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  return isObject(value) ? Object.fromEntries(Object.keys(value).toSorted().map((name) => [name, sorted(value[name])])) : value;
}

function read(bytes: string): Shown | null {
  try {
    const value: unknown = JSON.parse(bytes);
    if (!isObject(value)) return null;
    const names = Object.keys(value).join();
    if (names === "plan" && isObject(value.plan)) return { plan: value.plan };
    if (names === "tool,input" && typeof value.tool === "string" && isObject(value.input)) return { tool: value.tool, input: value.input };
    if (names === "tool,call" && typeof value.tool === "string" && isObject(value.call)) return { tool: value.tool, call: value.call };
  } catch {
    // Shown as it is.
  }
  return null;
}

/** The language of a field's text: a command's by its tool, a file's by its ending. */
function languagesOf(tool: string, input: Record<string, unknown>): (field: string) => string {
  const file = languageOf(input.file_path ?? input.notebook_path);
  return (field) => {
    if (field === "command") return tool === "Bash" ? "bash" : "";
    return field === "content" ? file : "";
  };
}
