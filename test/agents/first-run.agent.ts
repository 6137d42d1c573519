/**
 * The first minute, whole: nothing of Bellhop's on the machine, the real Claude Code in PATH, a model on loopback,
 * and a person with a browser. Pictures are left in `screenshots/` for the eye.
 */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type FakeModel, openModel } from "../fakes/model/model.ts";
import { claudeEnvironment } from "./bench.ts";
import { composer, openNewcomer, said, use, write } from "../flows/newcomer.ts";
import {
  type Browser,
  chromiumPath,
  hasChromium,
  shoot,
  startChromium,
} from "../../packages/discord-sandbox/test/page/stage.ts";

const native = fileURLToPath(new URL("node_modules/.native", import.meta.url));
if (!hasChromium)
  process.stderr.write(`The first run is skipped: there is no ${chromiumPath} (Debian: apt-get install chromium).\n`);

const looks: Record<string, BrowserContextOptions> = {
  dark: { viewport: { width: 1280, height: 860 }, colorScheme: "dark" },
  light: { viewport: { width: 1280, height: 860 }, colorScheme: "light" },
  phone: {
    viewport: { width: 390, height: 844 },
    colorScheme: "dark",
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  },
};

describe.skipIf(!hasChromium)("from nothing to an answered message", () => {
  let model: FakeModel;
  let browser: Browser;
  beforeAll(async () => {
    model = await openModel();
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await model?.close();
  });

  it("a newcomer registers a project, opens a session, and sees the real agent's answer grow and end", async () => {
    const newcomer = openNewcomer(onTestFinished, { path: [native], env: claudeEnvironment(model) });
    const { link, stop } = await newcomer.start();
    const { page, troubles } = await browser.open(looks["dark"]);
    await page.goto(link);

    const greeting = said(page, "Bellhop is ready");
    await greeting.getByText("claude 2.1.329 is installed").waitFor();
    await greeting.getByText("/project create name:").waitFor();
    await shoot(page, "first-1-greeting");
    // Whether it is logged in has been asked by now, and it never ran here.
    expect(readdirSync(newcomer.home).filter((name) => name.startsWith(".claude"))).toEqual([]);

    await use(page, "/project create", {
      name: "shop",
      path: newcomer.project,
      tools_csv: "claude",
      default_tool: "claude",
    });
    await said(page, "Project shop is registered").waitFor();
    await use(page, "/start", { project_name: { typed: "sh", taken: "shop" } });
    await page.locator(".message .mention", { hasText: "shop" }).last().waitFor();
    await shoot(page, "first-2-started");
    await page.locator(".message .mention", { hasText: "shop" }).last().click();
    await said(page, "Write here what you want done").waitFor();

    await watchGrowth(page);
    const mine = await write(page, "slow:60:100");
    await mine.locator(".reaction", { hasText: "⚙️" }).waitFor();
    await page.locator(".content", { hasText: "chunk20 " }).waitFor();
    await shoot(page, "first-3-growing");
    await mine.locator(".reaction", { hasText: "✅" }).waitFor();
    await page.locator(".content", { hasText: "chunk60" }).waitFor();
    const card = said(page, /done · claude/);
    await card.getByText(/claude-[a-z0-9-]+ · \d+s · 1,\d{3} in \/ 56 out tokens/).waitFor();
    const seen = await grown(page);
    expect(seen.length).toBeGreaterThan(3);
    for (const [index, text] of seen.entries()) expect(text.startsWith(seen[index - 1] ?? "")).toBe(true);
    expect(seen.at(-1)?.trim().split(" ")).toHaveLength(60);

    await use(page, "/status");
    await said(page, "Session Status")
      .getByText(/tool: claude[\s\S]*state: idle[\s\S]*resume_ready: yes/)
      .waitFor();
    await shoot(page, "first-dark");
    for (const look of ["light", "phone"]) await lookAgain(page, look);
    expect(troubles).toEqual([]);
    expect(await stop()).toBe(0);
  });

  /** The same place in another look, by the same link a person would open on it. */
  async function lookAgain(page: Page, look: string): Promise<void> {
    const token = (await page.evaluate("sessionStorage.getItem('sandbox.token')")) as string;
    const { page: other } = await browser.open(looks[look]);
    await other.goto(page.url().replace("#", `#token=${token}&`));
    await said(other, /done · claude/).waitFor();
    await composer(other).waitFor();
    await shoot(other, `first-${look}`);
  }
});

/** Keeps every text the growing answer has had on the page. */
async function watchGrowth(page: Page): Promise<void> {
  await page.evaluate(`window.grown = []; new MutationObserver(() => {
    const text = [...document.querySelectorAll(".message .content")].map((e) => [...e.childNodes].filter((part) => part.className !== "edited").map((part) => part.textContent).join("")).find((t) => t.startsWith("chunk1 "));
    if (text && text !== window.grown.at(-1)) window.grown.push(text);
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
}

async function grown(page: Page): Promise<string[]> {
  return (await page.evaluate("window.grown")) as string[];
}
