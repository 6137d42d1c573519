/**
 * A Discord that takes notes: every callback, edit and message of an interaction, in order, with what had been
 * written to the journal by then. Interactions are made as Discord makes them.
 */
import type { APIInteraction } from "discord-api-types/v10";
import { silentLog, type Log } from "../../../src/base/log.ts";
import { emptyState, type RecordedEvent } from "../../../src/core/state.ts";
import { startOf } from "../../../src/core/sessions/adoptions.ts";
import { handleInteraction } from "../../../src/discord/interactions/interaction.ts";
import type { FoundAgent } from "../../../src/discord/api/bot-context.ts";
import type { Directory } from "../../../src/host/files/kept-files.ts";
import type { CommandContext } from "../../../src/discord/interactions/command.ts";
import { createEngine, type Engine } from "../../../src/engine/engine.ts";
import type { CommandOffered, Offered } from "../../../src/core/sessions/told.ts";
import type { Resumable, LiveAgent } from "../../../src/engine/live.ts";
import { nodeDisk } from "../../../src/base/disk.ts";
import { openUnlockWords } from "../../../src/engine/unlock-words.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { rules } from "../../core/scene.ts";
import { asItIs } from "../../fakes/no-secrets.ts";
import { part } from "../../fakes/part.ts";
import { localeFrom } from "../../../src/base/words/say.ts";
import { botContext } from "../../fakes/bot-context.ts";
import type { Listener } from "../../../src/discord/intake/listener.ts";
import type { Rest } from "../../../src/discord/api/rest.ts";
import type { Starts } from "../../../src/discord/threads/session-starts.ts";

export const GUILD = "200000000000000001";
export const CHANNEL = "200000000000000002";
export const OWNER = "200000000000000003";
export const BOT = "200000000000000004";
const APPLICATION = "200000000000000005";
export const T1 = "200000000000000010";
export const inThread = { channel: { id: T1, type: 11, parent_id: CHANNEL } };
/** The id of the day's job of this number. */
export const today = (number: number): string => `job_20260301_${String(number).padStart(4, "0")}`;

export interface Sent {
  by: "call" | "respond";
  method: string;
  path: string;
  body: unknown;
  files?: readonly { name: string; bytes: Uint8Array }[] | undefined;
  /** Events on disk when it left. */
  recorded: number;
}

type Request = Pick<Sent, "method" | "path" | "files"> & { body?: unknown };

/** What stays of a forgotten session. */
export const STAYS = {
  records: [{ tool: "claude", place: "/home/me/.claude/projects" }],
  copies: ["events.ndjson.torn-20260226T140000000Z"],
};

export class CommandScene {
  readonly clock: FakeClock = createFakeClock();
  readonly events: RecordedEvent[] = [];
  readonly engine: Engine;
  readonly sent: Sent[] = [];
  readonly checked: string[] = [];
  /** Projects whose directory counts as seen. */
  readonly seen: [name: string, path: string][] = [];
  readonly reopened: string[] = [];
  /** What messages say now, by id. */
  readonly words = new Map<string, string>();
  /** Sessions whose agents have a process. */
  readonly facts = new Map<string, NonNullable<ReturnType<CommandContext["sessionAgents"]["agentFacts"]>>>();
  /** What the agents of a tool offered last. */
  readonly offered = new Map<string, Offered[]>();
  readonly modes = new Map<string, Offered[]>();
  /** The tools that speak ACP. */
  /** What the drivers know to be offered. */
  readonly known: Partial<Record<"model" | "mode" | "effort", { id: string; name: string }[]>> = {};
  compacts: "offered" | "command" | "next" | undefined = "command";
  readonly acp = new Set(["acp"]);
  /** Why the agent of a start cannot be opened. */
  refusal: Error | null = null;
  readonly ended: [thread: string, how: "now" | "away" | undefined][] = [];
  readonly failures: unknown[] = [];
  /** What is not a directory there, or not where it seems. */
  directories = new Map<string, Directory>();
  /** In force as they are now. */
  readonly rules = { ...rules };
  readonly patches = new Map<string, Buffer>();
  /** What exactly would be done, by decision. */
  readonly decisionFiles = new Map<string, string>();
  agents: FoundAgent[] = ["claude", "codex"].map((tool) => ({ tool, found: true, install: "npm", login: "log in" }));
  /** What Discord does with a request: throw to refuse it. */
  answer: (request: Sent) => unknown = () => undefined;
  /** The agents that are open. */
  living: LiveAgent[] = [];
  /** What agents have kept of conversations, by project. */
  readonly kept = new Map<string, Resumable[]>();
  /** By tool. */
  readonly agentCommands = new Map<string, CommandOffered[]>();
  readonly context: CommandContext;
  #ids = 300_000_000_000_000_000n;

