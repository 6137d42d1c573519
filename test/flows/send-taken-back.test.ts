/**
 * A message that is deleted or cancelled while it is sent into a running turn, and the daemon is killed before it knows
 * what became of that: what the agent's own record shows as read is told as read, and of the rest it is said that
 * nobody knows.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { controlsOf, type Asked } from "./asked.ts";
import { busy, given, heard, prompts, sendNow, shown } from "./sending.ts";
import { open, recorded } from "./workshop.ts";
import { appears, crashNotice, inFolder } from "./world.ts";

const TAKES_BACK = {
  async deleted({ world, thread }: Asked, id: string) {
    await world.owner(thread).delete(id);
    await recorded(world, ({ type, payload }) => type === "MessageNoted" && payload["change"] === "deleted");
  },
  async cancelled({ world, thread }: Asked) {
    const { id: card } = await (await world.owner(thread).slash("queue")).answer();
    await (await world.owner(thread).clickButton(card, "Cancel it")).followUps(1);
    await recorded(world, ({ type }) => type === "JobCancelRequested");
  },
};
const WAYS = ["deleted", "cancelled"] as const;

/** The agent is at a tool, has this message in its queue, and says that it cannot drop it any more. */
async function takenBack(
  how: (typeof WAYS)[number],
  directive: string,
  words: string,
): Promise<Asked & { sent: string }> {
  const session = await busy(directive, { args: ["--keeping"] });
  const sent = await sendNow(session, words);
  await heard(session.world, 1);
  await TAKES_BACK[how](session, sent);
  return { ...session, sent };
}

/** From now on the daemon hears nothing; it is killed when its agent has written this down. */
async function killOnce({ world, daemon }: Asked, written: string): Promise<void> {
  process.kill(daemon.pid, "SIGSTOP");
  const records = join(world.home, ".claude", "projects", "app");
  open(world, "build");
  await appears(records);
  await inFolder(records, () =>
    readdirSync(records).some((name) => readFileSync(join(records, name), "utf8").includes(written)),
  );
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
}

const notice = ({ world, thread }: Asked, words: string): Promise<APIMessage> =>
  world.saying(thread, (said) => said.find((one) => shown(one).includes(words)));

test.each(WAYS)(
  "%s before the agent has read it, it is told that nobody knows, and the queue waits only for the answer",
  async (how) => {
    const session = await takenBack(how, "until:never", "count:sent");
    const { world, thread, daemon } = session;
    await daemon.kill("SIGKILL");
    await world.daemon().ready;
    const lost = await notice(session, "You took this message back (job `job_");
    expect(shown(lost)).toMatch(
      /_0002`\) while it was being sent into a running answer, .* Bellhop can't tell whether the agent has read it/,
    );
    expect([shown(lost).includes("You had asked Bellhop to stop it"), controlsOf(lost).includes("Discard")]).toEqual([
      false,
      false,
    ]);
    await (
      await world.owner(thread).clickButton((await world.saying(thread, crashNotice)).id, "Discard")
    ).acknowledged();
    await world.marked((await world.owner(thread).send("echo:next")).id, "✅");
    expect(given(session, "count:sent")).toBe(0);
  },
);

test.each(WAYS)(
  "%s after the agent has read it at the end of a tool, it is told as part of that answer",
  async (how) => {
    const session = await takenBack(how, "work:build", "echo:and this");
    const { world, thread, sent } = session;
    await killOnce(session, "absorbed_mid_turn");
    expect(shown(await world.saying(thread, crashNotice))).toContain("📨 Also answers: [echo:and this]");
    if (how === "deleted") await notice(session, "A message was deleted after the agent had read it");
    else await world.marked(sent, "📨");
    expect(world.said(thread).map(shown).join("\n")).not.toContain("while it was being sent");
    expect(given(session, "echo:and this")).toBe(1);
  },
);

test("not taken back, what the agent has read by its own record is told as read too, and Continue repeats it as a note", async () => {
  const session = await busy("work:build");
  const { world, thread } = session;
  const sent = await sendNow(session, "echo:and this");
  await heard(world, 1);
  await killOnce(session, "absorbed_mid_turn");
  await world.marked(sent, "📨");
  const cut = await world.saying(thread, crashNotice);
  expect(shown(cut)).toContain("📨 Also answers: [echo:and this]");
  await (await world.owner(thread).clickButton(cut.id, "Continue")).acknowledged();
  await world.agents(3);
  expect(prompts(session)[2]).toMatch(/You may have it already\..*\]\n\necho:and this$/s);
});

test("what the agent has begun with by its own record was cut off like any job, and can be continued", async () => {
  const session = await busy("until:build");
  const { world, thread, id } = session;
  const sent = await sendNow(session, "until:never");
  await heard(world, 1);
  await killOnce(session, "until:never");
  await world.marked(id, "💥");
  await world.marked(sent, "💥");
  const cut = await world.saying(thread, (said) => said.find((one) => /continue:job_\d+_0002/.test(controlsOf(one))));
  expect(shown(cut)).toContain("Bellhop or its machine stopped while this job was running.");
});
