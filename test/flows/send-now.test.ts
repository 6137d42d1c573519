/**
 * Send now: a message that waits is handed to the running turn. Whatever becomes of it, it reaches the agent once, and
 * its writer sees what became of it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { asks, controlsOf, type Asked } from "./asked.ts";
import { busy, given, heard, offered, prompts, sendNow, shown, waiting } from "./sending.ts";
import { descriptionOf, learnt, open, recorded } from "./workshop.ts";
import { answered, crashNotice } from "./world.ts";

test("at the end of a tool the running answer takes it in, says so, and is the only answer", async () => {
  const session = await busy("work:build");
  const { world, thread, id } = session;
  const sent = await sendNow(session, "echo:and this");
  await heard(world, 1);
  await world.saying(thread, (said) =>
    said.some((one) => shown(one).includes("📨 [echo:and this]") && shown(one).includes("being sent")),
  );
  open(world, "build");
  await world.marked(sent, "📨");
  await world.saying(thread, (said) => said.some((one) => shown(one).includes("📨 Also answers: [echo:and this]")));
  open(world, "build-end");
  await world.marked(id, "✅");
  await answered(world, thread, ["The tool has run. You also said: echo:and this"]);
  const end = await world.saying(thread, (said) => said.map(shown).find((text) => text.startsWith("✅")));
  expect(end).toContain(
    `📨 Also answers: [echo:and this](https://discord.com/channels/${world.sandbox.guildId}/${thread}/${sent})`,
  );
  expect(prompts(session)).toEqual(["work:build", "echo:and this"]);
});

test("where the turn has no more tools it becomes a job of its own, before what was not sent", async () => {
  const session = await busy("until:over");
  const { world, thread } = session;
  const all = [];
  for (const words of ["echo:third", "echo:first", "echo:second"]) all.push(await waiting(session, words));
  const { id: card } = await (await world.owner(thread).slash("queue")).answer();
  for (const [place, words] of ["echo:first", "echo:second"].entries()) {
    await press(session, card, words);
    await heard(world, place + 1);
  }
  await world.sandbox.until(
    ({ message }) => controlsOf(message(card) as APIMessage).includes('"label":"Clear (1)"') || undefined,
  );
  open(world, "over");
  for (const id of all) await world.marked(id, "✅");
  await answered(world, thread, ["over is over", "first", "second", "third"]);
  expect(prompts(session)).toEqual(["until:over", "echo:first", "echo:second", "echo:third"]);
  expect(new Set(world.agentStarts().map(({ pid }) => pid)).size).toBe(1);
});

/** Chooses the job with these words on the queue's card and sends it. */
async function press({ world, thread }: Asked, card: string, words: string): Promise<void> {
  const owner = world.owner(thread);
  const [id = "", value = ""] = await world.sandbox.until(({ message }) => {
    const rows = (message(card)?.components ?? []) as unknown as {
      components: { custom_id: string; options?: { label: string; value: string }[] }[];
    }[];
    const select = rows
      .flatMap(({ components }) => components)
      .find(({ custom_id }) => custom_id.startsWith("q-pick:"));
    const option = select?.options?.find(({ label }) => label.includes(words));
    return select && option ? [select.custom_id, option.value] : undefined;
  });
  const [entry] = await (await owner.select(card, id, [value])).followUps(1);
  if (!entry) throw new Error("Nothing was offered");
  await owner.clickButton(entry.id, "Send now");
  await world.sandbox.until(
    ({ message }) => message(entry.id)?.content?.includes("is being sent into the running answer") || undefined,
  );
}

test("an agent that dies before it took it up was not given it: it is said, and the message is answered next", async () => {
  const session = await busy("until:never");
  const { world, thread, id } = session;
  const sent = await sendNow(session, "echo:still here");
  await heard(world, 1);
  process.kill(world.agentStarts()[0]?.pid ?? 0, "SIGKILL");
  await world.marked(id, "❌");
  await world.marked(sent, "✅");
  await world.saying(thread, (said) =>
    said.some((one) => descriptionOf(one).includes("E_SEND_FAILED") && one.message_reference?.message_id === sent),
  );
  expect(given(session, "still here")).toBe(1);
});

