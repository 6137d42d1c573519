/**
 * An update puts other files in the place of the daemon's while it runs: what it needs of its own is loaded by then.
 */
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { answer, press } from "./asked.ts";
import { openWorld } from "./world.ts";

const root = path.join(import.meta.dirname, "..", "..");

test("a daemon whose files are gone answers, asks, and shows an answer as Markdown", async () => {
  const world = await openWorld({
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: { commands: { acp: [process.execPath, path.join(root, "dist", "demo-agent.js")] } },
  });
  const files = path.join(world.home, "bellhop");
  for (const name of ["bin", "dist", "package.json", "scripts"])
    cpSync(path.join(root, name), path.join(files, name), { recursive: true });
  const daemon = world.daemon({ files });
  await daemon.ready;
  await daemon.told(/an agent was found/);
  rmSync(path.join(files, "dist"), { recursive: true });
  const thread = await world.session();
  const { id } = await world.owner(thread).send("write note.md hello");
  const asked = { world, daemon, thread, id };
  await press(asked, "Allow once");
  expect(await answer(asked, "I wrote")).toBe("I wrote note.md.");
  await world.marked(id, "✅");
  expect(daemon.stderr()).not.toMatch(/ERR_MODULE_NOT_FOUND|E_INTERNAL/);
});
