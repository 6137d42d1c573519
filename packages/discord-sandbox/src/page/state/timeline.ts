/**
 * A channel's messages as rows: day dividers, the line above what is new, and which messages open a
 * group with an avatar and a name. Pure, so how a chat reads can be tested without a browser.
 */
import { compareSnowflakes } from "../../state/snowflake-order.ts";
import { FLAG, has, isTextual, MESSAGE, type Channel, type Message } from "./model.ts";
import { isSameDay } from "./times.ts";

export type Row =
  | { kind: "day"; key: string; at: number }
  | { kind: "new"; key: string }
  | { kind: "message"; key: string; message: Message; opens: boolean };

/** Messages of one author closer than this are one group. */
const GROUP_MS = 7 * 60_000;

/** `readUpTo`: the newest message that was read before the channel was opened; own messages are never new. */
export function rowsOf(messages: readonly Message[], readUpTo: string | undefined, me: string | undefined): Row[] {
  const rows: Row[] = [];
  let last: Message | undefined;
  let marked = readUpTo === undefined;
  for (const message of messages) {
    const at = Date.parse(message.timestamp);
    const newDay = !last || !isSameDay(Date.parse(last.timestamp), at);
    if (newDay) rows.push({ kind: "day", key: `day-${message.id}`, at });
    const isNew = !marked && readUpTo !== undefined && isAfter(message, readUpTo, me);
    if (isNew) rows.push({ kind: "new", key: "new" });
    marked = marked || isNew;
    rows.push({ kind: "message", key: message.id, message, opens: newDay || isNew || !continues(last, message) });
    last = message;
  }
  return rows;
}

/** Whether the channel holds something that was not read. A channel never opened here counts from its first message. */
export function isUnread(channel: Channel, readUpTo: string | undefined): boolean {
  const newest = channel.last_message_id;
  if (!newest || !isTextual(channel)) return false;
  return readUpTo === undefined || compareSnowflakes(newest, readUpTo) > 0;
}

/** Messages that stand as one centred line, without an author's group. */
export function isSystem(message: Message): boolean {
  return ![MESSAGE.default, MESSAGE.reply, MESSAGE.command, MESSAGE.contextCommand].includes(message.type as 0);
}

function continues(last: Message | undefined, message: Message): boolean {
  if (!last || last.author.id !== message.author.id || isSystem(last) || isSystem(message)) return false;
  if (message.type !== MESSAGE.default || has(last, FLAG.ephemeral) !== has(message, FLAG.ephemeral)) return false;
  return Date.parse(message.timestamp) - Date.parse(last.timestamp) < GROUP_MS;
}

function isAfter(message: Message, readUpTo: string, me: string | undefined): boolean {
  return message.local === undefined && message.author.id !== me && compareSnowflakes(message.id, readUpTo) > 0;
}
