/** Any mixture of lost answers, refusals, kills and restarts, by chance: each post stands exactly once at the end. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DesiredPost } from "../../../src/discord/views/message.ts";
import { openPostBench, owes, type View } from "../../fakes/post-bench.ts";

const LONG = process.env["BELLHOP_TEST_LONG"] === "1";

const fault = fc.oneof(
  fc.record({
    kind: fc.constant("fail" as const),
    status: fc.constantFrom(500, 502, 503),
    when: fc.constantFrom("before" as const, "after" as const),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    kind: fc.constant("reset" as const),
    when: fc.constantFrom("before" as const, "after" as const),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    kind: fc.constant("limit" as const),
    scope: fc.constantFrom("user" as const, "global" as const, "shared" as const),
    retryAfter: fc.integer({ min: 1, max: 400 }),
  }),
);
const step = fc.record({
  fault: fc.option(fault),
  /** Killed at the answer of the nth request after that, and started again. */
  killAt: fc.option(fc.integer({ min: 1, max: 6 })),
  /** How long it stays down, in milliseconds. */
  downMs: fc.constantFrom(0, 1000, 90_000, 130_000, 3_600_000),
  /** Whether the texts have changed when it is back. */
  changed: fc.boolean(),
});

test(
  "each post stands exactly once, with its last words, whatever happened on the way",
  { timeout: LONG ? 3_600_000 : 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, count) => {
          const bench = await openPostBench();
          const desired: DesiredPost[] = [];
          const view: View = (_engine, threadId) => (threadId === bench.threadId ? desired : []);
          let process = bench.start(view);
          const job = await bench.job(process);
          const since = bench.clock.now();
          const say = (version: number): void => {
            const parts = Array.from({ length: count }, (_, n) =>
              owes(bench, job, `part ${n} v${version}`, { part: `answer:${n}`, since }),
            );
            desired.splice(0, desired.length, ...parts);
          };
          say(0);
          for (const [version, { fault: trouble, killAt, downMs, changed }] of steps.entries()) {
            const { faults } = bench.sandbox;
            if (trouble?.kind === "fail") faults.fail(trouble);
            if (trouble?.kind === "reset") faults.reset(trouble);
            if (trouble?.kind === "limit") faults.rateLimit({ ...trouble, times: 1 });
            let requests = 0;
            let killed = false;
            const victim = process;
            if (killAt !== null) {
              bench.killAt(
                () => ({ kill: () => ((killed = true), victim.kill()) }),
                (method) => method !== "GET" && ++requests === killAt,
              );
            }
            process.postSync.syncThread(bench.threadId);
            let idle = false;
            void process.postSync.idle().then(() => (idle = true));
            await bench.until(() => idle || killed);
            bench.killAt(
              () => victim,
              () => false,
            );
            process.kill();
            if (changed) say(version + 1);
            await bench.clock.advance(downMs);
            process = bench.start(view);
          }
          bench.sandbox.faults.lift();
          await bench.run(process.postSync.idle());
          const wanted = desired.map(({ want }) => (want.kind === "show" ? want.body.content : ""));
          expect(
            bench
              .said()
              .map(({ content }) => content)
              .toSorted(),
          ).toEqual(wanted.toSorted());
          process.kill();
        },
      ),
      { numRuns: LONG ? 2000 : 25 },
    );
  },
);
