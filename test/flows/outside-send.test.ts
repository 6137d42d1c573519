/** Send now into what an agent does by itself: the message reaches it once, and its writer sees what became of it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, controlsOf, press, prompted, type Asked } from "./asked.ts";
import { given, heard, offered, prompts, sendNow, shown, waiting } from "./sending.ts";
import { descriptionOf, open, recorded } from "./workshop.ts";
import { answered } from "./world.ts";

const REPORT = "🌙 The agent reports from work in the background.";

/** A session whose agent does this by itself, and can be spoken to. */
async function reporting(directive: string): Promise<Asked> {
  const session = await asks(`later:built:${directive}`);
  const { world } = session;
  await world.marked(session.id, "✅");
  writeFileSync(join(world.home, "built"), "");
  await recorded(
    world,
    ({ type, payload }) =>
      type === "JobProgress" && payload["kind"] === "process" && String(payload["job_id"]).startsWith("turn_"),
  );
  return session;
}

/** Resolves with the message that closes the outside turn, once its text has these words. */
const closing = ({ world, thread }: Asked, words: string): Promise<string> =>
  world.saying(thread, (said) => said.map(shown).findLast((text) => text.startsWith(REPORT) && text.includes(words)));

test("at the end of a tool the agent takes it in, and its report says so and is the only answer", async () => {
  const session = await reporting("work:deploy");
  const { world, thread } = session;
  const sent = await sendNow(session, "echo:and this");
  await heard(world, 1);
  await world.saying(thread, (said) =>
    said.some(
      (one) =>
        shown(one).startsWith(REPORT) && shown(one).includes("📨 [echo:and this]") && shown(one).includes("being sent"),
    ),
  );
  open(world, "deploy");
  await world.marked(sent, "📨");
  open(world, "deploy-end");
  await closing(session, "✅ done");
  await closing(
    session,
    `📨 Also answers: [echo:and this](https://discord.com/channels/${world.sandbox.guildId}/${thread}/${sent})`,
  );
  await answered(world, thread, ["I started it.", "The tool has run. You also said: echo:and this"]);
  expect(prompts(session)).toEqual(["later:built:work:deploy", "echo:and this"]);
});

test("/cancel stops the report and not what is being sent, which becomes a job of its own", async () => {
  const session = await reporting("until:over");
  const { world, thread } = session;
  const id = await waiting(session, "echo:not stopped");
  const owner = world.owner(thread);
  const card = await offered(session, "echo:not stopped");
  await (await owner.clickButton(card.id, "Send now")).acknowledged();
  await heard(world, 1);
  await (await owner.slash("cancel")).answer();
  await closing(session, "🚫 cancelled");
  await world.marked(id, "✅");
  await answered(world, thread, ["I started it.", "not stopped"]);
  expect([given(session, "not stopped"), new Set(world.agentStarts().map(({ pid }) => pid)).size]).toEqual([1, 1]);
});

test("an agent that dies before it took it up was not given it: it is said, and the message is answered next", async () => {
  const session = await reporting("until:never");
  const { world, thread } = session;
  const sent = await sendNow(session, "echo:still here");
  await heard(world, 1);
  process.kill(world.agentStarts()[0]?.pid ?? 0, "SIGKILL");
  await closing(session, "❌");
  await world.marked(sent, "✅");
  await world.saying(thread, (said) =>
    said.some((one) => descriptionOf(one).includes("E_SEND_FAILED") && one.message_reference?.message_id === sent),
  );
  expect(given(session, "still here")).toBe(1);
});

test("while it waits for its owner's word nothing is offered, and a stranger sends nothing", async () => {
  const session = await reporting("may:ls");
  const { world, thread } = session;
  await prompted(session, "Allow once");
  const id = await waiting(session, "echo:later");
  expect(controlsOf(await (await world.owner(thread).slash("queue")).answer())).not.toContain("q-send:");
  await press(session, "Allow once");
  await world.marked(id, "✅");
  const other = await reporting("until:never");
  await waiting(other, "echo:later");
  const card = await other.world.saying(other.thread, (said) =>
    said.find((one) => controlsOf(one).includes('"q-send:')),
  );
  const mallory = other.world.sandbox.addUser("mallory", { admin: true });
  const pressed = await other.world.sandbox.channel(other.thread).user(mallory.id).clickButton(card.id, "Send now");
  expect((await pressed.answer()).content).toContain("E_OWNER_ONLY");
});

test("a daemon killed while it is sent says that nobody knows, and sends it again at the owner's word only", async () => {
  const session = await reporting("until:never");
  const { world, thread, daemon } = session;
  const sent = await sendNow(session, "echo:once");
  await heard(world, 1);
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.marked(sent, "💥");
  await closing(session, "Bellhop or its machine stopped while the agent reported this.");
  const lost = await world.saying(thread, (said) =>
    said.find((one) => descriptionOf(one).includes("while this message was being sent into a running answer")),
  );
  expect(lost.message_reference?.message_id).toBe(sent);
  expect(given(session, "once")).toBe(0);
  await (await world.owner(thread).clickButton(lost.id, "Retry")).acknowledged();
  await world.marked(sent, "✅");
  await answer(session, "once");
});

test("a daemon killed after it was taken up names it in what was cut off, and the next message repeats it as a note", async () => {
  const session = await reporting("work:deploy");
  const { world, thread, daemon } = session;
  const sent = await sendNow(session, "echo:and this");
  await heard(world, 1);
  open(world, "deploy");
  await world.marked(sent, "📨");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await closing(session, "📨 Also answers: [echo:and this]");
  for (const words of ["echo:next", "echo:last"]) await world.marked((await world.owner(thread).send(words)).id, "✅");
  const [next = "", last = ""] = prompts(session).slice(-2);
  expect(next).toMatch(/^echo:next\n\n\[Note from Bellhop.*You may have it already\..*\]\n\necho:and this$/s);
  expect(last).toBe("echo:last");
});
