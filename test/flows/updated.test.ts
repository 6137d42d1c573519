/**
 * An update puts other files in the place of the daemon's while it runs: what it needs of its own is loaded by then.
 */
import { execFile } from "node:child_process";
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { answer, press } from "./asked.ts";
import { openWorld } from "./world.ts";

const root = path.join(import.meta.dirname, "..", "..");

/** A copy of what is built, which can be updated. */
function installed(home: string): string {
  const files = path.join(home, "bellhop");
  for (const name of ["bin", "dist", "package.json", "scripts"])
    cpSync(path.join(root, name), path.join(files, name), { recursive: true });
  return files;
}

test("a daemon whose files are gone answers, asks, and shows an answer as Markdown", async () => {
  const world = await openWorld({
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: { commands: { acp: [process.execPath, path.join(root, "dist", "demo-agent.js")] } },
  });
  const files = installed(world.home);
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

test("doctor says that a daemon is older than what is installed in its place, until it is restarted", async () => {
  const world = await openWorld();
  const files = installed(world.home);
  const daemonSays = (): Promise<{ verdict: string; says: string } | undefined> =>
    new Promise((resolve, reject) => {
      const argv = [path.join(files, "bin", "bellhop.cjs"), "doctor", "--json"];
      execFile(process.execPath, argv, { env: world.env, encoding: "utf8" }, (_error, out, err) => {
        if (out === "") return reject(new Error(err));
        const { findings } = JSON.parse(out) as { findings: { check: string; verdict: string; says: string }[] };
        resolve(findings.find(({ check }) => check === "daemon"));
      });
    });
  const daemon = world.daemon({ files });
  await daemon.ready;
  expect(await daemonSays()).toMatchObject({ verdict: "good" });
  const manifest = path.join(files, "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/"version": "[^"]+"/, '"version": "99.0.0"'));
  appendFileSync(path.join(files, "dist", "daemon.js"), "\n");
  expect(await daemonSays()).toMatchObject({
    verdict: "warn",
    says: expect.stringMatching(
      /The daemon \d+\.\d+\.\d+ is running .* has been updated since it started, to 99\.0\.0\./,
    ) as string,
  });
  await daemon.kill("SIGTERM");
  await world.daemon({ files }).ready;
  expect(await daemonSays()).toMatchObject({ verdict: "good", says: expect.stringContaining("99.0.0") as string });
});
