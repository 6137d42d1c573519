/** The socket as a caller meets it: who is let in, what may be asked, and that nobody's conduct hurts anybody else. */
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { FRAME_CAP_BYTES } from "../../src/protocol/frame.ts";
import { allowed, roles } from "../../src/protocol/messages.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { freshDir, goodHello, openScene } from "./scene.ts";

/** What the daemon says to a caller it will have nothing to do with. */
function refusal(why: RegExp): unknown {
  return { bye: { again: false, code: "E_LINK_REFUSED", details: { why: expect.stringMatching(why) as string } } };
}

describe("a caller with its capability", () => {
  test("is welcomed and answered", async () => {
    const { stateDir, raw } = await openScene();
    const caller = await raw();
    caller.say(await goodHello(stateDir), { id: 7, method: "status", params: { a: [1] } });
    expect(await caller.next()).toEqual({ welcome: { version: 1, bellhop: "1.2.3", pid: process.pid } });
    expect(await caller.next()).toEqual({ id: 7, result: { a: [1] } });
  });

  test("is told when a method is unknown or not for its role, and may continue", async () => {
    const { stateDir, raw, calls } = await openScene();
    const caller = await raw();
    caller.say(await goodHello(stateDir, "mcp"));
    await caller.next();
    for (const method of ["status", "tail", "toString", "__proto__", "constructor", ""]) {
      caller.say({ id: 1, method });
      expect(await caller.next()).toEqual({ id: 1, error: { code: "E_METHOD_UNKNOWN", details: { method } } });
    }
    expect(calls).toEqual([]);
    caller.say({ id: 2, method: "ping" });
    expect(await caller.next()).toEqual({ id: 2, result: { role: "mcp", scope: {} } });
  });

  test("gets several answers to one call, and none after it said it wants no more", async () => {
    const { stateDir, raw, came } = await openScene();
    const caller = await raw();
    caller.say(await goodHello(stateDir), { id: 1, method: "tail" });
    await caller.next();
    expect([await caller.next(), await caller.next()]).toEqual([
      { id: 1, part: "one" },
      { id: 1, part: "two" },
    ]);
    const call = await came(0);
    caller.say({ cancel: 1 }, { id: 2, method: "status", params: "after" });
    expect(await caller.next()).toEqual({ id: 2, result: "after" });
    expect(call.cancelled.aborted).toBe(true);
    call.part("too late");
    caller.say({ id: 3, method: "status", params: "last" });
    expect(await caller.next()).toEqual({ id: 3, result: "last" });
  });

  test("cancels all its calls by hanging up", async () => {
    const { stateDir, raw, came } = await openScene();
    const caller = await raw();
    caller.say(await goodHello(stateDir), { id: 1, method: "tail" }, { id: 2, method: "tail" });
    const calls = [await came(0), await came(1)];
    const cancelled = calls.map((call) => new Promise((resolve) => call.cancelled.addEventListener("abort", resolve)));
    caller.socket.destroy();
    await Promise.all(cancelled);
  });

  test("of its own scope and no other role's, until it is taken back", async () => {
    const { link, raw } = await openScene();
    const { capability, revoke } = link.grant("hook", { thread_id: "200000000000000020" });
    const asCli = await raw();
    asCli.say({ hello: { version: 1, role: "cli", capability } });
    expect(await asCli.next()).toEqual(refusal(/no capability for cli/));
    const hook = await raw();
    hook.say({ hello: { version: 1, role: "hook", capability } }, { id: 1, method: "ping" });
    await hook.next();
    expect(await hook.next()).toEqual({ id: 1, result: { role: "hook", scope: { thread_id: "200000000000000020" } } });
    revoke();
    expect(await hook.rest()).toEqual([refusal(/revoked/)]);
    const late = await raw();
    late.say({ hello: { version: 1, role: "hook", capability } });
    expect(await late.rest()).toEqual([refusal(/no capability/)]);
  });
});

