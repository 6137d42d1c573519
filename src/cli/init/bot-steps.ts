/**
 * The bot as Discord has it: its intent, its owner, its server, its channel. What is missing is named and waited for.
 */
import { renderUnicodeCompact } from "uqr";
import { pause, systemClock } from "../../base/clock.ts";
import { BellhopError } from "../../base/errors.ts";
import { terminalLine } from "../../base/terminal-text.ts";
import { invalidSetting } from "../../config/invalid.ts";
import { failureKind } from "../../discord/api/transport.ts";
import type { AboutBot, ChannelHere, NamedPlace } from "../../discord/first-contact.ts";
import { invitation } from "../../discord/identity.ts";
import { save, sayTo, type Setup } from "./setup.ts";
import type { Connected } from "./token-step.ts";

const LOOK_MS = 2_000;
/** The blocks of a QR code are its light parts. */
const LIGHT_BLOCKS = "\x1b[97;40m";
const RESET = "\x1b[0m";

/** @throws E_INTENT_REFUSED where nobody can switch it on */
export async function intentOn(setup: Setup, { contact, about }: Connected): Promise<void> {
  const { prompts } = setup;
  const word = sayTo(setup);
  if (!about.readsContent) {
    if (!prompts.person) throw new BellhopError("E_INTENT_REFUSED");
    prompts.warn(word("cli.init.intent_off"));
    prompts.plain(
      `https://discord.com/developers/applications/${about.applicationId}/bot\n\n${word("cli.init.waiting")}`,
    );
    await until(async () => (await contact.about()).readsContent || undefined);
  }
  prompts.done(word("cli.init.intent_on"));
}

/** The server the bot works in. @throws E_CONFIG_INVALID where it is in none and nobody can invite it */
export async function chooseServer(setup: Setup, { contact, about }: Connected): Promise<NamedPlace> {
  const { prompts, settings, flags } = setup;
  const word = sayTo(setup);
  const wanted = flags.server ?? settings.guildId;
  const fits = (all: readonly NamedPlace[]): NamedPlace[] =>
    wanted === undefined ? [...all] : all.filter(({ id }) => id === wanted);
  let here = fits(await contact.servers());
  if (here.length === 0) {
    invite(setup, about, wanted);
    if (!prompts.person) throw noServer(setup, about, wanted);
    prompts.plain(word("cli.init.waiting"));
    here = await until(async () => {
      const now = fits(await contact.servers());
      return now.length > 0 ? now : undefined;
    });
  }
  const question = { message: word("cli.init.server_ask"), option: "--server" };
  const only = here.length === 1 ? here[0] : undefined;
  const server =
    only ??
    (await prompts.one(
      question,
      here.map((value) => ({ value, label: shown(value), hint: value.id })),
      undefined,
    ));
  if (settings.guildId !== server.id) await save(setup, { DISCORD_GUILD_ID: server.id });
  prompts.done(word("cli.init.server", { server: shown(server) }));
  return server;
}

function invite(setup: Setup, { applicationId }: AboutBot, wanted: string | undefined): void {
  const { prompts } = setup;
  const word = sayTo(setup);
  const link = invitation(applicationId);
  prompts.warn(
    wanted === undefined
      ? word("cli.init.no_server")
      : word("cli.init.not_in_server", { server: terminalLine(wanted, 40) }),
  );
  prompts.plain(link);
  const { screen } = setup.io;
  const code = prompts.person && screen !== undefined ? qrCode(link, screen.columns) : null;
  if (code === null) return;
  screen?.draw(`\n${code}\n`);
  prompts.plain(word("cli.init.qr"));
}

function noServer({ locale }: Setup, { applicationId }: AboutBot, wanted: string | undefined): Error {
  return invalidSetting(locale, {
    where: "DISCORD_GUILD_ID",
    found: wanted,
    want: "config.want.one_guild",
    mend: "config.mend.no_guild",
    args: { link: invitation(applicationId) },
  });
}

/**
 * The channel for everything that belongs to no thread. @throws E_CONFIG_INVALID where a permission is missing and
 * nobody can grant it
 */
