/**
 * `bellhop sandbox`: the daemon with a strict local Discord and its page, for a newcomer without an account. It
 * keeps everything in a folder of its own, so that nothing of it is mixed with a real server later.
 */
import { join } from "node:path";
import { mkdirSync } from "node:fs";
import { loadSettings } from "../config/settings.ts";
import { startSandbox, type Sandbox } from "../sandbox/server.ts";
import { runDaemon } from "./foreground.ts";
import type { Io } from "./io.ts";
import { readOptions, wholeNumber } from "./options.ts";

/** Where the page is looked for when nothing else is asked for; a busy port gives way to a free one. */
const USUAL_PORT = 4000;

/** `--port N` for a port of one's choice, `--json` for the ready line as an object. */
export async function sandbox(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, { json: { type: "boolean" }, port: { type: "string" } });
  const port = values.port === undefined ? undefined : wholeNumber("--port", values.port, 0, 65_535);
  const { DISCORD_BOT_TOKEN: _first, DISCORD_TOKEN: _second, DISCORD_TOKEN_FILE: _file, ...env } = io.env;
  const settings = loadSettings({ ...env, BELLHOP_DISCORD_API: undefined }, process.cwd());
  const stateDir = join(settings.stateDir, "sandbox");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const server = await open(port, join(stateDir, "discord.json"));
  try {
    return await runDaemon(
      {
        ...settings,
        stateDir,
        logDir: join(stateDir, "logs"),
        token: { value: server.botToken, from: "sandbox" },
        ownerId: server.owner.id as typeof settings.ownerId,
        guildId: server.guildId as typeof settings.guildId,
        channelId: server.channelId as typeof settings.channelId,
        discordApi: server.api,
        realDiscord: false,
      },
      { ...io, env },
      values.json ?? false,
      server.link,
    );
  } finally {
    await server.close();
  }
}

async function open(port: number | undefined, file: string): Promise<Sandbox> {
  const pageDir = join(import.meta.dirname, "page");
  if (port !== undefined) return startSandbox({ port, file, pageDir });
  try {
    return await startSandbox({ port: USUAL_PORT, file, pageDir });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return startSandbox({ port: 0, file, pageDir });
  }
}
