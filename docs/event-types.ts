/**
 * What each event's payload holds, read from the types in `src/core/`: parsed, never guessed from text. Shapes with
 * fields of their own get a name and are told once.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

/** Told as kinds of another shape. */
const KINDS: Readonly<Record<string, string>> = { TurnAsker: "Asker", HookAsker: "Asker" };

const core = fileURLToPath(new URL("../src/core", import.meta.url));

/** A node of the tree, with what is looked at here. */
interface Node {
  type: string;
  id?: { name: string };
  body?: { body: Node[] };
  declaration?: Node | null;
  source?: { value: string } | null;
  specifiers?: { local: { name: string }; imported?: { name: string } }[];
  typeAnnotation?: Node;
  types?: Node[];
  typeName?: { name: string };
  typeArguments?: { params: Node[] } | null;
  members?: Node[];
  extends?: { expression: { name: string }; typeArguments?: { params: Node[] } | null }[];
  key?: { name: string };
  optional?: boolean;
  literal?: { value: unknown };
  elementType?: Node;
  objectType?: Node;
  indexType?: Node;
  exprName?: { name: string };
  declarations?: {
    id: { name: string; typeAnnotation?: Node };
    init?: { expression?: { elements?: { value: string }[] } } | null;
  }[];
}

/** A type, and the file in which its names are looked up. */
interface Type {
  node: Node;
  file: string;
}

interface Field {
  name: string;
  /** It may be absent, or null. */
  maybe: boolean;
  type: Type;
}

interface Module {
  types: Map<string, Node>;
  imports: Map<string, { file: string; name: string }>;
  /** The words of a list `as const`. */
  lists: Map<string, string[]>;
  /** The events of each slice of the core that it declares. */
  events: Node[];
}

const modules = new Map<string, Module>();

function moduleOf(file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const made: Module = { types: new Map(), imports: new Map(), lists: new Map(), events: [] };
  modules.set(file, made);
  const { body } = parseSync(file, readFileSync(file, "utf8")).program as unknown as { body: Node[] };
  for (const statement of body) {
    const one = statement.declaration ?? statement;
    if (/^TS(TypeAlias|Interface)Declaration$/.test(one.type) && one.id) made.types.set(one.id.name, one);
    for (const { id } of one.declarations ?? []) {
      const { typeName, typeArguments } = id.typeAnnotation?.typeAnnotation ?? {};
      const events = typeName?.name === "Slice" ? typeArguments?.params[1] : undefined;
      if (events !== undefined) made.events.push(events);
    }
    for (const { id, init } of one.declarations ?? [])
      if (init?.expression?.elements)
        made.lists.set(
          id.name,
          init.expression.elements.map(({ value }) => value),
        );
    if (statement.type !== "ImportDeclaration" || !statement.source?.value.startsWith(".")) continue;
    for (const { local, imported } of statement.specifiers ?? [])
      made.imports.set(local.name, {
        file: path.join(path.dirname(file), statement.source.value),
        name: imported?.name ?? local.name,
      });
  }
  return made;
}

/** The declaration of a name; null for one that is none of ours. */
function declared(name: string, file: string): Type | null {
  const { types, imports } = moduleOf(file);
  const node = types.get(name);
  if (node !== undefined) return { node, file };
  const from = imports.get(name);
  return from === undefined || !existsSync(from.file) ? null : declared(from.name, from.file);
}

/** The alternatives of a type, names followed to what they stand for. */
function alternatives({ node, file }: Type): Type[] {
  if (node.type === "TSUnionType") return (node.types ?? []).flatMap((one) => alternatives({ node: one, file }));
  if (node.type === "TSParenthesizedType" && node.typeAnnotation)
    return alternatives({ node: node.typeAnnotation, file });
  const found = node.type === "TSTypeReference" ? declared(node.typeName?.name ?? "", file) : null;
  if (found?.node.type === "TSTypeAliasDeclaration" && found.node.typeAnnotation) {
    const inner = alternatives({ node: found.node.typeAnnotation, file: found.file });
    if (inner.length > 1) return inner;
  }
  return [{ node, file }];
}

/** The literals of a union, such as the keys of a `Pick`. */
function literals(type: Type): string[] {
  return alternatives(type).flatMap(({ node }) => (node.type === "TSLiteralType" ? [String(node.literal?.value)] : []));
}

