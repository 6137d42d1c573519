/**
 * The README's picture: a small job on a phone, photographed where its agent asks and where it has ended, on the
 * built daemon, its own Discord and page. `docs/make-picture.ts` makes it, `picture.test.ts` holds it to what is shown now.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Browser } from "../../../packages/discord-sandbox/test/page/stage.ts";
import { openNewcomer, said, use, write } from "../newcomer.ts";

export const PICTURE = fileURLToPath(new URL("../../../docs/picture.png", import.meta.url));
/** What is written in it, and which file it is. */
export const CAPTION = fileURLToPath(new URL("../../../docs/picture.txt", import.meta.url));

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 930 }, deviceScaleFactor: 1.5, colorScheme: "dark" };
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

export interface Taken {
  /** The two screens, from left to right. */
  screens: Buffer[];
  /** Every message that stands on them. */
  text: string;
}

/** Plays the job and photographs it. `after` is given what ends everything again. */
export async function take(browser: Browser, after: (end: () => Promise<void>) => void): Promise<Taken> {
  const newcomer = openNewcomer(after);
  prepare(newcomer.home, newcomer.project);
  const { page } = await browser.open(PHONE);
  await page.setViewportSize({ width: 1200, height: 930 });
  await page.goto((await newcomer.start()).link);
  await said(page, "Bellhop is ready").waitFor();
  await use(page, "/project create", { name: "shop", path: newcomer.project, tools_csv: "claude", default_tool: "claude", args_json: '{"claude":["--allowedTools","Bash(node --test)"]}' });
  await said(page, "Project shop is registered").waitFor();
  await use(page, "/start");
  await page.locator(".message .mention", { hasText: "shop" }).last().click();
  await said(page, "Write here what you want done").waitFor();
  await page.setViewportSize(PHONE.viewport!);

  const mine = await write(page, PROMPT);
  const prompt = said(page, "May claude use Edit?");
  const allow = prompt.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  await mine.locator(".reaction", { hasText: "⚙️" }).waitFor({ state: "detached" });
  await page.locator(".message", { hasText: "waiting for your answer" }).waitFor();
  // Else the change might be made before it is known what there was to change.
  await recorded(newcomer.home, '"kind":"checkout"');
  const asked = await shown(page);
  await allow.click();
  await mine.locator(".reaction", { hasText: "✅" }).waitFor();
  // The sign before it is taken away after it is there.
  await mine.locator(".reaction:not(.add)").nth(1).waitFor({ state: "detached" });
  await said(page, /done · claude/).getByRole("button", { name: "Show the diff" }).click();
  await said(page, "diff --git").waitFor();
  await page.locator(".message", { hasText: "· running" }).waitFor({ state: "detached" });
  const ended = await shown(page);
  return { screens: [asked.screen, ended.screen], text: `${asked.text}\n\n---\n\n${ended.text}\n` };
}

function prepare(home: string, project: string): void {
  const agent = fileURLToPath(new URL("../../fakes/agents/shop.mjs", import.meta.url));
  writeFileSync(join(home, "bin", "claude"), `#!/bin/sh\nexec '${process.execPath}' '${agent}' "$@"\n`, { mode: 0o755 });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text);
  const git = (...args: string[]): unknown => execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: project, env: { PATH: process.env["PATH"], HOME: home } });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "The shop");
}

/** Resolves once this stands in the journal. */
async function recorded(home: string, words: string): Promise<void> {
  const journal = globSync(join(home, ".local", "state", "**", "events.ndjson"));
  while (!journal.some((file) => readFileSync(file, "utf8").includes(words))) await setImmediate();
}

async function shown(page: Page): Promise<{ screen: Buffer; text: string }> {
  await page.mouse.move(0, 0);
  const screen = await page.screenshot({ animations: "disabled" });
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
  const { page } = await browser.open({ ...PHONE, viewport: { width: screens.length * width + 3 * 24, height: height + 2 * 24 } });
  const images = screens.map((png) => `<img src="data:image/png;base64,${png.toString("base64")}" width=${width} height=${height}>`).join("");
  await page.setContent(`<style>body{margin:0;padding:24px;display:flex;gap:24px;background:transparent}img{border-radius:20px;outline:2px solid #80848e}</style>${images}`);
  return page.screenshot({ omitBackground: true });
}

/** What stands beside the picture: which file it is, and what is written in it. */
export function caption(picture: Buffer, text: string): string {
  return `${createHash("sha256").update(picture).digest("hex")}\n\n${text}`;
}
