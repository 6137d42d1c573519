/** The bot as Discord has it: its token, its intent, its server, and what it may do in its channels. */
import { type Finding, failedFinding } from "../base/finding.ts";
import { terminalLine } from "../base/terminal-text.ts";
import { say, sayState, type Locale } from "../base/words/say.ts";
import { failureKind } from "./api/transport.ts";
import { checkGateway } from "./api/gateway/check-gateway.ts";
import { openContact, type AboutBot, type ChannelHere, type Contact, type NamedPlace } from "./first-contact.ts";
import { invitation, otherApplication } from "./identity.ts";
import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import type { Clock } from "../base/clock.ts";
import { errnoOf } from "../base/disk.ts";

interface BotCheckOptions {
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
  return failedFinding("token", otherApplication(appId, applicationId, locale));
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

function shown({ name }: NamedPlace): string {
  return terminalLine(name, 60);
}

/*
 * The way to Discord without a token: whether it answers and whether it is Discord that answers, whether this machine's
 * clock agrees with it, and whether IPv6 leads anywhere.
 */

export interface NetworkOptions {
  /** Base address of the REST API. */
  api: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  fetch?: typeof fetch;
  /** All addresses of a host. */
  addresses?(host: string): Promise<{ address: string; family: number }[]>;
  /** Whether a connection is made, or refused at once; false: nothing happens. */
  dial?(address: string, port: number): Promise<boolean>;
}

const PATIENCE_MS = 2_500;
const DIAL_MS = 1_500;
/** Ids and time limits are compared with Discord's clock. */
const CLOCKS_APART_MS = 30_000;

export async function checkNetwork(options: NetworkOptions): Promise<Finding[]> {
  const [answers, sixth] = await Promise.all([checkAnswer(options), checkIpv6(options)]);
  return [...answers, ...sixth];
}

async function checkAnswer({ api, env, clock, fetch: ask = fetch }: NetworkOptions): Promise<Finding[]> {
  const host = new URL(api).host;
  try {
    const response = await ask(`${api}/v10/gateway`, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: "manual" });
    const text = await response.text();
    const date = Date.parse(response.headers.get("date") ?? "");
    if (!isDiscords(text))
      return [
        {
          check: "network",
          verdict: "bad",
          says: "doctor.portal",
          args: { host, status: response.status },
          mend: { says: "doctor.portal.mend" },
        },
      ];
    return [
      { check: "network", verdict: "good", says: "doctor.network", args: { host } },
      ...clockFinding(date, clock.now()),
    ];
  } catch (error) {
    const why =
      error instanceof Error && error.name === "TimeoutError"
        ? `${PATIENCE_MS / 1000} s`
        : errnoOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
    const proxy = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].find((name) => env[name]);
    const mend =
      proxy === undefined
        ? { says: "doctor.network.mend" as const }
        : { says: "doctor.proxy.mend" as const, args: { name: proxy } };
    return [{ check: "network", verdict: "bad", says: "E_DISCORD_UNREACHABLE", args: { why }, mend }];
  }
}

function isDiscords(text: string): boolean {
  try {
    return typeof (JSON.parse(text) as { url?: unknown }).url === "string";
  } catch {
    return false;
  }
}

function clockFinding(date: number, now: number): Finding[] {
  if (Number.isNaN(date)) return [];
  const apart = Math.round(Math.abs(now - date) / 1000);
  if (apart * 1000 <= CLOCKS_APART_MS) return [{ check: "clock", verdict: "good", says: "doctor.clock" }];
  return [
    {
      check: "clock",
      verdict: "warn",
      says: "doctor.clock.apart",
      args: { seconds: apart },
      mend: { says: "doctor.clock.mend" },
    },
  ];
}

/** Only where an IPv4 address works at the same time: Node then waits for IPv6 at each new connection. */
async function checkIpv6({
  api,
  addresses = (host) => lookup(host, { all: true }),
  dial = dialOnce,
}: NetworkOptions): Promise<Finding[]> {
  const { hostname, port, protocol } = new URL(api);
  const to = Number(port || (protocol === "https:" ? 443 : 80));
  const all = await addresses(hostname.replace(/^\[|\]$/g, "")).catch(() => []);
  const [four, six] = [4, 6].map((family) => all.find((one) => one.family === family)?.address);
  if (four === undefined || six === undefined) return [];
  const [fourth, sixth] = await Promise.all([dial(four, to), dial(six, to)]);
  return fourth && !sixth
    ? [
        {
          check: "ipv6",
          verdict: "warn",
          says: "doctor.ipv6",
          args: { address: six },
          mend: { says: "doctor.ipv6.mend" },
        },
      ]
    : [];
}

function dialOnce(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: DIAL_MS });
    const end = (happened: boolean) => () => {
      socket.destroy();
      resolve(happened);
    };
    socket.once("connect", end(true)).once("error", end(true)).once("timeout", end(false));
  });
}
