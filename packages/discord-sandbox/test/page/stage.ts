/**
 * Everything a browser test needs, for real: the page as it is built, the sandbox's server, a Chromium of its
 * own, and a small bot on Discord's usual client libraries. All of it ends with the test.
 */
import { REST } from "@discordjs/rest";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import {
  GatewayDispatchEvents,
  GatewayIntentBits,
  Routes,
  type APIInteraction,
  type APIMessage,
} from "discord-api-types/v10";
import { startSandbox, type Sandbox } from "../../src/discord-sandbox.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const source = path.join(import.meta.dirname, "../../src/page");
export const chromiumPath = "/usr/bin/chromium";
export const hasChromium = existsSync(chromiumPath);

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Builds the page as `build.mjs` does, into a directory of its own. */
export async function buildPage(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), "bellhop-page-"));
  await build({
    entryPoints: [{ in: path.join(source, "main.tsx"), out: "app" }],
    outdir: dir,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
  });
  for (const name of await readdir(source))
    if (/\.(?:html|css|svg)$/.test(name)) await cp(path.join(source, name), path.join(dir, name));
  return dir;
}

export interface Browser {
  open(options?: BrowserContextOptions): Promise<{ page: Page; context: BrowserContext; troubles: string[] }>;
  close(): Promise<void>;
}

/** A Chromium with an empty profile. `troubles` gathers whatever the page complains about: none is expected. */
export async function startChromium(): Promise<Browser> {
  const profiles: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    async open(options = {}) {
      const profile = await mkdtemp(path.join(tmpdir(), "bellhop-chromium-"));
      profiles.push(profile);
      const context = await chromium.launchPersistentContext(profile, {
        executablePath: chromiumPath,
        headless: true,
        args,
        locale: "en-US",
        ...options,
      });
      contexts.push(context);
      const page = context.pages()[0] ?? (await context.newPage());
      const troubles: string[] = [];
      page.on("pageerror", (error) => troubles.push(String(error)));
      page.on("console", (line) => {
        if (line.type() === "error") troubles.push(line.text());
      });
      return { page, context, troubles };
    },
    async close() {
      for (const context of contexts) await context.close();
      for (const profile of profiles) await rm(profile, { recursive: true, force: true });
    },
  };
}

/** Where pictures of the page are left to be looked at; not part of the repository. */
export async function shoot(page: Page, name: string): Promise<void> {
  const dir = path.join(root, "screenshots");
  await mkdir(dir, { recursive: true });
  await page.screenshot({ path: path.join(dir, `${name}.png`), animations: "disabled" });
}

export interface Bot {
  rest: REST;
  say(channelId: string, body: object): Promise<APIMessage>;
  edit(message: APIMessage, content: string): Promise<void>;
  /** Answers an interaction with a callback. */
  answer(interaction: APIInteraction, body: object): Promise<void>;
  on(hear: (interaction: APIInteraction) => unknown): void;
  close(): Promise<void>;
}

export async function startBot(sandbox: Sandbox, commands: readonly object[]): Promise<Bot> {
  const rest = new REST({ version: "10", api: sandbox.api }).setToken(sandbox.botToken);
  await rest.put(Routes.applicationGuildCommands(sandbox.applicationId, sandbox.guildId), { body: commands });
  const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.MessageContent;
  const gateway = new WebSocketManager({ token: sandbox.botToken, intents, rest });
  let hear: (interaction: APIInteraction) => unknown = () => undefined;
  gateway.on(WebSocketShardEvents.Dispatch, (payload) => {
    if (payload.t === GatewayDispatchEvents.InteractionCreate) hear(payload.d);
  });
  await gateway.connect();
  return {
    rest,
    say: async (channelId, body) => (await rest.post(Routes.channelMessages(channelId), { body })) as APIMessage,
    edit: async (message, content) =>
      void (await rest.patch(Routes.channelMessage(message.channel_id, message.id), { body: { content } })),
    answer: async (interaction, body) =>
      void (await rest.post(Routes.interactionCallback(interaction.id, interaction.token), { body, auth: false })),
    on: (next) => {
      hear = next;
    },
    close: async () => void (await gateway.destroy()),
  };
}

export interface Stage {
  sandbox: Sandbox;
  browser: Browser;
  bot: Bot;
  close(): Promise<void>;
}

/** Limits of speed are the server's own tests' matter; here they would only make streaming slow. */
const quick = { limit: 1000, perMs: 1000 };

export async function openStage(commands: readonly object[] = []): Promise<Stage> {
  const pageDir = await buildPage();
  const sandbox = await startSandbox({ pageDir, buckets: { create_message: quick, update_message: quick } });
  const bot = await startBot(sandbox, commands);
  const browser = await startChromium();
  return {
    sandbox,
    bot,
    browser,
    async close() {
      await browser.close();
      await bot.close();
      await sandbox.close();
      await rm(pageDir, { recursive: true, force: true });
    },
  };
}
