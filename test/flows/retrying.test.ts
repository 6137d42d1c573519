/**
 * A failed job may be run again until a run of its words goes well: one that failed as well, or was cancelled, does not
 * end that.
 */
import { expect, test } from "vitest";
import { says } from "./acceptance/stage.ts";
import { open } from "./workshop.ts";
import { openSession } from "./world.ts";

test("a job whose retry failed or was cancelled is run again, and never twice at once", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const { id } = await world.owner(thread).send("fail:1");
  await world.marked(id, "❌");
  const day = /job_(\d{8})_0001/.exec(await says(world, thread, "status"))?.[1] ?? "";
  const job = (number: number): string => `job_${day}_000${number}`;
  const retry = (number: number): Promise<string> => says(world, thread, "retry", { job_id: job(number) });
  expect(await retry(1)).toContain(`\`${job(2)}\``);
  await world.saying(
    thread,
    (said) => said.filter(({ embeds }) => embeds[0]?.description?.startsWith("❌")).length === 2,
  );
  const busy = await world.owner(thread).send("until:done");
  await world.started(busy.id);
  // The retry has failed, so the first job may be run again; not the retry too while that waits.
  expect(await retry(1)).toContain(`\`${job(4)}\``);
  expect(await retry(1)).toContain(`was already run again, as \`${job(4)}\``);
  expect(await retry(2)).toContain(`was already run again, as \`${job(4)}\``);
  // Cancelled, it is offered where it failed first, because a cancelled job has no button of its own.
  const first = (): unknown =>
    world.said(thread).find(({ components }) => JSON.stringify(components ?? []).includes(`"retry:${job(1)}"`));
  expect(first()).toBeUndefined();
  await world.owner(thread).send("count:more");
  const { id: card } = await (await world.owner(thread).slash("queue")).answer();
  await world
    .owner(thread)
    .clickButton(
      card,
      await world.sandbox.until(({ message }) => /q-clear:[^"]*/.exec(JSON.stringify(message(card)))?.[0]),
    );
  await world.saying(thread, first);
  open(world, "done");
  await world.marked(busy.id, "✅");
  expect(await retry(1)).toContain(`\`${job(6)}\``);
});
