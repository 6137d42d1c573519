/** The watch over an agent that says nothing: half an hour, by updates, while it works and nobody is asked. */
import { expect, test } from "vitest";
import type { Turn } from "../../../src/agents/contract/driver.ts";
import { watchIdle, type IdleTimeout } from "../../../src/agents/run/idle-timeout.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";

const MINUTE = 60_000;

interface Watched {
  clock: FakeClock;
  watch: IdleTimeout;
  did: string[];
  heard(): void;
}

function watched(code: "E_CLI_TIMEOUT" | "E_AGENT_SILENT" = "E_AGENT_SILENT"): Watched {
  const clock = createFakeClock();
  const did: string[] = [];
  let heardAt = clock.monotonic();
  const turn = { heardAt: () => heardAt, cancel: () => (did.push("cancelled"), Promise.resolve()) } as unknown as Turn;
  const watch = watchIdle(clock, { ms: 30 * MINUTE, code, kill: () => did.push("killed") }, turn);
  return { clock, watch, did, heard: () => (heardAt = clock.monotonic()) };
}

test("after 30 minutes without an update it is cancelled, and killed where it has not ended its turn 5 s later", async () => {
  const { clock, watch, did } = watched();
  await clock.advance(30 * MINUTE - 1);
  expect(did).toEqual([]);
  await clock.advance(1);
  expect(did).toEqual(["cancelled"]);
  await clock.advance(4_999);
  expect(did).toEqual(["cancelled"]);
  await clock.advance(1);
  expect(did).toEqual(["cancelled", "killed"]);
  expect(watch.verdict({ outcome: "cancelled" })).toEqual({
    outcome: "failed",
    code: "E_AGENT_SILENT",
    details: { seconds: 1800 },
  });
});

test("it is quiet after two minutes, once for each silence, and not while its owner is asked", async () => {
  const clock = createFakeClock();
  let heardAt = clock.monotonic();
  const turn = { heardAt: () => heardAt, cancel: () => Promise.resolve() } as unknown as Turn;
  const quiet: number[] = [];
  const silence = { ms: 30 * MINUTE, code: "E_AGENT_SILENT", kill: () => undefined } as const;
  const watch = watchIdle(clock, silence, turn, () => quiet.push(clock.monotonic() - heardAt));
  await clock.advance(2 * MINUTE - 1);
  expect(quiet).toEqual([]);
  await clock.advance(10 * MINUTE);
  expect(quiet).toEqual([2 * MINUTE]);
  heardAt = clock.monotonic();
  const answered = watch.allow();
  await clock.advance(10 * MINUTE);
  expect(quiet).toHaveLength(1);
  answered();
  await clock.advance(2 * MINUTE);
  expect(quiet).toHaveLength(2);
  watch.stop();
});

test("one that ends its turn when it is told to is not killed", async () => {
  const { clock, watch, did } = watched();
  await clock.advance(30 * MINUTE);
  watch.stop();
  await clock.advance(MINUTE);
  expect(did).toEqual(["cancelled"]);
});

test("an update in minute 29 begins the half hour anew", async () => {
  const { clock, did, heard } = watched();
  await clock.advance(29 * MINUTE);
  heard();
  await clock.advance(30 * MINUTE - 1);
  expect(did).toEqual([]);
  await clock.advance(1);
  expect(did).toEqual(["cancelled"]);
});

test("while its owner is asked the time stands still", async () => {
  const { clock, watch, did } = watched();
  await clock.advance(29 * MINUTE);
  const answered = watch.allow();
  await clock.advance(600 * MINUTE);
  expect(did).toEqual([]);
  answered();
  await clock.advance(30 * MINUTE);
  expect(did).toEqual(["cancelled"]);
});

test("an agent that is one process a turn is not killed by the watch: its turn's end ends it", async () => {
  const { clock, watch, did } = watched("E_CLI_TIMEOUT");
  await clock.advance(31 * MINUTE);
  expect(did).toEqual(["cancelled"]);
  expect(watch.verdict({ outcome: "cancelled" })).toMatchObject({ code: "E_CLI_TIMEOUT" });
});
