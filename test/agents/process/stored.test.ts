/**
 * What agents keep of conversations, in the form in which the tried versions write it, and whatever else stands there.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { conversationsIn } from "../../../src/agents/process/stored/records.ts";
import { stores } from "../../../src/agents/process/stores.ts";

const CWD = "/srv/my.app";
const ID = "027172ef-414c-4273-8822-4999e1aaa9ab";
const OTHER = "127172ef-414c-4273-8822-4999e1aaa9ab";

class Home {
  readonly path = mkdtempSync(join(tmpdir(), "bellhop-stored-"));

  constructor() {
    onTestFinished(() => rmSync(this.path, { recursive: true }));
  }

  write(name: string, lines: readonly object[], atSeconds = 1_000): string {
    const file = join(this.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    utimesSync(file, atSeconds, atSeconds);
    return file;
  }

  async list(vendor: "claude" | "codex" | "gemini", env: Record<string, string> = {}, cwd = CWD) {
    return stores[vendor].openLook({ HOME: this.path, ...env })(cwd);
  }
}

const claude = {
  user: (content: unknown, more: object = {}) => ({
    parentUuid: null,
    isSidechain: false,
    type: "user",
    message: { role: "user", content },
    cwd: CWD,
    gitBranch: "main",
    ...more,
  }),
  said: (text: string, more: object = {}) => ({
    isSidechain: false,
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text }] },
    cwd: CWD,
    gitBranch: "feature",
    ...more,
  }),
};
const claudeFile = (id = ID, directory = "-srv-my-app"): string => `.claude/projects/${directory}/${id}.jsonl`;

const codex = {
  meta: (more: object = {}) => ({
    type: "session_meta",
    payload: {
      id: ID,
      cwd: CWD,
      thread_source: "user",
      git: { branch: "main" },
      base_instructions: { text: "x".repeat(20_000) },
      ...more,
    },
  }),
  message: (role: string, text: string) => ({
    type: "response_item",
    payload: { type: "message", role, content: [{ type: "input_text", text }] },
  }),
};
const codexFile = (id = ID, day = "2026/11/25"): string =>
  `.codex/sessions/${day}/rollout-2026-11-25T12-11-12-${id}.jsonl`;

const gemini = {
  begin: (more: object = {}) => ({ sessionId: ID, kind: "main", ...more }),
  message: (type: string, content: unknown) => ({ id: "1", type, content }),
};

test("Claude Code's: its first prompt, its last words, its branch", async () => {
  const home = new Home();
  home.write(claudeFile(), [
    { type: "queue-operation", operation: "enqueue", content: "fix it" },
    claude.user("<command-name>/clear</command-name>"),
    claude.user("Caveat: what follows", { isMeta: true }),
    claude.user("fix the flaky test\nplease"),
    claude.said("I look first"),
    claude.user([{ type: "tool_result", content: "ok" }]),
    claude.said("Fixed."),
    claude.said("a subagent's", { isSidechain: true }),
  ]);
  expect(await home.list("claude")).toEqual([
    { key: ID, at: 1_000_000, about: "fix the flaky test\nplease", said: "Fixed.", branch: "feature" },
  ]);
  expect(await home.list("claude", { CLAUDE_CONFIG_DIR: join(home.path, ".claude"), HOME: "/nowhere" })).toHaveLength(
    1,
  );
});

test.each([
  [[{ type: "summary", summary: "by Claude, of old" }], "by Claude, of old"],
  [
    [
      { type: "summary", summary: "old" },
      { type: "ai-title", aiTitle: "by Claude" },
    ],
    "by Claude",
  ],
  [
    [
      { type: "ai-title", aiTitle: "by Claude" },
      { type: "custom-title", customTitle: "by its owner" },
      { type: "ai-title", aiTitle: "again" },
    ],
    "by its owner",
  ],
])("a title of Claude Code's conversation: %j", async (titles, about) => {
  const home = new Home();
  home.write(claudeFile(), [claude.user("hello"), ...titles]);
  expect(await home.list("claude")).toMatchObject([{ about }]);
});

test("Claude Code's: the last written to first; no other directory's, none without a prompt, nothing that is no record", async () => {
  const home = new Home();
  home.write(claudeFile(ID), [claude.user("older")], 1_000);
  home.write(claudeFile(OTHER), [claude.user("newer", { gitBranch: "HEAD" })], 2_000);
  // `/srv/my-app` has a directory of the same name.
  home.write(claudeFile("227172ef-414c-4273-8822-4999e1aaa9ab"), [claude.user("elsewhere", { cwd: "/srv/my-app" })]);
  home.write(claudeFile("327172ef-414c-4273-8822-4999e1aaa9ab"), [{ type: "mode", cwd: CWD }]);
  home.write(claudeFile("agent-a1"), [claude.user("a subagent")]);
  home.write(claudeFile(ID, "-srv-other"), [claude.user("other")]);
  const place = join(home.path, ".claude/projects/-srv-my-app");
  mkdirSync(join(place, "427172ef-414c-4273-8822-4999e1aaa9ab.jsonl"));
  symlinkSync(join(place, `${ID}.jsonl`), join(place, "527172ef-414c-4273-8822-4999e1aaa9ab.jsonl"));
  execFileSync("mkfifo", [join(place, "627172ef-414c-4273-8822-4999e1aaa9ab.jsonl")]);
  writeFileSync(join(place, "727172ef-414c-4273-8822-4999e1aaa9ab.jsonl"), '{"type":"user"');
  const found = await home.list("claude");
  expect(found.map(({ about }) => about)).toEqual(["newer", "older"]);
  expect(found[0]).not.toHaveProperty("branch");
});

test("of a record of megabytes both ends are read, and a first prompt that is too long for it is left out", async () => {
  const home = new Home();
  const file = home.write(claudeFile(), [claude.user("the beginning")]);
  appendFileSync(
    file,
    Array.from(
      { length: 3_000 },
      (_, index) => `${JSON.stringify(claude.said(`${index} ${"x".repeat(1_000)}`))}\n`,
    ).join(""),
  );
  appendFileSync(file, `${JSON.stringify(claude.said("the end"))}\n{"type":"assist`);
  expect(await home.list("claude")).toMatchObject([{ about: "the beginning", said: "the end", branch: "feature" }]);
  home.write(claudeFile(), [{ cwd: CWD }, claude.user("x".repeat(200_000)), claude.said("done")]);
  expect(await home.list("claude")).toMatchObject([{ key: ID, about: "", said: "done" }]);
});

test("a record that cannot be read keeps none of the others from being offered", async () => {
  const files = ["/a", "/b"].map((path) => ({ path, at: 1, bytes: 1 }));
  const read = async ({ path }: { path: string }) =>
    path === "/a" ? Promise.reject(new Error("EACCES")) : { key: path, at: 1, about: "", said: "" };
  expect((await conversationsIn(files, read)).map(({ key }) => key)).toEqual(["/b"]);
});

test("however many records there are, few are looked at together, so that the journal's writes do not wait", async () => {
  const files = Array.from({ length: 100 }, (_, place) => ({ path: `/${place}`, at: 1, bytes: 1 }));
  let [open, most] = [0, 0];
  const found = await conversationsIn(files, async ({ path }) => {
    most = Math.max(most, (open += 1));
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return { key: path, at: 1, about: "", said: "" };
  });
  expect([found.length, most]).toEqual([100, 32]);
});

test("a long path of Claude Code's has a name that is cut off", async () => {
  const home = new Home();
  const cwd = `/srv/${"long/".repeat(60)}app`;
  const name = cwd.replace(/[^A-Za-z0-9]/g, "-");
  home.write(claudeFile(ID, `${name.slice(0, 200)}-1a2b3c`), [claude.user("deep", { cwd })]);
  expect(await home.list("claude", {}, cwd)).toMatchObject([{ key: ID, about: "deep" }]);
});

test("Codex's: by the directory in the first line; no subagent's, and not what Codex puts before the first prompt", async () => {
  const home = new Home();
  home.write(codexFile(), [
    codex.meta(),
    codex.message("developer", "<skills>"),
    codex.message("user", "<environment_context>"),
    codex.message("user", "# AGENTS.md instructions for /srv"),
    codex.message("user", "explain the build"),
    codex.message("assistant", "It builds."),
  ]);
  home.write(
    codexFile(OTHER, "2025/01/02"),
    [codex.meta({ id: OTHER, git: undefined, thread_source: undefined }), codex.message("user", "of last year")],
    2_000,
  );
  home.write(codexFile("227172ef-414c-4273-8822-4999e1aaa9ab"), [
    codex.meta({ cwd: `${CWD}/deeper` }),
    codex.message("user", "deeper"),
  ]);
  home.write(codexFile("327172ef-414c-4273-8822-4999e1aaa9ab"), [
    codex.meta({ thread_source: "subagent" }),
    codex.message("user", "a subagent's"),
  ]);
  home.write(codexFile("427172ef-414c-4273-8822-4999e1aaa9ab"), [codex.meta()]);
  expect(await home.list("codex")).toEqual([
    { key: OTHER, at: 2_000_000, about: "of last year", said: "" },
    { key: ID, at: 1_000_000, about: "explain the build", said: "It builds.", branch: "main" },
  ]);
  expect(await home.list("codex", { CODEX_HOME: join(home.path, ".codex"), HOME: "/nowhere" })).toHaveLength(2);
});

test("Codex's: links that lead in a circle are not followed", async () => {
  const home = new Home();
  home.write(codexFile(), [codex.meta(), codex.message("user", "explain the build")]);
  const sessions = join(home.path, ".codex/sessions");
  for (const name of ["2026/again", "2026/once more", "2026/11/third"]) symlinkSync(sessions, join(sessions, name));
  expect((await home.list("codex")).map(({ about }) => about)).toEqual(["explain the build"]);
});

test("Gemini's: by the path beside its chats", async () => {
  const home = new Home();
  home.write(".gemini/tmp/my-app/chats/session-1.jsonl", [
    gemini.begin(),
    { $set: {} },
    gemini.message("user", [{ text: "<session_context>" }]),
    gemini.message("user", [{ text: "summarise" }]),
    gemini.message("gemini", "Done."),
  ]);
  home.write(".gemini/tmp/my-app/chats/session-2.jsonl", [
    gemini.begin({ kind: "subagent" }),
    gemini.message("user", "a subagent's"),
  ]);
  home.write(".gemini/tmp/my-app/chats/session-3.jsonl", [gemini.begin()]);
  home.write(".gemini/tmp/other/chats/session-1.jsonl", [gemini.begin(), gemini.message("user", "other")]);
  writeFileSync(join(home.path, ".gemini/tmp/my-app/.project_root"), CWD);
  writeFileSync(join(home.path, ".gemini/tmp/other/.project_root"), "/srv/other");
  mkdirSync(join(home.path, ".gemini/tmp/bin"));
  // A pipe in a file's place keeps nobody waiting.
  mkdirSync(join(home.path, ".gemini/tmp/piped"));
  execFileSync("mkfifo", [join(home.path, ".gemini/tmp/piped/.project_root")]);
  expect(await home.list("gemini")).toEqual([{ key: ID, at: 1_000_000, about: "summarise", said: "Done." }]);
});

test.each(["latest", "3", "my thread", "--last", ""])(
  "a record that calls its conversation %j is none: its program would take another one",
  async (id) => {
    const home = new Home();
    home.write(codexFile(), [codex.meta({ id }), codex.message("user", "explain the build")]);
    home.write(".gemini/tmp/my-app/chats/session-1.jsonl", [
      gemini.begin({ sessionId: id }),
      gemini.message("user", "summarise"),
    ]);
    writeFileSync(join(home.path, ".gemini/tmp/my-app/.project_root"), CWD);
    expect([await home.list("codex"), await home.list("gemini")]).toEqual([[], []]);
  },
);

test("Codex's of all projects lie together, and are looked through once for all of them", async () => {
  const home = new Home();
  home.write(codexFile(), [codex.meta(), codex.message("user", "explain the build")]);
  home.write(codexFile(OTHER), [codex.meta({ id: OTHER, cwd: "/srv/web" }), codex.message("user", "explain the page")]);
  const look = stores.codex.openLook({ HOME: home.path });
  expect(await look(CWD)).toMatchObject([{ about: "explain the build" }]);
  home.write(codexFile("227172ef-414c-4273-8822-4999e1aaa9ab"), [
    codex.meta({ id: "227172ef-414c-4273-8822-4999e1aaa9ab", cwd: "/srv/web" }),
    codex.message("user", "later"),
  ]);
  expect(await look("/srv/web")).toMatchObject([{ about: "explain the page" }]);
  expect(await home.list("codex", {}, "/srv/web")).toHaveLength(2);
});

test.each(["claude", "codex", "gemini"] as const)("where %s has kept nothing, that is an error", async (vendor) => {
  await expect(new Home().list(vendor)).rejects.toThrow("ENOENT");
});
