/**
 * What agents keep of a project's conversations: read anew for whoever needs it, remembered shortly for whoever asks
 * with every key.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Driver } from "../../../src/agents/contract/driver.ts";
import type { MachineContext } from "../../../src/agents/process/machine.ts";
import type { RunContext } from "../../../src/agents/run/run-context.ts";
import { openStoredConversations } from "../../../src/agents/run/stored-conversations.ts";
import { Redactor } from "../../../src/base/redact.ts";
import { defaultConfig } from "../../../src/config/config-file.ts";
import type { Project } from "../../../src/core/projects/project.ts";
import type { StoredConversation } from "../../../src/engine/live.ts";
import type { ConfigProjects } from "../../../src/engine/config-projects.ts";
import { standingDirectory } from "../../../src/host/files/kept-files.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { part } from "../../fakes/part.ts";

const kept = (key: string, at: number): StoredConversation => ({ key, at, about: `about ${key}`, said: "" });

function scene() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-kept-")));
  mkdirSync(join(home, "state"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const clock = createFakeClock();
  const stored: Record<string, StoredConversation[]> = { claude: [kept("k1", 1)], codex: [kept("k2", 2)] };
  /** Each time an agent's files were looked at. */
  const read: string[] = [];
  const looks: string[] = [];
  let reading = Promise.resolve();
  const driver = (tool: string): Driver =>
    ({
      tool,
      keyName: "session_id",
      store: () => ({
        name: tool,
        attach: () => [],
        openLook: () => (
          looks.push(tool),
          async (cwd: string) => (
            read.push(`${tool} ${cwd}`),
            await reading,
            stored[tool] ?? Promise.reject(new Error("ENOENT"))
          )
        ),
      }),
    }) as unknown as Driver;
  const machine = part<MachineContext>({
    configProjects: part<ConfigProjects>({ config: defaultConfig() }),
    env: { HOME: home },
    secrets: new Set<string>(),
  });
  const conversations = openStoredConversations(
    part<RunContext>({
      machine,
      clock,
      config: defaultConfig,
      redactor: new Redactor([]),
      directoryAt: (path) => standingDirectory(path, join(home, "state")),
      drivers: new Map(["claude", "codex", "gemini"].map((tool) => [tool, driver(tool)])),
    }),
  );
  const project = (name: string, tools = ["claude"]): Project => {
    mkdirSync(join(home, name), { recursive: true });
    return { name, path: join(home, name), default_tool: tools[0], enabled_tools: tools } as Project;
  };
  return {
    home,
    clock,
    stored,
    read,
    looks,
    conversations,
    project,
    until: (done: Promise<void>) => void (reading = done),
  };
}

const keys = (all: readonly StoredConversation[]): string[] => all.map(({ key }) => key);

test("for every key that is typed within a few seconds the files are looked at once, and then again", async () => {
  const { clock, stored, read, conversations, project } = scene();
  const app = project("app");
  expect(keys(await conversations(app, "lately"))).toEqual(["k1"]);
  stored["claude"] = [kept("k3", 3), kept("k1", 1)];
  await clock.advance(4_999);
  expect(keys(await conversations(app, "lately"))).toEqual(["k1"]);
  expect(read).toHaveLength(1);
  await clock.advance(1);
  expect(keys(await conversations(app, "lately"))).toEqual(["k3", "k1"]);
  expect(read).toHaveLength(2);
  await clock.advance(5_000);
  expect(clock.armed).toBe(0);
});

test("keys that are typed while the files are looked at wait for that, however long it takes", async () => {
  const { clock, read, conversations, project, until } = scene();
  const slow = Promise.withResolvers<void>();
  until(slow.promise);
  const app = project("app");
  const first = conversations(app, "lately");
  await clock.advance(60_000);
  const second = conversations(app, "lately");
  slow.resolve();
  expect([keys(await first), keys(await second), read.length]).toEqual([["k1"], ["k1"], 1]);
});

test("whoever is to resume one has them as they are now, and so has who types after that", async () => {
  const { clock, stored, read, conversations, project } = scene();
  const app = project("app");
  await conversations(app, "lately");
  await clock.advance(3_000);
  stored["claude"] = [];
  expect(await conversations(app)).toEqual([]);
  expect(await conversations(app, "lately")).toEqual([]);
  await clock.advance(4_000);
  expect(await conversations(app, "lately")).toEqual([]);
  expect(read).toHaveLength(2);
});

test("each project and each agent has its own, of one look into the agent's files; one whose files cannot be read has none", async () => {
  const { home, read, looks, conversations, project } = scene();
  const both = project("app", ["claude", "codex", "gemini"]);
  expect(await conversations(both, "lately")).toMatchObject([
    { key: "k2", tool: "codex", key_name: "session_id", cwd: join(home, "app") },
    { key: "k1", tool: "claude" },
  ]);
  expect(keys(await conversations(project("web"), "lately"))).toEqual(["k1"]);
  expect(await conversations({ ...both, path: join(home, "gone") }, "lately")).toEqual([]);
  expect(looks).toEqual(["claude", "codex", "gemini"]);
  expect(read.sort()).toEqual([`claude ${home}/app`, `claude ${home}/web`, `codex ${home}/app`, `gemini ${home}/app`]);
});
