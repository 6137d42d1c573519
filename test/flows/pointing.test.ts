/** What a message points at or brings along, and what is said of one that brings nothing; live and read back. */
import { expect, test } from "vitest";
import { configure, open as gate } from "./workshop.ts";
import { answered, openSession, openWorld, type World } from "./world.ts";

const file = (name: string, text: string): { name: string; bytes: Uint8Array } => ({ name, bytes: Buffer.from(text) });

function lastPrompt(world: World): string {
  return world.agentStarts().at(-1)?.prompt ?? "";
}

/** What stands between the two lines of the quote's mark. */
function quoted(prompt: string): string | undefined {
  return /\n(quoted_\w+)\n(.*?)\n?\1\n\n/s.exec(prompt)?.[2];
}

test("a reply brings what it replies to: an answer, and an older message with its file", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const owner = world.owner(thread);
  const first = await owner.upload([file("log.txt", "E: 7")], "count:first");
  await answered(world, thread, ["did first"]);
  await owner.send("count:second", { replyTo: first.id });
  await answered(world, thread, ["did first", "did second"]);
  expect(quoted(lastPrompt(world))).toMatch(/^count:first\n\[Its files:\]\n- \S+\/1-log\.txt$/);
  expect(lastPrompt(world)).toMatch(/replies to the message .* written by the user on .*\n\ncount:second$/s);

  const answer = world.said(thread).find(({ content }) => content.startsWith("did second"));
  await owner.send("count:third", { replyTo: answer?.id ?? "" });
  await answered(world, thread, ["did first", "did second", "did third"]);
  expect(quoted(lastPrompt(world))).toContain("did second");
  expect(lastPrompt(world)).toContain("written by Bellhop");
});

test("a reply that is read back after a restart brings the same, or that what it replies to was deleted", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  const owner = world.owner(thread);
  const first = await owner.send("count:first");
  await answered(world, thread, ["did first"]);
  await daemon.kill("SIGTERM");
  await owner.send("count:second", { replyTo: first.id });
  const again = world.daemon();
  await again.ready;
  await answered(world, thread, ["did first", "did second"]);
  expect(quoted(lastPrompt(world))).toBe("count:first");
  await again.kill("SIGTERM");
  await owner.send("count:third", { replyTo: first.id });
  await owner.delete(first.id);
  await world.daemon().ready;
  await answered(world, thread, ["did first", "did second", "did third"]);
  expect(lastPrompt(world)).toMatch(/replies to a message that has been deleted\.\]\n\ncount:third$/);
});

test("a pasted text is the prompt, also read back and where a question is open; any other file is a path", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  const owner = world.owner(thread);
  const text = `count:pasted\n${"line\n".repeat(900)}`;
  await owner.upload([{ ...file("message.txt", text), contentType: "text/plain; charset=utf-8" }]);
  await answered(world, thread, ["did pasted"]);
  expect(lastPrompt(world)).toBe(text);
  await daemon.kill("SIGTERM");
  await owner.upload([{ ...file("message.txt", "count:away"), contentType: "text/plain; charset=utf-8" }]);
  await world.daemon().ready;
  await answered(world, thread, ["did pasted", "did away"]);
  await owner.upload([{ ...file("notes.txt", "count:never"), contentType: "text/plain; charset=utf-8" }], "count:path");
  await answered(world, thread, ["did pasted", "did away", "did path"]);
  expect(lastPrompt(world)).toMatch(/^count:path\n\n\[Files .*\]\n- \S+notes\.txt$/s);

  // It is no answer, not even to a question that takes one in any words.
  await owner.send("ask:");
  const asks = await world.saying(thread, (said) =>
    said.find(({ components }) => JSON.stringify(components).includes("Red")),
  );
  const late = await owner.upload([{ ...file("message.txt", "count:later"), contentType: "text/plain" }]);
  await world.marked(late.id, "⏳");
  expect(JSON.stringify(world.sandbox.messages(thread).find(({ id }) => id === asks.id)?.components)).toContain("Red");
  const [, red = ""] = /"label":"([^"]*Red[^"]*)"/.exec(JSON.stringify(asks.components)) ?? [];
  await (await owner.clickButton(asks.id, red)).acknowledged();
  await world.marked(late.id, "✅");
  expect(lastPrompt(world)).toBe("count:later");
});

test.for([
  ["a sticker", { sticker: "816086581509095424" }, "only a sticker"],
  ["a poll", { poll: "When?" }, "only a poll"],
] as const)("%s is told what it was, without a word of intents", async ([, options, said]) => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  const thread = await world.session();
  const { id } = await world.owner(thread).send("", options);
  const notice = await world.saying(thread, (all) => all.find((one) => JSON.stringify(one).includes("E_NOT_A_PROMPT")));
  expect(notice.message_reference?.message_id).toBe(id);
  expect(notice.embeds[0]?.description).toContain(said);
  expect(JSON.stringify(notice)).not.toContain("Intent");
  expect(world.agentStarts()).toEqual([]);
});