/** The fields of an object; of alternatives, each one's. */
function fieldsOf(type: Type): Field[][] {
  const { node, file } = type;
  switch (node.type) {
    case "TSIntersectionType":
      return (node.types ?? []).reduce<Field[][]>(
        (all, one) => all.flatMap((before) => fieldsOf({ node: one, file }).map((more) => [...before, ...more])),
        [[]],
      );
    case "TSTypeLiteral":
      return [membersOf(node.members ?? [], file)];
    case "TSInterfaceDeclaration": {
      const inherited = (node.extends ?? []).flatMap(
        ({ expression, typeArguments }) =>
          fieldsOf({ node: reference(expression.name, typeArguments?.params), file })[0] ?? [],
      );
      return [[...inherited, ...membersOf(node.body?.body ?? [], file)]];
    }
    case "TSTypeAliasDeclaration":
      return node.typeAnnotation ? fieldsOf({ node: node.typeAnnotation, file }) : [[]];
    case "TSTypeReference":
      return referredFields(type);
    case "TSUnionType":
    case "TSParenthesizedType":
      return alternatives(type).flatMap(fieldsOf);
    default:
      throw new Error(`${file}: no fields in a ${node.type}`);
  }
}

function reference(name: string, params: Node[] | undefined): Node {
  return { type: "TSTypeReference", typeName: { name }, typeArguments: params ? { params } : null };
}

function referredFields({ node, file }: Type): Field[][] {
  const name = node.typeName?.name ?? "";
  const [first, second] = node.typeArguments?.params ?? [];
  if (first !== undefined && /^(Pick|Omit|Required)$/.test(name)) {
    const keys = second === undefined ? [] : literals({ node: second, file });
    return fieldsOf({ node: first, file }).map((fields) =>
      fields
        .filter((field) => name === "Required" || keys.includes(field.name) === (name === "Pick"))
        .map((field) => (name === "Required" ? { ...field, maybe: false } : field)),
    );
  }
  const found = declared(name, file);
  if (found === null) throw new Error(`${file}: ${name} is nowhere`);
  return fieldsOf(found);
}

function membersOf(members: Node[], file: string): Field[] {
  return members.flatMap(({ type, key, optional, typeAnnotation }) => {
    const node = typeAnnotation?.typeAnnotation;
    if (type !== "TSPropertySignature" || key === undefined || node === undefined) return [];
    const is = alternatives({ node, file });
    const maybe = optional === true || is.some((one) => one.node.type === "TSNullKeyword");
    return [{ name: key.name, maybe, type: { node, file } }];
  });
}

/** Says what payloads hold, and collects the shapes it names on the way. */
export class EventTypes {
  /** Name → its fields as text, in the order in which they are first named. */
  readonly shapes = new Map<string, string>();

