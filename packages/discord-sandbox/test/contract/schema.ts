/**
 * Makes a JSON Schema of Discord's fit to check with and to read errors from: what a validator cannot
 * compile is taken out, a union is decided by its `type` before a form is tried, and (for what a client
 * sends) every object is closed, so that a typing error is a breach and not an ignored extra field.
 */
export type Schema = { [keyword: string]: unknown };

export interface Preparation {
  /** Where local references (`#/…`) point: the id the whole document is registered under. */
  base: string;
  /** The schema a local reference means. */
  lookUp(reference: string): Schema;
  /** Whether objects refuse fields they do not describe. */
  closed: boolean;
  /** The schema of a property where the documentation, and not the description, is right. */
  amend?(property: string, schema: Schema): Schema;
}

/** A copy of `node`, and of all below it, made ready for ajv. */
export function prepare(node: unknown, how: Preparation): unknown {
  return prepareNode(node, how, false);
}

function prepareNode(node: unknown, how: Preparation, inAllOf: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => prepareNode(item, how, inAllOf));
  if (!isSchema(node)) return node;
  const copy: Schema = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "enum" && Array.isArray(value) && value.length === 0) continue;
    if (key === "$ref" && typeof value === "string") copy[key] = value.startsWith("#") ? `${how.base}${value}` : value;
    else if ((key === "oneOf" || key === "anyOf") && Array.isArray(value))
      Object.assign(copy, prepareUnion(key, value, how));
    else if (key === "properties" && isSchema(value)) copy[key] = prepareProperties(value, how);
    else copy[key] = prepareNode(value, how, key === "allOf");
  }
  if (how.closed && !inAllOf && isObjectSchema(copy)) copy["unevaluatedProperties"] = false;
  return copy;
}

function prepareProperties(properties: Schema, how: Preparation): Schema {
  const ready = Object.entries(properties).map(([name, schema]) => {
    const described = isSchema(schema) && how.amend !== undefined ? how.amend(name, schema) : schema;
    return [name, prepareNode(described, how, false)];
  });
  return Object.fromEntries(ready) as Schema;
}

function isObjectSchema(schema: Schema): boolean {
  const type = schema["type"];
  const object = type === "object" || (Array.isArray(type) && type.includes("object"));
  return object && isSchema(schema["properties"]) && schema["additionalProperties"] === undefined;
}

function prepareUnion(keyword: string, branches: unknown[], how: Preparation): Schema {
  const schemas = branches.filter(isSchema);
  if (schemas.every((schema) => schema["const"] !== undefined))
    return { enum: schemas.map((schema) => schema["const"]) };
  return choose(keyword, schemas, tagPaths, how);
}

/** Where the tag of a union may stand, most telling first. */
const tagPaths: readonly (readonly string[])[] = [
  ["type"],
  ["data", "type"],
  ["component_type"],
  ["data", "component_type"],
  ["style"],
];

/**
 * A union as questions with one answer each. `null` is asked for first, then the tag: it must be a known one, and
 * the form it names must fit. Where no tag tells the forms apart the union stays as it was.
 */
function choose(keyword: string, branches: Schema[], paths: readonly (readonly string[])[], how: Preparation): Schema {
  const ready = (schema: Schema): Schema => prepareNode(schema, how, false) as Schema;
  const only = branches[0];
  if (only !== undefined && branches.length === 1) return { allOf: [ready(only)] };
  const rest = branches.filter((schema) => schema["type"] !== "null");
  if (rest.length < branches.length) return { if: { type: "null" }, else: choose(keyword, rest, paths, how) };
  const [path, ...further] = paths;
  if (path === undefined) return { [keyword]: branches.map(ready) };
  const groups = groupByTag(branches, path, how);
  if (groups === undefined || groups.length < 2) return choose(keyword, branches, further, how);
  const known = atPath(
    path,
    groups.flatMap((group) => group.tags),
  );
  const forms = groups.map((group) => ({
    if: { not: atPath(path, group.tags) },
    else: choose(keyword, group.branches, further, how),
  }));
  return { allOf: [known, ...forms] };
}

interface Group {
  tags: unknown[];
  branches: Schema[];
}

function groupByTag(branches: Schema[], path: readonly string[], how: Preparation): Group[] | undefined {
  const groups: Group[] = [];
  for (const branch of branches) {
    const tags = tagsAt(branch, path, how);
    if (tags === undefined) return undefined;
    const overlapping = groups.filter((group) => group.tags.some((tag) => tags.includes(tag)));
    const merged: Group = { tags: [...tags], branches: [branch] };
    for (const group of overlapping) {
      merged.tags.push(...group.tags.filter((tag) => !merged.tags.includes(tag)));
      merged.branches.unshift(...group.branches);
      groups.splice(groups.indexOf(group), 1);
    }
    groups.push(merged);
  }
  return groups;
}

/**
 * The values a schema allows at a path, or undefined where it does not say or does not demand it. `data` counts as
 * demanded: the published types leave it optional in interactions that never come without it.
 */
function tagsAt(schema: Schema, path: readonly string[], how: Preparation): unknown[] | undefined {
  const resolved = resolve(schema, how);
  const forms = resolved["oneOf"] ?? resolved["anyOf"];
  if (Array.isArray(forms)) {
    if (path.length === 0 && forms.every((form) => isSchema(form) && form["const"] !== undefined))
      return forms.map((form) => (form as Schema)["const"]);
    const each = forms.filter(isSchema).map((form) => tagsAt(form, path, how));
    return each.every((tags) => tags !== undefined) ? each.flat() : undefined;
  }
  const [key, ...deeper] = path;
  if (key === undefined) {
    if (resolved["const"] !== undefined) return [resolved["const"]];
    return Array.isArray(resolved["enum"]) ? resolved["enum"] : undefined;
  }
  const properties = resolved["properties"];
  const demanded = key === "data" || (Array.isArray(resolved["required"]) && resolved["required"].includes(key));
  const next = isSchema(properties) ? properties[key] : undefined;
  return demanded && isSchema(next) ? tagsAt(next, deeper, how) : undefined;
}

function resolve(schema: Schema, how: Preparation): Schema {
  let resolved = schema;
  while (typeof resolved["$ref"] === "string") resolved = how.lookUp(resolved["$ref"]);
  return resolved;
}

function atPath(path: readonly string[], tags: unknown[]): Schema {
  const [key, ...deeper] = path;
  if (key === undefined) return { enum: [...new Set(tags)] };
  return { type: "object", required: [key], properties: { [key]: atPath(deeper, tags) } };
}

/** Whether a value is an object a schema can be read from. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
