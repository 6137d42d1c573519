/**
 * Keeps the slash commands registered: each time the bot joins its server, and again and again while Discord refuses
 * them. A bot that was invited without the scope for commands is told of once, and gets them when it has been invited
 * again, which Discord tells nobody of.
 */
import type { Clock } from "../../base/clock.ts";
import { BellhopError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { Rest } from "../api/rest.ts";
import { failureKind } from "../api/transport.ts";
import { registerCommands } from "./registry.ts";

export interface RegistrationOptions {
  rest: Pick<Rest, "call">;
  applicationId: string;
  guildId: string;
  clock: Pick<Clock, "after">;
  locale: Locale;
  log: Log;
  /** The link that invites the bot with the scope. */
  link: string;
}

export interface Registration {
  /** Discord has refused the commands, and has not taken them since. */
  readonly isRefused: boolean;
  /** Never rejects. */
  register(): Promise<void>;
  close(): void;
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 600_000;

export function openRegistration(options: RegistrationOptions): Registration {
  const { clock, locale, log, link } = options;
  let isRefused = false;
  let pauseMs = FIRST_PAUSE_MS;
  let forget = (): void => undefined;

  async function register(): Promise<void> {
    forget();
    try {
      await registerCommands(options);
      isRefused = false;
      pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      const kind = failureKind(error);
      if (kind === "no_access") return refused(new BellhopError("E_COMMANDS_REFUSED", { link }, { cause: error }));
      // A daemon that stops has not failed.
      if (kind !== "closed") log.failure("the slash commands could not be registered", error);
    }
  }

  function refused(error: BellhopError): void {
    if (!isRefused) log.failure(say(locale, error.code, error.details), error);
    isRefused = true;
    forget = clock.after(pauseMs, () => void register());
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }

  return {
    get isRefused() {
      return isRefused;
    },
    register,
    close: () => forget(),
  };
}
