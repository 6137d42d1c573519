/**
 * What is watched of a project: each kind of file by which an agent runs code, in the project and above it up to the
 * repository's root; what agents write while they work is not; and nothing hostile in it is followed, waited for or
 * missed.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configurationDifference, type Configuration } from "../../../src/core/projects/agent-configuration.ts";
import { lookAtConfiguration, type LookOptions } from "../../../src/host/files/agent-configuration.ts";

let root: string;
let repository: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-watched-")));
  repository = join(root, "repository");
  mkdirSync(join(root, "home"));
  for (const folder of ["objects", "refs"]) mkdirSync(join(repository, ".git", folder), { recursive: true });
  writeFileSync(join(repository, ".git", "HEAD"), "ref: refs/heads/main\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
    cwd: repository,
    env: { PATH: process.env["PATH"], HOME: root, GIT_CONFIG_NOSYSTEM: "1" },
  });
}

function put(path: string, text: string | Buffer = "x", below = repository): void {
  const file = join(below, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const look = async (below = repository, options: Partial<LookOptions> = {}): Promise<Configuration> =>
  lookAtConfiguration(below, { home: join(root, "home"), ...options });
const names = async (below = repository, options: Partial<LookOptions> = {}): Promise<string[]> =>
  (await look(below, options)).entries.map(({ name }) => name);
const shown = (was: Configuration, is: Configuration): string => configurationDifference(was.entries, is.entries, "en");

const RUN = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/hooks/stop.sh",
  ".claude/hooks/deep/er/stop.py",
  ".claude/statusline.sh",
  ".claude/skills/s/SKILL.md",
  ".claude/skills/s/run.py",
  ".claude/agents/a.md",
  ".claude/agents/CLAUDE.md",
  ".claude/commands/c.md",
  ".claude/commands/AGENTS.md",
  ".claude/plugins/p/plugin.json",
  ".claude/output-styles/o.md",
  ".claude/rules/r.md",
  ".claude/workflows/w.js",
  ".claude/launch.json",
  ".claude/scheduled_tasks.json",
  ".claude/loop.md",
  ".claude/routines/r.json",
  ".claude/keybindings.json",
  ".claude/.mcp.json",
  ".claude/anything-new.toml",
  ".mcp.json",
  ".lsp.json",
  ".codex/config.toml",
  ".codex/hooks.json",
  ".codex/hooks/h.sh",
  ".codex/rules/default.rules",
  ".codex/skills/s/SKILL.md",
  ".codex/agents/a.toml",
  ".codex/prompts/p.md",
  ".codex/plugins/p/plugin.json",
  ".codex/environments/environment.toml",
  ".gemini/settings.json",
  ".gemini/.env",
  ".gemini/commands/c.toml",
  ".gemini/extensions/e/gemini-extension.json",
  ".gemini/hooks/h.sh",
  ".gemini/skills/s/SKILL.md",
  ".gemini/agents/a.md",
  ".gemini/policies/p.toml",
  ".gemini/system.md",
  ".gemini/sandbox.Dockerfile",
  ".agents/skills/s/SKILL.md",
  ".agents/skills/s/scripts/run.sh",
  ".agents/plugins/marketplace.json",
  "opencode.json",
  "opencode.jsonc",
  ".opencode/opencode.json",
  ".opencode/opencode.jsonc",
  ".opencode/plugin/p.ts",
  ".opencode/plugins/p.ts",
  ".opencode/tool/t.ts",
  ".opencode/tools/t.ts",
  ".opencode/command/c.md",
  ".opencode/agent/a.md",
  ".opencode/mode/m.md",
  ".opencode/skills/s/SKILL.md",
  ".opencode/package.json",
  ".opencode/lib/helper.ts",
];

/** In whatever folder an agent works, each of these is its own. */
const WRITTEN = [
  ".claude/worktrees/w/.claude/hooks/a.sh",
  ".claude/worktrees/w/.mcp.json",
  ".claude/plans/plan.md",
  ".claude/todos/t.json",
  ".claude/tasks/t.json",
  ".claude/sessions/s.json",
  ".claude/projects/p/s.jsonl",
  ".claude/session-env/e",
  ".claude/shell-snapshots/s.sh",
  ".claude/file-history/f",
  ".claude/checkpoints/c",
  ".claude/tmp/t",
  ".claude/cache/c",
  ".claude/logs/l",
  ".claude/debug/d.txt",
  ".claude/agent-memory/a/MEMORY.md",
  ".claude/agent-memory-local/a/MEMORY.md",
  ".claude/.cc-writes/settings.json.1",
  ".claude/scheduled_tasks.lock",
  ".claude/history.jsonl",
  ".codex/sessions/2026/s.jsonl",
  ".codex/log/l",
  ".codex/tmp/t",
  ".codex/cache/c",
  ".codex/worktrees/w/.codex/config.toml",
  ".codex/history.jsonl",
  ".gemini/tmp/t",
  ".gemini/history/h",
  ".gemini/worktrees/w/.gemini/settings.json",
  ".gemini/plans/p.md",
  ".opencode/node_modules/@opencode-ai/plugin/index.js",
  ".opencode/.gitignore",
  ".opencode/bun.lock",
  ".opencode/package-lock.json",
  ".opencode/plans/p.md",
  ".agents/tmp/t",
  "CLAUDE.md",
  "CLAUDE.local.md",
  "AGENTS.md",
  "GEMINI.md",
  ".claude/CLAUDE.md",
  ".gemini/GEMINI.md",
  ".codex/AGENTS.md",
  ".opencode/AGENTS.md",
  "src/.mcp.json",
  "src/.claude/settings.json",
  ".env",
  "settings.json",
];

