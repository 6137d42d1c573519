/** The bot as Discord has it: its token, its intent, its server, and what it may do in its channels. */
import type { Finding } from "../base/finding.ts";
import { terminalLine } from "../base/terminal-text.ts";
import { say, sayState, type Locale } from "../base/words/say.ts";
import { failureKind } from "./api/rest-failure.ts";
import { checkGateway } from "./api/gateway/check-gateway.ts";
import { openContact, type AboutBot, type ChannelHere, type Contact, type Place } from "./first-contact.ts";
import { invitation, otherApplication } from "./identity.ts";
import { failed } from "../base/finding.ts";

export interface BotCheckOptions {
  token: string;
  api: string;
  locale: Locale;
  appId: string | undefined;
  guildId: string | undefined;
  channelId: string | undefined;
  /** Where the control panel stands. */
  panelId: string | undefined;
}

/** Everything Discord says about the bot; without an answer, nothing, because the network's check says that. */
export async function checkBot(options: BotCheckOptions): Promise<Finding[]> {
  const contact = openContact(options.token, options.api);
  try {
    const about = await contact.about();
    const rest = await Promise.all([
      checkPlaces(options, contact, about),
      contact.gateway().then((gateway) => checkGateway(gateway, options.api, options.locale)),
    ]);
    return [checkApplication(options, about), checkIntent(about), ...rest.flat()];
  } catch (error) {
    const kind = failureKind(error);
    if (kind === "unauthorized")
      return [{ check: "token", verdict: "bad", says: "E_TOKEN_REFUSED", mend: { says: "doctor.token.mend" } }];
    if (kind === null) throw error;
    return [
      {
        check: "token",
        verdict: "idle",
        says: "doctor.unasked",
        args: { why: sayState(options.locale, contact.reason || kind) },
      },
    ];
  } finally {
    await contact.close();
  }
}

function checkApplication({ appId, locale }: BotCheckOptions, { botName, applicationId }: AboutBot): Finding {
  if (appId === undefined || appId === applicationId)
    return { check: "token", verdict: "good", says: "cli.init.token_good", args: { bot: terminalLine(botName, 40) } };
  return failed("token", otherApplication(appId, applicationId, locale));
}

function checkIntent({ readsContent, applicationId }: AboutBot): Finding {
  if (readsContent) return { check: "intents", verdict: "good", says: "cli.init.intent_on" };
  return {
    check: "intents",
    verdict: "bad",
    says: "doctor.intent",
    mend: {
      says: "doctor.intent.mend",
      args: { link: `https://discord.com/developers/applications/${applicationId}/bot` },
    },
  };
}

async function checkPlaces(
  options: BotCheckOptions,
  contact: Contact,
  { botId, applicationId }: AboutBot,
): Promise<Finding[]> {
  const { guildId, channelId, panelId, locale } = options;
  const all = await contact.servers();
  const link = invitation(applicationId);
  const here = guildId === undefined ? all : all.filter(({ id }) => id === guildId);
  const [server] = here;
  if (server === undefined)
    return [
      {
        check: "server",
        verdict: "bad",
        says: "doctor.server",
        args: { server: guildId ?? "" },
        mend: { says: "doctor.server.mend", args: { link } },
      },
    ];
  if (here.length > 1 && channelId === undefined)
    return [
      {
        check: "server",
        verdict: "bad",
        says: "doctor.servers",
        args: { count: here.length },
        mend: { says: "doctor.servers.mend" },
      },
    ];
  const channels = (await Promise.all(here.map(({ id }) => contact.channels(id, botId)))).flat();
  return [
    { check: "server", verdict: "good", says: "cli.init.server", args: { server: shown(server) } },
    ...checkChannels(channels, channelId, locale),
    ...(panelId === undefined ? [] : [checkPanel(channels, panelId, locale)]),
  ];
}

function checkChannels(all: readonly ChannelHere[], channelId: string | undefined, locale: Locale): Finding[] {
  if (channelId === undefined) {
    const works = all.find(({ missing }) => missing.length === 0);
    return [
      works
        ? { check: "channel", verdict: "good", says: "doctor.channel.any", args: { channel: shown(works) } }
        : { check: "channel", verdict: "bad", says: "doctor.channel.none", mend: { says: "doctor.channel.none.mend" } },
    ];
  }
  return [checkChannel(all, channelId, locale)];
}

/** Its channel is chosen in config.json. */
function checkPanel(all: readonly ChannelHere[], panelId: string, locale: Locale): Finding {
  const finding = checkChannel(all, panelId, locale);
  return {
    ...finding,
    check: "panel",
    ...(finding.says === "doctor.channel.gone" && { mend: { says: "doctor.panel.gone.mend" } }),
  };
}

function checkChannel(all: readonly ChannelHere[], channelId: string, locale: Locale): Finding {
  const channel = all.find(({ id }) => id === channelId);
  if (channel === undefined)
    return {
      check: "channel",
      verdict: "bad",
      says: "doctor.channel.gone",
      args: { id: channelId },
      mend: { says: "doctor.channel.gone.mend" },
    };
  if (channel.missing.length === 0)
    return { check: "channel", verdict: "good", says: "doctor.channel", args: { channel: shown(channel) } };
  const rights = channel.missing.map((key) => say(locale, key)).join(", ");
  return {
    check: "channel",
    verdict: "bad",
    says: "doctor.channel.lacks",
    args: { channel: shown(channel), rights },
    mend: { says: "doctor.channel.lacks.mend", args: { channel: shown(channel) } },
  };
}

function shown({ name }: Place): string {
  return terminalLine(name, 60);
}
