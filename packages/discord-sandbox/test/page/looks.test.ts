/**
 * The page as people see it: dark, light, phone, another language. Pictures are left in `screenshots/` for the eye;
 * what can be held to a rule is: nothing sticks out sideways, touch targets are large, text is readable.
 */
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { showcase } from "./showcase.ts";
import { hasChromium, openStage, shoot, type Stage } from "./stage.ts";

const commands = [
  {
    name: "start",
    description: "Open a thread in which an agent works on a project",
    description_localizations: { ko: "프로젝트에서 에이전트가 일할 스레드를 엽니다" },
    options: [{ type: 3, name: "project_name", description: "The project", autocomplete: true }],
  },
  {
    name: "project",
    description: "Projects",
    options: [
      {
        type: 1,
        name: "create",
        description: "Register a directory as a project",
        options: [
          { type: 3, name: "name", description: "Its name", required: true },
          { type: 3, name: "path", description: "Its directory", required: true },
          {
            type: 3,
            name: "default_tool",
            description: "Which agent",
            choices: [
              { name: "claude", value: "claude" },
              { name: "codex", value: "codex" },
              { name: "gemini", value: "gemini" },
            ],
          },
        ],
      },
      { type: 1, name: "list", description: "All projects, with their tools" },
    ],
  },
  { name: "status", description: "What runs and what waits" },
];

const looks: [string, BrowserContextOptions][] = [
  ["dark", { viewport: { width: 1280, height: 860 }, colorScheme: "dark" }],
  ["light", { viewport: { width: 1280, height: 860 }, colorScheme: "light" }],
  [
    "phone",
    {
      viewport: { width: 390, height: 844 },
      colorScheme: "dark",
      hasTouch: true,
      isMobile: true,
      deviceScaleFactor: 2,
    },
  ],
  [
    "phone-light-ko",
    {
      viewport: { width: 360, height: 740 },
      colorScheme: "light",
      hasTouch: true,
      isMobile: true,
      deviceScaleFactor: 2,
      locale: "ko-KR",
    },
  ],
];

describe.skipIf(!hasChromium)("the page looks right", () => {
  let stage: Stage;
  let shown: { thread: string; last: string };

  beforeAll(async () => {
    stage = await openStage(commands);
    shown = await showcase(stage);
  });
  afterAll(async () => {
    await stage?.close();
  });

  test.each(looks)("in %s", async (name, options) => {
    const { page, troubles } = await stage.browser.open(options);
    await page.goto(`${stage.sandbox.link}&channel=${shown.thread}`);
    await page.locator(`[data-id="${shown.last}"]`).waitFor();
    await shoot(page, `${name}-thread`);
    await expectSound(page, options.hasTouch === true);

    if (options.hasTouch) {
      await page.locator(`[data-id="${shown.last}"] .content`).tap({ position: { x: 4, y: 4 } });
      await page.locator(`[data-id="${shown.last}"] .actions button`).first().waitFor();
      await shoot(page, `${name}-actions`);
      await expectSound(page, true);
    }
    await page.locator(".list").hover();
    await page.evaluate("document.querySelector('.list').scrollTop = 0");
    await page.locator(".to-present").waitFor();
    await shoot(page, `${name}-markdown`);
    await expectSound(page, options.hasTouch === true);

    await page.goto(`${stage.sandbox.url}/#channel=${stage.sandbox.channelId}`);
    await page.locator(".welcome-step").first().waitFor();
    await shoot(page, `${name}-channel`);
    await page.locator(".composer-row textarea").fill("/");
    await page.getByRole("option").first().waitFor();
    await shoot(page, `${name}-commands`);
    await page.getByRole("option", { name: /project create/ }).click();
    await page.locator("input[name=name]").fill("house");
    await shoot(page, `${name}-command`);
    expect(await page.locator(".to-present").count()).toBe(0);
    await expectSound(page, options.hasTouch === true);
    if (options.hasTouch) {
      await page.locator(".head .icon-button").first().click();
      await page.locator(".sidebar .channel").first().waitFor();
      await shoot(page, `${name}-drawer`);
    }
    expect(troubles).toEqual([]);
  });

  test("the theme one chooses holds over the system's and over a reload", async () => {
    const { page } = await stage.browser.open({ colorScheme: "dark", viewport: { width: 1000, height: 700 } });
    await page.goto(stage.sandbox.link);
    const ground = async (): Promise<unknown> => await page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.locator(".composer-row textarea").waitFor();
    const dark = await ground();
    await page.getByRole("button", { name: /^Theme/ }).click();
    await page.getByRole("button", { name: /^Theme/ }).click();
    const light = await ground();
    expect(light).not.toBe(dark);
    await page.reload();
    await page.locator(".composer-row textarea").waitFor();
    expect(await ground()).toBe(light);
  });

  test("everything can be reached and done by keyboard", async () => {
    const { page } = await stage.browser.open({ viewport: { width: 1000, height: 700 } });
    await page.goto(`${stage.sandbox.link}&channel=${shown.thread}`);
    await page.locator(`[data-id="${shown.last}"]`).waitFor();
    await page.locator(".list").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("r");
    await page.locator(".reply-bar").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".reply-bar").waitFor({ state: "detached" });
    const reached = new Set<string>();
    await page.locator(".sidebar .channel").first().focus();
    for (let i = 0; i < 60; i += 1) {
      reached.add(
        String(
          await page.evaluate(
            "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent",
          ),
        ),
      );
      await page.keyboard.press("Tab");
    }
    for (const wanted of ["Archive thread", "Messages", "Upload files", "Emoji"])
      expect([...reached]).toContain(wanted);
  });
});

/** Nothing wider than the window, no touch target under 44 px, no text too faint to read. */
async function expectSound(page: Page, touch: boolean): Promise<void> {
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  expect(
    await page.evaluate(
      "[...document.querySelectorAll('.embed > *')].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.className)",
    ),
  ).toEqual([]);
  expect(await page.evaluate(`(${tooFaint})()`)).toEqual([]);
  if (touch) expect(await page.evaluate(`(${tooSmall})()`)).toEqual([]);
}

const tooSmall = `() => [...document.querySelectorAll('.head button, .composer button, .actions button, .button, .select-field, .reaction')]
  .filter((b) => b.offsetParent && getComputedStyle(b).visibility === 'visible')
  .filter((b) => b.getBoundingClientRect().height < 44).map((b) => b.className + ' ' + b.textContent)`;

/** Contrast of text to its ground after WCAG 2.2: 4.5, or 3 for large text; disabled controls are excepted. */
const tooFaint = `() => {
  const parse = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return [m[0], m[1], m[2], m[3] ?? 1]; };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { const stack = []; for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) stack.push(c); if (c[3] === 1) break; } return stack.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]); };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.offsetParent || e.closest('.unseen, .spoiler, :disabled, .local-sending, [aria-hidden=true]')) continue;
    const style = getComputedStyle(e);
    if (style.visibility !== 'visible' || Number(style.opacity) < 0.5) continue;
    const under = ground(e);
    const [a, b] = [light(over(parse(style.color), under)), light(under)].sort((x, y) => y - x);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && Number(style.fontWeight) >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : 4.5)) found.add(ratio.toFixed(2) + ' ' + e.className + ' ' + walker.currentNode.data.trim().slice(0, 30));
  }
  return [...found];
}`;