describe("a caller without", () => {
  test.each([
    ["a wrong capability", { version: 1, role: "cli", capability: "0".repeat(64) }, /no capability for cli/],
    ["an empty one", { version: 1, role: "cli", capability: "" }, /no capability/],
    ["a much longer one", { version: 1, role: "cli", capability: "f".repeat(10_000) }, /no capability/],
    ["none at all", { version: 1, role: "cli" }, /means nothing/],
    ["a role", { version: 1, role: "root", capability: "" }, /means nothing/],
    ["our version", { version: 2, role: "cli", capability: "" }, /speaks version 2/],
    ["variables of text", { version: 1, role: "cli", capability: "", variables: { A: 1 } }, /means nothing/],
  ])("%s is refused and hung up on", async (_what, hello, why) => {
    const { raw, calls } = await openScene();
    const caller = await raw();
    caller.say({ hello }, { id: 1, method: "status" });
    expect(await caller.rest()).toEqual([refusal(why)]);
    expect(calls).toEqual([]);
  });

  test("another daemon's capability is refused", async () => {
    const other = await openScene();
    const { raw } = await openScene();
    const caller = await raw();
    caller.say(await goodHello(other.stateDir));
    expect(await caller.rest()).toEqual([refusal(/no capability/)]);
  });

  test("a call before the hello is not made", async () => {
    const { raw, calls } = await openScene();
    const caller = await raw();
    caller.say({ id: 1, method: "status" });
    expect(await caller.rest()).toEqual([refusal(/before the hello/)]);
    expect(calls).toEqual([]);
  });

  test("one who says nothing is let go after ten seconds", async () => {
    const clock = createFakeClock();
    const { raw } = await openScene({ clock });
    const caller = await raw();
    await clock.until(() => clock.armed > 0);
    await clock.advance(9_999);
    expect(caller.socket.readableEnded).toBe(false);
    await clock.advance(1);
    expect(await caller.rest()).toEqual([refusal(/no hello/)]);
  });
});

describe("the socket", () => {
  test("is 0600 in a directory of 0700, and gone when it is closed", async () => {
    const { link, stateDir } = await openScene();
    expect(link.socket.startsWith(stateDir)).toBe(true);
    expect(lstatSync(link.socket).mode & 0o777).toBe(0o600);
    expect(lstatSync(dirname(link.socket)).mode & 0o777).toBe(0o700);
    await link.close();
    expect(() => lstatSync(link.socket)).toThrow(/ENOENT/);
  });

  test("admits so many callers and says so to the next one", async () => {
    const { raw, stateDir } = await openScene({ limits: { connections: 2 } });
    const first = await raw();
    first.say(await goodHello(stateDir, "mcp"));
    await first.next();
    const second = await raw();
    second.say(await goodHello(stateDir, "mcp"));
    await second.next();
    const third = await raw();
    third.say(await goodHello(stateDir, "mcp"));
    expect(await third.rest()).toEqual([refusal(/too many callers/)]);
    first.socket.destroy();
    // Its place is free as soon as the daemon has seen it go.
    for (;;) {
      const next = await raw();
      next.say(await goodHello(stateDir, "mcp"));
      if ((await next.next())?.["welcome"]) break;
    }
  });

  test("keeps 64 calls of one caller, and refuses only the one that is too many", async () => {
    const { raw, stateDir, calls } = await openScene({ tail: () => new Promise(() => undefined) });
    const caller = await raw();
    caller.say(await goodHello(stateDir), ...Array.from({ length: 65 }, (_, id) => ({ id, method: "tail" })));
    await caller.next();
    expect(await caller.next()).toEqual({ id: 64, error: { code: "E_TOO_MANY_CALLS", details: { limit: 64 } } });
    caller.say({ cancel: 3 }, { id: 65, method: "status", params: "room again" });
    expect(await caller.next()).toEqual({ id: 65, result: "room again" });
    expect(calls).toHaveLength(65);
    expect(calls.filter(({ cancelled }) => cancelled.aborted)).toHaveLength(1);
  });

  test("lets a caller go that never reads what it asked for", async () => {
    const flood = "x".repeat(FRAME_CAP_BYTES / 2);
    const { raw, stateDir, came } = await openScene({
      tail: ({ part, cancelled }) => {
        for (let sent = 0; sent < 100; sent += 1) part(flood);
        return new Promise((resolve) =>
          cancelled.aborted ? resolve(null) : cancelled.addEventListener("abort", resolve),
        );
      },
    });
    const caller = await raw();
    caller.socket.pause();
    caller.say(await goodHello(stateDir), { id: 1, method: "tail" });
    const call = await came(0);
    await new Promise((resolve) =>
      call.cancelled.aborted ? resolve(null) : call.cancelled.addEventListener("abort", resolve),
    );
  });

  test("answers with an error what is too long for a frame", async () => {
    const { raw, stateDir } = await openScene({ tail: async () => "x".repeat(FRAME_CAP_BYTES) });
    const caller = await raw();
    caller.say(await goodHello(stateDir), { id: 1, method: "tail" });
    await caller.next();
    expect(await caller.next()).toMatchObject({ id: 1, error: { code: "E_LINK_REFUSED" } });
  });

  test("every role's methods are those of one table, and exist", async () => {
    const { link, raw } = await openScene({ tail: async () => null });
    for (const role of roles) {
      const caller = await raw();
      caller.say({ hello: { version: 1, role, capability: link.grant(role, {}).capability } });
      await caller.next();
      for (const method of allowed[role]) {
        caller.say({ id: 1, method });
        expect(await caller.next()).toHaveProperty("result");
      }
    }
  });
});