describe.each([
  ["the project", "", ""],
  ["a folder above the project", "packages/app", "../../"],
])("in %s", (_name, below, up) => {
  test.each(RUN)("%s that comes, changes or goes is noticed and named, and that it is what it was", async (path) => {
    const project = join(repository, below);
    mkdirSync(project, { recursive: true });
    const none = await look(project);
    put(path, '{"a":1}\n');
    const first = await look(project);
    put(path, '{"a":2}\n');
    const second = await look(project);
    put(path, '{"a":1}\n');
    const again = await look(project);
    rmSync(join(repository, path));
    const gone = await look(project);
    expect([again.digest, gone.digest]).toEqual([first.digest, none.digest]);
    expect(new Set([none.digest, first.digest, second.digest]).size).toBe(3);
    expect([shown(none, first), shown(first, second), shown(first, gone)].map((text) => text.split("\n")[0])).toEqual([
      `=== ${up}${path} (new)`,
      `=== ${up}${path} (changed)`,
      `=== ${up}${path} (removed)`,
    ]);
  });

  test.each(WRITTEN)("%s is the agent's or the owner's own", async (path) => {
    const project = join(repository, below);
    mkdirSync(project, { recursive: true });
    put(path, "a");
    expect(await names(project)).toEqual([]);
  });
});

