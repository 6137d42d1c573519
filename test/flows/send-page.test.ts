/**
 * How it looks on the page when a waiting message is sent into a running answer, and into what an agent does by itself.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { chromiumPath, hasChromium, shoot } from "../../packages/discord-sandbox/test/page/stage.ts";
import { openNewcomer, openSessionPage, said, write } from "./newcomer.ts";

if (!hasChromium)
  process.stderr.write(
    `How Send now looks is not tested: there is no ${chromiumPath} (Debian: apt-get install chromium).\n`,
  );

it.skipIf(!hasChromium)(
  "the card of what runs offers Send now for what waits, says that it is being sent, and names it once it is read",
  async () => {
    const gates = mkdtempSync(join(tmpdir(), "bellhop-gates-"));
    onTestFinished(() => rmSync(gates, { recursive: true, force: true }));
    const open = (gate: string): void => writeFileSync(join(gates, gate), "");
    const newcomer = openNewcomer(onTestFinished, {
      agent: true,
      repository: true,
      env: { CLAUDE_CODE_FAKE_LOG: join(gates, "starts.ndjson") },
    });
    const { page, troubles } = await openSessionPage(onTestFinished, newcomer);
    const started = await write(page, "later:built:work:deploy");
    await started.locator(".reaction", { hasText: "✅" }).waitFor();
    const offer = page.getByRole("button", { name: "Send now" });
    for (const gate of ["deploy", "build"]) {
      if (gate === "deploy") open("built");
      else await write(page, "work:build");
      await said(page, "claude · running").waitFor();
      await write(page, `echo:and mind the ${gate} log`);
      const sent = page.locator(".message", {
        has: page.locator(".content", { hasText: new RegExp(`^echo:and mind the ${gate} log`) }),
      });
      await offer.waitFor();
      await shoot(page, `send-${gate}-offered`);
      await offer.click();
      await said(page, "claude · running").locator("text=being sent").waitFor();
      await shoot(page, `send-${gate}-under-way`);
      open(gate);
      await sent.locator(".reaction", { hasText: "📨" }).waitFor();
      open(`${gate}-end`);
      await page
        .locator(".message", { hasText: `Also answers: echo:and mind the ${gate} log` })
        .filter({ hasText: "done · claude" })
        .waitFor();
      await shoot(page, `send-${gate}-done`);
    }
    expect(troubles).toEqual([]);
  },
);
