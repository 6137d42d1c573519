/**
 * Writing: a message stands in the chat at once, greyed, and becomes real when the server has it, or says
 * why not and can be tried again. The same nonce goes with every try, so a try that did arrive is not doubled.
 */
import { MESSAGE, type Message } from "../state/model.ts";
import { Refused, type Rest } from "./rest.ts";
import { localId, type Store } from "../state/store.ts";
import { newNonce } from "../state/times.ts";

export interface Sending {
  send(channelId: string, content: string, files?: readonly File[], replyTo?: Message): Promise<void>;
  retry(message: Message): void;
  typing(channelId: string): void;
}

const TYPING_EVERY_MS = 8000;

interface Unsent {
  content: string;
  files: readonly File[];
  replyTo: Message | undefined;
}

export function createSending(rest: Rest, store: Store): Sending {
  const unsent = new Map<string, Unsent>();
  const typed = new Map<string, number>();

  const post = async (channelId: string, nonce: string): Promise<void> => {
    const sending = unsent.get(nonce);
    if (!sending) return;
    const reference = sending.replyTo
      ? { message_reference: { message_id: sending.replyTo.id, channel_id: channelId } }
      : {};
    try {
      const body = { content: sending.content, nonce, enforce_nonce: true, ...reference };
      const message = await rest.send<Message>("POST", `/channels/${channelId}/messages`, body, sending.files);
      store.act({ type: "sent", message: { ...message, nonce } });
      unsent.delete(nonce);
    } catch (error) {
      store.act({ type: "unsent", channelId, nonce, reason: error instanceof Refused ? error.message : "" });
    }
  };
  return {
    async send(channelId, content, files = [], replyTo) {
      const me = store.get().me;
      if (!me) return;
      const nonce = newNonce(Date.now(), Math.random());
      unsent.set(nonce, { content, files, replyTo });
      typed.delete(channelId);
      store.act({
        type: "sending",
        message: {
          id: localId(nonce),
          nonce,
          channel_id: channelId,
          author: me,
          content,
          local: { state: "sending" },
          timestamp: new Date().toISOString(),
          type: replyTo ? MESSAGE.reply : MESSAGE.default,
          ...(replyTo ? { referenced_message: replyTo } : {}),
        },
      });
      await post(channelId, nonce);
    },
    retry(message) {
      store.act({ type: "sending", message: { ...message, local: { state: "sending" } } });
      void post(message.channel_id, String(message.nonce));
    },
    typing(channelId) {
      const now = Date.now();
      if (now - (typed.get(channelId) ?? 0) < TYPING_EVERY_MS) return;
      typed.set(channelId, now);
      // Nobody waits for the indicator, so nobody is told that it failed.
      rest.send("POST", `/channels/${channelId}/typing`).catch(() => undefined);
    },
  };
}
