/**
 * Answers what the owner writes where nothing takes it: in a channel where sessions were opened, or with a mention of
 * the bot in any other. The answer has a button per project that opens a session there. Only live messages are
 * answered, once; in a watched channel the message goes into the inbox, which reports it.
 */
import type { APIMessage } from "discord-api-types/v10";
import type { Log } from "../../base/log.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { State } from "../../core/state.ts";
import { threadsOf } from "../../core/sessions/thread.ts";
import { authorize, type Payload, type AccessPolicy } from "./authorize.ts";
import { button, colours, ROW_BUTTONS, systemBody } from "../views/body.ts";
import { customId } from "../views/custom-id.ts";
import type { Rest } from "../api/rest.ts";
import { sendOnce } from "../delivery/send-once.ts";

export interface HintsOptions {
  engine: { readonly state: State };
  rest: Pick<Rest, "call">;
  policy: AccessPolicy;
  botId: string;
  locale: Locale;
  log: Log;
}

/** The handler of gateway messages; it never throws. */
export function openHints(options: HintsOptions): { message(message: Payload): void } {
  const { engine, rest, policy, botId, log } = options;
  return {
    message(message) {
      const { channel_id, id } = message;
      if (
        channel_id === undefined ||
        id === undefined ||
        !authorize(policy, { kind: "message", message, direct: false })
      )
        return;
      if (
        isTaken(engine.state, channel_id) ||
        !(isNamed(message, botId) || hasSessions(engine.state, channel_id, botId))
      )
        return;
      sendOnce(rest, {
        channelId: channel_id,
        body: hint(engine.state, options.locale),
        nonce: `h${id}`,
        replyTo: id,
        priority: "cosmetic",
      }).catch((error: unknown) => {
        log.info("a message outside a session could not be answered", { message_id: id, reason: String(error) });
      });
    },
  };
}

/** Whether what is written there goes to a session, a question or the inbox. */
function isTaken({ threads, channels }: State, channelId: string): boolean {
  return threads[channelId] !== undefined || channels[channelId] !== undefined;
}

function isNamed({ mentions }: Payload, botId: string): boolean {
  return Array.isArray(mentions) && mentions.some(({ id }: Pick<APIMessage["mentions"][number], "id">) => id === botId);
}

function hasSessions(state: State, channelId: string, botId: string): boolean {
  return threadsOf(state, channelId).some(
    ({ thread_id, bot_id }) => bot_id === botId && state.sessions[thread_id] !== undefined,
  );
}

function hint({ projects, active_project }: State, locale: Locale): object {
  const all = Object.values(projects).toSorted(
    (a, b) => Number(b.name === active_project) - Number(a.name === active_project) || a.number - b.number,
  );
  const buttons = all
    .slice(0, ROW_BUTTONS)
    .map(({ name }) => button(customId("s-open", { project: name }), say(locale, "hint_open", { project: name })));
  const description =
    all.length === 0
      ? `${say(locale, "hint_no_project")}\n\`/project create name:my-app path:/home/me/my-app\``
      : say(locale, "hint");
  return systemBody({ color: colours.quiet, description }, buttons);
}
