/**
 * A backup is made beside a running daemon and put into an empty directory: the daemon there goes on with sessions, queue
 * and answers. What is not a whole backup, or would overwrite something, changes nothing.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, gzipSync } from "node:zlib";
import { packTar, type TarHeader } from "modern-tar";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { configure, kept, recorded } from "./workshop.ts";
import { hasSmallDisks } from "./small-disk.ts";
import { crashNotice, openWorld } from "./world.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs");

interface Printed {
  code: number | null;
  out: string;
  err: string;
}

function bellhop(argv: readonly string[], env: Record<string, string>, prefix: readonly string[] = []): Printed {
  const [command = "", ...rest] = [...prefix, process.execPath, program, "backup", ...argv];
  const { status, stdout, stderr } = spawnSync(command, rest, {
    env: { PATH: "/usr/bin:/bin", ...env },
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

test("another machine goes on with what a backup of a working daemon holds", async () => {
  const world = await openWorld();
  const shop = join(world.home, "shop");
  mkdirSync(shop);
  configure(world, (config) =>
    Object.assign(config.projects, { shop: { ...config.projects.app, name: "shop", path: shop } }),
  );
  const first = world.daemon();
  await first.ready;
  const [busy, other] = [await world.session(), await world.session()];
  await world.marked((await world.owner(other).send("echo:done before")).id, "✅");
  await world.owner(busy).send("hang:");
  await world.owner(busy).send("count:behind");
  await kept(world, "I am thinking");
  await recorded(world, ({ payload }) => payload["prompt"] === "count:behind");
  const outputs = join(world.stateDir, "outputs", other);
  writeFileSync(join(outputs, "한글 picture.png"), "bytes");
  symlinkSync("/etc/passwd", join(outputs, "passwd"));

  const file = join(world.home, "copy.tar.gz");
  const made = bellhop([file], { STATE_DIR: world.stateDir, HOME: world.home });
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(made.out).toContain(`Left out, because it is a link or not a regular file: ${join(outputs, "passwd")}`);
  expect(made.out).toContain(
    `What else the other machine needs: the bot token and the settings in ${world.home}/.config`,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const names = execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).split("\n");
  expect(names).toEqual(expect.arrayContaining(["events.ndjson", "config.json"]));
  expect(names.filter((name) => /lock|sock|reserve|snapshot|gateway|logs|tmp$/.test(name))).toEqual([]);
  await first.kill("SIGKILL");
  for (const { pid, prompt } of world.agentStarts()) if (prompt === "hang:") process.kill(pid, "SIGKILL");

  const home = mkdtempSync(join(tmpdir(), "bellhop-other-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const env = { HOME: home, STATE_DIR: join(home, "state") };
  rmdirSync(shop);
  const restored = bellhop(["--restore", file], env);
  expect(restored).toMatchObject({ code: 0, err: "" });
  expect(restored.out).toMatch(/The project shop is unavailable/);
  expect(restored.out).toContain("The old Bellhop must not run any more");
  expect(readdirSync(home)).toEqual(["state"]);
  expect(readFileSync(join(env.STATE_DIR, "outputs", other, "한글 picture.png"), "utf8")).toBe("bytes");
  expect(existsSync(join(env.STATE_DIR, "outputs", other, "passwd"))).toBe(false);

  const there = { ...world, stateDir: env.STATE_DIR };
  const second = world.daemon({ env });
  await second.ready;
  expect(second.stderr()).toMatch(/The project shop is unavailable/);
  await recorded(there, ({ type }) => type === "JobMarkedUnknownAfterCrash");
  await world.saying(busy, crashNotice);
  const results = join(env.STATE_DIR, "results");
  expect(readdirSync(results).some((name) => readFileSync(join(results, name), "utf8").includes("done before"))).toBe(
    true,
  );
  await world.owner(busy).send("count:next");
  await world.saying(busy, (said) => said.some(({ content }) => content.includes("did next")));
  const prompts = world.agentStarts().map(({ prompt }) => /(?:count|hang|echo):[\w ]*/.exec(prompt)?.[0]);
  expect(prompts).toEqual(["echo:done before", "hang:", "count:behind", "count:next"]);
});