describe("of the folders", () => {
  test("those from the project to the repository's root are looked at, and no other", async () => {
    const project = join(repository, "packages", "app");
    mkdirSync(project, { recursive: true });
    put(".mcp.json", "{}", root);
    put(".mcp.json");
    put("packages/.claude/hooks/a.sh");
    put("packages/app/opencode.json");
    put("packages/other/.mcp.json");
    put("packages/app/src/.mcp.json");
    expect(await names(project)).toEqual(["../../.mcp.json", "../.claude/hooks/a.sh", "opencode.json"]);
    // Another repository in between is the end.
    execFileSync("git", ["init", "-q", join(repository, "packages")]);
    expect(await names(project)).toEqual(["../.claude/hooks/a.sh", "opencode.json"]);
  });

  test("without a repository only the project's own are", async () => {
    const project = join(root, "plain", "app");
    mkdirSync(project, { recursive: true });
    put(".mcp.json", "{}", dirname(project));
    put(".claude/hooks/a.sh", "x", project);
    expect(await names(project)).toEqual([".claude/hooks/a.sh"]);
    // A program that a repository's configuration names is no repository.
    mkdirSync(join(root, "plain", ".git"));
    expect(await names(project)).toEqual([".claude/hooks/a.sh"]);
  });

  test("a worktree's end at its own root", async () => {
    put("packages/app/.claude/hooks/a.sh");
    put(".mcp.json");
    git("add", "-A");
    git("commit", "-qm", "a");
    git("worktree", "add", "-q", ".claude/worktrees/w");
    put(".mcp.json", "changed");
    const worktree = join(repository, ".claude", "worktrees", "w");
    expect((await look(join(worktree, "packages", "app"))).digest).not.toBe(
      (await look(join(repository, "packages", "app"))).digest,
    );
    put(".mcp.json", "x");
    expect((await look(join(worktree, "packages", "app"))).digest).toBe(
      (await look(join(repository, "packages", "app"))).digest,
    );
    expect(await names(join(worktree, "packages", "app"))).toEqual(["../../.mcp.json", ".claude/hooks/a.sh"]);
  });

  test("the owner's home is none, also where it is the repository", async () => {
    const project = join(repository, "src", "app");
    mkdirSync(project, { recursive: true });
    for (const path of [".claude/settings.json", ".codex/config.toml", ".mcp.json", ".env", "src/.mcp.json"]) put(path);
    expect(await names(project, { home: repository, dotenv: true })).toEqual(["../.mcp.json"]);
    expect(await names(repository, { home: repository })).toEqual([]);
    symlinkSync(join(repository, ".claude", "settings.json"), join(project, "opencode.json"));
    expect(await names(project, { home: repository })).toEqual(["../.mcp.json", "link:opencode.json"]);
  });

  test("finding the root runs nothing that the repository names", async () => {
    const ran = join(root, "ran");
    writeFileSync(join(root, "run.sh"), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    git("config", "core.fsmonitor", join(root, "run.sh"));
    git("config", "core.pager", join(root, "run.sh"));
    put(".claude/settings.local.json", '{"permissions":{"allow":["Bash(ls)"]}}');
    expect((await look()).allowed).toEqual(["Bash(ls)"]);
    expect(existsSync(ran)).toBe(false);
  });
});

describe(".env", () => {
  test("is watched where an agent reads it, in each folder", async () => {
    put(".env", "A=1\n");
    put("app/.env", "B=1\n");
    const project = join(repository, "app");
    expect([await names(project, { dotenv: true }), await names(project)]).toEqual([["../.env", ".env"], []]);
    // A Python environment often has this name.
    rmSync(join(project, ".env"));
    put("app/.env/bin/python");
    expect(await names(project, { dotenv: true })).toEqual(["../.env"]);
  });

  test("is shown by its variables; the values only of those by which programs load code", async () => {
    put(
      ".env",
      '# old: API_KEY=hunter1\nAPI_KEY=hunter2\nDATABASE_URL=postgres://me:hunter3@db/app\nNODE_OPTIONS=--max-old-space-size=1\nGEMINI_API_KEY=hunter4\nPEM="first\nhunter5==\n"\n',
    );
    const none = { ...(await look()), entries: [] };
    const first = await look(repository, { dotenv: true });
    const text = shown(none, first);
    expect(text).not.toContain("hunter");
    expect(text.split("\n")).toEqual([
      "=== .env (new)",
      "+ # (not shown)",
      "+ API_KEY=(not shown)",
      "+ DATABASE_URL=(not shown)",
      "+ NODE_OPTIONS=--max-old-space-size=1",
      "+ GEMINI_API_KEY=(not shown)",
      "+ PEM=(not shown)",
      "+ (not shown)",
      "+ (not shown)",
    ]);
    put(
      ".env",
      readFileSync(join(repository, ".env"), "utf8")
        .replace("hunter2", "hunter6")
        .replace("--max-old-space-size=1", "--require ./evil.js"),
    );
    const changed = shown(first, await look(repository, { dotenv: true }));
    expect(changed).toContain("- API_KEY=(not shown)");
    expect(changed).toContain("+ API_KEY=(not shown)");
    expect(changed).toContain("+ NODE_OPTIONS=--require ./evil.js");
    expect(changed).not.toContain("hunter");
    put(".gemini/.env", "API_KEY=hunter7\n");
    expect(shown(none, await look())).not.toContain("hunter7");
  });
});

describe("what is allowed without asking", () => {
  const LOCAL = ".claude/settings.local.json";
  const allow = (...rules: unknown[]): string => JSON.stringify({ permissions: { allow: rules } });

  test("is a change in settings.json, and in a tracked settings.local.json", async () => {
    const none = await look();
    put(".claude/settings.json", allow("Bash(ls)"));
    const shared = await look();
    put(".claude/settings.json", allow("Bash(ls)", "Bash(curl *)"));
    const more = await look();
    expect(new Set([none.digest, shared.digest, more.digest]).size).toBe(3);
    expect(shown(shared, more)).toContain("curl");
    expect(more.allowed).toEqual([]);
    put(LOCAL, allow("Bash(ls)"));
    expect((await look()).digest).toBe(more.digest);
    git("add", "-f", LOCAL);
    const tracked = await look();
    expect(tracked.digest).not.toBe(more.digest);
    put(LOCAL, allow("Bash(ls)", "Bash(curl *)"));
    expect([(await look()).digest === tracked.digest, (await look()).allowed]).toEqual([false, []]);
  });

  test("is told apart in an untracked settings.local.json, in each folder, and nothing else of it is", async () => {
    const project = join(repository, "app");
    mkdirSync(project);
    const none = await look(project);
    put(LOCAL, allow("Bash(ls)", "WebFetch"));
    put(`app/${LOCAL}`, allow("Bash(ls)", "Edit"));
    const found = await look(project);
    expect([found.digest, found.allowed]).toEqual([none.digest, ["Bash(ls)", "Edit", "WebFetch"]]);
    put(`app/${LOCAL}`, JSON.stringify({ permissions: { allow: ["Edit"], defaultMode: "bypassPermissions" } }));
    const loose = await look(project);
    expect([loose.digest === none.digest, loose.allowed]).toEqual([false, ["Bash(ls)", "Edit", "WebFetch"]]);
    put(`app/${LOCAL}`, JSON.stringify({ permissions: { allow: [], defaultMode: "bypassPermissions" } }));
    expect((await look(project)).digest).toBe(loose.digest);
  });

  test("is a change where it is no list of rules, too much to tell, behind a link, or in a submodule", async () => {
    const none = await look();
    for (const text of [
      allow(1),
      '{"permissions":{"allow":"Bash"}}',
      '{"permissions":{"allow":[]',
      allow(...Array.from({ length: 3_000 }, (_, at) => `Bash(${at})`)),
      allow("a".repeat(70_000)),
    ]) {
      put(LOCAL, text);
      const found = await look();
      expect([found.digest === none.digest, found.allowed]).toEqual([false, []]);
    }
    rmSync(join(repository, LOCAL));
    put("elsewhere.json", allow("Bash"));
    symlinkSync("../elsewhere.json", join(repository, LOCAL));
    expect([(await look()).digest === none.digest, (await look()).allowed]).toEqual([false, []]);
    rmSync(join(repository, LOCAL));
    put(LOCAL, allow("Bash"));
    execFileSync("git", ["init", "-q", join(repository, ".claude")]);
    expect([(await look()).digest === none.digest, (await look()).allowed]).toEqual([false, []]);
    rmSync(join(repository, ".claude"), { recursive: true });
    put("real/settings.local.json", allow("Bash"));
    symlinkSync("real", join(repository, ".claude"));
    expect((await look()).allowed).toEqual([]);
  });

  test("without a repository is nobody else's, so it is told apart", async () => {
    const project = join(root, "plain");
    put(LOCAL, allow("Bash"), project);
    expect([(await look(project)).entries, (await look(project)).allowed]).toEqual([[], ["Bash"]]);
  });
});

describe("opencode's own dependencies", () => {
  const OWN = '{"dependencies":{"@opencode-ai/plugin":"1.2.3"}}';

  test("are none of the owner's business, and any other is", async () => {
    put(".opencode/package.json", OWN);
    expect(await names()).toEqual([]);
    put(".opencode/package.json", '{"dependencies":{"@opencode-ai/plugin":"1.2.4","zod":"4.0.0"}}');
    const mixed = await look();
    expect(shown({ ...mixed, entries: [] }, mixed)).toContain("zod");
    put(".opencode/package.json", '{"dependencies":{"@opencode-ai/plugin":"1.2.5","zod":"4.0.0"}}');
    expect((await look()).digest).toBe(mixed.digest);
    put(".opencode/package.json", '{"dependencies":{"@opencode-ai/plugin":"file:./evil"}}');
    expect(await names()).toEqual([".opencode/package.json"]);
  });

  test("are watched where the repository tracks them", async () => {
    const paths = [".opencode/node_modules/@opencode-ai/plugin/index.js", ".opencode/bun.lock"];
    paths.forEach((path) => put(path));
    expect(await names()).toEqual([]);
    git("add", "-f", "--", ...paths);
    expect(await names()).toEqual(paths.toSorted());
  });
});

describe("what is hostile", () => {
  test("a link out of the repository is named, and neither followed nor read", async () => {
    mkdirSync(join(root, "outside", "deep"), { recursive: true });
    put("outside/key", "hunter2", root);
    mkdirSync(join(repository, ".claude"), { recursive: true });
    symlinkSync(join(root, "outside"), join(repository, ".claude", "skills"));
    symlinkSync(join(root, "outside", "key"), join(repository, ".claude", "statusline.sh"));
    symlinkSync("/", join(repository, ".agents"));
    const first = await look();
    expect(first.entries.map(({ name }) => name)).toEqual([
      ".claude/statusline.sh",
      "link:.agents",
      "link:.claude/skills",
      "link:.claude/statusline.sh",
    ]);
    expect(JSON.stringify(first)).not.toContain("hunter2");
    put("outside/key", "hunter3", root);
    expect((await look()).digest).not.toBe(first.digest);
    const project = join(root, "plain");
    mkdirSync(join(project, ".claude"), { recursive: true });
    symlinkSync(repository, join(project, ".claude", "hooks"));
    expect(await names(project)).toEqual(["link:.claude/hooks"]);
  });

  test("a link inside the repository is followed, once, and may lead in a circle", async () => {
    put("tools/skills/s/SKILL.md", "a");
    mkdirSync(join(repository, ".claude"));
    mkdirSync(join(repository, ".agents"));
    symlinkSync("../tools/skills", join(repository, ".claude", "skills"));
    symlinkSync("../tools/skills", join(repository, ".agents", "skills"));
    symlinkSync("..", join(repository, "tools", "skills", "again"));
    const first = await look();
    expect(first.entries.map(({ name }) => name)).toEqual([
      ".claude/skills/s/SKILL.md",
      "link:.agents/skills",
      "link:.claude/skills",
      "link:.claude/skills/again",
    ]);
    put("tools/skills/s/SKILL.md", "b");
    expect((await look()).digest).not.toBe(first.digest);
  });

  test("pipes, and what may not be read, are named and keep nobody waiting", async () => {
    mkdirSync(join(repository, ".claude", "closed"), { recursive: true });
    execFileSync(
      "mkfifo",
      [".claude/pipe", ".mcp.json", ".codex"].map((name) => join(repository, name)),
    );
    put(".claude/closed/a", "a");
    chmodSync(join(repository, ".claude", "closed"), 0);
    const found = await look();
    chmodSync(join(repository, ".claude", "closed"), 0o755);
    // Root may read everything.
    const closed = process.getuid?.() === 0 ? ".claude/closed/a" : ".claude/closed";
    expect(found.entries.map(({ name }) => name)).toEqual([closed, ".claude/pipe", ".codex", ".mcp.json"]);
    expect(shown({ ...found, entries: [] }, found)).toContain("=== .claude/pipe (new)\n+ neither a file nor a folder");
  });

  test("ten thousand files: the folder is said to be over the limit, and every change of each is noticed", async () => {
    const file = (number: number): string =>
      `.claude/skills/s${Math.floor(number / 500)}/${String(number).padStart(5, "0")}`;
    for (let number = 0; number < 10_000; number += 500)
      mkdirSync(join(repository, dirname(file(number))), { recursive: true });
    for (let number = 0; number < 10_000; number += 1) writeFileSync(join(repository, file(number)), "a");
    const first = await look();
    expect(first.entries).toHaveLength(5_001);
    expect(shown({ ...first, entries: [] }, first)).toContain(
      "=== .claude/… (new)\n+ over the limit: 5000 more files, from ",
    );
    expect((await look()).digest).toBe(first.digest);
    for (const number of [3, 7_777, 9_999]) {
      const { atime, mtime, size } = statSync(join(repository, file(number)));
      writeFileSync(join(repository, file(number)), "b");
      utimesSync(join(repository, file(number)), atime, mtime);
      expect(size).toBe(1);
      const changed = await look();
      expect(changed.digest).not.toBe(first.digest);
      writeFileSync(join(repository, file(number)), "a");
    }
    rmSync(join(repository, ".claude"), { recursive: true });
    // Links count like files.
    mkdirSync(join(repository, ".claude"));
    for (let number = 0; number < 6_000; number += 1) symlinkSync("nowhere", join(repository, ".claude", `${number}`));
    expect((await look()).entries).toHaveLength(5_001);
  });

  test("more than can be looked at is never taken for what was seen", async () => {
    for (let number = 0; number < 30; number += 1) put(`.claude/skills/${number}`);
    const most = { entries: 5, looks: 20 };
    const first = await look(repository, { most });
    expect((await look(repository, { most })).digest).not.toBe(first.digest);
    expect(shown({ ...first, entries: [] }, first)).toContain("=== .claude/… (new)\n+ more than 20 files and folders");
  });

  test("a file of fifty megabytes is known by its content or, beyond the limit, by its size and times", async () => {
    put(".claude/skills/a.bin", "a");
    truncateSync(join(repository, ".claude/skills/a.bin"), 50_000_000);
    const first = await look();
    expect(first.entries).toEqual([
      { name: ".claude/skills/a.bin", is: expect.stringMatching(/^[0-9a-f]{64}$/) as string, size: 50_000_000 },
    ]);
    put(".claude/skills/b.bin", "a");
    truncateSync(join(repository, ".claude/skills/b.bin"), 50_000_000);
    const both = await look();
    expect(both.entries[1]?.is).toMatch(/^50000000 bytes/);
    const { atime, mtime } = statSync(join(repository, ".claude/skills/b.bin"));
    put(".claude/skills/b.bin", "b");
    truncateSync(join(repository, ".claude/skills/b.bin"), 50_000_000);
    utimesSync(join(repository, ".claude/skills/b.bin"), atime, mtime);
    expect((await look()).digest).not.toBe(both.digest);
  });

  test("deep folders are over the limit too, and a change in the deepest is noticed", async () => {
    const deep = join(".claude", ...Array.from({ length: 300 }, () => "d"), "run.sh");
    put(deep, "a");
    const first = await look();
    expect(first.entries.map(({ name }) => name)).toEqual([".claude/…"]);
    put(deep, "bb");
    expect((await look()).digest).not.toBe(first.digest);
  });
});
