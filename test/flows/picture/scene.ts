/**
 * The README's pictures: a small job on a phone, filmed from the first key to the diff, and photographed where its
 * agent asks and where it has ended, on the built daemon, its own Discord and page. `docs/make-picture.ts` makes them,
 * `picture.test.ts` holds them to what is shown now.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { animatedWebp, type Frame } from "../../../docs/animated-webp.ts";
import type { Browser } from "../../../packages/discord-sandbox/test/page/stage.ts";
import { composer, openNewcomer, PATIENT, said, use } from "../newcomer.ts";

export const PICTURE = fileURLToPath(new URL("../../../docs/picture.png", import.meta.url));
export const FILM = fileURLToPath(new URL("../../../docs/picture.webp", import.meta.url));
/** What is written in them, and which files they are. */
export const CAPTION = fileURLToPath(new URL("../../../docs/picture.txt", import.meta.url));

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 880 },
  deviceScaleFactor: 1.5,
  colorScheme: "dark",
};
const PROMPT = "Gift orders are charged for shipping twice. Find out why and fix it.";

const FILES = {
  "cart.mjs": `const RATE = 4.9;
const isGift = ({ gift }) => gift;
export function shipping(items) {
  const gifts = items.filter(isGift);
  return RATE + gifts.length * RATE;
}
`,
  "cart.test.mjs": `import assert from "node:assert";
import test from "node:test";
import { shipping } from "./cart.mjs";
test("an order is shipped once", () => assert.equal(shipping([{}, {}]), 4.9));
test("a gift is shipped with its order", () => assert.equal(shipping([{ gift: true }, {}]), 4.9));
test("an empty order is not shipped", () => assert.equal(shipping([]), 0));
`,
};

/** What the film shows, and for how long. */
export interface Shot {
  screen: Buffer;
  ms: number;
}

export interface Taken {
  /** The two screens, from left to right. */
  screens: Buffer[];
  shots: Shot[];
  /** Every message that stands on them. */
  text: string;
}

/** Plays the job and photographs it. `after` is given what ends everything again. */
export async function take(browser: Browser, after: (end: () => Promise<void>) => void): Promise<Taken> {
  const newcomer = openNewcomer(after, { env: { NODE_OPTIONS: PATIENT } });
  prepare(newcomer.home, newcomer.project);
  const { page } = await browser.open(PHONE);
  await page.setViewportSize({ width: 1200, height: 930 });
  await page.goto((await newcomer.start()).link);
  await said(page, "Bellhop is ready").waitFor();
  await use(page, "/project create", {
    name: "shop",
    path: newcomer.project,
    tools_csv: "claude",
    default_tool: "claude",
    args_json: '{"claude":["--allowedTools","Bash(node --test)"]}',
  });
  await said(page, "Project shop is registered").waitFor();
  await use(page, "/start");
  await page.locator(".message .mention", { hasText: "shop" }).last().click();
  await said(page, "Write here what you want done").waitFor();
  await page.setViewportSize(PHONE.viewport!);

  const shots: Shot[] = [];
  const film = async (ms: number): Promise<void> => void shots.push({ screen: await screenOf(page), ms });
  await composer(page).click();
  for (const part of PROMPT.match(/.{1,24}/g) ?? []) {
    await film(350);
    await composer(page).pressSequentially(part);
  }
  await film(900);
  await composer(page).press("Enter");
  const mine = page.locator(".message", { has: page.locator(".content", { hasText: PROMPT }) });
  const prompt = said(page, "claude wants to change");
  const allow = prompt.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  await mine.locator(".reaction", { hasText: "🙋" }).waitFor();
  // Else the change might be made before it is known what there was to change.
  await recorded(newcomer.home, '"kind":"checkout"');
  const asked = await shown(page);
  shots.push({ screen: asked.screen, ms: 4500 }, { screen: await touched(page, allow), ms: 500 });
  await allow.click();
  await mine.locator(".reaction", { hasText: "✅" }).waitFor();
  // The sign before it is taken away after it is there.
  await mine.locator(".reaction:not(.add)").nth(1).waitFor({ state: "detached" });
  const diff = said(page, /done · claude/).getByRole("button", { name: "Show the diff" });
  await diff.scrollIntoViewIfNeeded();
  await film(4000);
  shots.push({ screen: await touched(page, diff), ms: 500 });
  await diff.click();
  await said(page, "diff --git").waitFor();
  await page.locator(".message", { hasText: "· running" }).waitFor({ state: "detached" });
  const ended = await shown(page);
  shots.push({ screen: ended.screen, ms: 6000 });
  return { screens: [asked.screen, ended.screen], shots, text: `${asked.text}\n\n---\n\n${ended.text}\n` };
}

function prepare(home: string, project: string): void {
  const agent = fileURLToPath(new URL("../../fakes/agents/shop.mjs", import.meta.url));
  writeFileSync(join(home, "bin", "claude"), `#!/bin/sh\nexec '${process.execPath}' '${agent}' "$@"\n`, {
    mode: 0o755,
  });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text);
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: project,
      env: { PATH: process.env["PATH"], HOME: home },
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "The shop");
}

