/** A Claude in a window that its owner has not set up: what it asks first is answered at the terminal only. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { descriptionOf, withButton } from "../../flows/workshop.ts";
import type { World } from "../../flows/world.ts";
import { enter, openDesk, posted } from "./desk.ts";

/** A made-up one, as long as they are. */
const KEY = "sk-ant-api03-made-up-0123456789-0123456789";
const isRoot = process.getuid?.() === 0;

function unfurnish({ home }: World): void {
  for (const name of [".claude.json", ".claude"]) rmSync(join(home, name), { recursive: true });
}

test("what Claude asks in a new home is shown in the thread and answered at the terminal, and then the message is typed, once", async (context) => {
  // Claude refuses this mode to root, and so does Bellhop.
  const desk = await openDesk(context, {}, [], { app: isRoot ? {} : { permission: "bypassPermissions" } });
  const { world, model } = desk;
  unfurnish(world);
  writeFileSync(join(world.home, "outside.md"), "Be brief.");
  writeFileSync(join(world.project, "CLAUDE.md"), `@${join(world.home, "outside.md")}`);
  // With a token Claude does not look whether Anthropic can be reached.
  Object.assign(desk.env, { ANTHROPIC_AUTH_TOKEN: "made-up-0123456789", ANTHROPIC_API_KEY: KEY });
  const daemon = await desk.start();
  const thread = await world.session();
  const waiting = await world.owner(thread).send("echo:at last");
  expect((await desk.came("SessionParked"))[0]).toMatchObject({ wait: { kind: "terminal", reason: "start" } });
  const notice = await world.saying(thread, (said) => withButton(said, "unpark"));
  const attach = `tmux -S ${join(world.stateDir, "bellhop.tmux")} attach`;
  for (const words of ["Choose the text style", "`E_TERMINAL_BUSY`", attach])
    expect(descriptionOf(notice)).toContain(words);
  // Of the picture that it greets with, nothing.
  expect(descriptionOf(notice)).not.toMatch(/[░█]/);

  await desk.chooses("Choose the text style", "✔ Auto");
  await desk.shows("Do you want to use this API key?");
  await world.owner(thread).clickButton(notice.id, "Try now");
  await world.saying(thread, (said) =>
    said.some((one) => one.id === notice.id && descriptionOf(one).includes("ANTHROPIC_API_KEY: sk-ant-…\n")),
  );
  await desk.chooses("Do you want to use this API key?", "Yes");
  await daemon.kill("SIGKILL");
  await desk.start();
  await desk.chooses("Security notes", null);
  await desk.chooses("Accessing workspace", "Yes, I trust this folder");
  await desk.chooses("Allow external CLAUDE.md file imports?", "No, disable external imports");
  if (!isRoot) await desk.chooses("Bypass Permissions mode", "Yes, I accept");
  await world.marked(waiting.id, "✅");
  await posted(world, thread, "at last");
  expect(model.asked.flatMap(({ turns }) => turns).filter(({ text }) => text?.includes("echo:at last"))).toHaveLength(
    1,
  );
  expect([desk.all("WindowOpened").length, desk.all("SessionUnparked").map(({ by }) => by)]).toEqual([
    1,
    ["owner", "terminal"],
  ]);
  // No last part of the key.
  expect(JSON.stringify([world.said(thread), desk.all("SessionParked")])).not.toContain(KEY.slice(-8));
});

test("a Claude that finds no way out says so, one that is not logged in says how, and its login waits for its owner", async (context) => {
  const desk = await openDesk(context, { pass_env: ["HTTPS_PROXY", "NO_PROXY"] });
  const { world } = desk;
  unfurnish(world);
  // Where nothing listens.
  Object.assign(desk.env, { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1", ANTHROPIC_API_KEY: "" });
  await desk.start();
  const thread = await world.session();
  const owner = world.owner(thread);
  await world.marked((await owner.send("echo:one")).id, "❌");
  await posted(world, thread, "Failed to connect to api.anthropic.com");

  writeFileSync(
    join(world.home, ".claude.json"),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: "dark",
      projects: { [world.project]: { hasTrustDialogAccepted: true } },
    }),
  );
  const two = await owner.send("echo:two");
  const notice = await world.saying(thread, (said) => withButton(said, "drop"));
  expect(descriptionOf(notice)).toContain(
    "claude isn't logged in on the machine where Bellhop runs. Type `claude auth login`",
  );
  await (await owner.clickButton(notice.id, "Drop it")).acknowledged();
  await world.marked(two.id, "🚫");

  await enter(desk, "/login");
  await desk.shows("Select login method");
  // On a slow machine one may have waited before until the box was drawn.
  const before = desk.all("SessionParked").length;
  const waiting = await owner.send("echo:three");
  expect((await desk.came("SessionParked", before + 1))[before]).toMatchObject({
    wait: { kind: "terminal", reason: "hidden", screen: expect.stringContaining("Select login method") as string },
  });
  desk.press("Escape");
  // Below its suggestion to send the last message again, which is no draft.
  await desk.shows("Once fixed, resend your message");
  expect((await desk.came("SessionParked", before + 2))[before + 1]).toMatchObject({
    wait: { kind: "stuck", cause: "login" },
  });
  await world.marked(waiting.id, "⏳");
  expect(
    desk
      .all("SessionUnparked")
      .slice(before)
      .map(({ by }) => by),
  ).toEqual(["terminal"]);
});
