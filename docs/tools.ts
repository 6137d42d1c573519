/** The tools for agents as a table, made from the schemas that their clients get, for `docs/mcp.md`. */
import { tools } from "../src/client/mcp/server.ts";
import { jsonSchema } from "../src/protocol/tools.ts";

interface Field {
  type?: string | string[];
  enum?: string[];
  default?: unknown;
  maxLength?: number;
  maxItems?: number;
  maximum?: number;
  items?: Field;
}

const PART = /(<!-- tools: [^>]*-->\n)[\s\S]*?(<!-- \/tools -->)/;

/** The page with the table in its place. */
export function withTools(page: string): string {
  return page.replace(PART, (_, begin: string, end: string) => `${begin}${table()}${end}`);
}

function table(): string {
  const rows = tools.map(
    ({ name, title, input }) => `| \`${name}\` | ${title}. ${parameters(fieldsOf(jsonSchema(input)))} |`,
  );
  return ["| Tool | What it does, and what it takes |", "|---|---|", ...rows, ""].join("\n");
}

function parameters(fields: Record<string, Field>): string {
  const all = Object.entries(fields).map(([name, field]) => `\`${name}\`${limits(field)}`);
  return all.length === 0 ? "It takes nothing." : `${all.join(", ")}.`;
}

/** The default and the limits of one parameter, in brackets. */
function limits({ enum: values, default: otherwise, maxLength, maxItems, maximum, items }: Field): string {
  const facts = [
    ...(values === undefined ? [] : [values.map((value) => `\`${value}\``).join(", ")]),
    ...(maxLength === undefined ? [] : [`up to ${grouped(maxLength)} characters`]),
    ...(maxItems === undefined
      ? []
      : [`up to ${grouped(maxItems)}, each up to ${grouped(items?.maxLength ?? 0)} characters`]),
    ...(maximum === undefined ? [] : [`up to ${grouped(maximum)}`]),
    ...(otherwise === undefined ? [] : [`default \`${JSON.stringify(otherwise)}\``]),
  ];
  return facts.length === 0 ? "" : ` (${facts.join("; ")})`;
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}

function fieldsOf(schema: Record<string, unknown>): Record<string, Field> {
  return schema["properties"] as Record<string, Field>;
}
