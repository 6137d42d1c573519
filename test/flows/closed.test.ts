/** A session that is closed: what is written there waits for nobody, and one press opens it again. */
import path from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, asks, type Asked } from "./asked.ts";
import { descriptionOf, recorded, withButton } from "./workshop.ts";
import { descendants, type WorldOptions } from "./world.ts";

const agent = path.join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");
const scripted = (limits: object): WorldOptions => ({
  agent: "none",
  tools: ["acp"],
  unlimited: true,
  config: { commands: { acp: [process.execPath, agent] }, limits },
});

/** A session whose agent was silent for too long. */
async function silent(): Promise<Asked> {
  const asked = await asks("quiet", scripted({ acp_silence_sec: 3 }));
  await asked.world.marked(asked.id, "❌");
  return asked;
}

test("an agent that gives no sign of life is ended, and its session closed with a sentence", async () => {
  const { world, thread, daemon } = await silent();
  await world.saying(thread, (said) => said.some((message) => descriptionOf(message).includes("E_AGENT_SILENT")));
  await recorded(world, ({ type, payload }) => type === "SessionClosed" && payload["by"] === "silent");
  await recorded(world, ({ type, payload }) => type === "JobProgress" && payload["kind"] === "gone");
  expect(descendants(daemon.pid, /acp\.mjs/)).toEqual([]);
});

test("a message there is refused with a button that reopens the session with it, once", async () => {
  const asked = await silent();
  const { world, thread } = asked;
  const { id } = await world.owner(thread).send("echo and on");
  await world.marked(id, "⚠️");
  const refusal = await world.saying(thread, (said) => withButton(said, "s-reopen"));
  expect(descriptionOf(refusal)).toContain("E_SESSION_CLOSED");
  await (await world.owner(thread).clickButton(refusal.id, "Reopen and send")).acknowledged();
  await answer(asked, "and on");
  await world.marked(id, "✅");
  await world.saying(thread, (said) =>
    said.some(
      (message) =>
        message.id === refusal.id &&
        message.content.startsWith("The session is open again") &&
        (message.components ?? []).length === 0,
    ),
  );
});

test("of two messages there each button sends its own, also when the session is open by then, and once", async () => {
  const asked = await silent();
  const { world, thread } = asked;
  const owner = world.owner(thread);
  const refusalOf = (id: string): Promise<APIMessage> =>
    world.saying(thread, (said) =>
      said.find(
        (message) => message.message_reference?.message_id === id && withButton([message], "s-reopen") !== undefined,
      ),
    );
  const first = await owner.send("echo the first");
  const second = await owner.send("echo the second");
  const [firstRefusal, secondRefusal] = [await refusalOf(first.id), await refusalOf(second.id)];
  await (await owner.clickButton(secondRefusal.id, "Reopen and send")).acknowledged();
  await answer(asked, "the second");
  const [again, twice] = await Promise.all([
    owner.clickButton(firstRefusal.id, "Reopen and send"),
    owner.clickButton(firstRefusal.id, "Reopen and send"),
  ]);
  await Promise.all([again.acknowledged(), twice.acknowledged()]);
  await answer(asked, "the first");
  await world.marked(first.id, "✅");
  await world.saying(thread, (said) =>
    said.some(
      ({ id, content, components }) =>
        id === firstRefusal.id && content.startsWith("Your message is queued.") && (components ?? []).length === 0,
    ),
  );
  const enqueued = eventsOf(world).filter(({ type }) => type === "JobEnqueued");
  expect(enqueued.map(({ payload }) => payload["discord_message_id"])).toEqual([asked.id, second.id, first.id]);
});

test("a failed job says that Retry opens its session again, and so does what answers it", async () => {
  const asked = await silent();
  const { world, thread } = asked;
  const end = await world.saying(thread, (said) => withButton(said, "retry"));
  expect(descriptionOf(end)).toContain("This session is closed. Running the job again opens it.");
  const [told] = await (await world.owner(thread).clickButton(end.id, "Retry")).followUps(1);
  expect(told?.content).toMatch(/^The session is open again\. Running again as `job_/);
});

test("what is said of a closed session says how it is opened again", async () => {
  const asked = await asks("echo hi", scripted({}));
  const { world, thread } = asked;
  await world.marked(asked.id, "✅");
  const stopped = await (await world.owner(thread).slash("agent stop")).answer();
  expect(stopped.content).toContain("press *Reopen and send*");
  const status = await (await world.owner(thread).slash("status")).answer();
  expect(JSON.stringify(status)).toContain("press *Reopen and send*");
});
