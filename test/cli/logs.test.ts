/** The end of the log, across its rotated files and whatever stands in them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { bellhop } from "../../src/cli/bellhop.ts";
import { lastLines, logLine } from "../../src/cli/logs.ts";

let state: string;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "bellhop-logs-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  mkdirSync(join(state, "logs", "job"), { recursive: true });
});

async function logs(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const code = await bellhop(["logs", ...argv], {
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
    env: { STATE_DIR: state },
  });
  return { code, ...said };
}

const record = (msg: string): string =>
  JSON.stringify({ level: "info", ts: "2026-02-26T14:21:00.000Z", pid: 1, module: "discord", msg });

test("continues into the rotated files where the newest has too few lines, oldest first", async () => {
  writeFileSync(join(state, "logs", "app.ndjson.2"), `${record("one")}\n${record("two")}\n`);
  writeFileSync(join(state, "logs", "app.ndjson.1"), `${record("three")}\n`);
  writeFileSync(join(state, "logs", "app.ndjson"), `${record("four")}\n${record("five")}\n`);
  const { code, out } = await logs("-n", "4");
  expect(code).toBe(0);
  expect(out.match(/discord: (\w+)/g)).toEqual(["discord: two", "discord: three", "discord: four", "discord: five"]);
  expect((await logs("-n", "1", "--json")).out).toBe(`${record("five")}\n`);
  expect((await logs("-n", "0")).out).toBe("");
});

test("asks the sandbox's log where it is the only one, or is asked for", async () => {
  mkdirSync(join(state, "sandbox", "logs"), { recursive: true });
  writeFileSync(join(state, "sandbox", "logs", "app.ndjson"), `${record("in the sandbox")}\n`);
  expect((await logs()).out).toContain("in the sandbox");
  writeFileSync(join(state, "logs", "app.ndjson"), `${record("outside")}\n`);
  expect((await logs()).out).toContain("outside");
  expect((await logs("--sandbox")).out).toContain("in the sandbox");
});

test("its times are in the owner's time zone, and as they are in the file with --json", async () => {
  writeFileSync(join(state, "logs", "app.ndjson"), `${record("one")}\n`);
  writeFileSync(join(state, "config.json"), '{ "version": 1, "time_zone": "Asia/Seoul" }');
  expect((await logs()).out).toBe("2026-02-26 23:21:00 info discord: one\n");
  expect((await logs("--json")).out).toContain("2026-02-26T14:21:00.000Z");
  writeFileSync(join(state, "config.json"), '{ "version": 1, "time_zone": "Asia/Soul" }');
  expect((await logs()).out).toMatch(/^2026-02-2\d \d\d:21:00 info/);
});

test("a job's log is shown as text, and no word becomes a path", async () => {
  writeFileSync(
    join(state, "logs", "job", "job_20260226_0001.log"),
    "{}\n\u001b[2J\u001b]0;owned\u0007red\r\nlast, torn",
  );
  expect(await logs("job_20260226_0001")).toEqual({ code: 0, out: "{}\nred\n\nlast, torn\n", err: "" });
  writeFileSync(join(state, "secret.log"), "secret\n");
  for (const job of ["../../secret", "job_20260226_0001/../../../secret", "job_20260226_9999", "/etc/passwd", ""]) {
    expect(await logs(job)).toMatchObject({
      code: 66,
      out: "",
      err: expect.stringMatching(/^E_JOB_NOT_FOUND: /) as string,
    });
  }
});

test("a line for a person has time, level, module, text, code and fields, and nothing a terminal obeys", () => {
  const line = logLine(
    JSON.stringify({
      level: "error",
      ts: "2026-02-26T14:21:00.000Z",
      pid: 7,
      module: "agents",
      msg: "no\u001b[2J\nmore",
      error_code: "E_CLI_TIMEOUT",
      details: { limit: 9 },
      stack: "at x",
      job_id: "j",
      list: [1],
    }),
  );
  expect(line).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d error agents: no⟨U\+001B⟩\[2J more E_CLI_TIMEOUT job_id=j list=\[1\] limit=9$/,
  );
  expect(logLine("no \u001b[31mJSON")).toBe("no ⟨U+001B⟩[31mJSON");
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.string({ unit: "binary" }),
      (value, text) =>
        !/[\x00-\x08\x0a-\x1f\x7f-\x9f]/.test(logLine(JSON.stringify(value)) + logLine(text.replace(/\n/g, ""))),
    ),
  );
});

test("the last lines of a file are those at its end, whatever their lengths and wherever the chunks are cut", () => {
  const file = join(state, "lines");
  const line = fc.oneof(
    fc.constantFrom("", "한글 👩‍👩‍👧"),
    fc.nat(200_000).map((length) => "x".repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.nat(14), fc.boolean(), (lines, count, newline) => {
      writeFileSync(file, lines.join("\n") + (newline && lines.length > 0 ? "\n" : ""));
      const whole = lines.length > 0 && !newline && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
      expect(lastLines(file, count)).toEqual(count === 0 ? [] : whole.slice(-count));
    }),
    { numRuns: 60 },
  );
  expect(lastLines(join(state, "none"), 5)).toBeUndefined();
});
