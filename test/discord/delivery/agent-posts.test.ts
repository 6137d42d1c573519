/**
 * A notice that is repeated after a restart, because nobody heard that it was posted, stands once, however late that
 * is.
 */
import { MessageFlags } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { defaultConfig, type Config } from "../../../src/config/config-file.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { openAgentPosts, type AgentPosts } from "../../../src/discord/delivery/agent-posts.ts";
import type { Rest, RestCall } from "../../../src/discord/api/rest.ts";
import { RestFailure } from "../../../src/discord/api/transport.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../fakes/memory-journal.ts";

const BOT = "200000000000000004";
const CHANNEL = "200000000000000002";
const WORDS = { level: "info", message: "half of it is done" } as const;
const WHERE = { project: "app", channel_id: CHANNEL, within: CHANNEL, request_id: "request-0001" };

/** A channel that has forgotten every nonce; `answers`: whether a post is answered, or the daemon ends first. */
function channel() {
  const messages: Record<string, unknown>[] = [];
  const net = { answers: true };
  const rest: Pick<Rest, "call"> = {
    async call<T>({ method, path, body }: RestCall): Promise<T> {
      if (method === "GET" && path === `/channels/${CHANNEL}`) return { guild_id: "3" } as T;
      if (method === "GET") return messages as T;
      const message = {
        ...(body as object),
        nonce: undefined,
        id: `20000000000000090${messages.length}`,
        type: 0,
        author: { id: BOT },
        attachments: [],
        flags: 0,
        content: "",
        components: [],
      };
      messages.push(message);
      if (!net.answers) throw new RestFailure("closed", { route: "POST", status: 0 });
      return message as T;
    },
  };
  return { messages, net, rest: rest as Rest };
}

function daemon(
  engine: Engine,
  rest: Rest,
  clock: ReturnType<typeof createFakeClock>,
  quiet_hours?: string,
): AgentPosts {
  const config = (): Config => ({ ...defaultConfig(), quiet_hours });
  return openAgentPosts(botContext({ engine, rest, clock, botId: BOT, guildId: "3", ownerId: "1", config }));
}

test.each([true, false])(
  "told again by the next daemon, it is the message that stands (its answer came before: %s)",
  async (answers) => {
    const clock = createFakeClock();
    const journal = createMemoryJournal(clock);
    const { messages, net, rest } = channel();
    net.answers = answers;
    const first = daemon(journal.open().engine, rest, clock).postNotification(WORDS, WHERE);
    if (answers) await first;
    else await expect(first).rejects.toThrow();
    net.answers = true;
    await clock.advance(60 * 60_000);
    const next = daemon(journal.open().engine, rest, clock);
    expect(await next.postNotification(WORDS, WHERE)).toBe(messages[0]?.["id"]);
    expect(messages).toHaveLength(1);
    // The same words, said by another call, are another message.
    expect(await next.postNotification(WORDS, { ...WHERE, request_id: "request-0002" })).not.toBe(messages[0]?.["id"]);
    expect(messages).toHaveLength(2);
  },
);

test.each([
  ["rings", undefined, 0],
  ["is silent in quiet hours", "00:00-23:59", MessageFlags.SuppressNotifications],
])("a notice %s", async (_what, quiet_hours, flag) => {
  const clock = createFakeClock();
  const sent: RestCall[] = [];
  const { rest } = channel();
  const noting = { call: (one: RestCall) => (sent.push(one), rest.call(one)) } as Rest;
  await daemon(createMemoryJournal(clock).open().engine, noting, clock, quiet_hours).postNotification(WORDS, WHERE);
  const body = sent.find(({ method }) => method === "POST")?.body as { flags?: number } | undefined;
  expect((body?.flags ?? 0) & MessageFlags.SuppressNotifications).toBe(flag);
});

test("of what was posted only the last five hundred are remembered", async () => {
  const clock = createFakeClock();
  const { engine } = createMemoryJournal(clock).open();
  const { rest } = channel();
  const says = daemon(engine, rest, clock);
  for (let count = 0; count < 505; count += 1)
    await says.postNotification(WORDS, { ...WHERE, request_id: `request-${count}` });
  expect(Object.keys(engine.state.agent_posts ?? {})).toHaveLength(500);
});
