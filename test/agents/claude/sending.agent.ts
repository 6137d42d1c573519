/**
 * The daemon is killed while a message is on its way into a turn of the real Claude: Claude is given it at most once
 * without its owner's word, and the thread says what is known of it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventsOf } from "../../flows/acceptance/stage.ts";
import { controlsOf, press, type Asked } from "../../flows/asked.ts";
import { sendNow } from "../../flows/sending.ts";
import { descriptionOf, recorded } from "../../flows/workshop.ts";
import { crashNotice } from "../../flows/world.ts";
import { queuedByClaude, writtenUnder } from "../bench.ts";
import { askReal, type Real } from "../real-world.ts";

type Session = Asked & { real: Real };

/** Its Claude is at a tool until `go` is there. */
async function atTool(): Promise<Session> {
  const session = await askReal("claude", "tool:bash:touch begun; while [ ! -e go ]; do sleep 0.1; done");
  await press(session, "Allow once");
  return session;
}

const wasRecorded = ({ world }: Asked, name: string): Promise<void> => recorded(world, ({ type }) => type === name);

async function restart({ real, daemon }: Session): Promise<Session["daemon"]> {
  await daemon.kill("SIGKILL");
  return real.start();
}

async function clickOn({ world, thread }: Asked, notice: { id: string }, button: string): Promise<void> {
  await (await world.owner(thread).clickButton(notice.id, button)).acknowledged();
}

/** How often the model was given it in its conversation as it stands now. */
const timesGiven = ({ model }: Real, words: string): number =>
  JSON.stringify(model.asked.at(-1)?.body["messages"]).split(words).length - 1;

it("before Claude has read it, nobody knows, and it is read once at its owner's word", async () => {
  const session = await atTool();
  const { real, world, thread, id } = session;
  const sent = await sendNow(session, "echo:the apricots");
  await wasRecorded(session, "JobSendRequested");
  const daemon = await restart(session);
  await world.marked(id, "💥");
  await world.marked(sent, "💥");
  const lost = await world.saying(thread, (said) =>
    said.find((one) => descriptionOf(one).includes("while this message was being sent into a running answer")),
  );
  expect([lost.message_reference?.message_id, controlsOf(lost).includes("Continue")]).toEqual([sent, false]);
  await clickOn(session, await world.saying(thread, crashNotice), "Discard");
  expect(JSON.stringify(real.model.asked)).not.toContain("apricots");
  await clickOn(session, lost, "Retry");
  await world.marked(sent, "✅");
  await world.saying(thread, (said) => said.some(({ content }) => content === "the apricots"));
  expect(timesGiven(real, "echo:the apricots")).toBe(1);
  await daemon.kill("SIGTERM");
});

it("after Claude has read it at the end of a tool, it belongs to that answer, and Continue repeats it as a note", async () => {
  const session = await atTool();
  const { real, world, thread, id } = session;
  const sent = await sendNow(session, "echo:the quinces");
  await queuedByClaude(world, 2);
  // What the model would answer to it is not heard before the kill.
  real.fail(500);
  writeFileSync(join(world.project, "go"), "");
  await wasRecorded(session, "JobSent");
  const daemon = await restart(session);
  real.fail(null);
  await world.marked(id, "💥");
  await world.marked(sent, "📨");
  const notice = await world.saying(thread, crashNotice);
  expect(descriptionOf(notice).replaceAll("\\", "")).toContain("📨 Also answers: [echo:the quinces]");
  await clickOn(session, notice, "Continue");
  await world.saying(thread, (said) => said.some(({ content }) => content === "the quinces"));
  const messages = JSON.stringify(real.model.asked.at(-1)?.body["messages"]);
  expect(messages.split("You may have it already. Do not do any of it twice")).toHaveLength(2);
  // Once in the note, and once more if Claude had written it down before it was killed.
  expect([1, 2]).toContain(timesGiven(real, "echo:the quinces"));
  await daemon.kill("SIGTERM");
});

it("after Claude has read it and the daemon has not heard so, Claude's own record tells it, also of one that was deleted", async () => {
  const session = await atTool();
  const { real, world, thread, id, daemon } = session;
  const sent = await sendNow(session, "echo:the medlars");
  await queuedByClaude(world, 2);
  real.fail(500);
  process.kill(daemon.pid, "SIGSTOP");
  writeFileSync(join(world.project, "go"), "");
  await writtenUnder(join(world.home, ".claude", "projects"), "absorbed_mid_turn");
  await world.owner(thread).delete(sent);
  const next = await restart(session);
  real.fail(null);
  await world.marked(id, "💥");
  const notice = await world.saying(thread, crashNotice);
  expect(descriptionOf(notice).replaceAll("\\", "")).toContain("📨 Also answers: [echo:the medlars]");
  expect(eventsOf(world).filter(({ type }) => type === "JobSent")).toHaveLength(1);
  await next.kill("SIGTERM");
});

it("after Claude has begun with it and the daemon has not heard so, it was cut off like any job, by Claude's own record", async () => {
  const session = await askReal("claude", "slow:100:50");
  const { world, thread, daemon } = session;
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("chunk5 ")));
  const sent = await sendNow(session, "hang:");
  await queuedByClaude(world, 2);
  process.kill(daemon.pid, "SIGSTOP");
  await writtenUnder(join(world.home, ".claude", "projects"), "hang:");
  const next = await restart(session);
  await world.marked(sent, "💥");
  const cut = await world.saying(thread, (said) => said.find((one) => /continue:job_\d+_0002/.test(controlsOf(one))));
  expect(descriptionOf(cut)).toContain("Bellhop or its machine stopped while this job was running.");
  await next.kill("SIGTERM");
});

it("deleted before Claude has read it, it is dropped by Claude, said to be, and never seen by the model", async () => {
  const session = await atTool();
  const { real, world, thread, id, daemon } = session;
  const sent = await sendNow(session, "echo:the damsons");
  await queuedByClaude(world, 2);
  await world.owner(thread).delete(sent);
  await world.saying(thread, (said) =>
    said.some((one) =>
      /A message was deleted before its job `job_\d+_0002` had started, so the job was taken back/.test(
        descriptionOf(one).replaceAll("\\", ""),
      ),
    ),
  );
  writeFileSync(join(world.project, "go"), "");
  await world.marked(id, "✅");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(JSON.stringify(real.model.asked)).not.toContain("damsons");
  await daemon.kill("SIGTERM");
});

it("after Claude has begun a turn of its own with it, it is a job like any other, whose answer was cut off", async () => {
  const session = await askReal("claude", "slow:100:50");
  const { real, world, thread, id } = session;
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("chunk5 ")));
  const sent = await sendNow(session, "slow:400:50");
  await world.marked(id, "✅");
  await recorded(
    world,
    ({ type, payload }) =>
      type === "JobStarted" &&
      payload["job_id"] === eventsOf(world).find((one) => one.type === "JobSendRequested")?.payload["job_id"],
  );
  const daemon = await restart(session);
  await world.marked(sent, "💥");
  await clickOn(session, await world.saying(thread, crashNotice), "Discard");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(timesGiven(real, "slow:400:50")).toBeLessThanOrEqual(1);
  expect(eventsOf(world).filter(({ type }) => type === "JobStarted")).toHaveLength(3);
  await daemon.kill("SIGTERM");
});
