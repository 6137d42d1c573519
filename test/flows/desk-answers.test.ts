/**
 * What a Claude in a window asks, answered at the desk: Discord says what counted there, also where it learns of it
 * late.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { type Asked, controlsOf, prompted } from "./asked.ts";
import { did, hasTmux, openDesk, started, type Desk } from "./desk.ts";
import { events } from "./mcp/asked.ts";
import { descriptionOf, inJournal, open, recorded } from "./workshop.ts";
import { inFolder, type World } from "./world.ts";

/** A window with a session in it that was given this to do. */
async function asking(prompt: string, config: Record<string, unknown> = {}): Promise<{ desk: Desk; asked: Asked }> {
  const desk = await openDesk(config);
  const { world } = desk;
  watchLooks(world);
  const daemon = await started(world);
  const thread = await world.session();
  const { id } = await world.owner(thread).send(prompt);
  return { desk, asked: { world, daemon, thread, id } };
}

/** Each look of the daemon at the window is a line of `looks`; while there is a file `hold`, none begins. */
function watchLooks({ home }: World): void {
  const [hold, looks] = [join(home, "hold"), join(home, "looks")];
  writeFileSync(
    join(home, "bin", "tmux"),
    `#!/bin/sh\ncase "$*" in *capture-pane*) while [ -e '${hold}' ]; do sleep 0.02; done ;; esac\n/usr/bin/tmux "$@"\ncode=$?\ncase "$*" in *capture-pane*) echo >>'${looks}' ;; esac\nexit $code\n`,
    { mode: 0o755 },
  );
}

/** Resolves when the daemon has seen what its window shows now. */
function seen({ home }: World): Promise<void> {
  const count = (): number => (existsSync(join(home, "looks")) ? readFileSync(join(home, "looks"), "utf8").length : 0);
  const before = count();
  return inFolder(home, () => count() > before + 1);
}

/** Resolves when the message of this prompt says so. */
function says({ world, thread }: Asked, { id }: APIMessage, words: string): Promise<boolean> {
  return world.saying(thread, (said) => said.some((one) => one.id === id && descriptionOf(one).includes(words)));
}

test.skipIf(!hasTmux).each([
  ["yes", "Enter", "esc to interrupt", "Deny"],
  ["no", "Escape", "Interrupted", "Allow"],
])(
  "%s at the desk, and at once the other in Discord, which comes too late: Discord says what counted",
  async (answer, key, after, label) => {
    const { desk, asked } = await asking("may:gate:two");
    const { world, thread } = asked;
    const prompt = await prompted(asked, label);
    await seen(world);
    open(world, "hold");
    desk.tmux("send-keys", key);
    await desk.shows(after);
    await (await world.owner(thread).clickButton(prompt.id, label)).acknowledged();
    await recorded(world, ({ type }) => type === "DecisionAnswered");
    rmSync(join(world.home, "hold"));
    if (answer === "yes") await says(asked, prompt, "Settled in the terminal");
    open(world, "gate");
    await world.marked(asked.id, answer === "yes" ? "✅" : "🚫");
    await says(asked, prompt, answer === "yes" ? "Allowed in the terminal" : "Denied in the terminal");
    expect(did(world)).toEqual(answer === "yes" ? ["two"] : []);
  },
);

const SOON = { decision_lapse_s: { by_tool: { tmux: { permission: 2 } } } };

test.skipIf(!hasTmux)(
  "a dialog that nobody answers calls its owner again and says that it stands at the terminal; its buttons stay, and a bare yes is no prompt",
  async () => {
    const { asked } = await asking("may:two", SOON);
    const { world, thread } = asked;
    const prompt = await prompted(asked, "Allow");
    await recorded(world, ({ type }) => type === "DecisionReminded");
    const call = await world.saying(thread, (said) =>
      said.find(({ content, message_reference: to }) => content.includes("<@") && to?.message_id === prompt.id),
    );
    expect(descriptionOf(call)).toContain("answer in the terminal");
    const yes = await world.owner(thread).send("yes");
    await world.saying(thread, (said) =>
      said.some(
        (one) =>
          one.message_reference?.message_id === yes.id && descriptionOf(one).includes("was not taken as an answer"),
      ),
    );
    const listed = await (await world.owner(thread).slash("pending")).answer();
    expect(JSON.stringify(listed)).toContain("Bash");
    await (await world.owner(thread).clickButton(prompt.id, "Allow")).acknowledged();
    await world.marked(asked.id, "✅");
    expect(did(world)).toEqual(["two"]);
    expect([
      events(world, "DecisionAsked").length,
      events(world, "DecisionLapsed").length,
      events(world, "JobEnqueued").length,
    ]).toEqual([1, 0, 1]);
  },
);

