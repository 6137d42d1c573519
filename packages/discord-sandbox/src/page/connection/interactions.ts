/**
 * Interactions as a real client sends them: one POST with a nonce, then the acknowledgement over the
 * gateway. Without one in time the press is shown as failed, also when the gateway is silent.
 */
import { commandData, type Entries, type Index, type Invocable } from "../composer/commands.ts";
import type { Command, Message } from "../state/model.ts";
import type { Rest } from "./rest.ts";
import type { ModalShown, Pending } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import { newNonce } from "../state/times.ts";

export interface SubmittedField {
  type: number;
  custom_id: string;
  id?: number;
  value?: string | boolean | null;
  values?: string[];
}
export interface Submitted {
  type: number;
  id?: number;
  component?: SubmittedField;
  components?: SubmittedField[];
}

export interface Interactions {
  /** The guild's commands; asked for again whenever the server says they have changed. */
  index(guildId: string): Promise<Index>;
  /**
   * This and the next two reject with `Refused` when the server does not take it; the press then shows as failed too.
   */
  run(channelId: string, invocable: Invocable, entries: Entries): Promise<void>;
  /** Asks for choices; the answer comes over the gateway under the nonce returned. */
  complete(channelId: string, invocable: Invocable, entries: Entries, focused: string): string;
  press(message: Message, componentType: number, customId: string, values?: string[]): Promise<void>;
  /** `nonce`: under which the state then tells what has become of it. */
  submit(modal: ModalShown, fields: Submitted[], nonce: string): Promise<void>;
}

/** Discord gives an application 3 s; a little more is left for the news to arrive. */
const ANSWER_WITHIN_MS = 3600;
const TYPE = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

export function createInteractions(rest: Rest, store: Store, locale: string): Interactions {
  let cached: { guildId: string; seen: number; index: Promise<Index> } | undefined;

  const body = (
    type: number,
    nonce: string,
    { channelId, applicationId }: Pick<Pending, "channelId" | "applicationId">,
    more: object,
  ): object => ({
    type,
    nonce,
    locale,
    application_id: applicationId,
    channel_id: channelId,
    guild_id: store.get().channels[channelId]?.guild_id,
    session_id: store.get().sessionId,
    ...more,
  });
  const ask = async (
    pending: Omit<Pending, "nonce" | "failed">,
    type: number,
    more: object,
    nonce = interactionNonce(),
  ): Promise<void> => {
    store.act({ type: "asked", pending: { ...pending, nonce, failed: false } });
    setTimeout(() => store.act({ type: "unanswered", nonce }), ANSWER_WITHIN_MS);
    try {
      await rest.send("POST", "/interactions", body(type, nonce, pending, more));
    } catch (error) {
      store.act({ type: "unanswered", nonce });
      throw error;
    }
  };
  return {
    index(guildId) {
      const seen = store.get().commandsSeen;
      if (cached?.guildId !== guildId || cached.seen !== seen) {
        cached = { guildId, seen, index: rest.get<Index>(`/guilds/${guildId}/application-command-index`) };
        cached.index.catch(() => {
          cached = undefined;
        });
      }
      return cached.index;
    },
    run: (channelId, invocable, entries) =>
      ask(
        { kind: "command", channelId, applicationId: applicationOf(invocable.command), title: invocable.title },
        TYPE.command,
        { data: commandData(invocable, entries) },
      ),
    complete(channelId, invocable, entries, focused) {
      const nonce = interactionNonce();
      const more = { data: commandData(invocable, entries, focused) };
      rest
        .send(
          "POST",
          "/interactions",
          body(TYPE.autocomplete, nonce, { channelId, applicationId: applicationOf(invocable.command) }, more),
        )
        .catch(() => undefined);
      return nonce;
    },
    press: (message, componentType, customId, values) =>
      ask(
        {
          kind: "component",
          channelId: message.channel_id,
          applicationId: message.application_id ?? message.author.id,
          messageId: message.id,
          customId,
        },
        TYPE.component,
        {
          message_id: message.id,
          message_flags: message.flags ?? 0,
          data: { component_type: componentType, custom_id: customId, ...(values ? { values } : {}) },
        },
      ),
    async submit(modal, fields, nonce) {
      await ask(
        { kind: "modal", channelId: modal.channelId, applicationId: modal.applicationId, title: modal.title },
        TYPE.modal,
        { data: { id: modal.id, custom_id: modal.customId, components: fields } },
        nonce,
      );
    },
  };
}

export function interactionNonce(): string {
  return newNonce(Date.now(), Math.random());
}

function applicationOf(command: Command): string {
  return command.application_id;
}
