/**
 * The daemon's own bots: the main one, and one for each further server of config.json. A bot that Discord refuses, or
 * that is configured wrongly, is told and leaves the others at work; when none is left the daemon ends.
 */
import { BellhopError, codeOf } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import { otherOwner, type OtherServer } from "../config/session-settings.ts";
import type { DaemonContext } from "./api/bot-context.ts";
import type { Bot, Who } from "./bot.ts";
import type { Bots } from "./bots.ts";

export interface Serving {
  /** Resolves when messages are accepted: by the main bot, or by another if Discord refuses it. */
  readonly ready: Promise<Who>;
  /** Resolves when the last of them is refused. */
  readonly refused: Promise<BellhopError>;
  healthy(): boolean;
  lastWords(error: BellhopError): Promise<void>;
  close(): Promise<void>;
}

/** One server's bot. */
interface ServerBot {
  server: OtherServer;
  bot: Bot | null;
  condition: Bot["condition"] | null;
  error: BellhopError | null;
}

export class OwnBots {
  readonly #daemon: DaemonContext;
  readonly #bots: Bots;
  readonly #served: ServerBot[];
  #closed = false;

  constructor(daemon: DaemonContext, bots: Bots, servers: readonly OtherServer[]) {
    this.#daemon = daemon;
    this.#bots = bots;
    this.#served = servers.map((server) => ({ server, bot: null, condition: null, error: null }));
  }

  get status() {
    return this.#served.map((one) => this.#statusOf(one));
  }

  /**
   * Null if there is no main bot.
   * @throws what `openBot` throws for the main bot, unless it is refused and there are others
   */
  async open(): Promise<Serving | null> {
    // Until the owner is known, the main bot may have to determine him.
    const early = this.#isOwnerKnown ? this.#openAll() : null;
    const main = await this.#bots.openOwn().catch((error: unknown) => {
      if (this.#served.length === 0 || !(error instanceof BellhopError) || error.code !== "E_TOKEN_REFUSED")
        throw error;
      return error;
    });
    return main && this.#serving(main, early ?? this.#openAll());
  }

  get #isOwnerKnown(): boolean {
    return this.#daemon.engine.state.owner !== undefined;
  }

  /** One promise a server, which rejects if its bot could not be opened. */
  #openAll(): Promise<Bot>[] {
    const isKnown = this.#isOwnerKnown;
    let before: Promise<unknown> = Promise.resolve();
    return this.#served.map((one) => {
      const opening = isKnown ? this.#open(one) : before.then(() => this.#open(one));
      before = opening.catch(() => undefined);
      opening.catch((error: unknown) => this.#onBotFailed(one, error));
      return opening;
    });
  }

  #serving(main: Bot | BellhopError, servers: Promise<Bot>[]): Serving {
    const { log } = this.#daemon;
    const isOpen = !(main instanceof BellhopError);
    const mainEnd = isOpen ? main.refused : Promise.resolve(main);
    if (servers.length > 0) void mainEnd.then((error) => log.failure(this.#sentence(error), error));
    const ends = servers.map((opening) =>
      opening.then(
        (bot) => bot.refused,
        (error: unknown) => error as BellhopError,
      ),
    );
    const anyReady = (): Promise<Who> => Promise.any(servers.map(async (opening) => (await opening).ready));
    const others = mainEnd.then(() => anyReady().catch(() => new Promise<never>(() => undefined)));
    const working = (): Bot[] => [
      ...(isOpen ? [main] : []),
      ...this.#served.flatMap(({ bot, error }) => (bot && !error ? [bot] : [])),
    ];
    return {
      ready: isOpen ? Promise.race([main.ready, others]) : others,
      refused: Promise.all([mainEnd, ...ends]).then(() => mainEnd),
      healthy: () => working().every((bot) => bot.condition().healthy),
      lastWords: async (error) => void (await Promise.all(working().map((bot) => bot.lastWords(error)))),
      close: async () => {
        this.#closed = true;
        await Promise.all(
          [...(isOpen ? [main] : []), ...this.#served.flatMap(({ bot }) => bot ?? [])].map((bot) => bot.close()),
        );
      },
    };
  }

  async #open(one: ServerBot): Promise<Bot> {
    const { server } = one;
    if (server.error !== undefined) throw server.error;
    const wrong = otherOwner(server, this.#daemon.engine.state.owner?.owner_id, this.#daemon.locale);
    if (wrong) throw wrong;
    const { token, guildId, panelId } = server;
    const bot = await this.#bots.openServer({
      token,
      guildId,
      panelId,
      onCondition: (condition) => void (one.condition = condition),
    });
    if (this.#closed) return bot.close().then(() => bot);
    one.bot = bot;
    this.#daemon.log.info("a server's bot is connected", {
      server: server.name,
      bot_id: bot.botId,
      guild_id: bot.guildId,
    });
    void bot.refused.then((error) => {
      this.#onBotFailed(one, error);
      return bot.close();
    });
    return bot;
  }

  #onBotFailed(one: ServerBot, error: unknown): void {
    const { log } = this.#daemon;
    one.error = error instanceof BellhopError ? error : new BellhopError(codeOf(error));
    if (!this.#closed)
      log.failure(`${one.server.name}: ${this.#sentence(one.error)}`, error, { server: one.server.name });
  }

  #sentence(error: BellhopError): string {
    return say(this.#daemon.locale, error.code, error.details);
  }

  #statusOf({ server, bot, condition, error }: ServerBot) {
    const phase = error === null ? (condition?.().phase ?? null) : null;
    return {
      name: server.name,
      guild_id: server.guildId,
      bot_id: bot?.botId ?? null,
      phase,
      error: error && { code: error.code, text: this.#sentence(error) },
    };
  }
}