test.skipIf(!hasTmux)(
  "an answer that nobody hears any more is never said to be told; the dialog is said to stand in the terminal, and at its end what was decided there",
  async () => {
    const { desk, asked } = await asking("may:gate:two");
    const { world, thread } = asked;
    const prompt = await prompted(asked, "Allow");
    const [{ asker }] = events(world, "DecisionAsked") as [{ asker: { pid: number } }];
    await asked.daemon.kill("SIGKILL");
    process.kill(asker.pid, "SIGKILL");
    await started(world);
    await (await world.owner(thread).clickButton(prompt.id, "Allow")).acknowledged();
    await says(asked, prompt, "Claude has not been told yet");
    await says(asked, prompt, "An answer from here no longer reaches Claude");
    expect(did(world)).toEqual([]);
    await world.saying(thread, (said) =>
      said.some((one) => descriptionOf(one).includes("waiting for your answer in the terminal")),
    );
    desk.tmux("send-keys", "Enter");
    open(world, "gate");
    await says(asked, prompt, "Allowed in the terminal");
    await world.marked(asked.id, "✅");
    await inJournal(world, () => events(world, "DecisionVoided").some(({ outcome }) => outcome === "allowed"));
  },
);

test.skipIf(!hasTmux)(
  "a dialog whose hook is gone is read from the screen: it can be refused, not allowed, and a no ends its job",
  async () => {
    const { asked } = await asking("may:two");
    const { world, thread } = asked;
    await prompted(asked, "Allow");
    const [{ asker }] = events(world, "DecisionAsked") as [{ asker: { pid: number } }];
    await asked.daemon.kill("SIGKILL");
    process.kill(asker.pid, "SIGKILL");
    await started(world);
    const prompt = await world.saying(thread, (said) =>
      said.find((one) => descriptionOf(one).includes("Read from the terminal's screen")),
    );
    expect(descriptionOf(prompt)).toContain("Do you want to proceed?");
    expect(controlsOf(prompt)).not.toContain('"label":"Allow"');
    await (await world.owner(thread).clickButton(prompt.id, "Deny")).acknowledged();
    await world.marked(asked.id, "🚫");
    await world.marked((await world.owner(thread).send("count:three")).id, "✅");
    expect(did(world)).toEqual(["three"]);
  },
);

test.skipIf(!hasTmux)("Escape in a question at the desk ends its job, and the queue goes on", async () => {
  const { desk, asked } = await asking("ask:colour");
  const { world, thread } = asked;
  await prompted(asked, "B · Blue");
  await desk.shows("Do you want to proceed?");
  desk.tmux("send-keys", "Escape");
  await world.marked(asked.id, "🚫");
  await world.saying(thread, (said) => said.some((one) => descriptionOf(one).includes("Denied in the terminal")));
  await world.marked((await world.owner(thread).send("count:two")).id, "✅");
  expect(did(world)).toEqual(["two"]);
});

test.skipIf(!hasTmux)(
  "a command that is run in Claude's own shell is shown in the thread, with what Claude says of it",
  async () => {
    const { desk, asked } = await asking("count:one");
    const { world, thread } = asked;
    await world.marked(asked.id, "✅");
    await desk.enter("!ls <a> | wc");
    await world.saying(thread, (said) => said.some(({ content }) => content.includes("I saw ls")));
    await recorded(world, ({ type }) => type === "OutsideTurnEnded");
    expect(events(world, "OutsideTurnBegan")).toMatchObject([{ origin: "terminal", prompt: "! ls <a> | wc" }]);
    expect(events(world, "OutsideTurnEnded")).toMatchObject([{ outcome: "done" }]);
    await world.marked((await world.owner(thread).send("count:two")).id, "✅");
  },
);
