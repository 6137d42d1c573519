/**
 * A source file as the rules of Bellhop look at it: what it imports, which names it uses, how long it and its
 * functions are. Parsed, never guessed from text, so that a comment cannot break a rule or hide one.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";

export interface Import {
  from: string;
  /** Only types: nothing is loaded, but the text depends on it all the same. */
  typeOnly: boolean;
  line: number;
}

export interface Func {
  name: string;
  line: number;
  /** Without those of the functions inside it, which count for themselves. */
  lines: number;
}

export interface Thrown {
  code: string;
  /** The literal details' keys; undefined where they are not a literal. */
  details: string[] | undefined;
  line: number;
}

/** A method, or a property whose type is written as a function. */
export interface Member {
  /** The interface or class whose member it is; empty for a type that is written in place. */
  owner: string;
  /** What the owner extends or implements: a member that it has from there is not another contract. */
  inherits: string[];
  /** Without the `#`. */
  name: string;
  isPrivate: boolean;
  line: number;
}

export interface Source {
  /** Relative to the repository, with `/`. */
  path: string;
  lines: number;
  opensWithDoc: boolean;
  imports: Import[];
  functions: Func[];
  /** Functions, constants and classes, by the names under which others import them. */
  exported: { name: string; line: number }[];
  members: Member[];
  /** Names used that the file does not get from anywhere: globals, as `Date`, and their members, as `Math.random`. */
  globals: { name: string; line: number }[];
  /** Variables of the module that can be assigned again. */
  moduleVariables: { name: string; line: number }[];
  /** Interfaces, type aliases and classes at the top level. */
  types: { name: string; line: number }[];
  /** Members called on a test function: `only`, `skip`, … */
  testModifiers: { name: string; line: number }[];
  errorCodes: { code: string; line: number }[];
  thrown: Thrown[];
  /** What is written out in the first argument of `theirWords` and of `reasonDetails`, which take the words of others. */
  quotations: { words: string; line: number }[];
  /** Regular expressions as they are written, and where one is made from a text. */
  patterns: { source: string; flags: string; line: number }[];
  patternsMade: { line: number }[];
}

/** Reads every TypeScript file below the given folders and files of the repository. */
export function readSources(root: string, places: readonly string[]): Source[] {
  return places.flatMap((place) =>
    filesBelow(path.join(root, place)).map((file) =>
      parse(path.relative(root, file).split(path.sep).join("/"), readFileSync(file, "utf8")),
    ),
  );
}

function filesBelow(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [place];
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "fixtures") return [];
    const full = path.join(place, entry.name);
    return entry.isDirectory() ? filesBelow(full) : /\.(ts|tsx|mjs|cjs)$/.test(entry.name) ? [full] : [];
  });
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>;
interface Found extends Omit<Source, "path" | "lines" | "opensWithDoc"> {
  functionOf: Map<Node | undefined, Func>;
}

