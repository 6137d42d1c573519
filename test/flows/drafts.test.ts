/** What is left at the desk in a window, a draft or tmux's copy mode, does not keep the phone waiting. */
import type { APIMessage } from "discord-api-types/v10";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { did, hasTmux, openDesk, started, type Desk } from "./desk.ts";
import { descriptionOf, recorded } from "./workshop.ts";
import type { World } from "./world.ts";

/** Text in the prompt box. */
async function draft({ tmux, shows }: Desk, text: string): Promise<void> {
  tmux("send-keys", "-l", text);
  await shows(text);
}

async function erased({ tmux }: Desk, text: string): Promise<void> {
  tmux("send-keys", "C-u");
  while (tmux("capture-pane", "-p").includes(text)) await setImmediate();
}

function noticeWith(world: World, thread: string, words: string): Promise<APIMessage> {
  return world.saying(thread, (said) => said.find((one) => (descriptionOf(one) || one.content).includes(words)));
}

test.skipIf(!hasTmux)(
  "Clear the draft and send takes the draft out of the box, types the message, and keeps the draft in the thread",
  async () => {
    const desk = await openDesk();
    const { world, done } = desk;
    await started(world);
    const thread = await world.session();
    const owner = world.owner(thread);
    await world.marked((await owner.send("count:one")).id, "✅");
    await draft(desk, "half a thought 한국어");
    const { id } = await owner.send("count:two");
    const notice = await noticeWith(world, thread, "half a thought 한국어");
    await owner.clickButton(notice.id, "Clear the draft and send");
    await world.marked(id, "✅");
    await done("two");
    const { content } = await world.saying(thread, (said) =>
      said.find((one) => one.id === notice.id && one.content !== ""),
    );
    expect(content).toContain("half a thought 한국어");
    expect(did(world)).toEqual(["one", "two"]);
  },
);

test.skipIf(!hasTmux)(
  "what was not shown is not cleared: a draft that has grown since is shown first, and both stay in the thread",
  async () => {
    const desk = await openDesk();
    const { world, done } = desk;
    await started(world);
    const thread = await world.session();
    const owner = world.owner(thread);
    await world.marked((await owner.send("count:one")).id, "✅");
    await draft(desk, "a thought");
    const { id } = await owner.send("count:two");
    const first = await noticeWith(world, thread, "a thought");
    await draft(desk, " and more");
    await owner.clickButton(first.id, "Clear the draft and send");
    const second = await noticeWith(world, thread, "a thought and more");
    expect(desk.tmux("capture-pane", "-p")).toContain("a thought and more");
    await owner.clickButton(second.id, "Clear the draft and send");
    await world.marked(id, "✅");
    await done("two");
    const { content } = await world.saying(thread, (said) =>
      said.find((one) => one.id === second.id && one.content !== ""),
    );
    expect(content).toMatch(/a thought\n[\s\S]*a thought and more/);
  },
);

test.skipIf(!hasTmux).each(["runs", "was killed and started again"])(
  "the message is typed by itself when the draft is gone; the daemon %s",
  async (how) => {
    const desk = await openDesk();
    const { world, done } = desk;
    const daemon = await started(world);
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("count:one")).id, "✅");
    await draft(desk, "half a thought");
    const { id } = await world.owner(thread).send("count:two");
    await recorded(world, ({ type }) => type === "SessionParked");
    if (how !== "runs") {
      await daemon.kill("SIGKILL");
      await started(world);
    }
    await erased(desk, "half a thought");
    await world.marked(id, "✅");
    await done("two");
  },
);

test.skipIf(!hasTmux)("copy mode is left, and the message is typed", async () => {
  const { world, tmux, done } = await openDesk();
  await started(world);
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("count:one")).id, "✅");
  for (const mode of ["copy-mode", "clock-mode"]) {
    tmux(mode);
    await world.marked((await world.owner(thread).send(`count:${mode}`)).id, "✅");
    await done(mode);
    expect(tmux("display-message", "-p", "#{pane_in_mode}").trim()).toBe("0");
  }
});
