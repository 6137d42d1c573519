/** What people copy: the example of `.mcp.json` and the text for `CLAUDE.md` name what there is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isVariable } from "../../../src/config/env-files.ts";
import { tools } from "../../../src/client/mcp/server.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const example = readFileSync(join(root, "mcp.json.example"), "utf8");
const guide = readFileSync(join(root, "docs", "mcp.md"), "utf8");
const { mcpServers } = JSON.parse(example) as {
  mcpServers: Record<string, { command: string; env: Record<string, string> }>;
};

test("the example starts a command of the package, with variables it reads, and the two of old are among them", () => {
  const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { bin: Record<string, string> };
  for (const { command, env } of Object.values(mcpServers)) {
    expect(bin).toHaveProperty([command]);
    expect(Object.keys(env).filter((name) => !isVariable(name))).toEqual([]);
    expect(env).toMatchObject({
      DISCORD_BOT_TOKEN: expect.any(String) as string,
      DISCORD_CHANNEL_ID: expect.any(String) as string,
    });
  }
});

test("the guide shows the example as it is", () => {
  const [, block = ""] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(JSON.parse(block)).toEqual(JSON.parse(example));
});

test("the guide's table has every tool with every parameter, and no other", () => {
  const rows = [...guide.matchAll(/^\| `(discord_\w+)` \| (.*) \|$/gm)].map(([, name, text = ""]) => [
    name,
    [...text.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word),
  ]);
  const ours = tools.map(({ name, input }) => [name, Object.keys(input.shape)]);
  const parameters = new Set(ours.flatMap(([, names]) => names));
  expect(rows.map(([name, words = []]) => [name, [...words].filter((word) => parameters.has(word))])).toEqual(ours);
});

test("the text for CLAUDE.md speaks of tools and fields that exist, and of our server", () => {
  const [, snippet = ""] = /```markdown\n([\s\S]*?)```/.exec(guide) ?? [];
  const named = [...new Set([...snippet.matchAll(/discord_\w+/g)].map(([word]) => word))];
  expect(named.length).toBeGreaterThanOrEqual(5);
  expect(named.filter((word) => !tools.some(({ name }) => name === word))).toEqual([]);
  for (const server of Object.keys(mcpServers)) expect(snippet).toContain(`\`${server}\``);
});
