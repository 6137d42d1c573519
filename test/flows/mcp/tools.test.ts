/**
 * The list of tools as the built program gives it to the protocol's own clients, held against the list that agents have
 * been used to since before it was made from schemas. A result may have gained fields; nothing else has changed.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kinds, openClient, type ListedTool } from "./clients.ts";

const before = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "fixtures", "mcp", "tools.json"), "utf8"),
) as ListedTool[];

test.each(kinds)("a client of %s is offered the same tools with the same parameters as ever", async (kind) => {
  const folder = mkdtempSync(join(tmpdir(), "bellhop-tools-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const client = await openClient(
    kind,
    { PATH: "/usr/bin:/bin", HOME: folder, STATE_DIR: join(folder, "state") },
    folder,
  );
  const listed = await client.list();
  expect(listed).toMatchObject(before);
  // Of what is sent, nothing more is asked for either.
  expect(listed.map(inputOf)).toEqual(before.map(inputOf));
  expect(
    listed.map(({ name, outputSchema }) => [name, Object.keys(outputSchema?.properties ?? {}), outputSchema?.required]),
  ).toEqual(
    before.map(({ name, outputSchema }) => [name, Object.keys(outputSchema?.properties ?? {}), outputSchema?.required]),
  );
});

function inputOf({ name, title, description, inputSchema, annotations }: ListedTool): unknown {
  return { name, title, description, inputSchema, annotations };
}