test("/cancel stops the running job and not what is being sent, which is answered next", async () => {
  const session = await busy("until:never");
  const { world, thread, id } = session;
  const sent = await sendNow(session, "echo:after that");
  await heard(world, 1);
  await (await world.owner(thread).slash("cancel")).answer();
  await world.marked(id, "🚫");
  await world.marked(sent, "✅");
  expect(given(session, "after that")).toBe(1);
});

test("a daemon killed while it is sent says that nobody knows, and sends it again at the owner's word only", async () => {
  const session = await busy("until:never");
  const { world, thread, id, daemon } = session;
  const sent = await sendNow(session, "count:sent");
  await heard(world, 1);
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.marked(id, "💥");
  await world.marked(sent, "💥");
  const notice = await world.saying(thread, crashNotice);
  const lost = await world.saying(thread, (said) =>
    said.find((one) => descriptionOf(one).includes("while this message was being sent into a running answer")),
  );
  expect([lost.message_reference?.message_id, controlsOf(lost).includes("Continue")]).toEqual([sent, false]);
  await (await world.owner(thread).clickButton(notice.id, "Discard")).acknowledged();
  expect(given(session, "count:sent")).toBe(0);
  await (await world.owner(thread).clickButton(lost.id, "Retry")).acknowledged();
  await world.marked(sent, "✅");
  expect(readFileSync(join(world.project, "done.txt"), "utf8")).toBe("sent\n");
});

test("a daemon killed after it was taken up repeats it with Continue, as a note", async () => {
  const session = await busy("work:build");
  const { world, thread, daemon } = session;
  const sent = await sendNow(session, "echo:and this");
  await heard(world, 1);
  open(world, "build");
  await world.marked(sent, "📨");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  const notice = await world.saying(thread, crashNotice);
  expect(shown(notice)).toContain("📨 Also answers: [echo:and this]");
  await (await world.owner(thread).clickButton(notice.id, "Continue")).acknowledged();
  await world.agents(3);
  expect(prompts(session)[2]).toMatch(
    /Go on with what you were doing when you were interrupted\.\n\n\[Note from Bellhop.*You may have it already\..*\]\n\necho:and this$/s,
  );
});

test("its files go with it", async () => {
  const session = await busy("work:build");
  const { world, thread } = session;
  const { id } = await world
    .owner(thread)
    .send("read this", { files: [{ name: "notes.txt", bytes: Buffer.from("kumquats") }] });
  const card = await offered(session, "read this");
  await (await world.owner(thread).clickButton(card.id, "Send now")).acknowledged();
  await heard(world, 1);
  open(world, "build");
  await world.marked(id, "📨");
  const withFile = /^read this\n\n\[Files that came with this message, on this machine:\]\n- (\S+)$/;
  expect(prompts(session)[1]).toMatch(withFile);
  expect(readFileSync(withFile.exec(prompts(session)[1] ?? "")?.[1] ?? "", "utf8")).toBe("kumquats");
  open(world, "build-end");
});

test("an agent that waits for its owner is sent nothing, and one that cannot be spoken to offers nothing", async () => {
  const session = await busy("may:ls");
  const { world, thread } = session;
  await recorded(world, ({ type }) => type === "DecisionAsked");
  await waiting(session, "echo:later");
  const card = await (await world.owner(thread).slash("queue")).answer();
  expect(controlsOf(card)).toContain("q-cancel:");
  expect(controlsOf(card)).not.toContain("q-send:");
  const codex = await busy("work:other", { tools: ["codex"] });
  await waiting(codex, "echo:later");
  const other = await (await codex.world.owner(codex.thread).slash("queue")).answer();
  expect(controlsOf(other)).toContain("q-cancel:");
  expect(controlsOf(other)).not.toContain("q-send:");
});

