/** Two bots' listeners on one machine: what one of them fetches the other does not remove. */
import { expect, test } from "vitest";
import { openIntake } from "../../../src/discord/intake/intake.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../fakes/memory-journal.ts";

async function sweepsOf(main: boolean): Promise<number> {
  const clock = createFakeClock();
  const { engine } = createMemoryJournal(clock).open();
  let sweeps = 0;
  const sweep = async (): Promise<number> => ((sweeps += 1), 0);
  const context = botContext({
    main,
    engine,
    clock,
    files: { sweep },
    rest: {},
    ownerId: "2",
    guildId: "3",
    botId: "4",
    api: "http://127.0.0.1:9",
  });
  const intake = await openIntake(context, new Set(), () => undefined);
  await clock.advance(24 * 3_600_000);
  intake.close();
  return sweeps;
}

test("only the main bot removes files that no job needs, so that it is done once", async () => {
  expect(await sweepsOf(true)).toBeGreaterThan(1);
  expect(await sweepsOf(false)).toBe(0);
});
