/**
 * What an agent did is shown: after a crash with the whole patch, and for a job that ended well at the press of a
 * button.
 */
import { expect, test } from "vitest";
import { descriptionOf, git, learnt, open, repository, withButton } from "./workshop.ts";
import { crashNotice, openWorld } from "./world.ts";

test("a crash is told with the tools and the changes, the patch is below, and Continue takes the conversation up again", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await world.owner(thread).send("work:half");
  await learnt(world, "checkout");
  open(world, "half");
  await learnt(world, "tool");
  await daemon.kill("SIGKILL");
  const status = git(world, "status", "--porcelain");
  await world.daemon().ready;

  const patch = await world.saying(thread, (said) =>
    said.map(({ content }) => content).find((content) => content.includes("```diff")),
  );
  expect(patch).toContain("+++ b/half.txt\n@@ -0,0 +1 @@\n+half\n");
  const notice = await world.saying(thread, (said) =>
    said.find((message) => message.id === crashNotice(said)?.id && descriptionOf(message).includes("half.txt")),
  );
  expect(descriptionOf(notice)).toContain("✓ Write `ls`");
  expect(descriptionOf(notice)).toContain("**+1 −0 in 1 file**");
  expect(git(world, "status", "--porcelain")).toBe(status);

  await world.owner(thread).clickButton(notice.id, "Continue");
  await world.agents(2);
  const [first, second] = world.agentStarts();
  expect(second?.resumed).toBeDefined();
  expect(second?.prompt).toMatch(/cut off.*\]\n\nGo on with what you were doing/s);
  expect(second?.prompt).not.toContain("work:half");
  expect(first?.resumed).toBeUndefined();
  const settled = await world.saying(thread, (said) =>
    said.find(({ id, components }) => id === notice.id && components?.length === 0),
  );
  expect(descriptionOf(settled)).toContain("Continued as `job_");
});

test("the diff of a job comes at the press of its button, for its owner alone, also after a restart", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await world.owner(thread).send("work:whole");
  await learnt(world, "checkout");
  for (const gate of ["whole", "whole-end"]) open(world, gate);
  const card = await world.saying(thread, (said) => withButton(said, "diff"));
  expect(descriptionOf(card)).toContain("+1 −0");
  await daemon.kill("SIGTERM");
  await world.daemon().ready;
  const [, button = ""] = /"(diff:\w+)"/.exec(JSON.stringify(card.components)) ?? [];
  const pressed = await world.owner(thread).clickButton(card.id, button);
  const [told] = await pressed.followUps(1);
  expect((told?.flags ?? 0) & 64).toBe(64);
  expect(told?.content).toContain("+++ b/whole.txt");
});
