import { expect, test } from "vitest";

import { long, real } from "./sample-state.ts";
import { powerLoss } from "./power.ts";

const cuts = long ? 10_000 : 1_000;

test(`what was acknowledged survives ${cuts} power cuts`, async () => {
  let acked = 0;
  for (let seed = 1; seed <= cuts; seed += 1) acked += await powerLoss(real, { seed, short: seed % 2 === 0 });
  expect(acked).toBeGreaterThan(cuts);
}, 900_000);

test("where a power cut leaves holes, the journal is refused or whole, and its repair keeps what was acknowledged", async () => {
  let acked = 0;
  for (let seed = 1; seed <= cuts / 2; seed += 1) acked += await powerLoss(real, { seed, holes: true });
  expect(acked).toBeGreaterThan(cuts / 2);
}, 900_000);