  constructor(change: Partial<CommandContext> = {}, tools = ["claude", "codex", "gemini"]) {
    this.engine = createEngine({
      redact: asItIs,
      state: emptyState(),
      append: async (events) => void this.events.push(...events),
      clock: this.clock,
      rules: () => this.rules,
      reconcilerFailed: (error) => void this.failures.push(error),
    });
    const log: Log = { ...silentLog, failure: (_text, error) => void this.failures.push(error) };
    const listener = part<Listener>({
      reopen: (_thread, message) => {
        this.reopened.push(message);
        return Promise.resolve("sent");
      },
      sendHeld: async (_thread, message) => this.reopened.push(message) > 0,
      wordsNow: async (_thread, message) => this.words.get(message),
    });
    const context = botContext({
      engine: this.engine,
      unlockWords: openUnlockWords({ ...this, disk: nodeDisk, stateDir: "/nowhere" }),
      clock: this.clock,
      rest: part<Rest>({
        call: <T>(request: Request) => this.#note("call", request) as Promise<T>,
        respond: <T>(request: Request) => this.#note("respond", request) as Promise<T>,
      }),
      results: { readPatch: (jobId) => Promise.resolve(this.patches.get(jobId)) },
      decisionFiles: { read: (decisionId) => Promise.resolve(this.decisionFiles.get(decisionId) ?? null) },
      home: "/home/me",
      checkDirectory: async (path) => {
        this.checked.push(path);
        return this.directories.get(path) ?? { is: "directory", path, wide: false };
      },
      ruleFacts: async ({ thread_id }) => ({
        ...{ thread_id, project: "app", root: "/srv/app", cwd: null },
        ...{ real: new Map(), files: new Set<string>(), definition: null },
      }),
      recordConfigurationSeen: async (name, path) => void this.seen.push([name, path]),
      agents: { lastFound: async () => this.agents, probeAgain: async () => this.agents },
      takeClaude: async (claude_session, request_id) => {
        await this.engine.submit({ type: "adopt", claude_session, adopted: true, request_id });
        return startOf(this.engine.state, claude_session)?.request_id ?? null;
      },
      forgetting: {
        stays: async () => STAYS,
        forget: async (thread_id) => {
          await this.engine.submit({ type: "forget_session", thread_id });
          await this.engine.submit({ type: "forgetting_done", thread_id });
          return { thread_id, events: 7, stays: STAYS };
        },
      },
      ready: async (requestId) => {
        if (this.refusal) throw this.refusal;
        await this.engine.submit({ type: "ready_start", request_id: requestId });
      },
      conversations: async ({ name }) => this.kept.get(name) ?? [],
      attachCommand: ({ adapter_state }) =>
        adapter_state["session_id"] === undefined ? null : `claude -r ${adapter_state["session_id"]}`,
      sessionAgents: {
        living: () => this.living,
        agentFacts: (threadId) => this.facts.get(threadId) ?? null,
        offered: (what, tool) =>
          ({ model: this.offered, mode: this.modes, effort: new Map<string, never>() })[what].get(tool) ?? null,
        commands: (_threadId, tool) => this.agentCommands.get(tool) ?? [],
        choose: async (threadId, what, id) =>
          this.facts.has(threadId) ? (what === "model" ? `${id}-confirmed` : id) : null,
        endAgent: async (threadId, how) => {
          this.ended.push([threadId, how]);
          this.facts.delete(threadId);
        },
      },
      ownerId: OWNER,
      botId: BOT,
      guildId: GUILD,
      tools: {
        names: tools,
        speaksAcp: (tool) => this.acp.has(tool),
        offers: (what) => this.known[what] ?? null,
        keepsConversations: (tool) => tool === "claude",
        compacts: () => this.compacts,
        keyNameIn: (tool, from) => (tool.split("-")[0] === from.split("-")[0] ? "session_id" : null),
        toolAccess: (tool, args) => ({
          access: tool === "claude" ? "asks" : args.length > 0 ? "edits" : "reads",
          writing: tool === "claude" ? null : ["--write"],
        }),
        refusesArgument: (_tool, args) => args.find((argument) => argument === "--resume") ?? null,
      },
      log,
    });
    this.context = {
      ...context,
      starts: part<Starts>({ opened: () => Promise.resolve("200000000000000099") }),
      listener,
      ...change,
    };
  }

  /** A session in a thread, with so many messages heard there; the first of them runs. */
  async withSession(messages = 0, thread_id = T1): Promise<this> {
    if (!this.engine.state.projects["app"]) await this.slash("project create", app);
    const request_id = `r${thread_id}`;
    await this.engine.submit({
      type: "start_session",
      request_id,
      project_name: "app",
      channel_id: CHANNEL,
      guild_id: GUILD,
      bot_id: BOT,
    });
    await this.engine.submit({ type: "open_session", request_id, thread_id });
    for (let number = 1; number <= messages; number += 1) await this.hear(`p${number}`, thread_id);
    this.sent.length = 0;
    return this;
  }

