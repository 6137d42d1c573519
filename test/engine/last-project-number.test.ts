/** The number of the last project is kept in snapshots too. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../../src/base/disk.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Command } from "../../src/core/slices.ts";
import type { State } from "../../src/core/state.ts";
import { openJournaledEngine } from "../../src/engine/engine.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createApp } from "../core/scene.ts";

const rules = {
  max_queue_per_session: 1,
  global_max_running: 1,
  after_crash: "wait",
  resume_after_limit: "ask",
  max_prompt_chars: 1,
} as const;

/** What a daemon that is given these commands has at its end. */
async function daemon(dir: string, ...commands: Command[]): Promise<State> {
  const { engine, journal } = await openJournaledEngine({
    dir,
    disk: nodeDisk,
    clock: systemClock,
    log: silentLog,
    rhythm: { everyEvents: 1, everyMs: 0 },
    rules: () => rules,
    reserve: {
      full: false,
      freeReserve: async () => undefined,
      watch: () => () => undefined,
      close: async () => undefined,
    },
    redact: (value) => value,
  });
  for (const command of commands) await engine.submit(command);
  await journal.close();
  return engine.state;
}

const forget: Command[] = [
  { type: "projects_saved", names: ["app"] },
  { type: "adopt_projects", projects: [] },
];

test("no number is given twice across restarts, with a snapshot", async () => {
  const dir = mkdtempSync(path.join(tmpdir(), "bellhop-numbers-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  await daemon(dir, createApp, ...forget);
  expect(JSON.parse(readFileSync(path.join(dir, "snapshot.json"), "utf8"))).toMatchObject({ last_project_number: 1 });
  const second = await daemon(dir, createApp, ...forget);
  expect(second.last_project_number).toBe(2);
  const third = await daemon(dir, createApp);
  expect(third.projects["app"]?.number).toBe(3);
});
