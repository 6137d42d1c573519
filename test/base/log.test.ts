import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { BellhopError } from "../../src/base/errors.ts";
import { openLog, type Log } from "../../src/base/log.ts";
import { Redactor } from "../../src/base/redact.ts";

const SECRET = "MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.abc/def+ghi_jklmnopqrstuvwxyz";
const clock: Clock = { now: () => Date.UTC(2026, 1, 26, 14, 21), monotonic: () => 0, after: () => () => undefined };

let home: string;
let shown: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bellhop-log-"));
  shown = "";
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(directory = join(home, "logs")): Log {
  return openLog({ directory, stderr: { write: (text) => (shown += text) }, redactor: new Redactor([SECRET]), clock });
}

function lines(): Record<string, unknown>[] {
  const text = readFileSync(join(home, "logs", "app.ndjson"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("the log", () => {
  test("is one JSON object a line, with level, time, module and text", () => {
    const log = open();
    log.module("discord").info("connected", { shard: 0 });
    log.close();
    expect(lines()).toEqual([
      {
        level: "info",
        ts: "2026-02-26T14:21:00.000Z",
        pid: process.pid,
        module: "discord",
        shard: 0,
        msg: "connected",
      },
    ]);
  });

  test("is readable by its owner only, and so is its directory", () => {
    open().close();
    expect(statSync(join(home, "logs")).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, "logs", "app.ndjson")).mode & 0o777).toBe(0o600);
  });

  test("gives every failure its code, details and stack, and an unforeseen one E_INTERNAL", () => {
    const log = open();
    log.failure("no", new BellhopError("E_QUEUE_FULL", { limit: 20 }, { cause: new Error("inner") }));
    log.failure("no", new TypeError("x is undefined"));
    log.failure("no", "thrown text");
    log.close();
    const [first, second, third] = lines();
    expect(first).toMatchObject({ level: "error", error_code: "E_QUEUE_FULL", details: { limit: 20 } });
    expect(first?.["cause"]).toContain("inner");
    expect(second).toMatchObject({ error_code: "E_INTERNAL" });
    expect(second?.["stack"]).toContain("log.test.ts");
    expect(third).toMatchObject({ error_code: "E_INTERNAL", thrown: "thrown text" });
  });

  test.each(["ENOSPC", "EDQUOT"])(
    "names a call that failed with %s by the full disk, not as a fault of ours",
    (code) => {
      const log = open();
      log.failure("no", Object.assign(new Error(`${code}: write`), { code }));
      log.close();
      expect(lines()).toMatchObject([{ error_code: "E_DISK_FULL" }]);
    },
  );

  test("shows no secret in any form, anywhere in a line", () => {
    const log = open();
    log.info(`token ${SECRET}`, {
      url: encodeURIComponent(SECRET),
      nested: { deep: [SECRET] },
      header: Buffer.from(`Bot ${SECRET}`).toString("base64"),
    });
    log.failure("failed", new Error(`with ${SECRET}`));
    log.close();
    const all = readFileSync(join(home, "logs", "app.ndjson"), "utf8") + shown;
    expect(all).not.toContain("abc/def");
    expect(all).not.toContain("abc%2Fdef");
    expect(Buffer.from(String((lines()[0] as { header: string }).header), "base64").toString("latin1")).not.toContain(
      "Gabcde",
    );
    expect(all).toContain("[redacted]");
  });

  test("shows a person one short line, without the stack and without what a terminal obeys", () => {
    const log = open();
    log.module("agents").failure("agent\x1b[2J said\nmore", new BellhopError("E_ADAPTER_PARSE"));
    expect(shown).toMatch(/^\d\d:\d\d:00 error agents: agent⟨U\+001B⟩\[2J said more error_code=E_ADAPTER_PARSE\n$/);
  });

  test("keeps debug lines out unless they are asked for", () => {
    const log = open();
    log.debug("detail");
    log.warn("strange", { error_code: "E_OWNER_ONLY" });
    log.close();
    expect(lines().map(({ level }) => level)).toEqual(["warn"]);
  });

  test.skipIf(process.platform !== "linux")("continues when the disk is full, and says so once", () => {
    symlinkSync("/dev/full", join(home, "app.ndjson"));
    const log = open(home);
    log.info("one");
    log.info("two");
    expect(shown.match(/The log cannot be written/g)).toHaveLength(1);
    expect(shown).toContain("two");
  });
});
