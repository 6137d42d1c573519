/**
 * Everything that can come in from Discord, from everybody it can come from, into a state with something to reach
 * everywhere: a queued job, an open question with its prompt, direct messages, a watched channel. The result is what
 * was journaled and what was sent.
 */
import type { APIInteraction } from "discord-api-types/v10";
import type { BotRole } from "../../../src/core/sessions/thread.ts";
import { pressId, type DecisionVerb } from "../../../src/discord/views/custom-id.ts";
import { openDirect } from "../../../src/discord/intake/direct-messages.ts";
import { dispatch } from "../../../src/discord/connection.ts";
import { openChannelEvents } from "../../../src/discord/intake/channels.ts";
import { RestFailure } from "../../../src/discord/api/transport.ts";
import type { BotContext } from "../../../src/discord/api/bot-context.ts";
import type { Rest } from "../../../src/discord/api/rest.ts";
import type { Intake } from "../../../src/discord/intake/intake.ts";
import type { Listener } from "../../../src/discord/intake/listener.ts";
import { ASKED, BOT, DIRECT, ListenerScene, GUILD, OWNER, WATCHED } from "./intake-scene.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { part } from "../../fakes/part.ts";
import { changedWait, type Wait } from "../../../src/core/projects/checkout.ts";
import { budgetMark } from "../../../src/discord/views/wait-notice.ts";
import { CommandScene, T1, today } from "../interactions/scene.ts";
import type { BotPosts } from "../../../src/discord/bot-posts.ts";
import type { Starts } from "../../../src/discord/threads/session-starts.ts";

/** Nobody but the owner may ever read this. */
export const SECRET = "the owner's own prompt";
const PROMPT = "900000000000000001";
const OTHER_GUILD = "200000000000000009";
const STRANGER = "100000000000000009";
const person = (id: unknown, over: object = {}): object => ({
  id,
  username: "owner",
  global_name: "owner",
  avatar: "a1",
  discriminator: "0",
  ...over,
});

/** Who does it: what Discord would say of them. `user` is missing where it says nothing. */
export interface Actor {
  user?: object | undefined;
  guild_id?: string | undefined;
  /** Further fields of a message, as Discord sets them. */
  message?: object;
  permissions?: string;
}

export const owner: Actor = { user: person(OWNER), guild_id: GUILD };

export const actors: Readonly<Record<string, Actor>> = {
  "a member with the owner's name and picture": { user: person(STRANGER), guild_id: GUILD },
  "a member with every right": {
    user: person(STRANGER, { username: "admin" }),
    guild_id: GUILD,
    permissions: "9007199254740991",
  },
  "another bot": { user: person(STRANGER, { bot: true }), guild_id: GUILD },
  "a bot with the owner's id": { user: person(OWNER, { bot: true }), guild_id: GUILD },
  "a webhook with the owner's name, picture and id": {
    user: person(OWNER),
    guild_id: GUILD,
    message: { webhook_id: "700000000000000001" },
  },
  "another application in the owner's name": {
    user: person(OWNER),
    guild_id: GUILD,
    message: { application_id: "700000000000000002" },
  },
  "a stranger in direct messages": { user: person(STRANGER), guild_id: undefined },
  "the owner, forwarding what somebody else wrote": {
    user: person(OWNER),
    guild_id: GUILD,
    message: { message_snapshots: [{ message: { content: "B" } }] },
  },
  "Discord itself, in the owner's name": { user: person(OWNER), guild_id: GUILD, message: { type: 6 } },
  nobody: { user: undefined, guild_id: GUILD },
  "the owner, in another server": { user: person(OWNER), guild_id: OTHER_GUILD },
  "an id that is a number": { user: person(Number(OWNER)), guild_id: GUILD },
  "an id of which the owner's is the beginning": { user: person(`${OWNER}0`), guild_id: GUILD },
  "an id that is the beginning of the owner's": { user: person(OWNER.slice(0, -1)), guild_id: GUILD },
  "an id in full-width digits": {
    user: person([...OWNER].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join("")),
    guild_id: GUILD,
  },
  "an id with a space behind it": { user: person(`${OWNER} `), guild_id: GUILD },
  "an id in a list": { user: person([OWNER]), guild_id: GUILD },
};

/** What is done, by an actor. */
export type Act = (house: WallHouse, actor: Actor) => void | Promise<void>;

