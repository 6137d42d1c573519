import { chmod, mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { programNow, versionOf, which } from "../../../src/host/processes/which.ts";
import { folder, quick } from "../scene.ts";

async function program(script: string): Promise<{ path: string; file: string }> {
  const path = await folder();
  const file = join(path, "agent");
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { path, file };
}

describe("what a program is now", () => {
  it("is another when it is updated: in place, by another file, behind its link, or the script that it runs", async () => {
    const { path, file } = await program("one");
    const script = join(path, "script.mjs");
    await writeFile(script, "1");
    const link = join(path, "linked");
    await symlink(file, link);
    const now = (): (string | null)[] => [
      programNow(["agent"], path),
      programNow(["linked"], path),
      programNow(["agent", script, "--acp"], path),
    ];
    const first = now();
    expect(now()).toEqual(first);
    expect(first).not.toContain(null);
    await utimes(file, 1, 1);
    const [updated, linked] = now();
    expect([updated === first[0], linked === first[1]]).toEqual([false, false]);
    await writeFile(join(path, "next"), "#!/bin/sh\n", { mode: 0o755 });
    await rename(join(path, "next"), file);
    expect(programNow(["agent"], path)).not.toBe(updated);
    const before = now()[2];
    await writeFile(script, "22");
    expect(now()[2]).not.toBe(before);
    const target = now()[1];
    await rm(link);
    await symlink(script, link);
    await chmod(script, 0o755);
    expect(now()[1]).not.toBe(target);
  });

  it("is unknown while it is not there, and the same whatever lies in a folder that it is given", async () => {
    const { path, file } = await program("");
    const asked = (): string | null => programNow(["agent", path], path);
    const before = asked();
    await writeFile(join(path, "more"), "");
    expect(asked()).toBe(before);
    await rm(file);
    expect(asked()).toBeNull();
  });
});

describe("looking for a program", () => {
  it("gives the first executable file in PATH, absolute", async () => {
    const { path, file } = await program("");
    expect(await which("agent", `/nonexistent:${path}:/bin`)).toBe(file);
    expect(await which(file, "")).toBe(file);
  });

  it("passes over what may not be run: a plain file, a directory", async () => {
    const { path, file } = await program("");
    await chmod(file, 0o644);
    await mkdir(join(path, "folder"));
    const asRoot = process.getuid?.() === 0;
    expect(await which("agent", path)).toBe(null);
    expect(await which("folder", path)).toBe(null);
    expect(await which(join(path, "folder"), path)).toBe(null);
    expect(asRoot || (await which(file, "")) === null).toBe(true);
  });

  it("never looks in a relative directory, where the files are the agent's", async () => {
    const { path } = await program("");
    const before = process.cwd();
    process.chdir(path);
    const found = await which("agent", ".::sub");
    process.chdir(before);
    expect(found).toBe(null);
    expect(await which("../agent", path)).toBe(null);
    expect(await which("", path)).toBe(null);
    expect(await which("agent", undefined)).toBe(null);
  });
});

describe("the version of a program", () => {
  const ask = async (script: string, withinMs?: number): Promise<string | null> => {
    const { file, path } = await program(script);
    const more = withinMs === undefined ? {} : { withinMs };
    return await versionOf({
      processes: quick(),
      clock: systemClock,
      file,
      cwd: path,
      env: { PATH: "/bin:/usr/bin" },
      ...more,
    });
  };

  it("is the first one it prints", async () => {
    expect(await ask("echo hello; echo '2.1.329 (Claude Code)'; echo 9.9.9")).toBe("2.1.329");
    expect(await ask("echo codex-cli v0.169.0-beta.1")).toBe("0.169.0-beta.1");
  });

  it("is unknown when it prints none or fails", async () => {
    expect(await ask("echo none")).toBe(null);
    expect(await ask("exit 3")).toBe(null);
  });

  it("is unknown when it takes too long; nobody waits for it", async () => {
    expect(await ask("sleep 600", 50)).toBe(null);
  });
});
