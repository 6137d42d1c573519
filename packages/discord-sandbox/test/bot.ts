/**
 * A bot for tests of the sandbox: REST as a test words it, and a bare gateway that answers interactions the way
 * the test says. Time is the test's own.
 */
import { onTestFinished } from "vitest";
import { startSandbox, type Sandbox } from "../src/discord-sandbox.ts";
import { manualClock, type ManualClock } from "./manual-clock.ts";
import { ask, BareGateway, intents, type Answer, type Ask } from "./wire.ts";

export interface Bot {
  sandbox: Sandbox;
  clock: ManualClock;
  /** Asks as the bot, past every rate limit. */
  rest(method: string, path: string, body?: unknown, more?: Ask): Promise<Answer>;
  gateway: BareGateway;
  /** Answers every interaction that comes, until told otherwise. */
  onInteraction(answer: (interaction: Interaction) => Promise<unknown>): void;
}

export interface Interaction {
  id: string;
  token: string;
  type: number;
  d: Record<string, unknown>;
  callback(body: unknown, files?: Ask["files"]): Promise<Answer>;
  hook(method: string, path: string, body?: unknown): Promise<Answer>;
}

type Options = NonNullable<Parameters<typeof startSandbox>[0]>;

/** A sandbox with a bot connected to it, both gone after the test. */
export async function openBot(options: Options = {}): Promise<Bot> {
  const clock = manualClock();
  const sandbox = await startSandbox({ clock, ...options });
  onTestFinished(() => sandbox.close());
  return botIn(sandbox, clock);
}

/** The first bot of a sandbox that is already there. */
export async function botIn(sandbox: Sandbox, clock: ManualClock): Promise<Bot> {
  const gateway = new BareGateway(`${sandbox.url.replace("http", "ws")}/?v=10&encoding=json`);
  onTestFinished(() => gateway.cut());
  await gateway.identify(sandbox.botToken, intents);
  await gateway.event("GUILD_CREATE");
  const rest: Bot["rest"] = (method, path, body, more = {}) => {
    clock.advance(1200);
    return ask(sandbox.api, method, path, { token: `Bot ${sandbox.botToken}`, body, ...more });
  };
  const onInteraction: Bot["onInteraction"] = (answer) => void answerAll(sandbox, gateway, answer);
  return { sandbox, clock, rest, gateway, onInteraction };
}

async function answerAll(
  sandbox: Sandbox,
  gateway: BareGateway,
  answer: (interaction: Interaction) => Promise<unknown>,
): Promise<void> {
  const done = new Set<unknown>();
  for (;;) {
    // A closed gateway ends this; the test that closes it has what it wanted.
    const heard = await gateway
      .hear(({ t, d }) => t === "INTERACTION_CREATE" && !done.has(d["id"]))
      .catch(() => undefined);
    if (heard === undefined) return;
    done.add(heard.d["id"]);
    await answer(wrap(sandbox, heard.d));
  }
}

function wrap(sandbox: Sandbox, d: Record<string, unknown>): Interaction {
  const [id, token] = [String(d["id"]), String(d["token"])];
  return {
    id,
    token,
    type: Number(d["type"]),
    d,
    callback: (body, files) =>
      ask(sandbox.api, "POST", `/interactions/${id}/${token}/callback`, {
        body,
        ...(files === undefined ? {} : { files }),
      }),
    hook: (method, path, body) =>
      ask(sandbox.api, method, `/webhooks/${sandbox.applicationId}/${token}${path}`, { body }),
  };
}

/** Two commands: `/plan` with a completed option, `/job start|stop`. */
export const commands = [
  {
    name: "plan",
    description: "Makes a plan",
    options: [
      { type: 3, name: "what", description: "What to plan", required: true, autocomplete: true, max_length: 20 },
      { type: 4, name: "days", description: "For how long", min_value: 1, max_value: 7 },
      { type: 7, name: "where", description: "In which channel" },
    ],
  },
  {
    name: "job",
    description: "Jobs",
    options: [
      {
        type: 1,
        name: "start",
        description: "Starts one",
        options: [
          { type: 3, name: "size", description: "Size", required: true, choices: [{ name: "Small", value: "s" }] },
        ],
      },
      { type: 1, name: "stop", description: "Stops it" },
    ],
  },
];

export async function register(bot: Bot): Promise<void> {
  const { sandbox } = bot;
  await bot.rest("PUT", `/applications/${sandbox.applicationId}/guilds/${sandbox.guildId}/commands`, commands);
}
