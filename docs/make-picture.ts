/**
 * `npm run picture`: makes the README's pictures, `docs/picture.png` and the moving `docs/picture.webp`, and writes
 * what is to be read in them into `docs/picture.txt`, which the tests compare with what Bellhop shows.
 */
import { writeFileSync } from "node:fs";
import { caption, CAPTION, FILM, framed, moving, PICTURE, take } from "../test/flows/picture/scene.ts";
import { startChromium } from "../packages/discord-sandbox/test/page/stage.ts";

const ends: (() => Promise<void>)[] = [];
const browser = await startChromium();
try {
  const { screens, shots, text } = await take(browser, (end) => ends.push(end));
  const picture = await framed(browser, screens);
  const film = await moving(browser, shots);
  writeFileSync(PICTURE, picture);
  writeFileSync(FILM, film);
  writeFileSync(CAPTION, caption([picture, film], text));
} finally {
  await browser.close();
  for (const end of ends) await end();
}
