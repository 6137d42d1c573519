/** When the daemon gives memory back: asked of a fake clock, and once of this process. */
import { expect, test } from "vitest";
import { giveMemoryBackAtRest, thisProcess } from "../../../src/host/processes/memory.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { withoutFiles } from "./without-files.ts";

const MB = 2 ** 20;
const LOOK_MS = 15_000;

/** A process of 80 MB, of which 90 stay after each collection once it has worked. */
function scene() {
  const clock = createFakeClock();
  const state = { cpu: 0, resident: 80 * MB, collected: 0 };
  const collect = (): void => {
    state.collected += 1;
    state.resident = 90 * MB;
  };
  giveMemoryBackAtRest(clock, { cpu: () => state.cpu, resident: () => state.resident, collect });
  /** Time passes, and it has worked for so long in it. */
  const look = async (workedMs: number): Promise<void> => {
    state.cpu += workedMs;
    await clock.advance(LOOK_MS);
  };
  return { state, look };
}

test("memory is given back when it has grown and nothing is done, once", async () => {
  const { state, look } = scene();
  state.resident = 120 * MB;
  await look(5_000);
  await look(151);
  expect(state.collected).toBe(0);
  await look(150);
  expect(state.collected).toBe(1);
  for (let time = 0; time < 10; time += 1) await look(0);
  expect(state.collected).toBe(1);
});

test("it is not worth the time for a few megabytes", async () => {
  const { state, look } = scene();
  state.resident = 84 * MB - 1;
  await look(0);
  expect(state.collected).toBe(0);
  state.resident = 84 * MB;
  await look(0);
  expect(state.collected).toBe(1);
});

test("what has grown is counted from the least there was, also where V8 gave it back by itself", async () => {
  const { state, look } = scene();
  state.resident = 120 * MB;
  await look(0);
  state.resident = 85 * MB;
  await look(0);
  state.resident = 89 * MB;
  await look(0);
  expect(state.collected).toBe(2);
});

test("what nothing holds any more is gone", async () => {
  const held = new WeakRef({ something: "large" });
  // A WeakRef keeps what it was made of until the turn is over.
  await Promise.resolve().then(() => new Promise((resolve) => setImmediate(resolve)));
  thisProcess.collect();
  expect(held.deref()).toBeUndefined();
  expect(thisProcess.resident()).toBeGreaterThan(MB);
  expect(thisProcess.cpu()).toBeGreaterThan(0);
});

test("the daemon does not end because it cannot be told how much it uses", async () => {
  const resident = await withoutFiles(`
    const { thisProcess } = await load("host/processes/memory.ts");
    exhaust();
    say(thisProcess.resident());
  `);
  expect(resident).toBe(0);
});
