/**
 * A text on which the parser of Markdown never ends, or throws, through the built daemon: it costs its own post and
 * nothing else, however often the daemon starts anew. The parser is made to fail by `fakes/poison.mjs`.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { say, type WordKey } from "../../src/base/words/say.ts";
import { openAsker } from "./mcp/asker.ts";
import { recorded, textOf } from "./workshop.ts";
import { openWorld, type Daemon, type World } from "./world.ts";

/** What the scripted agent says in the first of the messages that `slow:400` takes. */
const POISON = "chunk100 ";
const WHOLE = Array.from({ length: 400 }, (_, at) => `chunk${at + 1} `).join("");
const preload = `--import=${new URL(`file://${join(import.meta.dirname, "..", "fakes", "poison.mjs")}`).href}`;

/** Starts the daemon with a parser that fails on the poison. */
function poisoned(world: World, how: string): Daemon {
  return world.daemon({ env: { NODE_OPTIONS: preload, POISON, POISON_HOW: how } });
}

/** Up to what is filled in. */
const sentence = (key: WordKey): string => say("en", key).split("{")[0] ?? "";

const givenUp = (world: World, thread: string) =>
  world.said(thread).filter(({ content }) => content.includes(sentence("answer_unrendered")));

async function echoes(world: World, thread: string, words: string): Promise<void> {
  const { id } = await world.owner(thread).send(`echo:${words}`);
  await world.saying(thread, (said) => said.some(({ content }) => content.trim() === words));
  // Its words stand before its end does, and a kill in between would leave a job that was cut off.
  await world.marked(id, "✅");
}

test.each(["spin", "throw"])(
  "an answer that is due since before the start and cannot be rendered (%s) stops neither the start nor another thread, and is given as a file, once",
  async (how) => {
    const world = await openWorld({ unlimited: true });
    const first = world.daemon();
    await first.ready;
    const [thread, other] = [await world.session(), await world.session()];
    // Whole on the disk, and Discord has none of it.
    const down = world.sandbox.faults.fail({ method: "POST", path: `/channels/${thread}/messages`, status: 500 });
    await world.owner(thread).send("slow:400:0");
    await recorded(world, ({ type }) => type === "JobCompleted");
    await first.kill("SIGKILL");
    down.lift();

    const second = poisoned(world, how);
    await second.ready;
    await echoes(world, other, "nothing holds me up");
    const post = await world.saying(thread, () => givenUp(world, thread)[0]);
    expect((await textOf(post)).trim()).toBe(WHOLE.trim());
    await echoes(world, thread, "and here it goes on");
    await second.kill("SIGKILL");

    const third = poisoned(world, how);
    await third.ready;
    await echoes(world, thread, "nor after another start");
    expect(givenUp(world, thread)).toHaveLength(1);
    // One that is rendered while it is still being said.
    const { id } = await world.owner(thread).send("slow:400:1");
    await world.marked(id, "✅");
    await world.saying(thread, () => givenUp(world, thread)[1]);
    await echoes(world, thread, "and it still goes on");
  },
);

test.each(["spin", "throw"])(
  "a question that cannot be rendered (%s) says so in its thread, also after a start, and what is answered there reaches the asker",
  async (how) => {
    const world = await openWorld({ agent: "none", unlimited: true });
    const first = poisoned(world, how);
    await first.ready;
    const asker = await openAsker(world);
    const answer = asker.ask({
      question: "Shall I go on?",
      context: `**It** is long. ${WHOLE}`,
      options: ["Go on", "Stop"],
    });
    const unrendered = (thread: string) =>
      world.said(thread).filter(({ embeds }) => JSON.stringify(embeds).includes(sentence("ask_unrendered")));
    const thread = await world.sandbox.until(
      ({ threads }) => threads().find(({ name }) => name === "Shall I go on?")?.id,
    );
    await world.saying(thread, () => unrendered(thread)[0]);
    await first.kill("SIGKILL");
    const second = poisoned(world, how);
    await second.ready;
    await world.owner(thread).send("stop");
    expect(await answer).toMatchObject({ success: true, selected_option: "Stop" });
  },
);