  async hear(prompt: string, thread_id = T1, files: string[] = []): Promise<void> {
    await this.engine.submit({
      type: "hear",
      thread_id,
      discord_message_id: String(this.#ids++),
      prompt,
      files: files.map((path) => ({ path, sha256: "" })),
      refused_files: [],
      reply_to: null,
    });
  }

  async fail(job_id: string): Promise<void> {
    const none = { result_excerpt: null, result_sha256: null, model: null, usage: null };
    await this.engine.submit({ type: "fail", job_id, code: "E_CLI_TIMEOUT", details: {}, ...none });
    await this.engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
  }

  async complete(job_id: string): Promise<void> {
    await this.engine.submit({
      type: "complete",
      job_id,
      result_excerpt: "said",
      result_sha256: "0".repeat(64),
      model: null,
      usage: null,
    });
    await this.engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
  }

  /** Types a slash command such as `project create`, and waits until it is answered. */
  /** Typed by a person whose Discord has the language of the daemon, which is `change.locale` if it is there. */
  async slash(
    name: string,
    options: Record<string, string> = {},
    change: { locale?: string; [more: string]: unknown } = {},
  ): Promise<string> {
    const { locale = this.context.locale } = change;
    await handleInteraction(this.command(name, options, change), { ...this.context, locale: localeFrom(locale) });
    return this.answered();
  }

  command(name: string, options: Record<string, string> = {}, change: object = {}): APIInteraction {
    const [command = "", subcommand] = name.split(" ");
    const given = Object.entries(options).map(([key, value]) => ({
      name: key,
      type: key === "project_id" ? 4 : 3,
      value,
    }));
    const data = {
      id: "1",
      name: command,
      type: 1,
      guild_id: GUILD,
      options: subcommand ? [{ name: subcommand, type: 1, options: given }] : given,
    };
    return this.interaction({ type: 2, data, ...change });
  }

  /** Suggestions for the option being typed. */
  async choices(
    name: string,
    option: string,
    typed: string,
    given: Record<string, string> = {},
    change: object = {},
  ): Promise<{ name: string; value: string }[]> {
    const [command = "", subcommand] = name.split(" ");
    const others = Object.entries(given).map(([key, value]) => ({ name: key, type: 3, value }));
    const options = [...others, { name: option, type: 3, value: typed, focused: true }];
    const nested = subcommand ? [{ name: subcommand, type: 1, options }] : options;
    await handleInteraction(
      this.interaction({ type: 4, data: { id: "1", name: command, type: 1, options: nested }, ...change }),
      this.context,
    );
    const { data } = (this.sent.at(-1)?.body ?? {}) as { data?: { choices?: { name: string; value: string }[] } };
    return data?.choices ?? [];
  }

  /** The values alone. */
  async suggestions(...asked: Parameters<CommandScene["choices"]>): Promise<string[]> {
    return (await this.choices(...asked)).map(({ value }) => value);
  }

  async press(custom_id: string, change: object = {}): Promise<void> {
    const message = { id: "200000000000000900", channel_id: CHANNEL, flags: 0 };
    await handleInteraction(
      this.interaction({ type: 3, data: { custom_id, component_type: 2 }, message, ...change }),
      this.context,
    );
  }

  interaction(change: object): APIInteraction {
    const id = String(this.#ids++);
    const user = { id: OWNER, username: "owner", discriminator: "0", global_name: null, avatar: null };
    return {
      id,
      token: `token-${id}`,
      application_id: APPLICATION,
      version: 1,
      guild_id: GUILD,
      locale: "en-US",
      channel: { id: CHANNEL, type: 0 },
      channel_id: CHANNEL,
      member: { user, roles: [] },
      ...change,
    } as unknown as APIInteraction;
  }

  /** The last answer's words, the embed's among them. */
  answered(): string {
    const last = this.sent.findLast(({ path }) => path.startsWith("/webhooks/") || path.endsWith("/messages"));
    const { content = "", embeds = [] } = (last?.body ?? {}) as {
      content?: string;
      embeds?: { description?: string }[];
    };
    return [content, ...embeds.map((embed) => embed.description ?? "")].filter((text) => text !== "").join("\n");
  }

  async #note(by: Sent["by"], { method, path, body, files }: Request): Promise<unknown> {
    const sent: Sent = { by, method, path, body, recorded: this.events.length, ...(files?.length && { files }) };
    this.sent.push(sent);
    return this.answer(sent);
  }
}

export const app = { name: "app", path: "/srv/app", tools_csv: "claude,codex", default_tool: "claude" };
