/** The picture in the README shows what Bellhop shows today, word for word; pixels are not compared, for each machine has its own fonts. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Browser, chromiumPath, hasChromium, startChromium } from "../../../packages/discord-sandbox/test/page/stage.ts";
import { caption, CAPTION, PICTURE, take } from "./scene.ts";

if (!hasChromium) process.stderr.write(`The README's picture is not checked: there is no ${chromiumPath} (Debian: apt-get install chromium).\n`);

describe.skipIf(!hasChromium)("the README's picture", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  it("says what Bellhop says now", async () => {
    const { text } = await take(browser, onTestFinished);
    expect(caption(readFileSync(PICTURE), text), "run `npx node docs/make-picture.ts`, and look at the picture").toBe(readFileSync(CAPTION, "utf8"));
  });
});
