/** Which caller of the hooks' socket is hung up on when there are too many, and which is refused. */
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { HookCallers } from "../../src/ipc/hook-server.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

class Caller extends EventEmitter {
  state = "open";
  answer = "";
  destroy(): void {
    this.state = "hung up on";
    this.emit("close");
  }
  end(text: string): void {
    this.answer = text;
    this.state = "refused";
    this.emit("close");
  }
  say(text: string): void {
    this.emit("data", Buffer.from(text));
  }
}

function scene(most: number) {
  const clock = createFakeClock();
  const server = new EventEmitter();
  const warned: unknown[] = [];
  const callers = new HookCallers(server as Server, {
    clock,
    log: { ...silentLog, warn: (_text, fields) => void warned.push(fields) },
    most,
  });
  const come = (count: number, says = ""): Caller[] =>
    Array.from({ length: count }, () => {
      const caller = new Caller();
      server.emit("connection", caller);
      if (says !== "") caller.say(says);
      return caller;
    });
  const open = (all: readonly Caller[]): number => all.filter(({ state }) => state === "open").length;
  return { clock, callers, come, open, warned };
}

const LINE = "POST /hook HTTP/1.1\r\n";

test.each([
  // Silent ones before the last, after so many milliseconds: how many of them are left once another has come.
  { silent: 63, ms: 10_000, left: 63 },
  { silent: 64, ms: 10_000, left: 63 },
  { silent: 600, ms: 249, left: 600 },
  { silent: 600, ms: 250, left: 63 },
  { silent: 3_000, ms: 0, left: 1_023 },
])("of $silent silent for $ms ms, the last $left stay when another comes", async ({ silent, ms, left }) => {
  const { clock, come, open } = scene(2);
  const all = come(silent);
  await clock.advance(ms);
  const [next] = come(1);
  expect([open(all), open(all.slice(-left)), next?.state]).toEqual([left, left, "open"]);
});

test.each([
  ["a first line", LINE, "open"],
  ["a whole request", `${LINE}Host: a\r\n\r\n`, "open"],
  ["half a line", "POST /ho", "hung up on"],
  ["nothing", "", "hung up on"],
])("a caller that has said %s before 3,000 silent ones came is %s", (_what, said, state) => {
  const { come } = scene(2);
  const [caller] = come(1, said);
  come(3_000);
  expect(caller?.state).toBe(state);
});

test("where all have said a line, the next one is refused with the reason, and the place of one that goes is free again", () => {
  const { come, callers, warned } = scene(2);
  const [first, second, third] = [...come(2, LINE), ...come(1, LINE)];
  expect([first?.state, second?.state, third?.state]).toEqual(["open", "open", "refused"]);
  expect(third?.answer).toMatch(/^HTTP\/1\.1 503 [^]*\{"error":"too many callers at once"\}$/);
  expect(warned).toEqual([{ error_code: "E_LINK_REFUSED", why: "too many callers at once" }]);
  first?.destroy();
  const [fourth] = come(1);
  expect(callers.admits(fourth as unknown as Socket)).toBe(true);
  const [fifth] = come(1);
  expect(callers.admits(fifth as unknown as Socket)).toBe(false);
  expect(second?.state).toBe("open");
});
