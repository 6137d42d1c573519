/** What the machine says of a request that rules judge: real files, links and folders, and Claude Code's own files. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../../src/base/digest.ts";
import type { RuleFacts } from "../../../src/core/rules/judge.ts";
import { emptyState, type State } from "../../../src/core/state.ts";
import { factsFor } from "../../../src/host/files/rule-facts.ts";
import { createApp, Scene, T1 } from "../../core/scene.ts";

interface Machine {
  dir: string;
  state: State;
  facts(tool: string, input: object, cwd?: string | null): Promise<RuleFacts>;
}

function machine(args: string[] = []): Machine {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-facts-")));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, "app", "src"), { recursive: true });
  symlinkSync(join(dir, "app"), join(dir, "link"));
  const scene = new Scene();
  const project = { ...createApp.project, path: join(dir, "link"), default_args: { claude: args } };
  scene.do({ ...createApp, project });
  const { state } = scene.withSessions(T1);
  return {
    dir,
    state,
    facts(tool, input, cwd) {
      const bytes = JSON.stringify({ tool, input });
      const subject = { tool, title: "", sha256: digestOf(bytes), pages: 1, grant_until: "" };
      const asker = { by: "job", job_id: "none", request_id: "r" } as const;
      const asked = { kind: "permission", thread_id: T1, asker, bytes } as const;
      const about = { ...asked, subject: { ...subject, ...(cwd !== undefined && { cwd }) } };
      return factsFor(state, about, join(dir, ".claude.json"));
    },
  };
}

test("it knows the real path of the project, of where a command starts, and of each path that is named", async () => {
  const { dir, facts } = machine();
  const app = join(dir, "app");
  symlinkSync(join(dir, "secret"), join(app, "away"));
  mkdirSync(join(dir, "secret"));
  symlinkSync(join(dir, "nowhere"), join(app, "dangling"));
  symlinkSync("loop", join(app, "loop"));
  const read = async (path: string): Promise<string | null | undefined> =>
    (await facts("Read", { file_path: path })).real.get(path);
  expect(await facts("Bash", { command: "ls" }, join(dir, "link", "src"))).toMatchObject({
    ...{ thread_id: T1, project: "app", root: app, cwd: join(app, "src"), definition: null },
  });
  expect(await read(join(dir, "link", "src"))).toBe(join(app, "src"));
  expect(await read(join(app, "new", "file.ts"))).toBe(join(app, "new", "file.ts"));
  expect(await read(join(app, "away", "key"))).toBe(join(dir, "secret", "key"));
  for (const name of ["dangling", "dangling/file", "loop", "loop/file"])
    expect(await read(join(app, name)), name).toBeNull();
});

test("it knows which of the names are files, through links too", async () => {
  const { dir, facts } = machine();
  const app = join(dir, "app");
  writeFileSync(join(app, "a.ts"), "");
  symlinkSync("a.ts", join(app, "b.ts"));
  const { files } = await facts("Bash", { command: "rg x a.ts b.ts src new.ts" }, app);
  expect([...files]).toEqual(["a.ts", "b.ts"]);
});

test("nothing is allowed where it is not sure where it starts, where something waits, or where there is no project", async () => {
  const { dir, state, facts } = machine();
  expect((await facts("Bash", { command: "ls" }, null)).root).toBeNull();
  rmSync(join(dir, "link"));
  expect((await facts("Bash", { command: "ls" }, dir)).root).toBeNull();
  symlinkSync(join(dir, "app"), join(dir, "link"));
  expect((await facts("Bash", { command: "ls" }, dir)).root).toBe(join(dir, "app"));
  const thread = state.threads[T1];
  if (thread)
    thread.wait = { kind: "changed", job_id: "j", digest: "d", place: { project_name: "app", was: "a", is: "b" } };
  expect((await facts("Bash", { command: "ls" }, dir)).root).toBeNull();
  const nowhere = { kind: "permission", thread_id: T1, asker: { by: "job", job_id: "j", request_id: "r" } } as const;
  const unknown = await factsFor(emptyState(), { ...nowhere, subject: null, bytes: null }, "/nowhere");
  expect(unknown).toMatchObject({ project: null, root: null });
});

test("the digest of an MCP server is of all that defines it; unknown where something else may", async () => {
  const { dir, facts } = machine();
  const definition = async (): Promise<string | null> => (await facts("mcp__my_server__run", { q: 1 })).definition;
  const define = (file: string, content: object): void => writeFileSync(join(dir, file), JSON.stringify(content));
  expect(await definition()).toBeNull();
  define("app/.mcp.json", { mcpServers: { "my server": { command: "a" }, other: { command: "b" } } });
  const first = await definition();
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  define("app/.mcp.json", { mcpServers: { "my server": { command: "a" }, other: { command: "c" } } });
  expect(await definition()).toBe(first);
  define("app/.mcp.json", { mcpServers: { "my server": { command: "evil" } } });
  expect(await definition()).not.toBe(first);
  define("app/.mcp.json", { mcpServers: { "my server": { command: "a" } } });
  define(".claude.json", { projects: { [join(dir, "app")]: { mcpServers: { my_server: { command: "x" } } } } });
  expect(await definition()).not.toBe(first);
  const own = machine(["--mcp-config", "x.json"]);
  writeFileSync(join(own.dir, "app", ".mcp.json"), JSON.stringify({ mcpServers: { my_server: {} } }));
  expect((await own.facts("mcp__my_server__run", { q: 1 })).definition).toBeNull();
});
