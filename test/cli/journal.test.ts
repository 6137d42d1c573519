/** Which journal the verb looks at: the one of the settings, or the sandbox's. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bellhop } from "../../src/cli/bellhop.ts";

async function verified(state: string, ...argv: string[]): Promise<number> {
  let out = "";
  await bellhop(["journal", "verify", "--json", ...argv], { stdout: { write: (text) => (out += text) }, stderr: { write: () => true }, env: { STATE_DIR: state } });
  return (JSON.parse(out) as { bytes: number }).bytes;
}

test("the sandbox's journal is looked at where it is the only one, or is asked for; a directory without one is not called intact for it", async () => {
  const state = mkdtempSync(join(tmpdir(), "bellhop-journal-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  mkdirSync(join(state, "sandbox"));
  expect(await verified(state)).toBe(0);
  writeFileSync(join(state, "sandbox", "events.ndjson"), "not an event\n");
  expect(await verified(state)).toBe(13);
  writeFileSync(join(state, "events.ndjson"), "");
  expect(await verified(state)).toBe(0);
  expect(await verified(state, "--sandbox")).toBe(13);
});
