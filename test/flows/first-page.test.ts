/** What a newcomer's page says when there is no agent, and what it still has after Bellhop was stopped and started. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  type Browser,
  chromiumPath,
  hasChromium,
  shoot,
  startChromium,
} from "../../packages/discord-sandbox/test/page/stage.ts";
import { openNewcomer, said, use, write, type Newcomer } from "./newcomer.ts";

if (!hasChromium)
  process.stderr.write(
    `A newcomer's page is not tested: there is no ${chromiumPath} (Debian: apt-get install chromium).\n`,
  );

const INSTALL = "npm install --global @anthropic-ai/claude-code";

describe.skipIf(!hasChromium)("a newcomer's page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  async function open(link: string): Promise<Page> {
    const { page } = await browser.open({ viewport: { width: 1280, height: 860 }, colorScheme: "dark" });
    await page.goto(link);
    return page;
  }

  it("says with the exact command what to install where there is no agent: at once, and where a job failed for it", async () => {
    const newcomer = openNewcomer(onTestFinished);
    const page = await open((await newcomer.start()).link);
    await said(page, "Bellhop is ready").locator("code", { hasText: INSTALL }).waitFor();
    await openSession(page, newcomer);
    const mine = await write(page, "Are you there?");
    await mine.locator(".reaction", { hasText: "❌" }).waitFor();
    const failed = said(page, "failed · claude");
    await failed.locator("code", { hasText: INSTALL }).waitFor();
    await failed.getByRole("button", { name: "Retry" }).waitFor();
    await shoot(page, "first-no-agent");
  });

  it("has a button that opens a session where it was started in a repository: nothing is typed but what is wanted", async () => {
    const newcomer = openNewcomer(onTestFinished, { agent: true, repository: true });
    const page = await open((await newcomer.start()).link);
    await said(page, "Bellhop is ready").getByRole("button", { name: "Open a session here" }).click();
    await page.locator(".threads .channel").first().click();
    await write(page, "echo:All is well.");
    await page.locator(".message .content", { hasText: /^All is well\./ }).waitFor();
    await shoot(page, "first-session-here");
  });

  it("answers a newcomer who writes before pressing anything: the project is one press away, and nothing is typed twice", async () => {
    const newcomer = openNewcomer(onTestFinished, { agent: true, repository: true });
    const page = await open((await newcomer.start()).link);
    await said(page, "Bellhop is ready").waitFor();
    const mine = await write(page, "echo:All is well.");
    const offer = said(page, "Which project should it start a session in");
    await offer.getByRole("button", { name: "Open a session here" }).waitFor();
    await shoot(page, "first-words-offered");
    await offer.getByRole("button", { name: "Open a session here" }).click();
    await mine.locator(".reaction", { hasText: "✅" }).waitFor();
    await said(page, "Opened in").waitFor();
    await shoot(page, "first-words-opened");
    await page.locator(".threads .channel").first().click();
    await page.locator(".message .content", { hasText: /^All is well\./ }).waitFor();
    await shoot(page, "first-words-thread");
  });

  it("has an agent that answers where none is installed, and says of each how to install it", async () => {
    const newcomer = openNewcomer(onTestFinished, { repository: true });
    const page = await open((await newcomer.start()).link);
    const greeting = said(page, "Bellhop is ready");
    for (const install of [INSTALL, "npm install --global @openai/codex", "npm install --global @google/gemini-cli"])
      await greeting.locator("code", { hasText: install }).waitFor();
    await greeting.getByRole("button", { name: "Open a session here" }).click();
    await page.locator(".threads .channel").first().click();
    await write(page, "echo All is well.");
    await page.locator(".message .content", { hasText: /^All is well\./ }).waitFor();
    await shoot(page, "first-demo-agent");
  });

  it("has the same threads and messages after a stop and a start, and an interrupted job says so with buttons", async () => {
    const newcomer = openNewcomer(onTestFinished, { agent: true });
    const first = await newcomer.start();
    const before = await open(first.link);
    await openSession(before, newcomer);
    await write(before, "echo:All is well.");
    await before.locator(".message .content", { hasText: /^All is well\./ }).waitFor();
    const hanging = await write(before, "hang: for ever");
    await hanging.locator(".reaction", { hasText: "⚙️" }).waitFor();
    await before.locator(".message .content", { hasText: "I am thinking" }).waitFor();
    // It is named after its first message, in a while.
    await before.locator(".threads .channel-name", { hasText: "All is well." }).waitFor();
    const threads = await before.locator(".threads .channel-name").allTextContents();
    expect(await first.stop()).toBe(0);

    const page = await open((await newcomer.start()).link);
    await page.locator(".threads .channel-name").first().waitFor();
    expect(await page.locator(".threads .channel-name").allTextContents()).toEqual(threads);
    await page.locator(".threads .channel").first().click();
    await page.locator(".message .content", { hasText: /^All is well\./ }).waitFor();
    const interrupted = said(page, "interrupted · claude");
    await interrupted.getByRole("button", { name: "Retry" }).waitFor();
    await shoot(page, "first-interrupted");
    await interrupted.getByRole("button", { name: "Discard" }).click();
    await said(page, "You discarded it").waitFor();
    const written = await page.locator(".message:not(.ephemeral) .content").allTextContents();
    expect(written.filter((text) => /^(echo:All is well|hang: for ever|All is well)/.test(text))).toHaveLength(3);
    await write(page, "echo:Again.");
    await page.locator(".message .content", { hasText: /^Again\./ }).waitFor();
  });
});

async function openSession(page: Page, { project }: Newcomer): Promise<void> {
  await use(page, "/project create", { name: "shop", path: project, tools_csv: "claude", default_tool: "claude" });
  await said(page, "Project shop is registered").waitFor();
  await use(page, "/start");
  await page.locator(".message .mention", { hasText: "shop" }).last().click();
  await said(page, "Write here what you want done").waitFor();
}