export const kinds: Readonly<Record<string, Act>> = {
  "a message": (house, actor) => house.hear("MESSAGE_CREATE", house.message(actor, house.scene.thread, "run this")),
  "an edit of a queued message": (house, actor) =>
    house.hear("MESSAGE_UPDATE", { ...house.message(actor, house.scene.thread, "run that instead"), id: house.queued }),
  "a deletion": (house, actor) => house.hear("MESSAGE_DELETE", deletion(house, actor)),
  "a reaction": (house, actor) =>
    house.hear("MESSAGE_REACTION_ADD", {
      user_id: idOf(actor),
      channel_id: ASKED,
      message_id: PROMPT,
      guild_id: actor.guild_id,
      emoji: { id: null, name: "✅" },
      member: { user: actor.user },
    }),
  "a slash command": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 2, {
        id: "1",
        type: 1,
        name: "project",
        options: [{ type: 1, name: "switch", options: [{ type: 3, name: "project_name", value: "app" }] }],
      }),
    ),
  autocomplete: (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 4, {
        id: "1",
        type: 1,
        name: "start",
        options: [{ type: 3, name: "project_name", value: "a", focused: true }],
      }),
    ),
  "a button": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 3, { component_type: 2, custom_id: house.press("option", 1) }),
    ),
  "a button that asks when to be asked again": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 3, { component_type: 2, custom_id: house.press("snooze") }),
    ),
  "a button that puts a question off": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 3, { component_type: 2, custom_id: house.press("snooze", "1h") }),
    ),
  "a button that opens a window": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 3, { component_type: 2, custom_id: house.press("words") }),
    ),
  "a button that takes an answer back": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 3, { component_type: 2, custom_id: house.press("back", "", "q2") }),
    ),
  "a button that sends what was kept": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 3, { component_type: 2, custom_id: house.press("words", "kept") }),
    ),
  "a window of what was kept": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 5, {
        custom_id: house.press("words", "kept"),
        components: [{ type: 18, component: { type: 4, custom_id: "words", value: "what is B?" } }],
      }),
    ),
  "a wish for time": (house, actor) => house.hear("MESSAGE_CREATE", house.message(actor, ASKED, "let me think")),
  "a question back": (house, actor) => house.hear("MESSAGE_CREATE", house.message(actor, ASKED, "what does B mean?")),
  "a select": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 3, { component_type: 3, custom_id: house.press("select"), values: ["1"] }),
    ),
  "a window": (house, actor) =>
    house.hear(
      "INTERACTION_CREATE",
      house.interaction(actor, 5, {
        custom_id: house.press("words"),
        components: [{ type: 18, component: { type: 4, custom_id: "words", value: "do it" } }],
      }),
    ),
  "a direct message": (house, actor) =>
    house.hear("MESSAGE_CREATE", without(house.message(actor, DIRECT, "B"), actor === owner ? "guild_id" : "")),
  "what is read back": (house, actor) => house.readBack(actor),
  "a reply to a prompt": (house, actor) =>
    house.hear("MESSAGE_CREATE", {
      ...house.message(actor, ASKED, "B"),
      ...(actor.message === undefined && { type: 19 }),
      message_reference: { message_id: PROMPT, channel_id: ASKED },
    }),
  "a thread": (house, actor) =>
    house.hear("THREAD_CREATE", {
      id: "330000000000000001",
      parent_id: WATCHED,
      owner_id: idOf(actor),
      guild_id: actor.guild_id,
      name: "B",
      newly_created: true,
    }),
  "a message for the inbox": (house, actor) =>
    house.hear("MESSAGE_CREATE", house.message(actor, WATCHED, "look at this")),
};

/** By which of these the owner changes something; the others are nobody's means. */
export const effective = new Set(
  Object.keys(kinds).filter(
    (kind) =>
      ![
        "a reaction",
        "a thread",
        "autocomplete",
        "a button that asks when to be asked again",
        "a button that opens a window",
        "a button that sends what was kept",
      ].includes(kind),
  ),
);
export const interactions = new Set(
  Object.keys(kinds).filter(
    (kind) => kind === "a slash command" || kind === "autocomplete" || /^a (?:button|select|window)/.test(kind),
  ),
);

export class WallHouse {
  readonly scene: ListenerScene;
  /** Everything sent to Discord. */
  readonly sent: { how: string; body: unknown }[] = [];
  /** The message of the queued job. */
  readonly queued: string;
  readonly #hear: (t: string, d: unknown) => void;

