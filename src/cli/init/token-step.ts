/**
 * The bot's token: from a file, from standard input, from the settings, or typed without being shown. It is tried with
 * Discord before it is kept, and kept in a file that only its owner can read.
 */
import { text } from "node:stream/consumers";
import { BellhopError } from "../../base/errors.ts";
import { sayState } from "../../base/words/say.ts";
import { readToken, type TokenSources, notAToken } from "../../config/token.ts";
import { failureKind } from "../../discord/api/transport.ts";
import { openContact, type AboutBot, type Contact } from "../../discord/first-contact.ts";
import { otherApplication } from "../../discord/identity.ts";
import { settingsHere } from "../start/settings-here.ts";
import { inEnvironment, ownTokenFile, save, typedPath, sayTo, writePrivate, type Setup } from "./setup.ts";

export interface Connected {
  contact: Contact;
  about: AboutBot;
}

interface TokenInput {
  value: string;
  /** Where it comes from, which decides what is written. */
  from: "typed" | "file" | "environment" | "settings";
  /** For `file`: its absolute path. */
  path?: string;
}

export async function connect(setup: Setup): Promise<Connected> {
  let given = await firstToken(setup);
  for (;;) {
    given ??= await typedToken(setup);
    const connected = await tried(setup, given);
    if (connected !== undefined) {
      setup.prompts.done(sayTo(setup)("cli.init.token_good", { bot: connected.about.botName }));
      await keep(setup, given);
      return connected;
    }
    given = undefined;
  }
}

/** The token from the command line, from the settings, or from a set-up that was interrupted here. */
async function firstToken(setup: Setup): Promise<TokenInput | undefined> {
  const { io, flags, settings } = setup;
  if (flags.tokenFile === "-")
    return { value: checked(setup, { DISCORD_BOT_TOKEN: await text(process.stdin) }) ?? "", from: "typed" };
  if (flags.tokenFile !== undefined) {
    const path = typedPath(setup, flags.tokenFile);
    return { value: fileToken(setup, path) ?? "", from: "file", path };
  }
  if (settings.token !== undefined)
    return { value: settings.token.value, from: inEnvironment(io) ? "environment" : "settings" };
  try {
    const path = ownTokenFile(setup);
    const value = fileToken(setup, path);
    return value === undefined ? undefined : { value, from: "file", path };
  } catch {
    return undefined;
  }
}

function fileToken(setup: Setup, path: string): string | undefined {
  return checked(setup, { DISCORD_TOKEN_FILE: path });
}

/** @throws E_CONFIG_INVALID if it is none, or its file is not private */
function checked({ settings, locale }: Setup, source: Partial<TokenSources>): string | undefined {
  return readToken(
    locale,
    { DISCORD_BOT_TOKEN: undefined, DISCORD_TOKEN: undefined, DISCORD_TOKEN_FILE: undefined, ...source },
    !settings.realDiscord,
  )?.value;
}

async function typedToken(setup: Setup): Promise<TokenInput> {
  const { prompts, settings } = setup;
  const word = sayTo(setup);
  if (prompts.person)
    prompts.plain(word("cli.init.token_where", { link: "https://discord.com/developers/applications" }));
  const refuse = (typed: string): string | undefined => {
    const why = notAToken(typed, !settings.realDiscord);
    return why && word(why);
  };
  const typed = await prompts.secret({ message: word("cli.init.token_ask"), option: "--token-file" }, refuse);
  return { value: typed.trim().replace(/^Bot\s+/i, ""), from: "typed" };
}

/** Undefined if another token is to be typed. @throws E_TOKEN_REFUSED, E_CONFIG_INVALID, E_DISCORD_UNREACHABLE */
async function tried(setup: Setup, given: TokenInput): Promise<Connected | undefined> {
  const { settings, prompts, locale } = setup;
  const word = sayTo(setup);
  const contact = openContact(given.value, settings.discordApi);
  // A token in the shell would win over any other that is typed here.
  const final = !prompts.person || given.from === "environment";
  try {
    const about = await contact.about();
    if (settings.appId === undefined || settings.appId === about.applicationId) return { contact, about };
    const other = otherApplication(settings.appId, about.applicationId, locale);
    if (final) throw other;
    prompts.warn(word("cli.init.token_other", { bot: about.botName, id: about.applicationId, wanted: settings.appId }));
  } catch (error) {
    const kind = failureKind(error);
    if (kind === null) throw error;
    if (kind !== "unauthorized") {
      await askToRetry(setup, sayState(locale, contact.reason || kind));
      return tried(setup, given);
    }
    if (given.from === "environment")
      prompts.warn(word("cli.init.token_environment", { name: settings.token?.from ?? "" }));
    if (final) throw new BellhopError("E_TOKEN_REFUSED", {}, { cause: error });
    prompts.warn(word("cli.init.token_refused"));
  }
  await contact.close();
  return undefined;
}

/** Lets the person mend the connection. @throws E_DISCORD_UNREACHABLE if nobody can */
export async function askToRetry(setup: Setup, why: string): Promise<void> {
  const word = sayTo(setup);
  const failed = new BellhopError("E_DISCORD_UNREACHABLE", { why });
  if (!setup.prompts.person) throw failed;
  setup.prompts.warn(word("E_DISCORD_UNREACHABLE", { why }));
  const question = { message: word("cli.init.again"), option: "" };
  const go = await setup.prompts.one(
    question,
    [
      { value: true, label: word("cli.init.again_yes") },
      { value: false, label: word("cli.init.again_no") },
    ],
    undefined,
  );
  if (!go) throw failed;
}

/** A token that is kept already stays as it is. */
async function keep(setup: Setup, given: TokenInput): Promise<void> {
  if (given.from === "settings") return;
  if (given.from === "environment") {
    const stored = withoutEnvironment(setup);
    if (stored !== undefined) {
      if (stored !== given.value) setup.prompts.warn(sayTo(setup)("cli.init.token_two"));
      return;
    }
  }
  const path = given.path ?? ownTokenFile(setup);
  if (given.path === undefined) {
    await writePrivate(path, `${given.value}\n`);
    setup.changed = true;
    setup.prompts.done(sayTo(setup)("cli.service.token", { path }));
  }
  await save(setup, { DISCORD_TOKEN_FILE: path }, ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"]);
}

/** The token that a start without this shell's variables would use. */
function withoutEnvironment({ io }: Setup): string | undefined {
  const { DISCORD_BOT_TOKEN: _one, DISCORD_TOKEN: _two, DISCORD_TOKEN_FILE: _three, ...env } = io.env;
  return settingsHere({ ...io, env }, "nothing").token?.value;
}
