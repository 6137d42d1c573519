/** What a job changes before the look at its project is over may not be among its changes: then its end says so. */
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PATIENT } from "./newcomer.ts";
import { descriptionOf, repository } from "./workshop.ts";
import { openWorld, type World } from "./world.ts";

const MISSING = "What it changed at its very beginning may be missing here";

async function end(world: World, env: Record<string, string> = {}): Promise<string> {
  await world.daemon({ env }).ready;
  const thread = await world.session();
  const { id } = await world.owner(thread).send("count:one");
  await world.marked(id, "✅");
  return world.saying(thread, (said) =>
    said.map(descriptionOf).find((text) => text.startsWith("✅") && /file|\*?changed/.test(text)),
  );
}

test("a file that an agent writes with its first step is among the changes of its job", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  const said = await end(world, { NODE_OPTIONS: PATIENT });
  expect(said).toContain("1 file");
  expect(said).not.toContain(MISSING);
});

test("where the look lasts until that is written, the end of the job says that it may be missing", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  const git = path.join(world.home, "bin", "git");
  writeFileSync(
    git,
    `#!/bin/sh\nwhile [ ! -e '${world.project}/done.txt' ]; do sleep 0.02; done\nexec /usr/bin/git "$@"\n`,
  );
  chmodSync(git, 0o755);
  // Or, where the machine is so busy that the changes could not be found in time, that none are shown.
  expect(await end(world)).toMatch(new RegExp(`${MISSING}|What it changed is not shown`));
});