  /** Each event's payload as text, by type. */
  payloads(): Map<string, string> {
    const files = new Set([...moduleOf(path.join(core, "slices.ts")).imports.values()].map(({ file }) => file));
    const events = [...files].flatMap((file) => moduleOf(file).events.flatMap((node) => alternatives({ node, file })));
    return new Map(
      events.flatMap((event) =>
        fieldsOf(event).map((fields) => {
          const type = fields.find(({ name }) => name === "type");
          const payload = fields.find(({ name }) => name === "payload");
          if (type === undefined || payload === undefined) throw new Error("An event has a type and a payload");
          return [literals(type.type)[0] ?? "", this.#object(payload.type)] as const;
        }),
      ),
    );
  }

  /** The fields of an object. Of alternatives: those that all have, and for each kind the others. */
  #object(type: Type): string {
    const all = fieldsOf(type);
    const [first = []] = all;
    if (all.length === 1) return first.map((field) => this.#field(field)).join(", ");
    const kind = first.find(
      (field) => literals(field.type).length === 1 && all.every((one) => one.some(({ name }) => name === field.name)),
    );
    if (kind === undefined) throw new Error(`${type.file}: alternatives without a kind`);
    const common = first.filter(
      ({ name }) => name !== kind.name && all.every((one) => one.some((other) => other.name === name)),
    );
    const kinds = all.map((fields) => {
      const own = fields.filter(({ name }) => name !== kind.name && !common.some((other) => other.name === name));
      const is = fields.find(({ name }) => name === kind.name);
      return `\`${is ? (literals(is.type)[0] ?? "") : ""}\`${own.length > 0 ? ` (${own.map((field) => this.#field(field)).join(", ")})` : ""}`;
    });
    return [...common.map((field) => this.#field(field)), `\`${kind.name}\`: ${kinds.join(", ")}`].join(", ");
  }

  #field({ name, maybe, type }: Field): string {
    const is = this.#text(type);
    return `\`${name}\`${maybe ? "?" : ""}${is === "" ? "" : `:${is}`}`;
  }

  /** A type in short; nothing for a string. */
  #text(type: Type): string {
    const { node } = type;
    if (node.type === "TSUnionType" && node.types?.every((one) => one.typeName !== undefined))
      return [...new Set(node.types.map((one) => this.#text({ ...type, node: one })))].join("/");
    const parts = alternatives(type).filter((one) => !/^TS(Null|Undefined)Keyword$/.test(one.node.type));
    const values = parts.flatMap((one) => literals(one));
    if (values.length === parts.length) return values.map((value) => `\`${value}\``).join("/");
    const texts = [...new Set(this.#named(type) ?? parts.map((one) => this.#single(one)))];
    return texts.filter((text) => text !== "").join("/");
  }

  /** The name of a shape that is a union of objects. */
  #named({ node, file }: Type): string[] | null {
    const found = node.type === "TSTypeReference" ? declared(node.typeName?.name ?? "", file) : null;
    const body = found?.node.typeAnnotation;
    if (found === null || body?.type !== "TSUnionType") return null;
    const isObject = (body.types ?? []).some((one) =>
      /^TS(TypeLiteral|IntersectionType|TypeReference)$/.test(one.type),
    );
    return isObject ? [this.#shape(node.typeName?.name ?? "", found)] : null;
  }

  #single({ node, file }: Type): string {
    switch (node.type) {
      case "TSStringKeyword":
        return "";
      case "TSUnknownKeyword":
        return "any";
      case "TSNumberKeyword":
        return "number";
      case "TSBooleanKeyword":
        return "boolean";
      case "TSTypeOperator":
      case "TSParenthesizedType":
        return node.typeAnnotation ? this.#text({ node: node.typeAnnotation, file }) : "";
      case "TSArrayType":
        return node.elementType ? `[${this.#text({ node: node.elementType, file })}]` : "[]";
      case "TSTypeLiteral":
        return `{${this.#object({ node, file })}}`;
      case "TSTypeReference":
        return this.#reference({ node, file });
      case "TSLiteralType":
        return `\`${String(node.literal?.value)}\``;
      case "TSIndexedAccessType":
        return this.#member({ node, file });
      default:
        throw new Error(`${file}: a ${node.type} has no words`);
    }
  }

  #reference({ node, file }: Type): string {
    const name = node.typeName?.name ?? "";
    const [key, value] = node.typeArguments?.params ?? [];
    if (name === "ErrorCode") return "";
    if (name === "ErrorDetails") return "{…}";
    if (name === "Record" && key && value) {
      const keys = literals({ node: key, file }).map((one) => `\`${one}\``);
      const of = this.#text({ node: value, file });
      return keys.length > 0 ? `{${keys.join(", ")}: ${of}}` : `{…${of && `: ${of}`}}`;
    }
    if (key !== undefined && /^(NonNullable|Required)$/.test(name)) return this.#text({ node: key, file });
    if (name === "Extract" && value !== undefined) return this.#text({ node: value, file });
    const found = declared(name, file);
    if (found === null) throw new Error(`${file}: ${name} is nowhere`);
    const { node: body } = found;
    if (body.type === "TSTypeAliasDeclaration" && body.typeAnnotation && !isObject(body.typeAnnotation))
      return this.#text({ node: body.typeAnnotation, file: found.file });
    return this.#shape(name, found);
  }

  /** As `Run["settled"]` and `(typeof FORMATS)[number]`. */
  #member({ node, file }: Type): string {
    const list = moduleOf(file).lists.get(node.objectType?.typeAnnotation?.exprName?.name ?? "");
    if (list !== undefined) return list.map((word) => `\`${word}\``).join("/");
    const name = node.indexType && literals({ node: node.indexType, file })[0];
    const all = node.objectType ? fieldsOf({ node: node.objectType, file }) : [];
    const found = all.flatMap((fields) => fields.filter((field) => field.name === name));
    return [...new Set(found.map(({ type }) => this.#text(type)))].join("/");
  }

  #shape(name: string, type: Type): string {
    const whole = KINDS[name];
    if (whole !== undefined) return whole;
    if (!this.shapes.has(name)) {
      this.shapes.set(name, "");
      this.shapes.set(name, this.#object(type));
    }
    return name;
  }
}

function isObject({ type }: Node): boolean {
  return /^TS(TypeLiteral|IntersectionType|UnionType)$/.test(type);
}
