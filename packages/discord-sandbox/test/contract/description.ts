/**
 * Finds Discord's own OpenAPI description of its API. It is data for tests and not part of the repository:
 * where it is missing the checks that need it are left out, and the run says so; in the full run
 * (`BELLHOP_TEST_ALL=1`) a missing file is an error.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Schema } from "./schema.ts";

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Response>;
}

export interface Response {
  $ref?: string;
  content?: Record<string, { schema: Schema }>;
}

export type PathItem = { parameters?: Parameter[] } & Record<string, Operation>;

export interface Description {
  paths: Record<string, PathItem>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
}

/** Where the description is looked for: the file named by `DISCORD_OPENAPI`, else beside the repository. */
export function descriptionFile(): string {
  const beside = new URL("../../../../../shared/data/discord-openapi.json", import.meta.url);
  return process.env["DISCORD_OPENAPI"] ?? fileURLToPath(beside);
}

/**
 * The description, or undefined where the file is missing, which is said once on standard error.
 * @throws where it is missing in a full run, or is not what it should be.
 */
export function readDescription(): Description | undefined {
  const file = descriptionFile();
  if (existsSync(file)) return parse(readFileSync(file, "utf8"), file);
  const sentence = `Discord's OpenAPI description is not at ${file}; set DISCORD_OPENAPI to its path`;
  if (process.env["BELLHOP_TEST_ALL"] === "1") throw new Error(sentence);
  process.stderr.write(`SKIPPED: requests and answers are not held against Discord's own description: ${sentence}\n`);
  return undefined;
}

function parse(text: string, file: string): Description {
  const value = JSON.parse(text) as Partial<Description>;
  if (value.paths === undefined || value.components === undefined)
    throw new Error(`${file} is not an OpenAPI description`);
  return value as Description;
}
