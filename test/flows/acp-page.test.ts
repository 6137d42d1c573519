/**
 * How an agent that speaks ACP looks on the page, wide and on a phone: its stream, plan, edit, questions, status and
 * usage.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { chromiumPath, hasChromium, shoot } from "../../packages/discord-sandbox/test/page/stage.ts";
import { openNewcomer, openSessionPage, said, use, WIDE, write } from "./newcomer.ts";

if (!hasChromium)
  process.stderr.write(
    `How an ACP agent looks is not tested: there is no ${chromiumPath} (Debian: apt-get install chromium).\n`,
  );

const PHONE = { width: 390, height: 844 };

/** The page as it stands now, in both widths. */
async function look(page: Page, name: string): Promise<void> {
  await shoot(page, `acp-${name}`);
  await page.setViewportSize(PHONE);
  await shoot(page, `acp-${name}-phone`);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(PHONE.width);
  await page.setViewportSize(WIDE);
}

it.skipIf(!hasChromium)(
  "streams, thinks, plans, shows an edit whole before it asks, asks questions, and tells its status and its usage",
  async () => {
    const newcomer = openNewcomer(onTestFinished, { repository: true });
    await (await newcomer.start()).stop();
    const config = join(newcomer.home, ".local", "state", "bellhop", "sandbox", "config.json");
    writeFileSync(
      config,
      JSON.stringify({ ...(JSON.parse(readFileSync(config, "utf8")) as object), thoughts: "folded" }),
    );
    const { page, troubles } = await openSessionPage(onTestFinished, newcomer);

    const streaming = await write(page, "stream 12");
    await page.locator(".message .content", { hasText: "Line 3" }).waitFor();
    await look(page, "stream");
    await streaming.locator(".reaction", { hasText: "✅" }).waitFor();

    await write(page, "plan 3600");
    await said(page, "Look at the directory").waitFor();
    await said(page, "💭").waitFor();
    await look(page, "plan");
    await use(page, "/cancel");
    await said(page, "cancelled · Demo agent").waitFor();
    await look(page, "plan-cancelled");

    writeFileSync(join(newcomer.project, "notes.md"), "# Notes\nNothing yet.\n");
    const writing = await write(page, "write notes.md # Notes");
    const prompt = said(page, "Demo agent wants to change notes.md");
    await prompt.getByRole("button", { name: "Allow once" }).waitFor();
    await look(page, "permission");
    await prompt.getByRole("button", { name: "Allow once" }).click();
    await writing.locator(".reaction", { hasText: "✅" }).waitFor();
    await look(page, "permitted");

    await write(page, "ask more");
    await page.getByRole("button", { name: "Red" }).last().waitFor();
    await look(page, "form");

    await use(page, "/agent status");
    await page.locator(".message", { hasText: "Session ID" }).waitFor();
    await look(page, "status");
    await use(page, "/agent usage");
    await page.locator(".message", { hasText: "Cost so far" }).waitFor();
    await look(page, "usage");
    expect(troubles).toEqual([]);
  },
);
