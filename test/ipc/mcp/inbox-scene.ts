/** An engine with an inbox, and calls to the socket's methods without a socket. */
import type { Call } from "../../../src/ipc/connection.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../fakes/memory-journal.ts";

export const ONE = "310000000000000001";
export const TWO = "310000000000000002";
const GUILD = "200000000000000001";

export interface InboxScene {
  clock: FakeClock;
  engine: Engine;
  /** Received in this channel, by a person. */
  receive(channel: string, message_id: string, content?: string): Promise<void>;
  /** The two channels are watched from now on. */
  watch(): Promise<void>;
  restart(): Engine;
}

/** Two channels are watched, unless `watching` is false. */
export async function openInboxScene({ watching = true } = {}): Promise<InboxScene> {
  const clock = createFakeClock();
  const journal = createMemoryJournal(clock);
  const scene: InboxScene = {
    clock,
    engine: journal.open().engine,
    async receive(place_id, message_id, content = `says ${message_id}`) {
      const writer = { author: "ada", author_id: "100000000000000001", timestamp: "2026-03-01T00:00:00Z" };
      await scene.engine.submit({ type: "receive", place_id, message_id, content, ...writer });
    },
    async watch() {
      const channel = { guild_id: GUILD, bot_id: "3", kind: "watched", since: "5" } as const;
      for (const channel_id of [ONE, TWO]) await scene.engine.submit({ type: "open_channel", channel_id, ...channel });
    },
    restart: () => (scene.engine = journal.open().engine),
  };
  if (watching) await scene.watch();
  return scene;
}

/** Snowflakes in the order they are made. */
export const id = (number: number): string => String(320_000_000_000_000_000n + BigInt(number));

export interface MadeCall {
  call: Call;
  parts: unknown[];
  cancel(): void;
}

/** `scope`: a session's, where the call is to show its capability. */
export function made(params: unknown, variables: Record<string, string> = {}, scope: Call["scope"] = {}): MadeCall {
  const parts: unknown[] = [];
  const cancel = new AbortController();
  const call: Call = {
    role: "mcp",
    scope,
    variables,
    params,
    cancelled: cancel.signal,
    part: (value) => parts.push(structuredClone(value)),
  };
  return { call, parts, cancel: () => cancel.abort() };
}
