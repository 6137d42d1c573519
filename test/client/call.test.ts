/** The caller: what it is told when there is no daemon, and how it outlives one that is started again. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { BellhopError } from "../../src/base/errors.ts";
import { openCaller } from "../../src/client/call.ts";
import { freshDir, openScene, streamed } from "../ipc/scene.ts";

describe("a caller", () => {
  test("knows who answers", async () => {
    const { caller } = await openScene();
    expect((await caller()).daemon).toEqual({ bellhop: "1.2.3", pid: process.pid });
  });

  test("is told when no daemon runs", async () => {
    const stateDir = freshDir();
    await expect(openCaller({ stateDir, role: "cli", clock: systemClock })).rejects.toMatchObject({
      code: "E_NO_DAEMON",
      details: { dir: stateDir },
    });
    const { link } = await openScene({ stateDir });
    await link.close();
    await expect(openCaller({ stateDir, role: "cli", clock: systemClock })).rejects.toMatchObject({
      code: "E_NO_DAEMON",
    });
  });

  test("gets an error of the daemon with its code and details, and what is none as E_INTERNAL", async () => {
    const failing = [new BellhopError("E_JOB_NOT_FOUND", { job: "job_20260226_0001" }), new TypeError("secret detail")];
    const { caller } = await openScene({ tail: () => Promise.reject(failing.shift() as Error) });
    const one = await caller();
    await expect(one.call("tail", null)).rejects.toMatchObject({
      code: "E_JOB_NOT_FOUND",
      details: { job: "job_20260226_0001" },
    });
    await expect(one.call("tail", null)).rejects.toMatchObject({ code: "E_INTERNAL", details: {} });
  });

  test("hears the parts and lets go when it wants no more", async () => {
    const { caller, came } = await openScene();
    const one = await caller();
    const parts: unknown[] = [];
    const enough = new AbortController();
    const answer = one.call("tail", null, {
      part: (value) => void (parts.push(value), parts.length === 2 && enough.abort(new Error("enough"))),
      signal: enough.signal,
    });
    await expect(answer).rejects.toThrow("enough");
    const { cancelled } = await came(0);
    if (!cancelled.aborted) await new Promise((resolve) => cancelled.addEventListener("abort", resolve));
    expect(parts).toEqual(["one", "two"]);
    expect(await one.call("status", "still")).toBe("still");
  });

  test("is told that the daemon went away in the middle of an answer", async () => {
    const { caller, came, link } = await openScene();
    const answer = (await caller()).call("tail", null);
    answer.catch(() => undefined);
    await came(0);
    await link.close();
    await expect(answer).rejects.toMatchObject({ code: "E_NO_DAEMON" });
  });

  test("asks a daemon that came back again for what it has not answered", async () => {
    const first = await openScene();
    const caller = await first.caller({ wait: { forMs: 30_000 } });
    const answer = caller.call("tail", "what I wait for");
    await first.came(0);
    await first.link.close();
    const second = await openScene({ stateDir: first.stateDir, tail: async ({ params }) => params });
    expect(await answer).toBe("what I wait for");
    expect(second.calls).toHaveLength(1);
    expect(await caller.call("status", 2)).toBe(2);
  });

  test("gives up on a daemon that stays away", async () => {
    const { caller, came, link } = await openScene();
    const waiting = await caller({ wait: { forMs: 100 } });
    const answer = waiting.call("tail", null);
    answer.catch(() => undefined);
    await came(0);
    await link.close();
    await expect(answer).rejects.toMatchObject({ code: "E_NO_DAEMON" });
    await expect(waiting.call("status", 1)).rejects.toMatchObject({ code: "E_NO_DAEMON" });
  });

  test("does not call again where it was refused", async () => {
    const { caller, link, came } = await openScene();
    const { capability, revoke } = link.grant("cli", {});
    const one = await caller({ capability, wait: { forMs: 30_000 } });
    const answer = one.call("tail", null);
    answer.catch(() => undefined);
    await came(0);
    revoke();
    await expect(answer).rejects.toMatchObject({ code: "E_LINK_REFUSED" });
  });

  test("that showed the last daemon's capability to the next one is told to call again, not that it was refused", async () => {
    const stateDir = freshDir();
    const socket = join(stateDir, "bellhop.sock");
    const address = (cli: string): string =>
      JSON.stringify({ socket, pid: 1, capabilities: { cli, mcp: "", hook: "", watch: "" } });
    const write = (cli: string): void => writeFileSync(join(stateDir, "link.json"), address(cli), { mode: 0o600 });
    write("old");
    const bye = { again: false, code: "E_LINK_REFUSED", details: { why: "no capability" } };
    const next = createServer((caller) => {
      write("new");
      caller.end(`${JSON.stringify({ bye })}\n`);
    });
    await new Promise<void>((resolve) => next.listen(socket, resolve));
    onTestFinished(() => void next.close());
    const calling = (): Promise<unknown> => openCaller({ stateDir, role: "cli", clock: systemClock });
    await expect(calling()).rejects.toMatchObject({ code: "E_NO_DAEMON" });
    await expect(calling()).rejects.toMatchObject({ code: "E_LINK_REFUSED", details: { why: "no capability" } });
  });

  test("takes no nonsense for an answer", async () => {
    const stateDir = freshDir();
    const socket = join(stateDir, "bellhop.sock");
    const liar = createServer((caller) => void caller.write("HTTP/1.1 200 OK\r\n\r\n"));
    await new Promise<void>((resolve) => liar.listen(socket, resolve));
    onTestFinished(() => void liar.close());
    const capabilities = { cli: "", mcp: "", hook: "", watch: "" };
    writeFileSync(join(stateDir, "link.json"), JSON.stringify({ socket, pid: 1, capabilities }), { mode: 0o600 });
    await expect(openCaller({ stateDir, role: "cli", clock: systemClock })).rejects.toMatchObject({
      code: "E_NO_DAEMON",
    });
  });

  test("closes and asks no more", async () => {
    const { caller } = await openScene({ tail: streamed });
    const one = await caller();
    const answer = one.call("tail", null);
    one.close();
    await expect(answer).rejects.toMatchObject({ code: "E_NO_DAEMON" });
  });
});

test("a directory where the state should be is no daemon", async () => {
  const stateDir = join(freshDir(), "not-there");
  await expect(openCaller({ stateDir, role: "cli", clock: systemClock })).rejects.toMatchObject({
    code: "E_NO_DAEMON",
  });
  mkdirSync(stateDir);
  await expect(openCaller({ stateDir, role: "cli", clock: systemClock })).rejects.toMatchObject({
    code: "E_NO_DAEMON",
  });
});
