/** What the owner hears of a job on his phone, and in which order its thread reads when he opens it. */
import { MessageFlags, type APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { answer, asks, controlsOf, press, prompted, ran, type Asked } from "./asked.ts";
import { descriptionOf } from "./workshop.ts";

/** What rang in the thread, each with the first words of its message. */
function rings({ world, thread }: Asked): string[] {
  const { sandbox } = world;
  return sandbox.notifications
    .filter(({ channelId }) => channelId === thread)
    .map(({ messageId, how }) => {
      const message = sandbox.message(messageId);
      return `${how}: ${message === undefined ? "(gone)" : beginning(message)}`;
    });
}

function beginning(message: APIMessage): string {
  const [figures = ""] = /-# (?:✅|❌|🚫|💥) [^·]*/u.exec(message.content) ?? [];
  const own = message.content.replace(/ ?<@\d+>$/, "").replace(/\n-# [^]*$/, "");
  const words = own || (message.embeds[0]?.title ?? descriptionOf(message));
  const first = (words.split("\n")[0] ?? "").split(" · ")[0] ?? "";
  return figures === "" || first === figures.trim() ? first.replace(/^-# /, "") : `${first} ${figures.slice(3).trim()}`;
}

const inOrder = ({ world, thread }: Asked): string[] => world.sandbox.messages(thread).map(beginning);

async function ended(asked: Asked): Promise<void> {
  await asked.world.marked(asked.id, "✅");
  const { world, thread } = asked;
  // Its card is finished last.
  await world.sandbox.until(
    () =>
      inOrder(asked).at(-1)?.endsWith("✅ done") &&
      !world.said(thread).some((message) => descriptionOf(message).includes("· running")),
  );
}

test("what waits calls the owner at once, the end of the job rings, and nothing else does; the thread reads in that order", async () => {
  const asked = await asks("look:make", { config: { mention_after_s: 0 } });
  await press(asked, "Allow once");
  await answer(asked, "It has run.");
  await ended(asked);
  // Where the machine is slow, the job lasts long enough for a card, and its answer is shown before its end.
  const isLate = (one: string): boolean => /^(?:silent: )?(?:✅ \*\*claude\*\*|It has run\.)$/.test(one);
  expect(rings(asked).filter(isLate).length).toBeLessThanOrEqual(2);
  expect(rings(asked).filter((one) => !isLate(one))).toEqual([
    "silent: How this works",
    "silent: I have read the project.",
    "mention: 🔐 claude wants to run `make`",
    expect.stringMatching(/^mention: It has run\..* ✅ done$/),
  ]);
  const order = inOrder(asked).filter((one) => !isLate(one));
  expect(order.slice(order.indexOf("look:make"))).toEqual([
    "look:make",
    "I have read the project.",
    "🔐 claude wants to run `make`",
    expect.stringMatching(/^It has run\..* ✅ done$/),
  ]);
});

test("the end of a short job is an ordinary message, and nobody is called where the settings say so", async () => {
  const asked = await asks("look:make", { config: { mention: ["ends"] } });
  await press(asked, "Deny");
  await answer(asked, "I may not");
  await ended(asked);
  expect(rings(asked).filter((one) => !one.startsWith("silent"))).toEqual([
    "message: 🔐 claude wants to run `make`",
    expect.stringMatching(/^message: I may not: The owner did not allow this\..* ✅ done$/),
  ]);
});

test("in quiet hours nothing rings", async () => {
  const hour = (ms: number): string => `${String(new Date(Date.now() + ms).getHours()).padStart(2, "0")}:00`;
  const asked = await asks("look:make", {
    config: { mention_after_s: 0, quiet_hours: `${hour(-3_600_000)}-${hour(7_200_000)}` },
  });
  await prompted(asked, "Allow once");
  await press(asked, "Allow once");
  await ended(asked);
  expect(rings(asked).filter((one) => !one.startsWith("silent"))).toEqual([]);
});

test("what settled by itself is told where it stands, and rings no more", async () => {
  const asked = await asks("look:make");
  const prompt = await prompted(asked, "Allow once");
  await asked.daemon.kill("SIGTERM");
  await asked.world.daemon().ready;
  const settled = await asked.world.saying(asked.thread, (said) =>
    said.find(({ id, components }) => id === prompt.id && (components ?? []).length === 0),
  );
  expect(descriptionOf(settled)).toContain("Bellhop was restarted, so this request is void.");
  await asked.world.marked(asked.id, "💥");
  await asked.world.saying(asked.thread, (said) =>
    said.find((message) => descriptionOf(message).startsWith("💥 interrupted")),
  );
  const rang = rings(asked).filter((one) => !one.startsWith("silent"));
  expect(rang).toEqual([
    "mention: 🔐 claude wants to run `make`",
    expect.stringMatching(/^mention: Bellhop or its machine stopped while this job was running\..* 💥 interrupted$/),
  ]);
  expect(JSON.stringify(asked.world.said(asked.thread))).not.toMatch(/took it back|not allowed|✗/);
});

test("six subagents that ask at once are six named prompts and one ring, and each can be answered", async () => {
  const asked = await asks("crew:6", { config: { mention_after_s: 0 } });
  const { world, thread } = asked;
  const named = (part: number): string => `🔐 claude › general-purpose: part ${part} wants to run \`echo ${part}\``;
  const prompts = await world.saying(thread, (said) => {
    const all = said.filter((message) => controlsOf(message).includes('"label":"Allow once"'));
    return all.length === 6 && all;
  });
  expect(prompts.map(beginning).toSorted()).toEqual([1, 2, 3, 4, 5, 6].map(named));
  const [first, ...others] = prompts;
  const isSilent = ({ flags }: APIMessage): boolean => ((flags ?? 0) & MessageFlags.SuppressNotifications) !== 0;
  expect([first?.content, first && isSilent(first)]).toEqual([
    `${first && beginning(first)} <@${world.sandbox.owner.id}>`,
    false,
  ]);
  expect(others.map((one) => [one.content, one.mentions.length, isSilent(one)])).toEqual(
    others.map((one) => [beginning(one), 0, true]),
  );
  expect(rings(asked).filter((one) => one.includes("wants to run"))).toEqual(
    prompts.map((one, at) => `${at === 0 ? "mention" : "silent"}: ${beginning(one)}`),
  );
  for (const prompt of prompts) await (await world.owner(thread).clickButton(prompt.id, "Allow once")).acknowledged();
  await world.marked(asked.id, "✅");
  expect(ran(asked)).toHaveLength(6);
});
