/**
 * Holds what the gateway sends a bot against the published types of `discord-api-types`. Those are turned
 * into JSON Schemas once a version (it takes seconds) and kept under `node_modules/.cache`; objects are
 * closed there, so a field the types do not know is a breach.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createGenerator } from "ts-json-schema-generator";
import type { ValidateFunction } from "ajv";
import { findingsOf, isRecord, wrong, type Finding } from "./finding.ts";
import { ajv7 } from "./formats.ts";
import { isSchema, prepare, type Schema } from "./schema.ts";

/** A payload as it goes over the wire. */
export interface Payload {
  op: number;
  t?: string | null | undefined;
  d?: unknown;
  s?: number | null | undefined;
}

const root = fileURLToPath(new URL("../../../../node_modules/", import.meta.url));

/**
 * What Discord sends and describes (in its API's answers, in the reference of components) but the types do not know
 * yet.
 */
const alsoSent: ReadonlySet<string> = new Set([
  "GUILD_CREATE /d/home_header",
  "GUILD_CREATE /d/nsfw",
  "GUILD_CREATE /d/premium_progress_bar_enabled_user_updated_at",
  "INTERACTION_CREATE /d/channel/permissions",
]);

/** Raised when what is made of the types changes, so that an older cache is not read. */
const recipe = 4;

/** Checks one payload; what it needs is compiled when an event is first met. */
export function gatewayCheck(): (payload: Payload) => Finding[] {
  const document = typeSchemas();
  const definitions = document["definitions"] as Record<string, Schema>;
  const lookUp = (reference: string): Schema =>
    definitions[decodeURIComponent(reference.replace("#/definitions/", ""))] ?? {};
  const how = { base: "types.json", closed: false, lookUp };
  const ajv = ajv7().addSchema({ $id: "types.json", definitions: prepare(definitions, how) });
  const events = eventSchemas(lookUp);
  const compiled = new Map<string, ValidateFunction>();
  return (payload) => {
    if (payload.op !== 0) return controlFindings(payload);
    const event = String(payload.t);
    const schema = events.get(event);
    if (schema === undefined) return [wrong("/t", payload.t, "an event the types know")];
    if (!Number.isInteger(payload.s)) return [wrong("/s", payload.s, "the event's sequence number")];
    if (event === "RESUMED") return isEmpty(payload.d) ? [] : [wrong("/d", payload.d, "nothing but `_trace`")];
    const validate = compiled.get(event) ?? ajv.compile(prepare(schema, how) as Schema);
    compiled.set(event, validate);
    if (validate(payload.d)) return [];
    return findingsOf(validate.errors ?? [], payload.d)
      .map(inData)
      .filter((finding) => !alsoSent.has(`${event} ${finding.at}`));
  };
}

function inData(finding: Finding): Finding {
  return { ...finding, at: `/d${finding.at}` };
}

/** RESUMED carries nothing that is documented; Discord puts its debug list `_trace` there. */
function isEmpty(data: unknown): boolean {
  return data === null || data === undefined || (isRecord(data) && Object.keys(data).every((key) => key === "_trace"));
}

/** The payloads that are not events (topics/opcodes-and-status-codes). */
function controlFindings({ op, d, t, s }: Payload): Finding[] {
  const named = t ?? s ?? null;
  const extra = named === null ? [] : [wrong("/t", t ?? s, "null where op is not 0")];
  if (op === 1 || op === 7 || op === 11)
    return extra.concat(d === null || d === undefined ? [] : [wrong("/d", d, "null")]);
  if (op === 9)
    return extra.concat(typeof d === "boolean" ? [] : [wrong("/d", d, "whether the session can be resumed")]);
  const interval = isRecord(d) ? d["heartbeat_interval"] : undefined;
  if (op === 10)
    return extra.concat(Number.isInteger(interval) ? [] : [wrong("/d/heartbeat_interval", interval, "milliseconds")]);
  return [wrong("/op", op, "0, 1, 7, 9, 10 or 11: a gateway sends nothing else")];
}