  constructor(scene: ListenerScene, queued: string, role: BotRole) {
    this.scene = scene;
    this.queued = queued;
    const { listener } = scene;
    const rest = this.#rest();
    const context = contextOf(scene, rest, role);
    const direct = openDirect(context);
    const { onGatewayEvent } = openChannelEvents(context, {
      onThreadVisible: (id, woke) => listener.onThreadVisible(id, woke),
      onServerBack: () => listener.catchUp(),
    });
    this.#hear = (t, d) =>
      dispatch(t, d, {
        intake: part<Intake>({ listener, direct, onGatewayEvent }),
        server: [],
        commandContext: {
          ...context,
          starts: part<Starts>({ opened: () => Promise.reject(new Error("no start was asked for")) }),
          listener: part<Listener>({
            reopen: () => Promise.reject(new Error("no session was closed")),
            sendHeld: () => Promise.reject(new Error("nothing was held back")),
            wordsNow: () => Promise.reject(new Error("no message was looked up")),
          }),
        },
        posts: part<BotPosts>({ onMessagePosted: () => undefined, onMessagesDeleted: () => undefined }),
      });
  }

  static async open(role: BotRole = "serves"): Promise<WallHouse> {
    const scene = await ListenerScene.open({ inboxFrom: "owner" });
    await scene.openPlaces();
    await scene.engine.submit({
      type: "record_post",
      subject: "q1",
      part: "prompt",
      channel_id: ASKED,
      message_id: PROMPT,
      hash: "h",
      is: "said",
    });
    // Another one is answered, and nobody has heard of it.
    await scene.ask("q2");
    await scene.engine.submit({ type: "disconnect", decision_id: "q2" });
    await scene.engine.submit({
      type: "answer",
      decision_id: "q2",
      question: 0,
      answer: { places: [0], words: null },
      sha256: null,
    });
    const { id } = scene.write({ content: SECRET });
    scene.listener.catchUp();
    await scene.quiet();
    const house = new WallHouse(scene, id, role);
    await scene.quiet();
    house.sent.length = 0;
    return house;
  }

  hear(t: string, d: unknown): void {
    this.#hear(t, structuredClone(d));
  }

  /** Everything that came in has had its effect. */
  async quiet(): Promise<void> {
    await this.scene.quiet();
    for (let turns = 0; turns < 5; turns += 1) await this.scene.clock.settle();
  }

  /** The state but for how far it was read, as text. */
  state(): string {
    const { watermarks: _read, ...rest } = this.scene.engine.state;
    return JSON.stringify(rest);
  }

  message({ user, guild_id, message = {} }: Actor, channel_id: string, content: string): Record<string, unknown> {
    const { id } = this.scene.write({ content }, "nowhere");
    return {
      id,
      channel_id,
      content,
      type: 0,
      attachments: [],
      mentions: [],
      ...(user !== undefined && { author: user }),
      ...(guild_id !== undefined && { guild_id }),
      ...message,
    };
  }

  interaction(actor: Actor, type: number, data: object): APIInteraction {
    return interactionOf(actor, {
      type,
      data,
      channel: { id: this.scene.thread, type: 11 },
      message: { id: PROMPT, channel_id: ASKED, flags: 0 },
    });
  }

  press(verb: DecisionVerb, detail: string | number = "", id = "q1"): string {
    const decision = this.scene.engine.state.decisions[id];
    return decision === undefined ? "" : pressId(decision, verb, detail);
  }

  /**
   * It stands in every place of ours when the connection is back. What is read back names no server: it came from a
   * channel of ours.
   */
  async readBack(actor: Actor): Promise<void> {
    const elsewhere = actor.guild_id !== GUILD;
    for (const place of [this.scene.thread, ASKED, DIRECT, WATCHED]) {
      const { guild_id: _told, ...message } = this.message(
        actor,
        elsewhere ? "310000000000000077" : place,
        place === this.scene.thread ? "run this" : "B",
      );
      this.scene.written.get(elsewhere ? "310000000000000077" : place)?.push(message as never);
    }
    this.scene.listener.catchUp();
    await this.scene.quiet();
  }

  #rest(): Rest {
    return part<Rest>({
      call: async <T>({ method, path, body }: Parameters<Rest["call"]>[0]) => {
        this.sent.push({ how: `${method} ${path}`, body });
        // These are opened already; a real channel of another kind is nothing that is asked for here.
        if (path === "/users/@me/channels") return { id: DIRECT, type: 1, last_message_id: null } as T;
        throw new RestFailure("rejected", { route: path, status: 400, code: 0, says: "" });
      },
      respond: async <T>({ method, path, body }: Parameters<Rest["respond"]>[0]) => {
        this.sent.push({ how: `${method} ${path}`, body });
        return undefined as T;
      },
    });
  }
}

/**
 * Webhooks, forwards and Discord itself press nothing: then it is a stranger who presses under such a message of
 * theirs.
 */
