/**
 * What the methods of agents' clients need, without a Discord: an engine on a journal in memory, a bot that records
 * what it should post, and calls that a test can cancel.
 */
import { silentLog } from "../../../src/base/log.ts";
import type { AskCommand } from "../../../src/core/decisions/decision.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import type { Call } from "../../../src/ipc/connection.ts";
import { openMcpMethods, type McpMethods } from "../../../src/ipc/mcp/methods.ts";
import type { AskPart } from "../../../src/protocol/mcp.ts";
import { discordTime } from "../../fakes/discord-time.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal, type MemoryJournal } from "../../fakes/memory-journal.ts";
import { asItIs } from "../../fakes/no-secrets.ts";
import { part } from "../../fakes/part.ts";
import type { Settings } from "../../../src/config/settings.ts";

export const BOT = "200000000000000004";
export const CHANNEL = "200000000000000002";
export const THREAD = "200000000000000020";

/** An agent's question as it is asked of the core. */
export function question(
  decision_id: string,
  { lapses_at = null, bot_id = BOT }: { lapses_at?: string | null; bot_id?: string } = {},
): AskCommand {
  return {
    type: "ask",
    decision_id,
    kind: "question",
    thread_id: null,
    asker: {
      by: "mcp",
      project: "app",
      pending_dir: "/pending",
      timeout_seconds: null,
      wanted_thread: null,
      channel_id: CHANNEL,
      bot_id,
    },
    context: "",
    questions: [{ question: "Deploy?", header: "", options: [], many: false, words: true }],
    subject: null,
    lapses_at,
  };
}

export interface Caller {
  /** What was answered; rejects as the method did. */
  answer: Promise<unknown>;
  parts: AskPart[];
  hangUp(): void;
}

export interface McpScene {
  clock: FakeClock;
  journal: MemoryJournal;
  engine: Engine;
  mcp: McpMethods;
  /** Of each post: what, and where. */
  said: { what: string; channel_id: string; request_id: string }[];
  /** The places that were to be read up to now. */
  heard: string[];
  /** Discord cannot be read. */
  stopListening: { is: boolean };
  /** How many hold the bot right now. */
  held(): number;
  /** `scope`: of the capability that is shown; as a client's that is in no session, where it is left out. */
  call(
    method: keyof McpMethods["methods"],
    params: object,
    variables?: Record<string, string>,
    scope?: Call["scope"],
  ): Caller;
  ask(params?: object, variables?: Record<string, string>, scope?: Call["scope"]): Caller;
}

export function mcpScene(before: MemoryJournal | null = null, lapseSeconds?: number): McpScene {
  const clock = createFakeClock();
  const journal = before ?? createMemoryJournal(clock);
  const { engine } = journal.open();
  const said: McpScene["said"] = [];
  const heard: string[] = [];
  const stopListening = { is: false };
  let held = 0;
  const say = async (
    what: string,
    { channel_id, request_id }: { channel_id: string; request_id: string },
  ): Promise<string> => {
    said.push({ what, channel_id, request_id });
    return `20000000000000090${said.length}`;
  };
  const time = discordTime(clock);
  const mcp = openMcpMethods({
    engine,
    clock,
    time,
    log: silentLog,
    settings: part<Settings>({ locale: "en", pendingDir: "/pending" }),
    withoutSecrets: asItIs,
    lapseSeconds: () => lapseSeconds,
    async acquireBot() {
      held += 1;
      return {
        bot_id: BOT,
        guild_id: "3",
        says: {
          postNotification: ({ level, message }, where) => say(`${level}: ${message}`, where),
          report: ({ title }, where) => say(title, where),
          restarted: (where) => say("restarted", where),
        },
        isCaughtUp: async (ids) => {
          heard.push(...ids);
          return !stopListening.is;
        },
        release: () => void (held -= 1),
      };
    },
  });
  const call: McpScene["call"] = (
    method,
    params,
    variables = { DISCORD_CHANNEL_ID: CHANNEL, PROJECT_NAME: "app" },
    scope = {},
  ) => {
    const end = new AbortController();
    const parts: AskPart[] = [];
    const asked: Call = {
      role: "mcp",
      scope,
      variables,
      params,
      cancelled: end.signal,
      part: (value) => void parts.push(value as AskPart),
    };
    // As the connection does: what a method throws at once is an answer too.
    const answer = (async () => mcp.methods[method](asked))();
    answer.catch(() => undefined);
    return { answer, parts, hangUp: () => end.abort() };
  };
  const ask: McpScene["ask"] = (params = {}, variables, scope) =>
    call(
      "mcp_ask",
      { question: "Deploy?", context: "", options: [], timeout_seconds: null, thread_id: null, ...params },
      variables,
      scope,
    );
  return { clock, journal, engine, mcp, said, heard, stopListening, held: () => held, call, ask };
}