/** Event name → the schema of its `d`. */
function eventSchemas(lookUp: (reference: string) => Schema): Map<string, Schema> {
  const resolve = (schema: Schema): Schema =>
    typeof schema["$ref"] === "string" ? resolve(lookUp(schema["$ref"])) : schema;
  const events = new Map<string, Schema>();
  const add = (schema: Schema): void => {
    const resolved = resolve(schema);
    if (Array.isArray(resolved["anyOf"])) return resolved["anyOf"].filter(isSchema).forEach(add);
    const properties = resolved["properties"] as Record<string, Schema>;
    const name = resolve(properties["t"] ?? {});
    for (const event of [name["const"] ?? name["enum"]].flat()) events.set(String(event), properties["d"] ?? {});
  };
  add({ $ref: "#/definitions/GatewayDispatchPayload" });
  return events;
}

/** The schemas of the installed types: from the cache, else made now (about four seconds). */
export function typeSchemas(): Schema {
  const versions = ["discord-api-types", "ts-json-schema-generator"].map(versionOf);
  const folder = `${root}.cache/bellhop/`;
  const file = `${folder}discord-types-${[...versions, recipe].join("-")}.json`;
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Schema;
  const made = JSON.stringify(generate());
  mkdirSync(folder, { recursive: true });
  const unfinished = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(unfinished, made);
  renameSync(unfinished, file);
  return JSON.parse(made) as Schema;
}

function versionOf(name: string): string {
  return (JSON.parse(readFileSync(`${root}${name}/package.json`, "utf8")) as { version: string }).version;
}

/** The generator brings its own TypeScript, so the compiler this repository uses does not matter here. */
function generate(): Schema {
  const type = "GatewayDispatchPayload";
  const generator = createGenerator({
    path: `${root}discord-api-types/gateway/v10.d.ts`,
    type,
    skipTypeCheck: true,
    additionalProperties: false,
    jsDoc: "none",
    expose: "all",
  });
  const schema = generator.createSchema(type) as Schema;
  const definitions = schema["definitions"] as Record<string, Schema>;
  for (const [name, definition] of Object.entries(definitions)) definitions[name] = sharpened(name, definition);
  definitions["APIMessageSnapshotFields"] = picked(definitions["APIMessageSnapshotFields"], definitions["APIMessage"]);
  return schema;
}

/** The generator loses the types of what is picked from a type that contains itself; its name says what that is. */
function picked(pick: Schema = {}, from: Schema = {}): Schema {
  const names = [...decodeURIComponent(String(pick["$ref"])).matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
  const properties = from["properties"] as Record<string, Schema>;
  const required = (from["required"] as string[]).filter((name) => names.includes(name));
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, properties[name] ?? {}])),
    required,
  };
}

/**
 * What a type cannot say: a set of flags is any sum of them (the type lists single ones), a snowflake is
 * decimal text, a permission set is a number as text, times are ISO 8601.
 */
function sharpened(name: string, definition: Schema): Schema {
  if (name.endsWith("Flags") && [definition["type"]].flat().includes("number")) return { type: "integer", minimum: 0 };
  if (name === "Snowflake") return { type: "string", format: "snowflake" };
  if (name === "Permissions") return { type: "string", pattern: "^[0-9]+$" };
  const properties = definition["properties"];
  if (!isSchema(properties)) return definition;
  // The description demands it in answers; the documentation leaves it out, and so do the types.
  const more = name === "APIUnfurledMediaItem" ? { id: { type: "string", format: "snowflake" } } : {};
  const timed = Object.entries(properties).map(([key, value]) => [
    key,
    isTime(key, value) ? { ...(value as Schema), format: "date-time" } : value,
  ]);
  return { ...definition, properties: { ...Object.fromEntries(timed), ...more } };
}

function isTime(key: string, value: unknown): boolean {
  return (
    /(^|_)timestamp$|^joined_at$|_until$/.test(key) && isSchema(value) && [value["type"]].flat().includes("string")
  );
}
