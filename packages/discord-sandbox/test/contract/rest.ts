/**
 * Holds one request and its answer against Discord's own description of the operation. Requests are closed
 * (a field Discord does not describe is wrong), answers must be whole and carry a status that is described.
 * Validators are compiled when an operation is first met and kept for the process.
 */
import type { ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import type { Description, Operation, Response } from "./description.ts";
import { findingsOf, isRecord, wrong, type Finding } from "./finding.ts";
import { ajv2020 } from "./formats.ts";
import type { Route } from "./routes.ts";
import { isSchema, prepare, type Preparation, type Schema } from "./schema.ts";

export interface RestChecks {
  /** The path's variables and the query against their types. */
  parameters(route: Route, query: Record<string, unknown>): Finding[];
  /** The body a client sent; of a multipart request its `payload_json`. */
  request(route: Route, body: unknown): Finding[];
  /** The status and the body that came back. */
  answer(route: Route, status: number, body: unknown): Finding[];
}

export function restChecks(description: Description): RestChecks {
  const asked = compiler(description, true);
  const answered = compiler(description, false);
  return {
    parameters: (route, query) => parameterFindings(route, query, asked),
    request: (route, body) => requestFindings(route, body, asked),
    answer: (route, status, body) => answerFindings(description, route, status, body, answered),
  };
}

type Compile = (schema: Schema) => ValidateFunction;

/** Compiles schemas of the document, each once. */
function compiler(description: Description, closed: boolean): Compile {
  const base = closed ? "asked.json" : "answered.json";
  const how: Preparation = {
    base,
    closed,
    lookUp: (reference) => lookUp(description, reference),
    amend: (property, schema) => withForwards(closed ? documented(property, schema) : schema),
  };
  const compiled = new WeakMap<Schema, ValidateFunction>();
  let ajv: Ajv2020 | undefined;
  return (schema) => {
    ajv ??= ajv2020().addSchema({ $id: base, components: prepare(description.components, how) });
    const known = compiled.get(schema) ?? ajv.compile(prepare(schema, how) as Schema);
    compiled.set(schema, known);
    return known;
  };
}

/**
 * What the description does not have right in requests: it makes sets of permissions numbers in a request, and one of more
 * than 53 bits could not be written as a JSON number. The documentation makes them text, and text is what is taken.
 */
function documented(property: string, schema: Schema): Schema {
  const types = [schema["type"]].flat();
  if (!types.includes("integer") || !permissionSets.has(property)) return schema;
  return { type: ["string", ...types.filter((type) => type === "null")], pattern: "^[0-9]+$" };
}

/** It knows no forwards (resources/message, Message Reference Types). */
function withForwards(schema: Schema): Schema {
  return JSON.stringify(schema).includes("/MessageReferenceType")
    ? { type: ["integer", "null"], enum: [0, 1, null] }
    : schema;
}

const permissionSets: ReadonlySet<string> = new Set(["allow", "deny", "permissions", "default_member_permissions"]);

function lookUp(description: Description, reference: string): Schema {
  let found: unknown = description;
  for (const key of reference.slice(2).split("/")) found = isRecord(found) ? found[key] : undefined;
  if (!isSchema(found)) throw new Error(`the description refers to ${reference}, which it does not have`);
  return found;
}

function parameterFindings(route: Route, query: Record<string, unknown>, compile: Compile): Finding[] {
  const findings: Finding[] = [];
  for (const parameter of route.parameters) {
    const given = parameter.in === "path" ? route.values[parameter.name] : query[parameter.name];
    const at = `?${parameter.in}.${parameter.name}`;
    if (given === undefined && parameter.required === true && parameter.in !== "header")
      findings.push(wrong(at, given, "a value"));
    if (given === undefined || parameter.in === "header") continue;
    const validate = compile(parameter.schema);
    if (!readings(given).some((reading) => validate(reading)))
      findings.push(wrong(at, given, JSON.stringify(parameter.schema)));
  }
  const known = new Set(
    route.parameters.filter((parameter) => parameter.in === "query").map((parameter) => parameter.name),
  );
  for (const name of Object.keys(query).filter((key) => !known.has(key)))
    findings.push(wrong(`?query.${name}`, query[name], "no such parameter"));
  return findings;
}

/** What a text in a path or query may mean; the schema knows which it is. */
function readings(given: unknown): unknown[] {
  const list = Array.isArray(given) ? given : [given];
  const text = String(list[0]);
  const number = /^-?[0-9]+$/.test(text) ? [Number(text)] : [];
  const truth = /^(true|false)$/i.test(text) ? [text.toLowerCase() === "true"] : [];
  return [text, ...number, ...truth, list];
}

function requestFindings(route: Route, body: unknown, compile: Compile): Finding[] {
  const schema = bodySchema(route.operation);
  const empty = body === undefined || body === null || body === "";
  if (schema === undefined) return empty ? [] : [wrong("", body, "no body for this operation")];
  if (empty) return route.operation.requestBody?.required === true ? [wrong("", body, "a body")] : [];
  const forms = isSchema(schema) && Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isSchema) : [];
  const whole = validated(compile(schema), body);
  if (whole.length === 0 || forms.length === 0 || whole.some((finding) => finding.at !== "")) return whole;
  const perForm = forms.map((form) => validated(compile(form), body));
  return perForm.reduce((best, next) => (next.length < best.length ? next : best));
}