test("a thread that the owner opens on somebody's message brings that with its first prompt, and with no other", async () => {
  const world = await openWorld({ unlimited: true });
  const channel = world.sandbox.channelId;
  configure(world, ({ projects }) => Object.assign(projects.app, { channel_id: channel }));
  const daemon = world.daemon();
  await daemon.ready;
  const colleague = world.sandbox.addUser("ci");
  const alert = await world.sandbox.channel(channel).user(colleague.id).send("build 7 failed");
  const thread = await world.owner(channel).createThread("the build", { messageId: alert.id });
  const first = await world.owner(thread.id).send("count:first");
  await world.marked(first.id, "✅");
  expect(quoted(lastPrompt(world))).toBe("build 7 failed");
  expect(lastPrompt(world)).toContain("wrote in a thread opened on the message");
  expect(lastPrompt(world)).toContain('written by somebody else, called "ci"');
  const second = await world.owner(thread.id).send("count:second");
  await world.marked(second.id, "✅");
  expect(lastPrompt(world)).toBe("count:second");

  // Read back after a downtime.
  await daemon.kill("SIGKILL");
  const other = await world.sandbox.channel(channel).user(colleague.id).send("build 8 failed");
  const later = await world.owner(channel).createThread("again", { messageId: other.id });
  const third = await world.owner(later.id).send("count:third");
  await world.daemon().ready;
  await world.marked(third.id, "✅");
  expect(quoted(lastPrompt(world))).toBe("build 8 failed");
});

test("a forward runs nothing by itself: it goes along with the next message, a reply or its button, or is dropped", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  const owner = world.owner(thread);
  const elsewhere = world.owner(world.sandbox.channelId);
  const alert = await elsewhere.send("count:theirs\nand `rm -rf /` too");
  const held = (count: number) =>
    world.saying(thread, (said) => {
      const all = said.filter(({ components }) => JSON.stringify(components).includes("Send as quoted text"));
      return all.length === count && all;
    });

  const first = await owner.forward(alert.id, world.sandbox.channelId);
  const [shown] = await held(1);
  expect(shown?.message_reference?.message_id).toBe(first.id);
  expect(world.agentStarts()).toEqual([]);
  await owner.send("until:gate");
  await world.saying(thread, (said) =>
    said.find(({ embeds }) => embeds[0]?.description?.includes("↪️ with the forward")),
  );
  gate(world, "gate");
  await held(0);
  expect(quoted(lastPrompt(world))).toBe(alert.content);
  expect(lastPrompt(world)).toMatch(/the user forwarded .* written by somebody whose name is not known/);
  const [along] = world.sandbox.messages(thread).filter(({ content }) => content === "until:gate");
  await world.marked(along?.id ?? "", "✅");

  // Read back, and sent by its button.
  await daemon.kill("SIGTERM");
  await owner.forward(alert.id, world.sandbox.channelId);
  await world.daemon().ready;
  const [again] = await held(1);
  await (await owner.clickButton(again?.id ?? "", "Send as quoted text")).acknowledged();
  await world.agents(2);
  await held(0);
  expect(quoted(`${lastPrompt(world)}\n\n`)).toBe(alert.content);

  // Replied to, it goes along once.
  const replied = await owner.forward(alert.id, world.sandbox.channelId);
  await held(1);
  await owner.send("count:replied", { replyTo: replied.id });
  await world.agents(3);
  await held(0);
  expect(lastPrompt(world).match(/\nquoted_/g)).toHaveLength(2);

  await owner.forward(alert.id, world.sandbox.channelId);
  const [third] = await held(1);
  await (await owner.clickButton(third?.id ?? "", "Drop it")).acknowledged();
  await held(0);
  const fourth = await owner.forward(alert.id, world.sandbox.channelId);
  await held(1);
  await owner.delete(fourth.id);
  await held(0);
  await owner.send("count:alone");
  await answered(world, thread, ["gate is over", "ok", "did replied", "did alone"]);
  expect(lastPrompt(world)).toBe("count:alone");
});

test("of more than twenty forwards that wait, the oldest is dropped and its own post says so", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const owner = world.owner(thread);
  const alert = await world.owner(world.sandbox.channelId).send("count:theirs");
  const forwards = [];
  for (let number = 0; number < 21; number += 1) forwards.push(await owner.forward(alert.id, world.sandbox.channelId));
  const dropped = await world.saying(thread, (said) =>
    said.find(({ embeds }) => embeds[0]?.description?.startsWith("This was dropped, because 20 newer")),
  );
  expect([dropped.message_reference?.message_id, dropped.components]).toEqual([forwards[0]?.id, []]);
  await world.saying(
    thread,
    (said) =>
      said.filter(({ components }) => JSON.stringify(components).includes("Send as quoted text")).length === 20 &&
      said.length >= 21,
  );
  // It goes nowhere any more, not even with a reply to it.
  await owner.send("count:mine", { replyTo: forwards[0]?.id ?? "" });
  await answered(world, thread, ["did mine"]);
  expect(lastPrompt(world).match(/the user forwarded/g) ?? []).toHaveLength(20);
});

test("what anybody else forwards is nothing, and a forward where no session is runs nothing and is told where to go", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const said = await world.owner(world.sandbox.channelId).send("count:theirs");
  const stranger = world.sandbox.addUser("mallory");
  await world.sandbox.channel(thread).user(stranger.id).forward(said.id, world.sandbox.channelId);
  const mine = await world.owner(world.sandbox.channelId).forward(said.id);
  const told = await world.saying(world.sandbox.channelId, (all) =>
    all.find(({ embeds }) => embeds[0]?.description?.includes("Forward it there")),
  );
  expect(told.message_reference?.message_id).toBe(mine.id);
  await world.owner(thread).send("count:mine");
  await answered(world, thread, ["did mine"]);
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:mine"]);
});
