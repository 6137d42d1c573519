/**
 * The shape of a checkout's sources, from their syntax: files in a folder, imports among parts, parameters, members.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";

export interface Count {
  name: string;
  count: number;
  found: string[];
}

const MOST_PARAMETERS = 4;
const MOST_MEMBERS = 8;
const FUNCTIONS = [
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "TSEmptyBodyFunctionExpression",
  "TSFunctionType",
  "TSMethodSignature",
];

/** What git knows of the checkout's `src` and of its packages' `src`. */
export function shape(tree: string): Count[] {
  const listed = execFileSync("git", ["ls-files", "src", "packages/*/src/*"], { cwd: tree, encoding: "utf8" }).split(
    "\n",
  );
  const files = listed.filter((file) => /\.tsx?$/.test(file));
  const arrows: [string, string][] = [];
  const many: string[] = [];
  const bags: string[] = [];
  for (const file of files) {
    const text = readFileSync(path.join(tree, file), "utf8");
    walk(parseSync(file, text).program as unknown as Node, undefined, (node, parent) => {
      const where = (name: string): string => `${file}:${text.slice(0, node.start).split("\n").length} ${name}`;
      const from = (node["source"] as { value?: unknown } | undefined)?.value;
      const to =
        typeof from === "string" && from.startsWith(".") ? path.posix.join(path.posix.dirname(file), from) : "";
      if (inDiscord(file) && inDiscord(to) && node["importKind"] !== "type") arrows.push([file, to]);
      const named = (node["id"] ?? node["key"] ?? parent?.["key"] ?? parent?.["id"]) as
        | { name?: string }
        | null
        | undefined;
      const size = FUNCTIONS.includes(node.type) ? (node["params"] as unknown[]).length : 0;
      if (size > MOST_PARAMETERS) many.push(where(`${named?.name ?? "(no name)"} ${size}`));
      const members = membersOf(node);
      if (members > MOST_MEMBERS) bags.push(where(`${named?.name ?? "(no name)"} ${members}`));
    });
  }
  const folders = Map.groupBy(files, (file) => path.posix.dirname(file));
  const between = [
    ...new Set(
      arrows
        .map((ends) => ends.map((file) => path.posix.dirname(file).split("/")[2] ?? "(bot)"))
        .filter(([one, other]) => one !== other)
        .map((ends) => ends.join(" → ")),
    ),
  ];
  const [largest] = [...folders].sort(([, one], [, other]) => other.length - one.length);
  return [
    { name: "source files", count: files.length, found: [] },
    { name: "imports among discord's files, without types", count: arrows.length, found: [] },
    { name: "arrows among discord's folders", count: between.length, found: between },
    { name: "largest folder", count: largest?.[1].length ?? 0, found: [largest?.[0] ?? ""] },
    { name: `functions of more than ${MOST_PARAMETERS} parameters`, count: many.length, found: many },
    { name: `interfaces of more than ${MOST_MEMBERS} members`, count: bags.length, found: bags },
  ];
}

const inDiscord = (file: string): boolean => file.startsWith("src/discord/");

type Node = { type: string; start: number } & Record<string, unknown>;

function membersOf(node: Node): number {
  if (node.type === "TSInterfaceDeclaration") return (node["body"] as { body: unknown[] }).body.length;
  return node.type === "TSTypeLiteral" ? (node["members"] as unknown[]).length : 0;
}

function walk(node: Node, parent: Node | undefined, visit: (node: Node, parent: Node | undefined) => void): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof child === "object" && child !== null && "type" in child && "start" in child)
        walk(child as Node, node, visit);
    }
  }
}
