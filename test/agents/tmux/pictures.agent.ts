/** How the real Claude Code at a terminal looks on the page: what it asks, what it says, and where it is taken from. */
import { rm } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import {
  buildPage,
  chromiumPath,
  hasChromium,
  shoot,
  startChromium,
} from "../../../packages/discord-sandbox/test/page/stage.ts";
import { withButton } from "../../flows/workshop.ts";
import { configure, type Desk, openDesk, writePlan } from "./desk.ts";
import { installHooks, openOwnTerminal } from "./own-terminal.ts";

if (!hasChromium)
  process.stderr.write(
    `How Claude at a terminal looks is not tested: there is no ${chromiumPath} (Debian: apt-get install chromium).\n`,
  );

const PLAN = `# Rate limits for the login page

1. **Count** failed logins by address in \`src/login.ts\`
2. Answer \`429\` after five of them within a minute
3. Test it with a clock of its own

| Step | File |
|---|---|
| 1, 2 | \`src/login.ts\` |
| 3 | \`test/login.test.ts\` |

\`\`\`ts
const LIMIT = 5;
\`\`\`
`;

interface Studio {
  desk: Desk;
  page: Page;
  /** Shows this channel. */
  show(channelId: string): Promise<void>;
  /** A picture, once this stands there. */
  take(name: string, words: string): Promise<void>;
  /** What the page complained about. */
  troubles: string[];
}

async function openStudio(context: TestContext, project: Record<string, unknown> = {}): Promise<Studio> {
  const pageDir = await buildPage();
  onTestFinished(() => rm(pageDir, { recursive: true, force: true }));
  const desk = await openDesk(context, {}, [], { discord: { pageDir } });
  const { sandbox } = desk.world;
  installHooks(desk);
  configure(desk.world, project, {
    servers: { main: { guild_id: sandbox.guildId, general_channel_id: sandbox.channelId } },
  });
  await desk.start();
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const { page, troubles } = await browser.open({ viewport: { width: 1000, height: 900 }, colorScheme: "dark" });
  return {
    desk,
    page,
    troubles,
    // Without the way by the address, the page would not be opened anew.
    show: async (channelId) =>
      void (await page.goto("about:blank"), await page.goto(`${sandbox.link}&channel=${channelId}`)),
    async take(name, words) {
      await page.locator(".message", { hasText: words }).last().waitFor();
      await shoot(page, `terminal-${name}`);
    },
  };
}

test.skipIf(!hasChromium)("what it asks, what it says, and a dialog at its terminal", async (context) => {
  const { desk, page, show, take, troubles } = await openStudio(context);
  const { world } = desk;
  const thread = await world.session();
  const owner = world.owner(thread);
  await show(thread);
  const pressed = async (label: string): Promise<void> =>
    void (await page.getByRole("button", { name: label, exact: true }).last().click());
  const question = await owner.send("ask:");
  await page.getByRole("button", { name: "Other (type your answer)" }).waitFor();
  await take("question", "Which colour?");
  await pressed("B · Blue");
  await world.marked(question.id, "✅");
  await take("footer", "📊 Opus 5.5");
  const permission = await owner.send("tool:bash:touch made");
  await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
  await take("permission", "touch made");
  await pressed("Allow");
  await world.marked(permission.id, "✅");
  desk.type("/model");
  await desk.shows("/model");
  desk.press("Enter");
  await desk.shows("Select model");
  await owner.send("echo:after the dialog");
  await page.getByRole("button", { name: "Try now" }).waitFor();
  await take("dialog", "Select model");
  desk.press("Escape");
  await page.locator(".message .content", { hasText: "after the dialog" }).last().waitFor();
  await show(world.sandbox.channelId);
  await take("panel", "Control panel");
  expect(troubles).toEqual([]);
});

test.skipIf(!hasChromium)("a plan that it shows, and the one that is approved", async (context) => {
  const { desk, page, show, take, troubles } = await openStudio(context, { permission: "plan" });
  const { world } = desk;
  const thread = await world.session();
  await show(thread);
  const owner = world.owner(thread);
  const missing = await owner.send("call:ExitPlanMode:{}");
  await page.getByRole("button", { name: "Reject", exact: true }).waitFor();
  await take("plan-missing", "Claude did not send its plan");
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await world.marked(missing.id, "✅");
  await writePlan(desk, thread, PLAN);
  const { id } = await owner.send("call:ExitPlanMode:{}");
  const approve = page.locator("button:enabled", { hasText: /^Approve$/ });
  await approve.waitFor();
  await take("plan", "Rate limits for the login page");
  await approve.click();
  await world.marked(id, "✅");
  await take("plan-approved", "User has approved");
  expect(await page.getByText("could only read").count()).toBe(0);
  expect(troubles).toEqual([]);
});

test.skipIf(!hasChromium)("the Claude that is open: its card, and its thread", async (context) => {
  const { desk, page, show, take, troubles } = await openStudio(context);
  const { world } = desk;
  const channel = world.sandbox.channelId;
  await world.session();
  const own = openOwnTerminal(desk);
  await show(channel);
  own.line("claude");
  await world.saying(channel, (said) => withButton(said, "ad-take"));
  await own.say("echo:at the desk");
  await take("adopt", "Permission mode default");
  await page.getByRole("button", { name: "Adopt" }).click();
  const [opened] = await desk.came("WindowOpened");
  const thread = String(opened?.["thread_id"]);
  await take("adopt-taken", "Adopted: it continues in");
  await show(thread);
  await world.marked((await world.owner(thread).send("echo:from the phone")).id, "✅");
  await own.say("echo:back at the desk");
  await world.saying(thread, (said) => said.some(({ content }) => content.startsWith("back at the desk")));
  await take("adopted", "back at the desk");
  await page.getByRole("button", { name: "Release" }).click();
  await page.locator(".message", { hasText: "Your own Claude was here" }).waitFor();
  await take("released", "Released: your Claude continues");
  expect(troubles).toEqual([]);
});