describe("callers who say nothing", () => {
  test("never keep out one who says hello at once, however many they are and however long they stay", async () => {
    const { raw, stateDir } = await openScene({ clock: createFakeClock() });
    const hello = await goodHello(stateDir);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => raw()));
      const good = await raw();
      good.say(hello, { id: 1, method: "status", params: round });
      expect([await good.next(), await good.next()]).toMatchObject([{ welcome: {} }, { id: 1, result: round }]);
      good.socket.destroy();
    }
  });

  test("are let go when there are too many of them, the longest silent first", async () => {
    const clock = createFakeClock();
    const { raw } = await openScene({ clock });
    const first = await raw();
    const others = await Promise.all(Array.from({ length: 63 }, () => raw()));
    while (clock.armed < 64) await new Promise(setImmediate);
    await clock.advance(300);
    await raw();
    expect(await first.rest()).toEqual([refusal(/no hello/)]);
    expect(others.every(({ socket }) => !socket.readableEnded)).toBe(true);
  });

  test("fill no log: of many who are refused only a few are warned of, and the number of the rest", async () => {
    const clock = createFakeClock();
    const warned: unknown[] = [];
    const log = { ...silentLog, warn: (_text: string, fields: unknown) => void warned.push(fields) };
    const { raw } = await openScene({ clock, log });
    const refuse = async (): Promise<void> => {
      const caller = await raw();
      caller.say({ id: 1, method: "status" });
      await caller.rest();
    };
    for (let count = 0; count < 50; count += 1) await refuse();
    expect(warned).toHaveLength(10);
    await clock.advance(60_000);
    await refuse();
    expect(warned).toHaveLength(12);
    expect(warned[10]).toMatchObject({ calls: 40 });
  });

  test("clients that use all their connections leave the command line its own", async () => {
    const { raw, stateDir } = await openScene({ limits: { connections: 1 } });
    const client = await raw();
    client.say(await goodHello(stateDir, "mcp"));
    await client.next();
    const another = await raw();
    another.say(await goodHello(stateDir, "mcp"));
    expect(await another.rest()).toEqual([refusal(/too many callers/)]);
    const cli = await raw();
    cli.say(await goodHello(stateDir));
    expect(await cli.next()).toMatchObject({ welcome: {} });
  });
});

describe("noise", () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.jsonValue().map((value) => Buffer.from(`${JSON.stringify(value)}\n`)),
    fc
      .record(
        {
          id: fc.oneof(fc.integer(), fc.jsonValue()),
          method: fc.constantFrom("status", "tail", "ping", "__proto__"),
          params: fc.jsonValue(),
          hello: fc.oneof(
            fc.jsonValue(),
            fc.record({
              version: fc.constantFrom(1, 2),
              role: fc.constantFrom("cli", "hook"),
              capability: fc.string(),
            }),
          ),
          cancel: fc.oneof(fc.integer(), fc.jsonValue()),
        },
        { requiredKeys: [] },
      )
      .map((value) => Buffer.from(`${JSON.stringify(value)}\n`)),
  );

  test("has no effect and hurts nobody: 4,000 callers who say anything but the capability", async () => {
    const { raw, stateDir, calls } = await openScene({ stateDir: freshDir() });
    const good = await raw();
    good.say(await goodHello(stateDir));
    await good.next();
    for (const said of fc.sample(fc.array(noise, { maxLength: 6 }), 4_000)) {
      const caller = await raw();
      for (const bytes of said) caller.socket.write(bytes);
      caller.socket.end();
      expect((await caller.rest()).every((answer) => "bye" in answer)).toBe(true);
    }
    expect(calls).toEqual([]);
    good.say({ id: 1, method: "status", params: "still there" });
    expect(await good.next()).toEqual({ id: 1, result: "still there" });
  });

  test("of a caller who was let in costs it its connection at most", async () => {
    const { raw, stateDir } = await openScene({ tail: async () => null });
    const hello = await goodHello(stateDir);
    for (const said of fc.sample(fc.array(noise, { maxLength: 6 }), 500)) {
      const caller = await raw();
      caller.say(hello);
      for (const bytes of said) caller.socket.write(bytes);
      caller.socket.end();
      await caller.rest();
    }
    const good = await raw();
    good.say(hello, { id: 1, method: "status", params: 1 });
    expect([await good.next(), await good.next()]).toMatchObject([{ welcome: {} }, { id: 1, result: 1 }]);
  });
});
