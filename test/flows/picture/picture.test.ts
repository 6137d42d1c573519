/**
 * The pictures in the README show what Bellhop shows today, word for word; pixels are not compared, for each machine
 * has its own fonts.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  type Browser,
  chromiumPath,
  hasChromium,
  startChromium,
} from "../../../packages/discord-sandbox/test/page/stage.ts";
import { caption, CAPTION, FILM, PICTURE, take } from "./scene.ts";

if (!hasChromium)
  process.stderr.write(
    `The README's picture is not checked: there is no ${chromiumPath} (Debian: apt-get install chromium).\n`,
  );

describe.skipIf(!hasChromium)("the README's pictures", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  it("moves, in every browser that shows WebP, and is small enough for a page that is read on a phone", async () => {
    const film = readFileSync(FILM);
    const { page } = await browser.open();
    await page.setContent(`<img src="data:image/webp;base64,${film.toString("base64")}">`);
    expect(
      await page.evaluate("(image => image.decode().then(() => image.naturalWidth))(document.querySelector('img'))"),
    ).toBe(585);
    expect(film.toString("latin1").split("ANMF").length - 1).toBeGreaterThan(5);
    expect(film.length).toBeLessThan(500_000);
    expect(readFileSync(PICTURE).length).toBeLessThan(300_000);
  });

  it("says what Bellhop says now", async () => {
    const { text } = await take(browser, onTestFinished);
    expect(
      caption([readFileSync(PICTURE), readFileSync(FILM)], text),
      "run `npm run picture`, and look at the pictures",
    ).toBe(readFileSync(CAPTION, "utf8"));
  });
});
