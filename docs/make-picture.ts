/**
 * Makes `docs/picture.png`: the real daemon, its own Discord and page, and the real Claude Code at work in a small
 * shop, photographed in a browser. Only the model is played, so that the picture comes out the same every time.
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openModel } from "../test/fakes/model/model.ts";
import type { Asked, Reply } from "../test/fakes/model/script.ts";
import { openNewcomer, said, use, write, type Newcomer } from "../test/flows/newcomer.ts";
import { startChromium } from "../test/sandbox/page/stage.ts";

const native = fileURLToPath(new URL("../test/agents/node_modules/.native", import.meta.url));
const picture = fileURLToPath(new URL("picture.png", import.meta.url));
const ALLOWED = JSON.stringify({ claude: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(node --test)"] });

const CART = `const RATE = 4.9;

export function total(items) {
  const goods = items.reduce((sum, item) => sum + item.price, 0);
  const shipping = items.reduce((sum, item) => sum + (item.gift ? RATE : 0), RATE);
  return goods + shipping;
}
`;
const TEST = `import assert from "node:assert";
import test from "node:test";
import { total } from "./cart.mjs";

test("an order is shipped once", () => assert.equal(total([{ price: 10 }]), 14.9));
test("a gift is shipped with its order", () => assert.equal(total([{ price: 10, gift: true }]), 14.9));
`;
const LAST_TEST = `test("a gift is shipped with its order", () => assert.equal(total([{ price: 10, gift: true }]), 14.9));`;
const NEW_TEST = `test("an empty order costs nothing", () => assert.equal(total([]), 0));`;

const FIRST = "Gift orders are charged for shipping twice. Find out why and fix it.";
const SECOND = "Thank you! And an empty order should cost nothing. Add a test for that.";

const EXPLAINED = `Done: \`cart.test.mjs\` now says that an empty order costs nothing, and all three tests pass. \
The mend from before already made it so: shipping is charged once for an order that has something in it, and not at \
all for one that has not. I left the rate where it is. If one day it should depend on the weight or the country, \
\`total()\` is the only place that would have to know, because nothing else in the shop adds shipping to a sum.`;

/** What the model does with each prompt: one reply a turn, the next after a tool has answered. */
function conversation(shop: string): Record<string, Reply[]> {
  const cart = join(shop, "cart.mjs");
  const test = join(shop, "cart.test.mjs");
  const run: Reply = { calls: [{ name: "Bash", input: { command: "node --test", description: "Run the tests" } }] };
  const read = (file_path: string): Reply => ({ calls: [{ name: "Read", input: { file_path } }] });
  const edit = (file_path: string, old_string: string, new_string: string): Reply => ({
    calls: [{ name: "Edit", input: { file_path, old_string, new_string } }],
  });
  const sum = "items.reduce((sum, item) => sum + (item.gift ? RATE : 0), RATE)";
  return {
    [FIRST]: [
      read(cart),
      edit(cart, sum, "items.length > 0 ? RATE : 0"),
      run,
      { pieces: words(`Found and fixed. \`total()\` charged shipping for the order and then **once more for every gift** in it:

\`\`\`diff
-  const shipping = ${sum};
+  const shipping = items.length > 0 ? RATE : 0;
\`\`\`
Both tests pass now.`) },
    ],
    [SECOND]: [
      read(test),
      edit(test, LAST_TEST, `${LAST_TEST}\n${NEW_TEST}`),
      run,
      { pieces: words(EXPLAINED), everyMs: 120 },
    ],
  };
}

function words(text: string): string[] {
  return text.split(/(?<= )/);
}

function play(parts: Record<string, Reply[]>, { turns }: Asked): Reply {
  const at = turns.findLastIndex(({ role, text }) => role === "user" && text !== undefined && text.trim() in parts);
  const replies = parts[turns[at]?.text?.trim() ?? ""] ?? [];
  const tools = turns.slice(at + 1).filter(({ toolResult }) => toolResult !== undefined).length;
  return replies[tools] ?? { pieces: ["ok"] };
}

async function take(newcomer: Newcomer): Promise<void> {
  const { link } = await newcomer.start();
  const browser = await startChromium();
  try {
    const { page } = await browser.open({ viewport: { width: 1400, height: 900 }, colorScheme: "dark" });
    await page.goto(link);
    await said(page, "Bellhop is here").waitFor();
    for (const name of ["blog", "shop"]) {
      await use(page, "/project create", { name, path: newcomer.project, tools_csv: "claude", default_tool: "claude", args_json: ALLOWED });
      await said(page, `Project ${name} is registered`).waitFor();
      await use(page, "/start", { project_name: { typed: name, taken: name } });
      await page.locator(".message .mention", { hasText: name }).last().waitFor();
    }
    await page.locator(".message .mention", { hasText: "shop" }).last().click();
    await said(page, "Write here what you want done").waitFor();
    const first = await write(page, FIRST);
    await first.locator(".reaction", { hasText: "✅" }).waitFor();
    await said(page, /done · claude/).waitFor();
    const second = await write(page, SECOND);
    await second.locator(".reaction", { hasText: "⚙️" }).waitFor();
    await page.locator(".content", { hasText: "and all three tests pass." }).waitFor();
    await page.screenshot({ path: picture, animations: "disabled" });
  } finally {
    await browser.close();
  }
}

const ends: (() => Promise<void>)[] = [];
const parts: Record<string, Reply[]> = {};
const model = await openModel({ reply: (asked) => play(parts, asked) });
const newcomer = openNewcomer((end) => ends.push(end), {
  path: [native, dirname(process.execPath)],
  env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none-is-needed", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
});
Object.assign(parts, conversation(newcomer.project));
writeFileSync(join(newcomer.project, "cart.mjs"), CART);
writeFileSync(join(newcomer.project, "cart.test.mjs"), TEST);
try {
  await take(newcomer);
} finally {
  for (const end of ends) await end();
  await model.close();
}
