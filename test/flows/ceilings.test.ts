/**
 * Agents out of hand, through the built daemon: however much one writes, its owner learns what became of it and the
 * daemon's memory stays below a ceiling. The figures themselves are measured by `npm run bench`; the bars here are
 * several times as high, and far below what it takes to keep what was written.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { recorded } from "./workshop.ts";
import { openSession, peakBytes, type World, type WorldOptions } from "./world.ts";

const MEGABYTE = 1_000_000;

interface Scene {
  world: World;
  thread: string;
  /** How much higher the daemon's memory ever was than before the prompt. */
  grown(): number;
}

/** A session whose daemon has done all it does for a job once, and then was given this prompt. */
async function given(prompt: string, options: WorldOptions = {}): Promise<Scene> {
  const { world, daemon, thread } = await openSession({ unlimited: true, ...options });
  const { id } = await world.owner(thread).send("echo:as ever");
  await world.marked(id, "✅");
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "end");
  const before = peakBytes(daemon.pid);
  await world.owner(thread).send(prompt);
  return { world, thread, grown: () => peakBytes(daemon.pid) - before };
}

/** The message that closes the second job, in its own words. */
function closing({ world, thread }: Scene): Promise<string> {
  return world.saying(
    thread,
    (said) =>
      said
        .flatMap(({ embeds }) => embeds.map(({ description = "" }) => description))
        .filter((words) => /^(✅|❌)/u.test(words))[1],
  );
}

test("an answer of 160 MB is posted by its beginning, its end and where the whole of it is, which is on the disk", async () => {
  const scene = await given("flood:160");
  const { world, thread } = scene;
  await recorded(world, ({ type, payload }) => type === "JobCompleted" && payload["result_excerpt"] !== "as ever");
  const { job_id, result_sha256 } = eventsOf(world).findLast(({ type }) => type === "JobCompleted")?.payload ?? {};
  const file = join(world.stateDir, "results", `${String(job_id)}.md`);
  const blocks = Array.from({ length: 160 }, (_, at) => `block ${at + 1} `.padEnd(MEGABYTE, "words "));
  const whole = createHash("sha256");
  for (const [at, block] of blocks.entries()) whole.update(at === 0 ? block : `\n\n${block}`);
  expect([statSync(file).size, digestOf(file)]).toEqual([160 * MEGABYTE + 159 * 2, whole.digest("hex")]);
  expect(result_sha256).toBe(digestOf(file));
  await closing(scene);
  const said = world
    .said(thread)
    .map(({ content }) => content)
    .filter((content) => content !== "" && !content.startsWith("as ever"));
  expect(said[0]).toMatch(/^block 1 words words/);
  expect(said.join("\n")).toContain(`results/${String(job_id)}.md`);
  expect(said.join("\n")).toContain("The full answer is too large for Discord");
  expect(said.at(-1)).toMatch(/words (wo?r?d?s?)?$/);
  expect(scene.grown()).toBeLessThan(400 * MEGABYTE);
});

test("one line of 110 MB is left out and said on the job's card, and the job continues to its end", async () => {
  const scene = await given("giant:110");
  const words = await closing(scene);
  expect(words).toContain("✅");
  expect(words).toContain(
    "A line of the agent's output (110,000,028 bytes) was left out, because it is longer than 8 MiB.",
  );
  expect(
    scene.world
      .said(scene.thread)
      .map(({ content }) => content)
      .join("\n"),
  ).toContain("It goes on,\n\nand it ends.");
  expect(scene.grown()).toBeLessThan(110 * MEGABYTE);
});

test("one line of arrays in arrays is left out and said on the card, and costs hardly more than its bytes", async () => {
  const scene = await given("nest:3000000");
  const words = await closing(scene);
  expect(words).toContain("✅");
  expect(words).toContain(
    "A line of the agent's output (6,000,026 bytes) was left out, because it nests too deeply or holds too many values.",
  );
  expect(scene.grown()).toBeLessThan(110 * MEGABYTE);
});

test("a job whose result is in a line that is refused fails with a sentence of its own, and can be retried", async () => {
  const scene = await given("swell:9");
  const words = await closing(scene);
  expect(words).toMatch(
    /A line of the agent's output \(9,000,\d{3} bytes\) was left out, because it is longer than 8 MiB/,
  );
  expect(words).toContain(
    "The agent ended without a result that Bellhop could read, because a line of its output was too long or nested too deeply. Ask it to write large output to a file, then retry. `E_LINE_REFUSED`",
  );
  expect(
    eventsOf(scene.world)
      .filter(({ type, payload }) => type === "JobProgress" && payload["kind"] === "left_out")
      .map(({ payload }) => payload["why"]),
  ).toEqual(["long"]);
});

function digestOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
