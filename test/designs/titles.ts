/**
 * The names of the tests in a file, read from its text without running it: those of the describes around a test
 * and its own, joined by ` > `. A title of `test.each` stands as it is written (`%s`, `$name`), an expression in
 * a title as `…`, and a title that is no text at all as `…` alone.
 */
import { parseSync } from "oxc-parser";

type Node = { type: string } & Record<string, unknown>;

const ROOTS: readonly string[] = ["test", "it", "describe"];

/** What makes a function that takes the title, as in `test.each(rows)("title", …)`, rather than a test. */
const MAKERS: readonly string[] = ["each", "for", "skipIf", "runIf", "extend"];

/** @throws when the file's syntax is wrong */
export function titlesIn(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message ?? "syntax"}`);
  const titles: string[] = [];
  collect(program as unknown as Node, [], new Map(ROOTS.map((root) => [root, root])), titles);
  return titles;
}

/** `names`: what a test function is called in this file → `test`, `it` or `describe`. */
function collect(node: Node, around: readonly string[], names: Map<string, string>, titles: string[]): void {
  const [id, made] = [node["id"] as Node | undefined, node["init"] as Node | null | undefined];
  const meant = node.type === "VariableDeclarator" && made ? rootOf(made, names) : undefined;
  if (meant !== undefined && id?.type === "Identifier") names.set(String(id["name"]), meant);
  const kind = node.type === "CallExpression" ? kindOf(node, names) : undefined;
  const own = kind === undefined ? around : [...around, titleOf((node["arguments"] as Node[])[0])];
  if (kind !== undefined && kind !== "describe") titles.push(own.join(" > "));
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof child === "object" && child !== null && "type" in child) collect(child as Node, own, names, titles);
    }
  }
}

/**
 * `test` for `test(…)`, `test.concurrent(…)`, `test.skipIf(…)(…)` and `test.each(…)(…)`; nothing for `test.each(…)`
 * itself.
 */
function kindOf(call: Node, names: Map<string, string>): string | undefined {
  const callee = call["callee"] as Node;
  const member = callee.type === "MemberExpression" ? String((callee["property"] as Node)["name"]) : "";
  return MAKERS.includes(member) ? undefined : rootOf(callee, names);
}

/** What an expression made of nothing but a test function begins with. */
function rootOf(expression: Node, names: Map<string, string>): string | undefined {
  let root: Node | undefined = expression;
  while (root !== undefined && root.type !== "Identifier") {
    if (!["MemberExpression", "CallExpression", "TaggedTemplateExpression"].includes(root.type)) return undefined;
    root = (root["object"] ?? root["callee"] ?? root["tag"]) as Node | undefined;
  }
  return names.get(String(root?.["name"]));
}

function titleOf(title: Node | undefined): string {
  if (title?.type === "Literal") return String(title["value"]);
  if (title?.type !== "TemplateLiteral") return "…";
  return (title["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("…");
}
