/**
 * The daemon's own bots: the main one, and one for each further server of config.json. A bot that Discord refuses, or
 * that is configured wrongly, is told and leaves the others at work; when none is left the daemon ends.
 */
import { BellhopError, codeOf } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import { otherOwner, type OtherServer } from "../config/session-settings.ts";
import type { Bot } from "../discord/bot.ts";
import type { Bots } from "../discord/bots.ts";
import type { Engine } from "../engine/engine.ts";
import type { ServerStatus } from "../ipc/status.ts";
import type { Ground, Who } from "./ground.ts";

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

/** Null without a token. @throws what `openBot` throws for the main bot, unless it is refused and there are others */
export async function openServing(ground: Ground, engine: Engine, bots: Bots): Promise<Serving | null> {
  if (ground.token === null) return null;
  const servers = new OwnBots(ground, engine, bots);
  // Until the owner is known, the main bot may have to determine him.
  const early = engine.state.owner === undefined ? null : servers.openAll();
  const main = await bots.openOwn().catch((error: unknown) => {
    if (ground.servers.others.length === 0 || !(error instanceof BellhopError) || error.code !== "E_TOKEN_REFUSED")
      throw error;
    return error;
  });
  return main && servers.serving(main, early ?? servers.openAll());
}

class OwnBots {
  readonly #ground: Ground;
  readonly #engine: Engine;
  readonly #bots: Bots;
  readonly #served: ServerBot[];
  #closed = false;

  constructor(ground: Ground, engine: Engine, bots: Bots) {
    this.#ground = ground;
    this.#engine = engine;
    this.#bots = bots;
    this.#served = ground.servers.others.map((server) => ({ server, bot: null, condition: null, error: null }));
    ground.known.servers = () => this.#served.map((one) => this.#statusOf(one));
  }

  /** One promise a server, which rejects if its bot could not be opened. */
  openAll(): Promise<Bot>[] {
    const isKnown = this.#engine.state.owner !== undefined;
    let before: Promise<unknown> = Promise.resolve();
    return this.#served.map((one) => {
      const opening = isKnown ? this.#open(one) : before.then(() => this.#open(one));
      before = opening.catch(() => undefined);
      opening.catch((error: unknown) => this.#onBotFailed(one, error));
      return opening;
    });
  }

  serving(main: Bot | BellhopError, servers: Promise<Bot>[]): Serving {
    const { log } = this.#ground;
    const isOpen = !(main instanceof BellhopError);
    if (isOpen) this.#ground.known.condition = () => main.condition();
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
    const wrong = otherOwner(server, this.#engine.state.owner?.owner_id, this.#ground.settings.locale);
    if (wrong) throw wrong;
    const { token, guildId, panelId } = server;
    const bot = await this.#bots.openServer({
      token,
      guildId,
      panelId,
      opening: (condition) => void (one.condition = condition),
    });
    if (this.#closed) return bot.close().then(() => bot);
    one.bot = bot;
    one.condition = bot.condition;
    this.#ground.log.info("a server's bot is connected", {
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
    const { log } = this.#ground;
    one.error = error instanceof BellhopError ? error : new BellhopError(codeOf(error));
    if (!this.#closed)
      log.failure(`${one.server.name}: ${this.#sentence(one.error)}`, error, { server: one.server.name });
  }

  #sentence(error: BellhopError): string {
    return say(this.#ground.settings.locale, error.code, error.details);
  }

  #statusOf({ server, bot, condition, error }: ServerBot): ServerStatus {
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
