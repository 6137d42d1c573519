/**
 * The context of a bot of which a test needs these members only. It serves sessions with the default configuration, has
 * no channel of its own and logs nothing; whoever reads another member that the test does not give fails, and names it.
 */
import { silentLog } from "../../src/base/log.ts";
import { defaultConfig } from "../../src/config/config-file.ts";
import type { BotContext } from "../../src/discord/api/bot-context.ts";
import { noSecrets } from "./no-secrets.ts";
import { part } from "./part.ts";

/** Of these a test may give a part. */
type Services = "engine" | "rest" | "log" | "results" | "decisionFiles" | "files" | "tools";

export type BotParts = Partial<Omit<BotContext, Services>> & { [Key in Services]?: Partial<BotContext[Key]> };

const config = defaultConfig();

export function botContext(members: BotParts): BotContext {
  return part<BotContext>({
    log: silentLog,
    locale: "en",
    config: () => config,
    redactor: noSecrets,
    role: "serves",
    main: false,
    channelId: undefined,
    panelId: undefined,
    commandIds: new Map(),
    ...(members as Partial<BotContext>),
  });
}
