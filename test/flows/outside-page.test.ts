/** How it looks on the page when an agent reports by itself, is asked for, and which agents `/status` shows. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { chromiumPath, hasChromium, shoot } from "../../packages/discord-sandbox/test/page/stage.ts";
import { openNewcomer, openSessionPage, said, use, write } from "./newcomer.ts";

if (!hasChromium)
  process.stderr.write(
    `How an outside turn looks is not tested: there is no ${chromiumPath} (Debian: apt-get install chromium).\n`,
  );

it.skipIf(!hasChromium)(
  "an agent's own report stands below the answer it follows, asks with buttons, and /status shows that the agent is open",
  async () => {
    const gates = mkdtempSync(join(tmpdir(), "bellhop-gates-"));
    onTestFinished(() => rmSync(gates, { recursive: true, force: true }));
    const newcomer = openNewcomer(onTestFinished, {
      agent: true,
      repository: true,
      env: { CLAUDE_CODE_FAKE_LOG: join(gates, "starts.ndjson") },
    });
    const { page, troubles } = await openSessionPage(onTestFinished, newcomer);
    const mine = await write(page, "later:built:may:npm publish");
    await mine.locator(".reaction", { hasText: "✅" }).waitFor();
    await use(page, "/status");
    await said(page, "Open agents: 1").locator("text=in the background: 1").waitFor();
    await shoot(page, "outside-status");
    writeFileSync(join(gates, "built"), "");
    const prompt = said(page, "claude wants to run");
    await prompt.getByRole("button", { name: "Allow once" }).waitFor();
    await prompt.locator("text=outside your jobs").waitFor();
    await shoot(page, "outside-asks");
    await prompt.getByRole("button", { name: "Allow once" }).click();
    await page
      .locator(".message", { hasText: "The agent reports from work in the background" })
      .filter({ hasText: "done · claude" })
      .waitFor();
    await page
      .locator(".message .content", { hasText: /^It has run\./ })
      .first()
      .waitFor();
    await shoot(page, "outside-done");
    expect(troubles).toEqual([]);
  },
);