export async function chooseChannel(
  setup: Setup,
  { contact, about }: Connected,
  server: NamedPlace,
): Promise<ChannelHere> {
  const { settings, prompts, flags, locale } = setup;
  const word = sayTo(setup);
  const all = await contact.channels(server.id, about.botId);
  const wanted = flags.channel?.replace(/^#/, "") ?? settings.channelId;
  const named = all.find(({ id }) => id === wanted) ?? all.find(({ name }) => name === wanted);
  if (named === undefined && wanted !== undefined) {
    const error = invalidSetting(locale, {
      where: "DISCORD_CHANNEL_ID",
      found: wanted,
      want: "config.want.channel",
      mend: "cli.init.one_of_channels",
      args: { names: all.map(({ name }) => name).join(", ") },
    });
    if (!prompts.person) throw error;
    prompts.warn(word("cli.init.channel_gone", { channel: terminalLine(wanted, 60) }));
  }
  const chosen = named ?? (await askChannel(setup, all));
  const channel =
    chosen.missing.length === 0
      ? chosen
      : await withRights(setup, chosen, async () =>
          (await contact.channels(server.id, about.botId)).find(({ id }) => id === chosen.id),
        );
  if (settings.channelId !== channel.id) await save(setup, { DISCORD_CHANNEL_ID: channel.id });
  prompts.done(word("cli.init.channel", { channel: shown(channel) }));
  return channel;
}

async function askChannel(setup: Setup, all: readonly ChannelHere[]): Promise<ChannelHere> {
  const { prompts, locale } = setup;
  const word = sayTo(setup);
  const [only] = all;
  if (only === undefined)
    throw invalidSetting(locale, {
      where: "DISCORD_CHANNEL_ID",
      found: undefined,
      want: "config.want.channel",
      mend: "cli.init.make_channel",
    });
  if (all.length === 1) return only;
  const choices = all.map((value) => ({
    value,
    label: `#${shown(value)}`,
    ...(value.missing.length > 0 && { hint: word("cli.init.lacks", { rights: rights(setup, value) }) }),
  }));
  const usual = all.find(({ missing }) => missing.length === 0) ?? only;
  return prompts.one({ message: word("cli.init.channel_ask"), option: "--channel" }, choices, usual);
}

async function withRights(
  setup: Setup,
  channel: ChannelHere,
  look: () => Promise<ChannelHere | undefined>,
): Promise<ChannelHere> {
  const { prompts, locale } = setup;
  const told = { channel: shown(channel), rights: rights(setup, channel) };
  if (!prompts.person)
    throw invalidSetting(locale, {
      where: `#${told.channel}`,
      found: channel.id,
      want: "cli.init.want_rights",
      mend: "cli.init.mend_rights",
      args: told,
    });
  prompts.warn(sayTo(setup)("cli.init.rights", told));
  prompts.plain(sayTo(setup)("cli.init.waiting"));
  let last = told.rights;
  return until(async () => {
    const now = await look();
    if (now === undefined || now.missing.length === 0) return now;
    const left = rights(setup, now);
    if (left !== last) prompts.warn(sayTo(setup)("cli.init.rights", { ...told, rights: (last = left) }));
    return undefined;
  });
}

function rights(setup: Setup, { missing }: ChannelHere): string {
  return missing.map((key) => sayTo(setup)(key)).join(", ");
}

function shown({ name }: NamedPlace): string {
  return terminalLine(name, 100);
}

/** Asks repeatedly until there is an answer; also waits for a connection that is lost meanwhile. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    await pause(systemClock, LOOK_MS);
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      if (failureKind(error) !== "unavailable") throw error;
    }
  }
}

/**
 * A link as a QR code for a terminal, always dark on light, because not every phone reads one on a dark ground. Null if
 * the terminal is too narrow.
 * @param columns of the terminal; undefined if unknown
 */
export function qrCode(link: string, columns = 80): string | null {
  const lines = renderUnicodeCompact(link, { border: 2 }).split("\n");
  if (lines.some((line) => [...line].length > columns)) return null;
  return lines.map((line) => `${LIGHT_BLOCKS}${line}${RESET}`).join("\n");
}
