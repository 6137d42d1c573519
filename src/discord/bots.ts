/**
 * One bot for each token: the daemon's own for as long as it runs, the main one and one for each further server of
 * config.json, and one for each token that an agent's client brings. A client's bot is opened when first needed, and
 * closed when unused for a while with nothing asked in it. A token is held here and in its bot only.
 */
import { BellhopError } from "../base/errors.ts";
import { tokenMissing } from "../config/token.ts";
import { openDecisions } from "../core/decisions/decision.ts";
import type { DaemonContext } from "./api/bot-context.ts";
import { openBot, type Bot, type BotOptions, type ServedBot } from "./bot.ts";

export interface BotsOptions {
  /** The daemon's main bot; null without a token. */
  main: ServedBot | null;
  /** From here on the token is redacted from every log and answer and kept out of every child. */
  secret(token: string): void;
  /** Opens a bot; tests replace it. */
  open?: typeof openBot;
}

export interface Bots {
  /** The daemon's main bot, if it has a token. @throws what `openBot` throws */
  openOwn(): Promise<Bot | null>;
  /** A bot for one more server, as the daemon's own. @throws what `openBot` throws */
  openServer(server: ServedBot): Promise<Bot>;
  /**
   * A bot, kept open until it is released: that of a token, null for the daemon's main one; or the daemon's own bot
   * with this id. @throws what `openBot` throws
   */
  acquireBot(whose: string | null | { botId: string }, channelId: string | null): Promise<OpenedBot>;
  /** What `Bot.hasHeard` says of the bot with this id; false if none is open. */
  hasHeard(botId: string, ids: readonly string[]): Promise<boolean>;
  /** Closes the bots of clients; an own bot is closed by the caller that opened it. */
  close(): Promise<void>;
}

export interface OpenedBot {
  readonly bot: Bot;
  release(): void;
}

interface SharedBot {
  bot: Promise<Bot>;
  holders: number;
  cancelTimer: () => void;
}

/** How long an unused bot stays open: an agent that asks again finds it, and answers are still received. */
const LINGER_MS = 10 * 60_000;

export function openBots(daemon: DaemonContext, options: BotsOptions): Bots {
  return new HeldBots(daemon, options);
}

class HeldBots implements Bots {
  readonly #daemon: DaemonContext;
  readonly #own: ServedBot | null;
  readonly #secret: (token: string) => void;
  readonly #open: typeof openBot;
  readonly #main = Promise.withResolvers<Bot>();
  /** The daemon's own by their tokens. */
  readonly #servers = new Map<string, Promise<Bot>>();
  readonly #held = new Map<string, SharedBot>();
  readonly #underWay: BotOptions["underWay"] = new Set();
  #closed = false;

  constructor(daemon: DaemonContext, { main, secret, open = openBot }: BotsOptions) {
    this.#daemon = daemon;
    this.#own = main;
    this.#secret = secret;
    this.#open = open;
    this.#main.promise.catch(() => undefined);
  }

