/**
 * The daemon is killed while a message is on its way into a turn of the real Claude: Claude is given it at most once
 * without its owner's word, and the thread says what is known of it.
 */
import { expect, it } from "vitest";
import { eventsOf } from "../../flows/acceptance/stage.ts";
import { controlsOf, press, type Asked } from "../../flows/asked.ts";
import { sendNow } from "../../flows/sending.ts";
import { descriptionOf, recorded } from "../../flows/workshop.ts";
import { crashNotice } from "../../flows/world.ts";
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
const timesGiven = ({ model }: Real, words: string): number => JSON.stringify(model.asked.at(-1)?.body["messages"]).split(words).length - 1;

it("before Claude has read it, nobody knows, and it is read once at its owner's word", async () => {
  const session = await atTool();
  const { real, world, thread, id } = session;
  const sent = await sendNow(session, "echo:the apricots");
  await wasRecorded(session, "JobSendRequested");
  const daemon = await restart(session);
  await world.marked(id, "💥");
  await world.marked(sent, "💥");
  const lost = await world.saying(thread, (said) => said.find((one) => descriptionOf(one).includes("while this message was being sent into a running answer")));
  expect([lost.message_reference?.message_id, controlsOf(lost).includes("Continue")]).toEqual([sent, false]);
  await clickOn(session, await world.saying(thread, crashNotice), "Discard");
  expect(JSON.stringify(real.model.asked)).not.toContain("apricots");
  await clickOn(session, lost, "Retry");
  await world.marked(sent, "✅");
  await world.saying(thread, (said) => said.some(({ content }) => content === "the apricots"));
  expect(timesGiven(real, "echo:the apricots")).toBe(1);
  await daemon.kill("SIGTERM");
});

it("after Claude has begun a turn of its own with it, it is a job like any other, whose answer was cut off", async () => {
  const session = await askReal("claude", "slow:40:50");
  const { real, world, thread, id } = session;
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("chunk5 ")));
  const sent = await sendNow(session, "slow:400:50");
  await world.marked(id, "✅");
  await recorded(world, ({ type, payload }) => type === "JobStarted" && payload["job_id"] === eventsOf(world).find((one) => one.type === "JobSendRequested")?.payload["job_id"]);
  const daemon = await restart(session);
  await world.marked(sent, "💥");
  await clickOn(session, await world.saying(thread, crashNotice), "Discard");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(timesGiven(real, "slow:400:50")).toBeLessThanOrEqual(1);
  expect(eventsOf(world).filter(({ type }) => type === "JobStarted")).toHaveLength(3);
  await daemon.kill("SIGTERM");
});
