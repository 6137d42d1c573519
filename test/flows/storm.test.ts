/**
 * After a storm of crashes nothing is lost, run twice or said twice, and what was in doubt is settled at Discord's
 * pace. With BELLHOP_TEST_LONG, 250 kills over more than a thousand messages, and the figures are printed.
 */
import { expect, test } from "vitest";
import { say } from "../../src/base/words/say.ts";
import { journalOf } from "./journal.ts";
import { closed, ends, storm, worked, type Aftermath } from "./storm.ts";
import { inJournal } from "./workshop.ts";
import { openSession } from "./world.ts";

const CUT_OFF = say("en", "answer_interrupted");
const LONG = process.env["BELLHOP_TEST_LONG"] !== undefined;
const SEED = Number(process.env["BELLHOP_TEST_SEED"] ?? 28);
const SHAPE = LONG ? { kills: 250, messages: 4.5, requests: 120 } : { kills: 8, messages: 1, requests: 30 };

test(
  `after kills at any request each message is answered or told once, and no thread is named twice (seed ${SEED})`,
  { timeout: (LONG ? 60 : 3) * 60_000 },
  async () => {
    const aftermath = await storm({ seed: SEED, ...SHAPE });
    const { world, threads, written } = aftermath;
    if (LONG) process.stdout.write(`${figures(aftermath)}\n`);
    const done = worked(world);
    expect(done.length).toBe(new Set(done).size);
    const ended = ends(world);
    const closing = closed(world);
    for (const thread of threads) {
      const mine = written.filter((one) => one.thread === thread);
      const said = world.said(thread);
      const words = (those: typeof said): string[] =>
        those.flatMap(({ content }) => /^did (w\d+)/.exec(content.trim())?.[1] ?? []);
      const wordsOf = (end: "answered" | "told"): string[] =>
        mine.filter(({ id }) => ended.get(id) === end).map(({ word }) => word);
      // What stood of an answer when its daemon was killed stays, and says that it was cut off.
      const [cutOff, whole] = [true, false].map((is) => said.filter(({ content }) => content.includes(CUT_OFF) === is));
      const answers = words(whole ?? []);
      expect(answers).toEqual(wordsOf("answered"));
      expect(wordsOf("told")).toEqual(expect.arrayContaining(words(cutOff ?? [])));
      const ids = said.map(({ id }) => id);
      expect(mine.filter(({ id }) => !ids.includes(String(closing.get(id))))).toEqual([]);
      expect(said.filter(({ embeds }) => embeds[0]?.description?.startsWith("✅ done"))).toHaveLength(answers.length);
    }
    const named = journalOf(world).flatMap(({ type, payload }) =>
      type === "SessionNamed" ? [payload["thread_id"]] : [],
    );
    // One whose first job was cut off before it was named may have no name.
    expect(named).toEqual([...new Set(named)]);
  },
);

function figures({ world, threads, written, tookMs, owed, sinceLast }: Aftermath): string {
  const count = (of: string): number => [...ends(world).values()].filter((end) => end === of).length;
  const named = journalOf(world).filter(({ type }) => type === "SessionNamed").length;
  const requests = (pattern: string): number[] =>
    threads.map(
      (thread) => sinceLast.filter((one) => new RegExp(`^${pattern}$`).test(one.replace(thread, "T"))).length,
    );
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return [
    `${SHAPE.kills} kills in ${seconds(tookMs.storm)}: ${written.length} messages, ${count("answered")} answered, ${count("told")} told, SessionNamed ${named} times`,
    `after the last start: ${owed} not closed yet, all stands after ${seconds(tookMs.settling)}; by thread, posts ${requests("POST .*/T/messages").join(", ")}, readings of history ${requests("GET .*/T/messages").join(", ")}`,
  ].join("\n");
}

test("however many answers Discord does not take for a while, each is posted once it does", async () => {
  const { world, thread } = await openSession({ unlimited: true, config: { limits: { max_queue_per_session: 100 } } });
  const stuck = world.sandbox.faults.hold({ method: "POST", path: `/channels/${thread}/messages` });
  const words = Array.from({ length: 60 }, (_, index) => `w${index + 1}`);
  for (const word of words) await world.owner(thread).send(`count:${word}`);
  await inJournal(world, (events) => events.filter(({ type }) => type === "JobCompleted").length === words.length);
  stuck.lift();
  const answers = (): string[] =>
    world.said(thread).flatMap(({ content }) => /^did (w\d+)$/.exec(content.trim())?.[1] ?? []);
  await world.saying(thread, () => answers().includes("w60"));
  expect(answers()).toEqual(words);
});