/** Resolves once this stands in the journal. */
async function recorded(home: string, words: string): Promise<void> {
  const journal = globSync(join(home, ".local", "state", "**", "events.ndjson"));
  while (!journal.some((file) => readFileSync(file, "utf8").includes(words))) await setImmediate();
}

/** The screen with a finger's mark on this. */
async function touched(page: Page, what: Locator): Promise<Buffer> {
  const { x, y, width, height } = (await what.boundingBox())!;
  const place = `left:${x + width / 2 - 22}px;top:${y + height / 2 - 22}px`;
  await page.evaluate(
    `(mark => { mark.id = "finger"; mark.style.cssText = "position:fixed;${place};width:44px;height:44px;border-radius:50%;background:#fff8;z-index:99"; })(document.body.appendChild(document.createElement("div")))`,
  );
  const screen = await screenOf(page);
  await page.evaluate('document.querySelector("#finger").remove()');
  return screen;
}

async function screenOf(page: Page): Promise<Buffer> {
  await page.mouse.move(0, 0);
  return page.screenshot({ animations: "disabled" });
}

async function shown(page: Page): Promise<{ screen: Buffer; text: string }> {
  const screen = await screenOf(page);
  return { screen, text: (await page.locator(".message").allInnerTexts()).map(settled).join("\n\n") };
}

/** Without what differs from one time to the next: the day and the hour, how long it took, and where it was. */
function settled(text: string): string {
  return text
    .replace(/\d{1,2}:\d\d(?::\d\d)?\s[AP]M/g, "9:41 AM")
    .replace(/[A-Z][a-z]+ \d{1,2}, \d{4} at/g, "January 9, 2007 at")
    .replace(/job_\d{8}/g, "job_20070109")
    .replace(/[0-9a-f]{16}…/g, "0123456789abcdef…")
    .replace(/\b\d+(?:\.\d+)?s\b/g, "2s")
    .replace(/\/tmp\/bellhop-\w+/g, "/home/me")
    .replace(/[ \t]+$/gm, "");
}

/** Both screens side by side, as one picture. */
export async function framed(browser: Browser, screens: readonly Buffer[]): Promise<Buffer> {
  const { width, height } = PHONE.viewport!;
  const { page } = await browser.open({
    ...PHONE,
    viewport: { width: screens.length * width + 3 * 24, height: height + 2 * 24 },
  });
  const images = screens
    .map((png) => `<img src="data:image/png;base64,${png.toString("base64")}" width=${width} height=${height}>`)
    .join("");
  await page.setContent(
    `<style>body{margin:0;padding:24px;display:flex;gap:24px;background:transparent}img{border-radius:20px;outline:2px solid #80848e}</style>${images}`,
  );
  return page.screenshot({ omitBackground: true });
}

/** The shots one after the other, as one picture that moves; a browser codes of each what is new in it. */
export async function moving(browser: Browser, shots: readonly Shot[]): Promise<Buffer> {
  const { page } = await browser.open();
  await page.setContent(`<script>
    let before;
    const draw = (source, x, y, width, height) => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(source, -x, -y);
      return { canvas, data: new Uint32Array(context.getImageData(0, 0, width, height).data.buffer) };
    };
    window.frame = async (png) => {
      const image = Object.assign(new Image(), { src: "data:image/png;base64," + png });
      await image.decode();
      const { width, height } = image;
      const whole = draw(image, 0, 0, width, height);
      let [left, top, right, bottom] = before ? [width, height, 2, 2] : [0, 0, width, height];
      whole.data.forEach((pixel, at) => {
        if (!before || before[at] === pixel) return;
        const [x, y] = [at % width, Math.floor(at / width)];
        [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
      });
      before = whole.data;
      // Places are in even numbers. Two equal screens have nothing new: a corner stands for it.
      if (left > right) [left, top] = [0, 0];
      [left, top] = [left & ~1, top & ~1];
      const part = draw(image, left, top, right - left, bottom - top);
      return { x: left, y: top, width: right - left, height: bottom - top, url: part.canvas.toDataURL("image/webp", 0.9) };
    };
  </script>`);
  const frames: Frame[] = [];
  for (const { screen, ms } of shots) {
    const { url, ...place } = (await page.evaluate(`frame("${screen.toString("base64")}")`)) as Omit<
      Frame,
      "webp" | "ms"
    > & { url: string };
    frames.push({ webp: Buffer.from(url.slice(url.indexOf(",") + 1), "base64"), ms, ...place });
  }
  const { width, height } = PHONE.viewport!;
  const scale = PHONE.deviceScaleFactor!;
  return animatedWebp(frames, { width: width * scale, height: height * scale });
}

/** What stands beside the pictures: which files they are, and what is written in them. */
export function caption(pictures: readonly Buffer[], text: string): string {
  return `${pictures.map((picture) => createHash("sha256").update(picture).digest("hex")).join("\n")}\n\n${text}`;
}