  async openOwn(): Promise<Bot | null> {
    if (this.#own === null) return null;
    const opening = this.#serve(this.#own, true);
    opening.then(this.#main.resolve, this.#main.reject);
    return opening;
  }

  openServer(server: ServedBot): Promise<Bot> {
    const opening = this.#serve(server, false);
    this.#servers.set(server.token, opening);
    opening.catch(() => undefined);
    return opening;
  }

  async acquireBot(whose: string | null | { botId: string }, channelId: string | null): Promise<OpenedBot> {
    const byId = typeof whose === "object" && whose !== null;
    const token = byId ? null : whose;
    const served = await (byId ? this.#ownBot(whose.botId) : this.#servers.get(whose ?? ""));
    if (served) return { bot: served, release: () => undefined };
    const own = this.#own?.token ?? null;
    if (token === null && own === null) throw tokenMissing(this.#daemon.locale);
    if (token === null || token === own) return { bot: await this.#main.promise, release: () => undefined };
    // The own bot may still have to determine the owner.
    if (own !== null && this.#daemon.engine.state.owner === undefined) await this.#main.promise;
    if (this.#closed) throw new BellhopError("E_NO_DAEMON", { dir: this.#daemon.stateDir });
    const held = this.#held.get(token) ?? this.#openHeld(token, channelId);
    held.holders += 1;
    held.cancelTimer();
    try {
      return { bot: await held.bot, release: () => this.#release(token, held) };
    } catch (error) {
      held.holders -= 1;
      throw error;
    }
  }

  async hasHeard(botId: string, ids: readonly string[]): Promise<boolean> {
    const clients = Array.from(this.#held.values(), ({ bot }) => bot);
    const bot = (await withId(botId, clients)) ?? (await this.#ownBot(botId));
    return bot !== undefined && bot.hasHeard(ids);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#held.values()];
    this.#held.clear();
    for (const { cancelTimer: forget } of all) forget();
    await Promise.allSettled(all.map(async ({ bot }) => (await bot).close()));
  }

  /** Undefined: no bot has this id any more. */
  async #ownBot(botId: string): Promise<Bot | undefined> {
    return this.#own === null ? undefined : withId(botId, [this.#main.promise, ...this.#servers.values()]);
  }

  #serve(own: ServedBot, main: boolean): Promise<Bot> {
    return this.#open(this.#daemon, { ...own, role: "serves", main, underWay: this.#underWay });
  }

  #openHeld(token: string, channelId: string | null): SharedBot {
    const { log } = this.#daemon;
    this.#secret(token);
    const bot = this.#open(this.#daemon, {
      role: "asks",
      main: false,
      underWay: this.#underWay,
      token,
      channelId: channelId ?? undefined,
    });
    const held: SharedBot = { bot, holders: 0, cancelTimer: () => undefined };
    this.#held.set(token, held);
    bot.then(
      (opened) => {
        log.info("another bot is connected", { bot_id: opened.botId, guild_id: opened.guildId });
        void opened.refused.then((error) => this.#leave(token, held, error));
      },
      () => this.#held.delete(token),
    );
    return held;
  }

  #release(token: string, held: SharedBot): void {
    held.holders -= 1;
    if (held.holders === 0) this.#linger(token, held);
  }

  #linger(token: string, held: SharedBot): void {
    const { clock, log } = this.#daemon;
    held.cancelTimer();
    if (this.#closed) return;
    const look = (): void =>
      void this.#closeIfUnused(token, held).catch((error: unknown) =>
        log.failure("another bot could not be disconnected", error),
      );
    held.cancelTimer = clock.after(LINGER_MS, look);
  }

  /** Keeps the bot open while something asked under it can still be answered. */
  async #closeIfUnused(token: string, held: SharedBot): Promise<void> {
    const { botId } = await held.bot;
    const isAsked = openDecisions(this.#daemon.engine.state).some(
      (one) => one.asker.by === "mcp" && one.asker.bot_id === botId,
    );
    if (held.holders > 0) return;
    if (isAsked) this.#linger(token, held);
    else await this.#leave(token, held);
  }

  async #leave(token: string, held: SharedBot, error?: BellhopError): Promise<void> {
    if (this.#held.get(token) !== held) return;
    this.#held.delete(token);
    const bot = await held.bot;
    if (error) this.#daemon.log.failure("another bot is disconnected", error, { bot_id: bot.botId });
    await bot.close();
  }
}

/** The first of these bots that has this id; undefined: none has. */
function withId(botId: string, openings: readonly Promise<Bot>[]): Promise<Bot | undefined> {
  const wanted = openings.map(async (opening) => {
    const bot = await opening;
    if (bot.botId !== botId) throw new Error("another bot");
    return bot;
  });
  return Promise.any(wanted).catch(() => undefined);
}
