/** Acceptance test 12 of the sessions' design: the events alone make the same state again. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FORMAT, SHAPE, type RecordedEvent, type State } from "../../../src/core/state.ts";
import { evolve } from "../../../src/core/evolve.ts";
import { answered, openWorld } from "../world.ts";
import { eventsOf, says, snapshotOf } from "./stage.ts";

test("12. With the snapshot deleted, the events alone rebuild the same state", async () => {
  const world = await openWorld({ tools: ["claude", "codex"], unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  const [one, two] = [await world.session(), await world.session()];
  await world.owner(one).send("count:one");
  await answered(world, one, ["did one"]);
  const { id: failed } = await world.owner(one).send("fail:400");
  await world.marked(failed, "❌");
  await says(world, two, "tool", { tool: "codex" });
  const { id } = await world.owner(two).send("echo:two");
  await answered(world, two, ["two"]);
  await world.marked(id, "✅");
  const said = [await says(world, one, "status"), await says(world, two, "status")];
  await daemon.kill("SIGTERM");

  const before = snapshotOf(world);
  rmSync(join(world.stateDir, "snapshot.json"));
  const again = world.daemon();
  await again.ready;
  expect([await says(world, one, "status"), await says(world, two, "status")]).toEqual(said);
  await again.kill("SIGTERM");

  // The state as it was with the snapshot, and what has happened since: the same as the events alone have made.
  const { version: _version, shape: _shape, last_seq, last_crc: _crc, crc: _seal, ...state } = before;
  for (const event of eventsOf(world))
    if (event.seq > Number(last_seq)) evolve(state as unknown as State, event as unknown as RecordedEvent);
  const { version, shape, last_seq: last, last_crc: _lastCrc, crc: _lastSeal, ...rebuilt } = snapshotOf(world);
  expect(rebuilt).toEqual(state);
  expect([version, shape, last]).toEqual([FORMAT, SHAPE, eventsOf(world).at(-1)?.seq]);
  expect(Object.keys(rebuilt["jobs"] as object)).toHaveLength(3);

  // What was done stays done, and the next message goes on from there.
  await world.daemon().ready;
  await world.owner(two).send("hist:");
  await answered(world, two, ["two", 'HISTORY ["echo:two"]']);
});
