import { chmodSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeDisk } from "../../src/base/disk.ts";
import { BellhopError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { threadFailures } from "../../src/discord/views/thread.ts";
import { ConfigProjects } from "../../src/engine/config-projects.ts";
import { emptyState, type RecordedEvent, type State } from "../../src/core/state.ts";
import { evolve } from "../../src/core/evolve.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { rules } from "../core/scene.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { asItIs } from "../fakes/no-secrets.ts";

let directory: string;
let path: string;
const open: ConfigProjects[] = [];
const events: RecordedEvent[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "bellhop-catalogue-"));
  path = join(directory, "config.json");
  events.length = 0;
});
afterEach(async () => {
  for (const catalogue of open.splice(0)) await catalogue.close();
  rmSync(directory, { recursive: true, force: true });
});

const project = (
  name: string,
): {
  name: string;
  path: string;
  enabled_tools: string[];
  default_tool: string;
  default_args: Record<string, string[]>;
} => ({ name, path: `/srv/${name}`, enabled_tools: ["claude"], default_tool: "claude", default_args: { claude: [] } });

/** A daemon with what the journal holds so far, before its catalogue is kept. */
function engine(): Engine {
  const state: State = emptyState();
  for (const event of events) evolve(state, event);
  return createEngine({
    redact: asItIs,
    state,
    append: async (more) => void events.push(...more),
    clock: createFakeClock(),
    rules: () => rules,
    reconcilerFailed: () => undefined,
  });
}

async function kept(of: Engine, failed: () => void = () => undefined): Promise<ConfigProjects> {
  const log = { ...silentLog, failure: failed };
  const catalogue = await ConfigProjects.open({ disk: nodeDisk, path, locale: "en", clock: createFakeClock(), log });
  open.push(catalogue);
  await catalogue.startSyncing(of);
  return catalogue;
}

const inFile = (): Record<string, unknown> =>
  (JSON.parse(readFileSync(path, "utf8")) as { projects: Record<string, unknown> }).projects;

test("what a command made is in the file, once the catalogue is closed, and not unsaved any more; every name is kept, and the next start takes it", async () => {
  const house = engine();
  const catalogue = await kept(house);
  for (const name of ["app", "constructor", "-"])
    await house.submit({ type: "create_project", project: project(name) });
  await catalogue.close();
  expect(Object.keys(inFile()).sort()).toEqual(["-", "app", "constructor"]);
  expect(inFile()["constructor"]).toMatchObject(project("constructor"));
  const next = engine();
  await kept(next);
  expect(
    Object.values(next.state.projects)
      .map(({ name, unsaved }) => [name, unsaved])
      .toSorted(),
  ).toEqual([
    ["-", false],
    ["app", false],
    ["constructor", false],
  ]);
});

test("a write that a crash cut off is finished at the next start, and what the owner wrote meanwhile stays", async () => {
  await engine().submit({ type: "create_project", project: project("app") });
  writeFileSync(path, '{\n  "version": 1,\n  "mine": "kept",\n  "projects": {}\n}\n');
  const house = engine();
  expect(house.state.projects["app"]?.unsaved).toBe(true);
  await kept(house);
  expect(readFileSync(path, "utf8")).toContain('"mine": "kept"');
  expect(inFile()["app"]).toMatchObject(project("app"));
  expect(house.state.projects["app"]?.unsaved).toBe(false);
});

test("a project that is in the file under this name already is not written over", async () => {
  await engine().submit({ type: "create_project", project: project("app") });
  const at = "2026-02-26T14:00:00.000Z";
  const own = { ...project("app"), path: "/home/me/app", created_at: at, updated_at: at };
  writeFileSync(path, JSON.stringify({ version: 1, projects: { app: own } }));
  const house = engine();
  await kept(house);
  expect(inFile()["app"]).toEqual(own);
  expect(house.state.projects["app"]?.path).toBe("/home/me/app");
});

test("a file that holds nonsense is not touched, and what was to be written is in it once it was mended", async () => {
  writeFileSync(path, '{"version":1,"projects":{}}');
  const house = engine();
  const unreadable = Promise.withResolvers<void>();
  await kept(house, unreadable.resolve);
  writeFileSync(path, "{ nonsense");
  await house.submit({ type: "create_project", project: project("app") });
  await unreadable.promise;
  expect(readFileSync(path, "utf8")).toBe("{ nonsense");
  writeFileSync(path, '{"version": 1, "projects": {}}');
  await house.until((state) => state.projects["app"]?.unsaved === false);
  expect(inFile()["app"]).toMatchObject(project("app"));
});

