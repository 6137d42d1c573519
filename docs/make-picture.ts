/**
 * Makes the README's picture, `docs/picture.png`, and writes what is to be read in it into `docs/picture.txt`, which
 * the tests compare with what Bellhop shows.
 */
import { writeFileSync } from "node:fs";
import { caption, CAPTION, framed, PICTURE, take } from "../test/flows/picture/scene.ts";
import { startChromium } from "../packages/discord-sandbox/test/page/stage.ts";

const ends: (() => Promise<void>)[] = [];
const browser = await startChromium();
try {
  const { screens, text } = await take(browser, (end) => ends.push(end));
  const picture = await framed(browser, screens);
  writeFileSync(PICTURE, picture);
  writeFileSync(CAPTION, caption(picture, text));
} finally {
  await browser.close();
  for (const end of ends) await end();
}