describe("without a daemon", () => {
  const line = (seq: number): string => {
    const event = `{"seq":${seq},"ts":"2026-02-26T14:21:00.000Z","type":"A","payload":{}`;
    return `${event},"crc":"${crc32(`${event}}`).toString(16).padStart(8, "0")}"}\n`;
  };
  const LINE = line(1);
  let home = "";
  let file = "";
  let env: Record<string, string> = {};

  /** An archive of these files with these contents. */
  const archive = async (entries: (Partial<TarHeader> & { name: string; body?: string })[]): Promise<void> => {
    const packed = entries.map(({ body = "", ...header }) => ({ header: { size: body.length, ...header }, body }));
    writeFileSync(file, gzipSync(await packTar(packed)));
  };

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "bellhop-backup-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    file = join(home, "copy.tar.gz");
    env = { HOME: home, STATE_DIR: join(home, "state") };
  });

  function fill(): void {
    mkdirSync(join(home, "state", "results"), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, "state", "events-000000000001.ndjson"), LINE);
    // The last event lacks its newline: it counts all the same.
    writeFileSync(join(home, "state", "events.ndjson"), line(2) + line(3).trimEnd());
    writeFileSync(join(home, "state", "results", "job_1.md"), randomBytes(300_000));
  }

  test("a file that is there is overwritten only when told, and nothing but the copy is left beside it", () => {
    expect(bellhop([file], env)).toMatchObject({
      code: 66,
      err: expect.stringContaining("E_JOURNAL_MISSING") as string,
    });
    fill();
    writeFileSync(file, "mine");
    expect(bellhop([file], env)).toMatchObject({ code: 73, err: expect.stringContaining("--overwrite") as string });
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(bellhop([file, "--overwrite"], env).code).toBe(0);
    expect(bellhop([join(home, "state", "copy.tar.gz")], env).code).toBe(73);
    expect(bellhop([join(home, "none", "copy.tar.gz")], env)).toMatchObject({ code: 73 });
    expect(readdirSync(home).sort()).toEqual(["copy.tar.gz", "state"]);
    writeFileSync(join(home, "state", "events.ndjson"), line(2).replace("26T", "27T"));
    expect(bellhop([file, "--overwrite"], env)).toMatchObject({ code: 65 });
  });

  test("a backup goes only into an empty directory, whole", () => {
    fill();
    expect(bellhop([file], env).code).toBe(0);
    const before = readFileSync(join(home, "state", "results", "job_1.md"));
    expect(bellhop(["--restore", file], env)).toMatchObject({
      code: 73,
      err: expect.stringContaining("the state directory is not empty") as string,
    });
    rmSync(join(home, "state"), { recursive: true });
    mkdirSync(join(home, "state"), { mode: 0o700 });
    expect(bellhop(["--restore", file], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining("up to event 3") as string,
      err: "",
    });
    expect(readFileSync(join(home, "state", "results", "job_1.md"))).toEqual(before);
    expect(statSync(join(home, "state")).mode & 0o777).toBe(0o700);
  });

  test.each([
    ["cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["altered", (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 2000), randomBytes(9), bytes.subarray(2009)])],
    ["no archive at all", () => Buffer.from("not an archive")],
    ["empty", () => Buffer.alloc(0)],
  ])("an archive that is %s changes nothing", (_, damage) => {
    fill();
    expect(bellhop([file], env).code).toBe(0);
    writeFileSync(file, damage(readFileSync(file)));
    rmSync(join(home, "state"), { recursive: true });
    expect(bellhop(["--restore", file], env)).toMatchObject({
      code: 73,
      err: expect.stringContaining("it is damaged, or not a .tar.gz") as string,
    });
    expect(readdirSync(home).flatMap((name) => (name === "state" ? readdirSync(join(home, name)) : name))).toEqual([
      "copy.tar.gz",
    ]);
  });

  test.each<[string, Partial<TarHeader> & { name: string; body?: string }, RegExp]>([
    ["a path out of it", { name: "../out" }, /it holds \.\.\/out/],
    ["a path out of a folder", { name: "results/../../out" }, /it holds results/],
    ["an absolute path", { name: "/tmp/bellhop-out" }, /it holds \/tmp/],
    ["a symbolic link", { name: "results/a", type: "symlink", linkname: "/etc" }, /it holds results\/a/],
    ["a hard link", { name: "results/a", type: "link", linkname: "/etc/passwd" }, /it holds results\/a/],
    ["a device", { name: "results/a", type: "character-device" }, /it holds results\/a/],
    ["a folder", { name: "results/a/", type: "directory" }, /it holds results\/a/],
    ["a lock", { name: "lock.1", body: "x" }, /it holds lock\.1/],
    ["hooks", { name: "hooks/settings/a", body: "x" }, /it holds hooks/],
    ["a name twice", { name: "events.ndjson", body: "" }, /EEXIST/],
    ["a file that is a folder", { name: "results/job.md/a", body: "x" }, /results\/job\.md/],
    ["another journal", { name: "events-000000000009.ndjson", body: LINE }, /its journal is damaged/],
  ])("an archive with %s is refused whole", async (_, entry, says) => {
    await archive([{ name: "events.ndjson", body: LINE }, { name: "results/job.md", body: "x" }, entry]);
    const { code, err } = bellhop(["--restore", file], env);
    expect([code, err]).toEqual([73, expect.stringMatching(says)]);
    expect(readdirSync(home).filter((name) => name.startsWith(".") || name === "out")).toEqual([]);
    expect(readdirSync(join(home, "state"))).toEqual([]);
  });

  test("an archive without a journal is refused", async () => {
    await archive([{ name: "config.json", body: "{}" }]);
    expect(bellhop(["--restore", file], env).err).toContain("it holds no journal");
  });

  test.skipIf(!hasSmallDisks)("on a full disk nothing is left of either", () => {
    fill();
    expect(bellhop([file], env).code).toBe(0);
    const small = join(home, "small");
    mkdirSync(small);
    const mounted = [
      "unshare",
      "-rm",
      "sh",
      "-c",
      'mount -t tmpfs -o size=128k tmpfs "$0" && "$@"; ls -A "$0" >&2',
      small,
    ];
    const full = bellhop([join(small, "copy.tar.gz")], env, mounted);
    expect(full.err).toBe(
      `E_BACKUP_REFUSED: Nothing was written. ${small}/copy.tar.gz: the disk is full. Free up space, then run this again.\n`,
    );
    const there = bellhop(["--restore", file], { ...env, STATE_DIR: join(small, "state") }, mounted);
    expect(there.err).toBe(
      `E_BACKUP_REFUSED: Nothing was written. ${small}/state: the disk is full. Free up space, then run this again.\nstate\n`,
    );
  });
});
