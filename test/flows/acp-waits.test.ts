/** An agent that must not be opened twice within a minute: its owner is told why his message waits, and until when. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { descriptionOf } from "./workshop.ts";
import { openWorld } from "./world.ts";

const root = path.join(import.meta.dirname, "..", "..");

test("a message after a restart says when it is given to Gemini, and can be cancelled until then", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "bellhop-gemini-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = path.join(folder, "gemini");
  symlinkSync(path.join(root, "test", "fakes", "agents", "acp.mjs"), program);
  const world = await openWorld({
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: { commands: { acp: [process.execPath, program, "load"] } },
  });
  // The daemons' minute has just begun.
  const shift = 1_000 - (Date.now() % 60_000);
  const env = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`const real=Date.now;Date.now=()=>real()+(${shift});`)}`,
  };
  const daemon = world.daemon({ env });
  await daemon.ready;
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("echo one")).id, "✅");
  await daemon.kill("SIGKILL");
  await world.daemon({ env }).ready;
  const { id } = await world.owner(thread).send("echo two");
  const told = await world.saying(thread, (said) => said.map(descriptionOf).find((text) => text.includes("⏳")));
  const [, at = "0"] =
    /would lose this conversation if it were opened twice within a minute\. It gets your message <t:(\d+):R>\./.exec(
      told,
    ) ?? [];
  expect(Number(at) % 60).toBe(1);
  await (await world.owner(thread).slash("cancel")).answer();
  await world.marked(id, "🚫");
});
