/** A window whose Claude cannot be listened to at once. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunContext } from "../../../src/agents/run/run-context.ts";
import { takeUpWindows } from "../../../src/agents/run/windows.ts";
import { silentLog, type Log } from "../../../src/base/log.ts";
import type { Window } from "../../../src/core/sessions/windows.ts";
import { defaultConfig } from "../../../src/config/config-file.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import { systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { rules, Scene, T1 } from "../../core/scene.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { asItIs } from "../../fakes/no-secrets.ts";

/** The directory of a tmux that has one pane, in which this process runs. */
function paneHere(): string {
  const place = mkdtempSync(join(tmpdir(), "bellhop-tmux-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  writeFileSync(join(place, "tmux"), `#!/bin/sh\necho '@1 %1 ${process.pid} 0 '\n`);
  chmodSync(join(place, "tmux"), 0o755);
  writeFileSync(join(place, "socket"), "");
  return place;
}

/** A session in such a pane. */
function windowIn(place: string, whose: Pick<Window, "server" | "adopted">): Scene {
  const core = new Scene().withSessions(T1);
  const start_time = systemProcessTable().read(process.pid)?.startTime ?? "";
  core.do({
    type: "open_window",
    thread_id: T1,
    ...whose,
    socket: join(place, "socket"),
    window_id: "@1",
    pane_id: "%1",
    pid: process.pid,
    start_time,
    cwd: place,
  });
  return core;
}

test.each([
  { server: "owner", adopted: true },
  { server: "own", adopted: false },
] as const)("it is tried again until it can be, and its failure is told once: $server", async (whose) => {
  const place = paneHere();
  const clock = createFakeClock();
  const engine = createEngine({
    redact: asItIs,
    state: windowIn(place, whose).state,
    append: async () => undefined,
    clock,
    rules: () => rules,
    reconcilerFailed: () => undefined,
  });
  const said: string[] = [];
  const log: Log = { ...silentLog, module: () => log, failure: (text) => void said.push(text) };
  const tried = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const rested = Promise.withResolvers<string>();
  const agents = {
    agentFacts: () => null,
    async open() {
      const attempt = tried.shift();
      attempt?.resolve();
      if (attempt) throw new Error("no room for its log");
    },
    afterTurn: async (thread_id: string) => rested.resolve(thread_id),
  };
  const config = defaultConfig();
  const machine = {
    env: { PATH: place },
    configProjects: { config },
    secrets: new Set(),
  };
  const runs = {
    machine,
    engine,
    clock,
    log,
    agents,
    drivers: new Map([["tmux", {}]]),
    folders: { granted: () => [] },
    config: () => config,
    locale: "en",
  };
  const [, second] = tried;
  const windows = takeUpWindows(runs as unknown as RunContext);
  await windows.whenIdle();
  expect(said).toEqual(["the Claude of a window cannot be listened to"]);
  await clock.advance(1_000);
  await second?.promise;
  await clock.settle();
  await clock.advance(2_000);
  expect(await rested.promise).toBe(T1);
  expect(said).toHaveLength(1);
  await windows.close();
});
