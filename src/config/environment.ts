/**
 * Every variable Bellhop reads from the environment or `.env`, with its default and a sentence. No other variable is
 * read; `docs/settings.md` is generated from it.
 */
import { locales } from "../base/words/say.ts";

export interface Variable {
  /** What it sets, in one sentence. */
  sentence: string;
  /** The default, in words. */
  otherwise: string;
}

const table = {
  DISCORD_BOT_TOKEN: { sentence: "The bot's token, with or without `Bot ` before it.", otherwise: "none" },
  DISCORD_TOKEN: { sentence: "Another name for the bot's token.", otherwise: "none" },
  DISCORD_TOKEN_FILE: {
    sentence: "A file with the bot's token that only you may read (mode 0600). The safest of the three.",
    otherwise: "none",
  },
  DISCORD_APP_ID: {
    sentence: "The id of the bot's application. With the token of another one, Bellhop does not start.",
    otherwise: "read from Discord",
  },
  DISCORD_OWNER_ID: {
    sentence: "The user id of the owner, the one person Bellhop obeys.",
    otherwise: "`owner_id` of config.json, else the application's owner",
  },
  DISCORD_ALLOWED_USER_ID: { sentence: "Another name for the owner's user id.", otherwise: "none" },
  DISCORD_GUILD_ID: {
    sentence: "The server (guild) to serve.",
    otherwise: "the guild of DISCORD_CHANNEL_ID, else the only one the bot is in",
  },
  DISCORD_CHANNEL_ID: {
    sentence: "The channel for questions that belong to no thread. What you write there goes into the inbox.",
    otherwise: "none",
  },
  PROJECT_NAME: { sentence: "The project named in questions asked over MCP.", otherwise: "none" },
  PENDING_DIR: { sentence: "Where open questions are mirrored as files.", otherwise: "`~/.claude/pending_decisions`" },
  POLL_INTERVAL_SECONDS: {
    sentence: "Seconds between two checks for messages and answers while the gateway is disconnected.",
    otherwise: "5",
  },
  STATE_DIR: {
    sentence: "The directory where Bellhop keeps everything: journal, config.json, results.",
    otherwise: "`bellhop` in the platform's state directory",
  },
  LOG_DIR: { sentence: "Where the logs go.", otherwise: "`logs` in STATE_DIR" },
  AGENT_COMMAND: {
    sentence: "The command of the tool `acp`, as a JSON array of strings.",
    otherwise: "`claude-agent-acp`, else `claude-code-acp`; in the sandbox, without either, a demo agent",
  },
  PROJECTS: {
    sentence:
      "Directories to register as projects, as a JSON array of absolute paths, numbered in order. One that is " +
      "missing is registered too, and unavailable; an entry that is no absolute path is left out.",
    otherwise: "none",
  },
  PROJECT_ROOTS: {
    sentence:
      "Directories whose repositories are registered as projects at each start, by path: as a JSON array of " +
      "absolute paths. Two levels deep, 200 repositories at most.",
    otherwise: "none",
  },
  BELLHOP_LOCALE: {
    sentence: `The language of Bellhop's messages: ${locales.map((locale) => `\`${locale}\``).join(", ")}.`,
    otherwise: "the system's, else `en`",
  },
  BELLHOP_DISCORD_API: {
    sentence: "The base address of a Discord-compatible REST API, to which `/v10/…` is appended.",
    otherwise: "`https://discord.com/api`",
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof table;

export const variables: Readonly<Record<VariableName, Variable>> = table;

export function isVariable(name: string): name is VariableName {
  return Object.hasOwn(variables, name);
}
