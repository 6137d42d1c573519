/** What becomes of files: they stay as long as their job is in the live state or on its way in, and no longer. */
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../../../src/base/log.ts";
import { keepUploads } from "../../../../src/discord/intake/uploads.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { message, Scene, T1 } from "../../../core/scene.ts";

async function keep(
  scene: Scene,
  there: Set<string>,
  coming: Set<string>,
): Promise<{ later(): Promise<void>; close(): void }> {
  const clock = createFakeClock();
  const files = {
    async sweep(needed: (id: string) => boolean): Promise<number> {
      const gone = [...there].filter((id) => !needed(id));
      for (const id of gone) there.delete(id);
      return gone.length;
    },
  };
  const kept = await keepUploads({ engine: scene, files, isUnderWay: (id) => coming.has(id), clock, log: silentLog });
  onTestFinished(kept.close);
  return { later: () => clock.advance(6 * 3_600_000), close: kept.close };
}

test("what a crash left of a message that became no job goes at the start, before anything is accepted", async () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  const there = new Set([message(1), message(2)]);
  await keep(scene, there, new Set());
  expect([...there]).toEqual([message(1)]);
});

test("files on their way in stay, and those of a job go when fifty more have ended in its thread", async () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  const there = new Set([message(1), message(900)]);
  const coming = new Set([message(900)]);
  const { later, close } = await keep(scene, there, coming);
  for (const running of scene.running()) scene.finish(running);
  await later();
  expect([...there]).toEqual([message(1), message(900)]);
  coming.clear();
  for (let number = 2; number <= 51; number += 1) {
    scene.hear(T1, message(number));
    for (const running of scene.running()) scene.finish(running);
    scene.post(`job_20260226_${String(number - 1).padStart(4, "0")}`, "1");
  }
  await later();
  expect([...there]).toEqual([]);
  there.add("1");
  close();
  await later();
  expect([...there]).toEqual(["1"]);
});

test("a disk that will not remove them stops nothing, and it is tried again", async () => {
  const clock = createFakeClock();
  let tries = 0;
  const sweep = (): Promise<number> => ((tries += 1), Promise.reject(new Error("EIO")));
  const kept = await keepUploads({
    engine: new Scene(),
    files: { sweep },
    isUnderWay: () => false,
    clock,
    log: silentLog,
  });
  onTestFinished(kept.close);
  await clock.advance(6 * 3_600_000);
  expect(tries).toBe(2);
});