test("what is being sent cannot be edited, and a stranger sends nothing", async () => {
  const session = await busy("until:over");
  const { world, thread } = session;
  const { id } = await world.owner(thread).send("echo:as it was");
  const card = await offered(session, "echo:as it was");
  const mallory = world.sandbox.addUser("mallory", { admin: true });
  const pressed = await world.sandbox.channel(thread).user(mallory.id).clickButton(card.id, "Send now");
  expect((await pressed.answer()).content).toContain("E_OWNER_ONLY");
  await (await world.owner(thread).clickButton(card.id, "Send now")).acknowledged();
  await heard(world, 1);
  await world.owner(thread).edit(id, "echo:otherwise");
  await world.saying(thread, (said) =>
    said.some((one) => descriptionOf(one).includes("You edited this message after it was sent to the agent")),
  );
  open(world, "over");
  await world.marked(id, "✅");
  await answered(world, thread, ["over is over", "as it was"]);
});

test("what is deleted or cancelled before the agent has read it is never given to it", async () => {
  const session = await busy("until:over");
  const { world, thread } = session;
  const deleted = await sendNow(session, "echo:deleted");
  await heard(world, 1);
  await world.owner(thread).delete(deleted);
  await world.saying(thread, (said) =>
    said.some((one) =>
      /A message was deleted before its job `job_\d+_0002` had started, so the job was taken back/.test(
        descriptionOf(one),
      ),
    ),
  );
  const cancelled = await sendNow(session, "echo:cancelled");
  await heard(world, 2);
  const { id: card } = await (await world.owner(thread).slash("queue")).answer();
  await (await world.owner(thread).clickButton(card, "Cancel it")).followUps(1);
  await world.marked(cancelled, "🚫");
  open(world, "over");
  await world.marked(session.id, "✅");
  expect(prompts(session)).toEqual(["until:over"]);
});

test("what the agent has read already is not claimed to be taken back", async () => {
  const session = await busy("work:build", { args: ["--keeping"] });
  const { world, thread } = session;
  const deleted = await sendNow(session, "echo:deleted");
  await heard(world, 1);
  await world.owner(thread).delete(deleted);
  const cancelled = await sendNow(session, "echo:cancelled");
  await heard(world, 2);
  const { id: card } = await (await world.owner(thread).slash("queue")).answer();
  await world.sandbox.until(({ message }) => controlsOf(message(card) as APIMessage).includes("q-pick:") || undefined);
  await (await world.owner(thread).slash("cancel")).answer();
  await world.marked(session.id, "🚫");
  await world.saying(thread, (said) =>
    said.some((one) => /A message was deleted after its job `job_\d+_0002` had started\./.test(descriptionOf(one))),
  );
  await world.marked(cancelled, "✅");
  expect(prompts(session)).toEqual(["work:build", "echo:deleted", "echo:cancelled"]);
});

test("an agent that speaks ACP and can be spoken to is, from its first turn on", async () => {
  const agent = join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");
  const session = await asks("listen", {
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: { commands: { acp: [process.execPath, agent, "steers"] } },
  });
  const { world, thread, id } = session;
  await learnt(world, "session_key");
  const sent = await sendNow(session, "and this");
  await world.marked(sent, "📨");
  await world.marked(id, "✅");
  await answered(world, thread, ["You also said: and this"]);
});

test("to an agent that speaks ACP its files go as files of the prompt", async () => {
  const agent = join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");
  const session = await asks("listen", {
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: { commands: { acp: [process.execPath, agent, "steers"] } },
  });
  const { world, thread } = session;
  await learnt(world, "session_key");
  const { id } = await world
    .owner(thread)
    .send("read this", { files: [{ name: "notes.txt", bytes: Buffer.from("kumquats") }] });
  const card = await offered(session, "read this");
  await (await world.owner(thread).clickButton(card.id, "Send now")).acknowledged();
  await world.marked(id, "📨");
  await world.saying(thread, (said) =>
    said.some(({ content }) =>
      /^You also said: - \S+notes\.txt and a resource_link$/.test(content.replaceAll("\\", "")),
    ),
  );
});