/** Parses one file. @throws when its syntax is wrong */
export function parse(file: string, text: string): Source {
  const { program, errors, comments } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message ?? "syntax"}`);
  const starts = lineStarts(text);
  const lineOf = (node: Node): number => starts.findLastIndex((start) => start <= node.start) + 1;
  const found: Found = {
    imports: [],
    functions: [],
    functionOf: new Map(),
    exported: [],
    members: [],
    globals: [],
    moduleVariables: [],
    types: [],
    testModifiers: [],
    errorCodes: [],
    thrown: [],
    quotations: [],
    patterns: [],
    patternsMade: [],
  };
  walk(program as unknown as Node, [], (node, parents) => {
    noteImport(node, found, lineOf);
    noteFunction(node, parents, found, lineOf, starts);
    noteExport(node, found, lineOf);
    noteMember(node, parents, found, lineOf);
    noteGlobal(node, parents, found, lineOf);
    noteVariable(node, parents, found, lineOf);
    noteType(node, parents, found, lineOf);
    noteError(node, found, lineOf);
    noteQuotation(node, found, lineOf);
    notePattern(node, found, lineOf);
  });
  const first = comments.find(({ type }) => type === "Block");
  const opening = text.startsWith("#!") ? text.indexOf("\n") + 1 : 0;
  const opensWithDoc =
    first !== undefined && first.start === opening && first.value.startsWith("*") && first.value.trim().length > 40;
  const { functionOf: _, ...facts } = found;
  return { path: file, lines: text.replace(/\n$/, "").split("\n").length, opensWithDoc, ...facts };
}

function noteImport(node: Node, found: Found, lineOf: (node: Node) => number): void {
  const kinds = [
    "ImportDeclaration",
    "ExportNamedDeclaration",
    "ExportAllDeclaration",
    "ImportExpression",
    "TSImportType",
  ];
  if (!kinds.includes(node.type)) return;
  const source = (node["source"] ?? node["argument"]) as { value?: unknown } | null;
  if (typeof source?.value !== "string") return;
  const typeOnly = node.type === "TSImportType" || node["importKind"] === "type" || node["exportKind"] === "type";
  found.imports.push({ from: source.value, typeOnly, line: lineOf(node) });
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function noteFunction(
  node: Node,
  parents: Node[],
  found: Found,
  lineOf: (node: Node) => number,
  starts: number[],
): void {
  if (!FUNCTIONS.has(node.type)) return;
  const parent = parents.at(-1);
  const end = starts.findLastIndex((start) => start < node.end) + 1;
  const named = (node["id"] ?? parent?.["key"] ?? parent?.["id"]) as { name?: string } | null | undefined;
  const func = { name: named?.name ?? "(no name)", line: lineOf(node), lines: end - lineOf(node) + 1 };
  const outer = found.functionOf.get(parents.findLast(({ type }) => FUNCTIONS.has(type)));
  if (outer) outer.lines -= func.lines - 1;
  found.functionOf.set(node, func);
  found.functions.push(func);
}

function noteExport(node: Node, found: Found, lineOf: (node: Node) => number): void {
  if (node.type !== "ExportNamedDeclaration" || node["exportKind"] === "type") return;
  const declaration = node["declaration"] as (Node & { id?: Named; declarations?: { id: Named }[] }) | null;
  const specifiers = node["specifiers"] as { exported: Named; exportKind?: string }[];
  const names = [
    declaration?.id,
    ...(declaration?.declarations ?? []).map(({ id }) => id),
    ...specifiers.filter(({ exportKind }) => exportKind !== "type").map(({ exported }) => exported),
  ];
  if (declaration?.type.startsWith("TS") === true) return;
  for (const one of names) if (one?.name !== undefined) found.exported.push({ name: one.name, line: lineOf(node) });
}

interface Named {
  name?: string;
}

const MEMBERS = new Set(["TSMethodSignature", "TSPropertySignature", "MethodDefinition", "PropertyDefinition"]);
const OWNERS = new Set(["TSInterfaceDeclaration", "ClassDeclaration", "ClassExpression", "TSTypeLiteral"]);

function noteMember(node: Node, parents: Node[], found: Found, lineOf: (node: Node) => number): void {
  if (!MEMBERS.has(node.type) || !isFunction(node)) return;
  const { type, name } = node["key"] as Node & Named;
  const owner = parents.findLast((parent) => OWNERS.has(parent.type));
  if (name === undefined || owner === undefined) return;
  found.members.push({
    owner: (owner["id"] as Named | null | undefined)?.name ?? "",
    inherits: inheritedBy(owner),
    name,
    isPrivate: type === "PrivateIdentifier",
    line: lineOf(node),
  });
}

function isFunction(member: Node): boolean {
  if (member.type === "TSMethodSignature" || member.type === "MethodDefinition") return member["kind"] === "method";
  const type = (member["typeAnnotation"] as { typeAnnotation?: Node } | null | undefined)?.typeAnnotation;
  return type?.type === "TSFunctionType" || FUNCTIONS.has((member["value"] as Node | null | undefined)?.type ?? "");
}

/** Of `Pick<Clock, "now">` it is `Clock`. */
function inheritedBy(owner: Node): string[] {
  const named = [...((owner["extends"] ?? []) as Node[]), ...((owner["implements"] ?? []) as Node[])];
  return [...named, ...(owner["superClass"] ? [{ expression: owner["superClass"] }] : [])].flatMap((one) => {
    const { expression, typeArguments } = one as { expression: Named; typeArguments?: { params: Node[] } };
    const picked = typeArguments?.params[0]?.["typeName"] as Named | undefined;
    return [expression.name, picked?.name].filter((name) => name !== undefined);
  });
}

/** `describe` for `describe(…)`, `describe.each(…)(…)` and the like. */
function calleeName(call: Node): string | undefined {
  let callee = call["callee"] as Node | undefined;
  while (callee && callee.type !== "Identifier") callee = (callee["object"] ?? callee["callee"]) as Node | undefined;
  return callee?.["name"] as string | undefined;
}

function noteGlobal(node: Node, parents: Node[], found: Found, lineOf: (node: Node) => number): void {
  const line = lineOf(node);
  if (node.type === "Identifier" && isUsed(node, parents.at(-1)))
    found.globals.push({ name: String(node["name"]), line });
  if (node.type !== "MemberExpression" || node["computed"] === true) return;
  const object = node["object"] as Node;
  const name = (node["property"] as { name?: string }).name ?? "";
  if (object.type === "Identifier") found.globals.push({ name: `${String(object["name"])}.${name}`, line });
  if (["test", "it", "describe"].includes(calleeName({ ...node, callee: object }) ?? ""))
    found.testModifiers.push({ name, line });
}

/** Whether the identifier reads a value, rather than naming a property, a parameter or a type. */
function isUsed(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined || parent.type.startsWith("TS")) return false;
  if (parent.type === "MemberExpression") return parent["object"] === node || parent["computed"] === true;
  if (["Property", "PropertyDefinition", "MethodDefinition"].includes(parent.type)) return parent["value"] === node;
  return ![
    "ImportSpecifier",
    "ImportDefaultSpecifier",
    "ImportNamespaceSpecifier",
    "ExportSpecifier",
    "LabeledStatement",
  ].includes(parent.type);
}

function noteVariable(node: Node, parents: Node[], found: Found, lineOf: (node: Node) => number): void {
  if (node.type !== "VariableDeclaration" || node["kind"] === "const") return;
  if (parents.some((parent) => FUNCTIONS.has(parent.type) || /^For|^StaticBlock/.test(parent.type))) return;
  for (const { id } of node["declarations"] as { id: { name?: string } }[])
    found.moduleVariables.push({ name: id.name ?? "(pattern)", line: lineOf(node) });
}

const TYPES = new Set(["TSInterfaceDeclaration", "TSTypeAliasDeclaration", "ClassDeclaration"]);

function noteType(node: Node, parents: Node[], found: Found, lineOf: (node: Node) => number): void {
  if (!TYPES.has(node.type)) return;
  if (parents.some(({ type }) => type !== "Program" && !/^Export\w+Declaration$/.test(type))) return;
  const { name } = (node["id"] ?? {}) as { name?: string };
  if (name !== undefined) found.types.push({ name, line: lineOf(node) });
}

function noteError(node: Node, found: Found, lineOf: (node: Node) => number): void {
  const line = lineOf(node);
  if (node.type === "Literal" && typeof node["value"] === "string" && /^E_[A-Z][A-Z_]+$/.test(node["value"]))
    found.errorCodes.push({ code: node["value"], line });
  if (node.type !== "NewExpression" || (node["callee"] as { name?: string }).name !== "BellhopError") return;
  const [code, details] = node["arguments"] as [Node | undefined, Node | undefined];
  if (typeof code?.["value"] === "string")
    found.thrown.push({ code: code["value"], details: details === undefined ? [] : literalKeys(details), line });
}

function noteQuotation(node: Node, found: Found, lineOf: (node: Node) => number): void {
  if (
    node.type !== "CallExpression" ||
    !["theirWords", "reasonDetails"].includes((node["callee"] as { name?: string }).name ?? "")
  )
    return;
  const [first] = node["arguments"] as (Node | undefined)[];
  if (first === undefined) return;
  walk(first, [], (part) => {
    const words =
      part.type === "TemplateElement"
        ? (part["value"] as { raw: string }).raw
        : part.type === "Literal"
          ? part["value"]
          : null;
    if (typeof words === "string") found.quotations.push({ words, line: lineOf(node) });
  });
}

function notePattern(node: Node, found: Found, lineOf: (node: Node) => number): void {
  const regex = node["regex"] as { pattern: string; flags: string } | undefined;
  if (node.type === "Literal" && regex)
    found.patterns.push({ source: regex.pattern, flags: regex.flags, line: lineOf(node) });
  const made =
    ["NewExpression", "CallExpression"].includes(node.type) && (node["callee"] as { name?: string }).name === "RegExp";
  if (made) found.patternsMade.push({ line: lineOf(node) });
}

function literalKeys(details: Node): string[] | undefined {
  if (details.type !== "ObjectExpression") return undefined;
  const properties = details["properties"] as (Node & { key?: { name?: string; value?: string } })[];
  if (properties.some(({ type }) => type === "SpreadElement")) return undefined;
  return properties.map(({ key }) => key?.name ?? String(key?.value));
}

function walk(node: Node, parents: Node[], visit: (node: Node, parents: Node[]) => void): void {
  visit(node, parents);
  const inner = [...parents, node];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof child === "object" && child !== null && "type" in child && "start" in child)
        walk(child as Node, inner, visit);
    }
  }
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}
