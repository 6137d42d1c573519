import { expect, test } from "vitest";
import { RecentOpenings } from "../../../src/agents/process/process-driver.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

const MINUTE = 60_000;

test("a session waits for the end of the minute in which it was opened, by this daemon or by the one before", async () => {
  const clock = createFakeClock();
  await clock.advance(MINUTE - (clock.now() % MINUTE) + 10_000);
  const start = clock.now();
  const openings = new RecentOpenings(clock);
  // Its last job began so long ago (ms).
  const waits = (ago?: number): number => openings.wait("a", ago === undefined ? undefined : start - ago);
  expect([waits(), waits(0), waits(10_000), waits(39_000), waits(41_000), waits(MINUTE)]).toEqual([
    0, 50_500, 50_500, 50_500, 0, 0,
  ]);
  openings.recordOpening("a");
  expect([waits(), waits(MINUTE), openings.wait("b")]).toEqual([50_500, 50_500, 0]);
  await clock.advance(50_500);
  // What this daemon has opened itself is known better.
  expect([waits(), waits(0)]).toEqual([0, 0]);
});
