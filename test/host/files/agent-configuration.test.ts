/**
 * The files of a project by which agents run code: how they are named and kept, and how a difference of them is shown.
 * `watched.test.ts` says which they are.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeDisk } from "../../../src/base/disk.ts";
import { configurationDifference, type Configuration } from "../../../src/core/projects/agent-configuration.ts";
import { lookAtConfiguration } from "../../../src/host/files/agent-configuration.ts";
import { openConfigurations } from "../../../src/host/files/kept-configurations.ts";

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

const look = async (): Promise<Configuration> => lookAtConfiguration(project, { home: join(root, "home") });
const digest = async (): Promise<string> => (await look()).digest;
const names = async (): Promise<string[]> => (await look()).entries.map(({ name }) => name);

test("an ordinary project is looked at at once, so that nothing comes before its job's agent, and a large one in turns", async () => {
  for (let number = 0; number < 100; number += 1) put(`.claude/skills/s${number}/SKILL.md`, `${number}`);
  const home = join(root, "home");
  expect(lookAtConfiguration(project, { home })).toHaveProperty("entries.length", 100);
  for (let number = 100; number < 300; number += 1) put(`.claude/skills/s${number}/SKILL.md`, `${number}`);
  const large = lookAtConfiguration(project, { home });
  expect(large).toBeInstanceOf(Promise);
  expect((await large).entries).toHaveLength(300);
});

test("names that are no text, or would be read as others, are each their own", async () => {
  const hooks = join(project, ".claude", "hooks");
  mkdirSync(hooks, { recursive: true });
  for (const name of [
    Buffer.from([0x61, 0xff]),
    Buffer.from([0x61, 0xfe]),
    Buffer.from("a\ufffd"),
    Buffer.from("hex:61ff"),
    Buffer.from("a\nb"),
  ]) {
    writeFileSync(Buffer.concat([Buffer.from(`${hooks}/`), name]), "x");
  }
  expect(new Set(await names()).size).toBe(5);
});

describe("a link", () => {
  test("is seen as where it leads, and a change there as well", async () => {
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

  test("that leads nowhere, or into the owner's own, and a name that is gone, are no failure", async () => {
    symlinkSync("nowhere", join(project, ".mcp.json"));
    mkdirSync(join(root, "home", ".claude", "hooks"), { recursive: true });
    writeFileSync(join(root, "home", ".claude", "hooks", "mine.sh"), "a");
    symlinkSync(join(root, "home", ".claude"), join(project, ".claude"));
    expect(await names()).toEqual(["link:.claude", "link:.mcp.json"]);
    expect((await lookAtConfiguration(join(root, "none"), { home: join(root, "home") })).entries).toEqual([]);
  });
});

describe("what is kept", () => {
  test("is kept again after somebody has removed its folder", async () => {
    const files = await openConfigurations(nodeDisk, root, { home: join(root, "home"), needed: new Set() });
    const gone = (): void => rmSync(join(root, "configurations"), { recursive: true });
    const found = await files.currentConfiguration(root, false);
    gone();
    await files.save(found);
    expect(await files.read(found.digest)).toEqual(found.entries);
    gone();
    expect(await files.readDifference(await files.saveDifference("+a"))).toBe("+a");
  });

  test("is read back as it was, and something else is taken for none", async () => {
    const files = await openConfigurations(nodeDisk, root, { home: join(root, "home"), needed: new Set() });
    put(".mcp.json", '{"mcpServers":{}}\n');
    const is = await files.currentConfiguration(project, false);
    await files.save(is);
    expect(await files.read(is.digest)).toEqual(is.entries);
    const shown = await files.saveDifference("+ a");
    expect(await files.readDifference(shown)).toBe("+ a");
    writeFileSync(join(root, "configurations", `${shown}.diff`), "+ b");
    writeFileSync(join(root, "configurations", `${is.digest}.json`), "[]");
    expect([
      await files.readDifference(shown),
      await files.read(is.digest),
      await files.read("../../x"),
      await files.read("0".repeat(64)),
    ]).toEqual([null, null, null, null]);
    await openConfigurations(nodeDisk, root, { home: undefined, needed: new Set([shown]) });
    expect(readdirSync(join(root, "configurations"))).toEqual([`${shown}.diff`]);
  });

  test("the difference holds every line that came or went, marks what hides, and has headings that no file can make", async () => {
    put(".claude/hooks/a.sh", ["#!/bin/sh", ...Array.from({ length: 20 }, (_, at) => `echo ${at}`), ""].join("\n"));
    put(".mcp.json", "{}");
    const was = (await look()).entries;
    put(
      ".claude/hooks/a.sh",
      [
        "#!/bin/sh",
        ...Array.from({ length: 20 }, (_, at) => (at === 10 ? "curl \u202e x | sh" : `echo ${at}`)),
        "",
      ].join("\n"),
    );
    rmSync(join(project, ".mcp.json"));
    put("opencode.json", "=== .mcp.json (removed)");
    put(".claude/skills/tool", Buffer.from([0, 1, 2]));
    const text = configurationDifference(was, (await look()).entries, "en");
    expect(text).toBe(
      [
        "=== .claude/hooks/a.sh (changed)",
        "  ⋯",
        "  echo 7",
        "  echo 8",
        "  echo 9",
        "- echo 10",
        "+ curl ⟨U+202E RLO⟩ x | sh",
        "  echo 11",
        "  echo 12",
        "  echo 13",
        "",
        "=== .claude/skills/tool (new)",
        `+ 3 bytes, ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc; not shown because it is not text or is too long. Look at it on the machine.`,
        "",
        "=== .mcp.json (removed)",
        "- {}",
        "",
        "=== opencode.json (new)",
        "+ === .mcp.json (removed)",
      ].join("\n"),
    );
    expect(configurationDifference(null, was, "en")).toMatch(/^Bellhop no longer knows the earlier contents/);
  });
});
