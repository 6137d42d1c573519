/** What a watcher sends with `watch_status`, and the parts in which it is answered until it hangs up. */
import * as z from "zod";
import { once } from "../base/once.ts";
import { faultName, list, snowflake, readParams, MOST_INTERVAL } from "./fields.ts";
import { inboxMessage } from "./tools.ts";

/** `channels`: none means the client's own. `after`: the last message that was shown; null: none. */
const watchParams = once(() =>
  z.object(
    {
      channels: list(snowflake, 50)
        .prefault([])
        .transform((all) => [...new Set(all)]),
      interval_seconds: z
        .number(faultName("interval"))
        .min(1, faultName("interval"))
        .max(MOST_INTERVAL, faultName("interval")),
      after: snowflake.nullable().default(null),
    },
    faultName("object"),
  ),
);

const watchedChannel = () =>
  z.object({
    channel_id: z.string(),
    /** Null until it is known, or if Discord does not let us see it. */
    name: z.string().nullable(),
    /** Whether Discord has confirmed that we can read it. */
    watched: z.boolean(),
    messages: z.int(),
    unread: z.int(),
  });

const watchPart = () =>
  z.object({
    /** The state of the gateway connection; `live`: messages arrive at once, else they are polled. */
    phase: z.string(),
    channels: z.array(watchedChannel()),
    /** Received since the previous part; in the first part, since `after`. */
    fresh: z.array(inboxMessage()),
    /** The newest message of these channels; to be sent as `after` in the next call. */
    last_message_id: z.string().nullable(),
  });

export type WatchParams = z.output<ReturnType<typeof watchParams>>;
export type WatchPart = z.output<ReturnType<typeof watchPart>>;

/** @throws E_LINK_REFUSED {why} */
export const readWatch = (given: unknown): WatchParams => readParams(watchParams(), given);
