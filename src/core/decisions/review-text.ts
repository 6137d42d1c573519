/**
 * What the owner is shown of a tool's input or a plan before he settles it: all of it, in an order for people, with
 * nothing hidden. A command, a file or a change is in its own code block, short values are ordinary text around it.
 * What is shown can be read back, with its sentence where it has a shape, to what is kept and digested, so a yes means
 * that and nothing else.
 */
import { callParts, code, fieldParts, isObject, isText, languageOf, shapeParts, texts } from "./call-parts.ts";
import { runToEnd, visibleLines } from "../../base/hidden-characters.ts";
import { joinedPages, splitIntoPages, type Page, type PagePart } from "./pages.ts";
import { actOf, shapedRequest, type Act, type ToolRequest } from "./shapes.ts";

/**
 * `call`: a tool call as an agent describes it; `plan`: the whole input of the tool that presents it, with the plan
 * itself under `plan`.
 */
export type ReviewInput = ToolRequest | { plan: Record<string, unknown> };

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
export function bytesOf(subject: ReviewInput): string {
  if ("plan" in subject) return JSON.stringify({ plan: ordered(subject.plan, ["plan"]) });
  // It is shown in another order than it came, and the order of its fields means nothing.
  if ("call" in subject) return JSON.stringify({ tool: subject.tool, call: sorted(subject.call) });
  const { tool, input } = subject;
  return JSON.stringify({ tool, input: ordered(input, FIRST.get(tool) ?? []) });
}

/** More pages than that nobody reads to their end. */
export const MOST_PAGES = 500;

/**
 * Everything the bytes say, as pages of Discord's Markdown: at least one; null if it takes too many. The tool's name is
 * omitted if the title says it in full. Never throws: what is neither a tool's input nor a plan is shown as it is.
 */
export function* layOut(bytes: string): Generator<void, Page[] | null> {
  const subject = requestIn(bytes);
  if (subject === null) return yield* splitIntoPages([code("", texts(bytes))], LIMIT);
  if ("plan" in subject) return yield* planPages(subject.plan);
  const shaped = shapedRequest(subject);
  // The fields of a server's tool are all that there is of it.
  if (shaped !== null && shaped.shape.verb !== "use") return yield* pagesOf(shapeParts(shaped));
  const { tool } = subject;
  const name: PagePart[] = TOOL.test(tool) ? [] : [{ line: "🔧" }, code("json", texts(JSON.stringify(tool)))];
  const parts = [
    ...name,
    ...("call" in subject ? callParts(subject.call) : fieldParts(subject.input, "", languagesOf(tool, subject.input))),
  ];
  return yield* pagesOf(parts);
}

function pagesOf(parts: readonly PagePart[]): Generator<void, Page[] | null> {
  return splitIntoPages(parts.length === 0 ? [{ line: "`{}`" }] : parts, LIMIT);
}

/**
 * The request as one sentence says it; null if it has no known shape.
 * @param cwd where its agent works: a path in there is shown from there on
 */
export function actIn(bytes: string, cwd?: string): Act | null {
  const subject = requestIn(bytes);
  return subject === null || "plan" in subject ? null : actOf(subject, cwd);
}

const LIMIT = { pages: MOST_PAGES };

/** The same, without a pause: for what is short. None if there are too many. */
export function reviewText(bytes: string): { pages: Page[] } {
  return { pages: runToEnd(layOut(bytes)) ?? [] };
}

/** The same for some fields only, as one text. */
export function fieldsText(input: Record<string, unknown>): string {
  const pages =
    runToEnd(
      splitIntoPages(
        fieldParts(input, "", () => ""),
        { chars: Number.POSITIVE_INFINITY },
      ),
    ) ?? [];
  return pages.map(({ text }) => text).join("\n");
}

/** The plan as Markdown, and then whatever else came with it. */
function* planPages(whole: Record<string, unknown>): Generator<void, Page[] | null> {
  const { plan, ...more } = whole;
  const isProse = isText(plan) && plan.trim() !== "";
  const prose = isProse ? yield* splitIntoPages([{ prose: () => visibleLines(plan, true) }], LIMIT) : [];
  const parts = fieldParts(isProse ? more : whole, "", () => "");
  const others = parts.length === 0 ? [] : yield* splitIntoPages(parts, LIMIT);
  if (prose === null || others === null || prose.length + others.length > MOST_PAGES) return null;
  if (others.length === 0) return prose.length > 0 ? prose : yield* splitIntoPages([{ line: "`{}`" }]);
  return joinedPages(prose, others);
}

function ordered(input: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const first = names.filter((name) => Object.hasOwn(input, name));
  const all = [...first, ...Object.keys(input).filter((name) => !first.includes(name))];
  return Object.fromEntries(all.map((name) => [name, input[name]]));
}

/** By the fields' names, at every depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  return isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .toSorted()
          .map((name) => [name, sorted(value[name])]),
      )
    : value;
}

/** Null: it is neither. */
export function requestIn(bytes: string): ReviewInput | null {
  try {
    const value: unknown = JSON.parse(bytes);
    if (!isObject(value)) return null;
    const names = Object.keys(value).join();
    if (names === "plan" && isObject(value.plan)) return { plan: value.plan };
    if (names === "tool,input" && typeof value.tool === "string" && isObject(value.input))
      return { tool: value.tool, input: value.input };
    if (names === "tool,call" && typeof value.tool === "string" && isObject(value.call))
      return { tool: value.tool, call: value.call };
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
