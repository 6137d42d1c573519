/** Two bots' ears on one machine: what one of them fetches the other does not take away. */
import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { openEar, type EarOptions } from "../../src/discord/ear.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryJournal } from "../fakes/memory-journal.ts";

async function sweepsOf(own: boolean): Promise<number> {
  const clock = createFakeClock();
  const { engine } = createMemoryJournal(clock).open();
  let sweeps = 0;
  const sweep = async (): Promise<number> => ((sweeps += 1), 0);
  const options = { own, engine, clock, log: silentLog, files: { sweep }, rest: {}, wall: { ownerId: "2", guildId: "3" }, botId: "4", api: "http://127.0.0.1:9", locale: "en", config: () => ({ inbox_from: "owner" }), leftChanged: () => undefined };
  const ear = await openEar(options as unknown as EarOptions);
  await clock.advance(24 * 3_600_000);
  ear.close();
  return sweeps;
}

test("only the daemon's own room removes files that no job needs: it alone knows which are just being fetched", async () => {
  expect(await sweepsOf(true)).toBeGreaterThan(1);
  expect(await sweepsOf(false)).toBe(0);
});
