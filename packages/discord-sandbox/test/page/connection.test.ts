/**
 * What the reader sees when the connection breaks, and where the reader stands while messages come. Run in a
 * real browser whose socket the test can cut.
 */
import type { Page, WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, openStage, type Stage } from "./stage.ts";

describe.skipIf(!hasChromium)("the page and its connection", () => {
  let stage: Stage;
  let page: Page;
  let sockets: WebSocketRoute[];

  beforeAll(async () => {
    stage = await openStage();
    ({ page } = await stage.browser.open({ viewport: { width: 1000, height: 640 } }));
    sockets = [];
    await page.routeWebSocket(/./, (route) => {
      sockets.push(route);
      route.connectToServer();
    });
    await page.goto(stage.sandbox.link);
    await page.locator(".composer-row textarea").waitFor();
  });
  afterAll(async () => {
    await stage?.close();
  });

  const channel = (): string => stage.sandbox.channelId;
  const row = (id: string): ReturnType<Page["locator"]> => page.locator(`[data-id="${id}"]`);

  /** Cuts the socket and holds new ones back until the returned function is called. */
  async function cut(code: number): Promise<() => Promise<void>> {
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    await page.route("**/api/v10/gateway", async (route) => {
      await opened;
      await route.continue();
    });
    await sockets.at(-1)?.close({ code });
    return async () => {
      gate.open?.();
      await page.unroute("**/api/v10/gateway");
    };
  }

  test("a lost connection is said, and what was written meanwhile is there afterwards, edited and deleted ones too", async () => {
    const kept = await stage.bot.say(channel(), { content: "before" });
    const gone = await stage.bot.say(channel(), { content: "to be deleted" });
    await row(gone.id).waitFor();
    const mend = await cut(4009);
    await page.getByText("Connection lost").waitFor();
    await stage.bot.edit(kept, "after");
    await stage.bot.rest.delete(`/channels/${channel()}/messages/${gone.id}`);
    const missed = await stage.bot.say(channel(), { content: "missed" });
    await mend();
    await row(missed.id).waitFor();
    await row(kept.id).getByText("after").waitFor();
    await row(gone.id).waitFor({ state: "detached" });
    await page.getByText("Connection lost").waitFor({ state: "detached" });
  });

  test("a short break is resumed: the same session, nothing twice", async () => {
    const before = stage.sandbox.connections().find((c) => !c.isBot)?.sessionId;
    const count = sockets.length;
    const closed = stage.sandbox.until((w) => w.connections().every((c) => c.isBot));
    await sockets.at(-1)?.close({ code: 4000 });
    await closed;
    const missed = await stage.bot.say(channel(), { content: "while away" });
    await row(missed.id).waitFor();
    await stage.sandbox.until((w) => w.connections().find((c) => !c.isBot));
    expect(stage.sandbox.connections().find((c) => !c.isBot)?.sessionId).toBe(before);
    expect(sockets.length).toBeGreaterThan(count);
    expect(await page.locator(".message", { hasText: "while away" }).count()).toBe(1);
  });

  test("at the bottom the list follows; further up it stays where one reads, and says what has come", async () => {
    const filler = "line\n".repeat(8);
    let last = await stage.bot.say(channel(), { content: filler });
    for (let i = 0; i < 12; i += 1) last = await stage.bot.say(channel(), { content: `${i} ${filler}` });
    await row(last.id).waitFor();
    await atBottom(page);
    await stage.bot.edit(last, `${filler}${filler}`);
    await row(last.id).locator(".edited").waitFor();
    await atBottom(page);

    const seen = stage.sandbox.messages(channel()).at(-6)?.id ?? "";
    await row(seen).scrollIntoViewIfNeeded();
    await page.locator(".list").hover();
    await page.mouse.wheel(0, -300);
    await page.locator(".to-present").waitFor();
    const top = await settledTop(page, seen);
    const above = stage.sandbox.messages(channel()).at(-12);
    if (above) await stage.bot.edit(above as never, `grown\n${filler}${filler}${filler}`);
    const next = await stage.bot.say(channel(), { content: "news" });
    await page.locator(".to-present", { hasText: "1 new" }).waitFor();
    await untilTrue(page, `Math.abs(${topOf(seen)} - ${top}) < 3`);
    await page.locator(".to-present").click();
    await row(next.id).waitFor();
    await atBottom(page);
  });

  test("older messages come as one scrolls up, and what one reads stays in place", async () => {
    for (let i = 0; i < 70; i += 1) await stage.bot.say(channel(), { content: `filler ${i}` });
    await page.reload();
    await page.locator(".message").first().waitFor();
    const oldest = (await page.locator(".message").first().getAttribute("data-id")) ?? "";
    await page.evaluate("document.querySelector('.list').scrollTop = 300");
    await untilTrue(page, `document.querySelector('.message').dataset.id !== '${oldest}'`);
    expect(await page.evaluate("document.querySelector('.list').scrollTop")).toBeGreaterThan(400);
  });

  test("a server that is gone, then back with a new token, asks for the new link", async () => {
    stage.sandbox.resetToken(stage.sandbox.owner.id);
    await page.reload();
    await page.getByText("This link is no longer valid").waitFor();
  });
});

/** Asked anew in each frame, from outside: the page's own policy lets nobody evaluate text inside it. */
async function untilTrue(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => resolve(${expression})))`)));
}

/** The list stands at its end; it gets there in the frame after the one that drew what is new. */
async function atBottom(page: Page): Promise<void> {
  await untilTrue(
    page,
    "(list => list.scrollHeight - list.scrollTop - list.clientHeight < 3)(document.querySelector('.list'))",
  );
}

function topOf(id: string): string {
  return `document.querySelector('[data-id="${id}"]').getBoundingClientRect().top`;
}

/** Where a message stands once the turn of the wheel has come to rest: the same in two frames, one after the other. */
async function settledTop(page: Page, id: string): Promise<number> {
  const inFrame = `new Promise((resolve) => requestAnimationFrame(() => resolve(${topOf(id)})))`;
  for (let before = Number.NaN; ;) {
    const now = (await page.evaluate(inFrame)) as number;
    if (now === before) return now;
    before = now;
  }
}