/**
 * Of the three descriptions of one body, the JSON one: a multipart's `payload_json` is that, and its files are checked
 * apart.
 */
function bodySchema(operation: Operation): Schema | undefined {
  return operation.requestBody?.content["application/json"]?.schema;
}

function validated(validate: ValidateFunction, body: unknown): Finding[] {
  return validate(body) ? [] : findingsOf(validate.errors ?? [], body);
}

function answerFindings(
  description: Description,
  route: Route,
  status: number,
  body: unknown,
  compile: Compile,
): Finding[] {
  // Discord does not describe its own failures, and a request that was cut off (0) has no answer.
  if (status >= 500 || status === 0) return [];
  const response = described(description, route.operation, status);
  if (response === undefined) {
    return [wrong("(status)", status, `one of ${Object.keys(route.operation.responses).join(", ")}`)];
  }
  const schema = response.content?.["application/json"]?.schema;
  const empty = body === undefined || body === null || body === "";
  if (schema === undefined) return empty ? [] : [wrong("", body, `an empty body with ${status}`)];
  if (status === 429) return validated(compile(schema), withCode(body));
  if (status >= 400) return errorFindings(body, validated(compile(schema), withoutErrors(body)));
  return validated(compile(schema), body);
}

function described(description: Description, operation: Operation, status: number): Response | undefined {
  const own = operation.responses[String(status)] ?? (status >= 400 ? operation.responses["4XX"] : undefined);
  return own?.$ref === undefined ? own : description.components.responses[own.$ref.split("/").at(-1) ?? ""];
}

/** The documentation shows the answer to a rate limit without a `code`, where the description demands one. */
function withCode(body: unknown): unknown {
  return isRecord(body) ? { code: 0, ...body } : body;
}

function withoutErrors(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const { errors: _errors, ...rest } = body;
  return rest;
}

/**
 * The description gives `errors` integer codes, Discord sends names (`BASE_TYPE_MAX_LENGTH`); so that part is
 * held against the documented form instead: `_errors` lists of `{code, message}`, at any depth.
 */
function errorFindings(body: unknown, others: Finding[]): Finding[] {
  if (!isRecord(body) || body["errors"] === undefined) return others;
  return [...others, ...errorTree(body["errors"], "/errors")];
}

function errorTree(node: unknown, at: string): Finding[] {
  if (!isRecord(node) || Array.isArray(node)) return [wrong(at, node, "an object of errors by field")];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key !== "_errors") return errorTree(value, `${at}/${key}`);
    const list = Array.isArray(value) && value.length > 0 && value.every(isNamedError);
    return list ? [] : [wrong(`${at}/_errors`, value, "a list of { code: NAME, message }")];
  });
}

function isNamedError(value: unknown): boolean {
  return isRecord(value) && /^[A-Z][A-Z0-9_]+$/.test(String(value["code"])) && typeof value["message"] === "string";
}
