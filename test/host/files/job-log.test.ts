import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Redactor } from "../../../src/base/redact.ts";
import { openJobLog } from "../../../src/host/files/job-log.ts";
import { folder } from "../scene.ts";

const fail = (error: Error): void => expect.fail(error.message);
const bytes = (text: string): Buffer => Buffer.from(text);

describe("a job's log", () => {
  it("holds what the agent wrote as it was, in a file only its owner can read", async () => {
    const directory = await folder();
    const log = openJobLog({ directory, jobId: "job_1", redactor: new Redactor([]), onFailure: fail });
    log.stdout(bytes('{"a":1}\nnot json \u001b[0m'));
    log.stdout(Buffer.from([0xff, 0x0a]));
    log.stderr(bytes("warning\n"));
    await log.close();
    const file = join(directory, "job", "job_1.log");
    expect(await readFile(file)).toEqual(
      Buffer.concat([bytes('{"a":1}\nnot json \u001b[0m'), Buffer.from([0xff, 0x0a]), bytes("warning\n")]),
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, "job"))).mode & 0o777).toBe(0o700);
  });

  it("keeps a line whole while the other stream writes", async () => {
    const directory = await folder();
    const log = openJobLog({ directory, jobId: "job_1", redactor: new Redactor(["0\nsecret-value"]), onFailure: fail });
    log.stderr(bytes("took 4"));
    log.stdout(bytes('{"a":'));
    log.stderr(bytes("40\n"));
    log.stdout(bytes("1}\n{"));
    log.writeNote("a note");
    log.stderr(bytes("and more\nwithout an end"));
    log.stdout(bytes('"b":2}\n'));
    await log.close();
    const lines = (await readFile(join(directory, "job", "job_1.log"), "utf8")).split("\n");
    expect(lines.toSorted()).toEqual(
      ["bellhop: a note", "took 440", '{"a":1}', "and more", '{"b":2}', "without an end"].toSorted(),
    );
  });

  it("shows a line without an end before the file is closed once it is long", async () => {
    const directory = await folder();
    const log = openJobLog({ directory, jobId: "job_1", redactor: new Redactor([]), onFailure: fail });
    const file = join(directory, "job", "job_1.log");
    for (let written = 0; written < 200; written += 1) log.stdout(bytes("x".repeat(1000)));
    while ((await stat(file).catch(() => ({ size: 0 }))).size < 130_000);
    await log.close();
    expect((await stat(file)).size).toBe(200_000);
  });

  it("never holds a secret, also where the two streams take turns in the middle of it", async () => {
    const directory = await folder();
    const log = openJobLog({ directory, jobId: "job_1", redactor: new Redactor(["secret-value"]), onFailure: fail });
    log.stdout(bytes("a secret-"));
    log.stderr(bytes("b sec"));
    log.stdout(bytes("value c\n"));
    log.stderr(bytes("ret-value d\n"));
    log.writeNote("e secret-value");
    log.stdout(bytes("secret"));
    await log.close();
    const text = await readFile(join(directory, "job", "job_1.log"), "utf8");
    expect(text).not.toContain("secret-");
    expect(text).not.toContain("value");
    expect(text.match(/\[redacted\]/g)).toHaveLength(3);
    expect(text.endsWith("secret")).toBe(true);
  });

  it("stops at its cap and says so, once", async () => {
    const directory = await folder();
    const log = openJobLog({ directory, jobId: "job_1", redactor: new Redactor([]), capBytes: 10, onFailure: fail });
    for (let i = 0; i < 5; i += 1) log.stdout(bytes("123456"));
    await log.close();
    const text = await readFile(join(directory, "job", "job_1.log"), "utf8");
    expect(text).toBe("1234561234\nbellhop: this log is full (10 bytes); what follows is left out\n");
  });

  it("that cannot be written tells so once and stops nothing", async () => {
    const told: Error[] = [];
    const log = openJobLog({
      directory: "/dev/null",
      jobId: "job_1",
      redactor: new Redactor([]),
      onFailure: (error) => told.push(error),
    });
    log.stdout(bytes("x"));
    await log.close();
    log.stdout(bytes("y"));
    expect(told).toHaveLength(1);
  });
});