export function interactionOf(
  { user: writer, guild_id, permissions = "0", message: theirs }: Actor,
  {
    type,
    data,
    channel: at,
    message,
  }: { type: number; data: object; channel: { id: string; type: number }; message: object },
): APIInteraction {
  const user = theirs === undefined ? writer : person(STRANGER);
  const who = guild_id === undefined ? { user } : { guild_id, member: { user, permissions, roles: [] } };
  const channel = { id: at.id, type: guild_id === undefined ? 1 : at.type };
  const pressed = { ...message, author: writer, ...theirs };
  return {
    id: "500000000000000001",
    application_id: BOT,
    token: "token",
    version: 1,
    type,
    data,
    channel,
    channel_id: channel.id,
    locale: "en",
    message: pressed,
    ...who,
  } as unknown as APIInteraction;
}

function contextOf({ engine, clock }: ListenerScene, rest: Rest, role: BotRole): BotContext {
  return botContext({
    engine,
    rest,
    role,
    clock,
    results: { readPatch: async () => undefined },
    decisionFiles: { read: async () => null },
    home: "/home/me",
    checkDirectory: () => Promise.reject(new Error("no directory was asked for")),
    takeClaude: () => Promise.reject(new Error("nothing was offered")),
    ready: () => Promise.reject(new Error("no start was asked for")),
    attachCommand: () => null,
    conversations: () => Promise.reject(new Error("no conversation was asked for")),
    sessionAgents: {
      living: () => [],
      agentFacts: () => null,
      offered: () => null,
      commands: () => [],
      choose: async () => null,
      endAgent: () => Promise.reject(new Error("no agent was ended")),
    },
    recordConfigurationSeen: () => Promise.reject(new Error("no project was made")),
    agents: { lastFound: async () => [], probeAgain: async () => [] },
    botId: BOT,
    guildId: GUILD,
    ownerId: OWNER,
    tools: {
      names: ["claude"],
      speaksAcp: () => false,
      offers: () => null,
      keepsConversations: () => false,
      compacts: () => undefined,
      keyNameIn: () => null,
      toolAccess: () => ({ access: null, writing: null }),
      refusesArgument: () => null,
    },
  });
}

/**
 * Their own message, of the same id as nothing of ours; who took it away Discord does not say, so it may only be where
 * it was.
 */
function deletion(house: WallHouse, actor: Actor): object {
  const own = house.message(actor, house.scene.thread, "mine");
  return { id: actor === owner ? house.queued : own["id"], channel_id: house.scene.thread, guild_id: actor.guild_id };
}

function idOf({ user }: Actor): unknown {
  return (user as { id?: unknown } | undefined)?.id;
}

function without(message: Record<string, unknown>, field: string): Record<string, unknown> {
  const { [field]: _left, ...rest } = message;
  return rest;
}

/* What a thread may wait for. */

const checkout = { cwd: "/srv/app", branch: "main", head: "a".repeat(40), tree: null };
export const changed = changedWait(today(1), {
  place: { project_name: "app", was: "/srv/app", is: "/data/app" },
  checkout: { was: checkout, is: { ...checkout, branch: "other" } },
});
export const limit: Wait = { kind: "limit", job_id: today(1), until: "2026-03-01T15:00:00.000Z" };
export const terminal = {
  kind: "terminal",
  job_id: today(1),
  reason: "draft",
  attach: "tmux attach",
  screen: "half a thought",
} as const;

const since = "2026-03-01T14:00:00.000Z";
const stuck = { kind: "stuck", job_id: today(1), details: {}, since } as const;
export const full: Wait = { ...stuck, cause: "full", code: "E_CONVERSATION_FULL" };
export const model: Wait = { ...stuck, cause: "model", code: "E_MODEL_UNAVAILABLE" };
export const login: Wait = { ...stuck, cause: "login", code: "E_AGENT_LOGIN" };

export const onBudget =
  (wire: string) =>
  ({ engine }: CommandScene): string => {
    const wait = engine.state.threads[T1]?.wait;
    return `${wire}:${today(1)}:${wait?.kind === "budget" ? budgetMark(wait) : ""}`;
  };

/** More is used in its session than may be. */
export async function budgeted(): Promise<CommandScene> {
  const scene = await new CommandScene().withSession(1);
  await scene.engine.submit({ type: "choose_budget", thread_id: T1, budget: { USD: 5 } });
  const amounts = { USD: 5.02 };
  await scene.engine.submit({ type: "progress", job_id: today(1), progress: { kind: "used", amounts } });
  return scene;
}