const THREAD = "200000000000000010";

/** A file with a channel for the project, and the daemon with a session there; what its owner chose is on disk. */
async function withChoice(): Promise<Engine> {
  const at = "2026-02-26T14:00:00.000Z";
  writeFileSync(
    path,
    `${JSON.stringify({ version: 1, mine: "kept", projects: { app: { ...project("app"), created_at: at, updated_at: at, channel_id: "200000000000000001" } } }, null, 2)}\n`,
  );
  const house = engine();
  await kept(house);
  await open.splice(0)[0]?.close();
  await house.submit({
    type: "start_session",
    request_id: "r1",
    project_name: "app",
    channel_id: "2",
    guild_id: "3",
    bot_id: "4",
  });
  await house.submit({ type: "open_session", request_id: "r1", thread_id: THREAD });
  await house.submit({ type: "choose_model", thread_id: THREAD, tool: "claude", model: "large" });
  await house.submit({ type: "choose_settings", thread_id: THREAD });
  return house;
}

const entries = (): unknown => (inFile()["app"] as { threads?: unknown })["threads"];
const isSaved = (house: Engine): Promise<unknown> =>
  house.until((state) => state.threads[THREAD]?.unsaved === undefined || null);

test("what was chosen for a thread is in the file after a crash before the write, once; through a link, with its mode, and the file then counts", async () => {
  await withChoice();
  const real = join(directory, "elsewhere.json");
  writeFileSync(real, readFileSync(path));
  rmSync(path);
  symlinkSync(real, path);
  chmodSync(real, 0o640);
  const house = engine();
  const catalogue = await kept(house);
  expect(entries()).toEqual([{ thread_id: THREAD, model: "large" }]);
  expect([lstatSync(path).isSymbolicLink(), statSync(path).mode & 0o777, house.state.threads[THREAD]]).toMatchObject([
    true,
    0o640,
    { thread_id: THREAD },
  ]);
  expect([house.state.threads[THREAD]?.models, house.state.threads[THREAD]?.unsaved]).toEqual([undefined, undefined]);
  // Before the file is read again.
  expect(catalogue.config.projects["app"]?.threads).toEqual([{ thread_id: THREAD, model: "large" }]);
  await catalogue.close();
  const text = readFileSync(path, "utf8");
  expect(text).toContain('"mine": "kept"');
  await kept(engine());
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(events.filter(({ type }) => type === "ThreadSettingsSaved")).toHaveLength(1);
});

test("a read-only file is left alone, which is said with a code; the choice holds, and is written when it may be", async () => {
  await withChoice();
  chmodSync(path, 0o400);
  const before = readFileSync(path, "utf8");
  const said = Promise.withResolvers<unknown>();
  const house = engine();
  const clock = createFakeClock();
  const failure = (text: string, error: unknown): void =>
    void (error instanceof BellhopError && error.code === "E_CONFIG_WRITE" && said.resolve(text));
  const catalogue = await ConfigProjects.open({
    disk: nodeDisk,
    path,
    locale: "en",
    clock,
    log: { ...silentLog, failure },
  });
  open.push(catalogue);
  await catalogue.startSyncing(house);
  expect(await said.promise).toContain(path);
  expect([readFileSync(path, "utf8"), house.state.threads[THREAD]?.models]).toEqual([before, { claude: "large" }]);
  await house.until(({ threads }) => threads[THREAD]?.unsaved?.failure ?? null);
  // Its thread says it once, however often it is tried.
  await clock.advance(60_000);
  for (const locale of ["en", "ko", "zh-TW", "ja"] as const)
    expect(JSON.stringify(threadFailures(house.state, THREAD, locale))).toContain("`E_CONFIG_WRITE`");
  chmodSync(path, 0o600);
  await clock.advance(60_000);
  await isSaved(house);
  expect(events.filter(({ type }) => type === "ThreadSettingsRefused")).toMatchObject([
    { payload: { thread_id: THREAD, code: "E_CONFIG_WRITE", details: { path, reason: "EACCES" } } },
  ]);
  expect(house.state.threads[THREAD]?.unsaved?.failure).toBeUndefined();
  expect(entries()).toEqual([{ thread_id: THREAD, model: "large" }]);
});
