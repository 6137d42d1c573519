/**
 * A sandbox to send wrong things to, with Discord's contract watching: a wrong request that is let through is a
 * breach, and so is a refusal in a form Discord does not have.
 */
import { expect, onTestFinished } from "vitest";
import { startSandbox, type Sandbox } from "../../src/discord-sandbox.ts";
import { contract } from "../contract/contract.ts";
import { manualClock, type ManualClock } from "../manual-clock.ts";
import { ask, BareGateway, intents, type Answer, type Ask } from "../wire.ts";

export interface Scene {
  sandbox: Sandbox;
  /** The sandbox's time. It moves by itself only between the bot's requests, past every ordinary rate limit. */
  clock: ManualClock;
  channel: string;
  guild: string;
  /** Asks as the bot. */
  bot(method: string, path: string, body?: unknown, more?: Ask): Promise<Answer>;
  /** Asks as the bot without letting time pass. */
  hurried(method: string, path: string, body?: unknown, more?: Ask): Promise<Answer>;
  /** Asks without a token: interactions and webhooks carry theirs in the path. */
  open(method: string, path: string, body?: unknown, more?: Ask): Promise<Answer>;
  /** Asks as a person: the owner, or whose token is given. */
  person(method: string, path: string, body?: unknown, more?: Ask): Promise<Answer>;
  /** A bare gateway connection, not yet greeted. */
  gateway(): Promise<BareGateway>;
  /** The bot, greeted on a bare gateway. */
  listener(): Promise<BareGateway>;
  /** A message of the bot's in the channel; its id. */
  message(content?: string): Promise<string>;
  /** A public thread of the bot's; its id. */
  thread(): Promise<string>;
  close(): Promise<void>;
}

type Options = NonNullable<Parameters<typeof startSandbox>[0]>;

/**
 * A scene for a whole file; the caller closes it. Closing judges everything that passed; `strict` also the wrong
 * requests that were refused.
 */
export async function openScene(options: Options = {}, strict = false): Promise<Scene> {
  const judge = contract({ refusals: !strict });
  const clock = manualClock();
  const sandbox = await startSandbox({ ...options, clock, observe: judge.observe });
  const sockets: BareGateway[] = [];
  const as =
    (token?: string) =>
    (method: string, path: string, body?: unknown, more: Ask = {}) =>
      ask(sandbox.api, method, path, { ...(token === undefined ? {} : { token }), body, ...more });
  const hurried = as(`Bot ${sandbox.botToken}`);
  const bot: typeof hurried = (...request) => {
    clock.advance(6000);
    return hurried(...request);
  };
  const made = async (path: string, body: unknown): Promise<string> => {
    const answer = await bot("POST", path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return String(answer.body["id"]);
  };
  const gateway = async (): Promise<BareGateway> => {
    const { body } = await bot("GET", "/gateway/bot");
    const socket = new BareGateway(`${String(body["url"])}/?v=10&encoding=json`);
    sockets.push(socket);
    await socket.hear(({ op }) => op === 10);
    return socket;
  };
  return {
    sandbox,
    clock,
    channel: sandbox.channelId,
    guild: sandbox.guildId,
    bot,
    hurried,
    open: as(),
    person: as(sandbox.owner.token),
    gateway,
    async listener() {
      const socket = await gateway();
      await socket.identify(sandbox.botToken, intents);
      return socket;
    },
    message: (content = "hello") => made(`/channels/${sandbox.channelId}/messages`, { content }),
    thread: () => made(`/channels/${sandbox.channelId}/threads`, { name: "a thread", type: 11 }),
    async close() {
      for (const socket of sockets) socket.cut();
      await sandbox.close();
      judge.assertClean();
    },
  };
}

/** A scene for one test. */
export async function sceneForTest(options?: Options): Promise<Scene> {
  const scene = await openScene(options);
  onTestFinished(() => scene.close());
  return scene;
}

/** That an answer is the refusal meant: its status, Discord's code, and (50035) the field it names. */
export function expectRefusal(answer: Answer, status: number, code: number, at?: string): void {
  expect({ status: answer.status, code: answer.code }, JSON.stringify(answer.body)).toEqual({ status, code });
  if (at === undefined || code !== 50035) return;
  let node: unknown = answer.body["errors"];
  for (const key of at === "" ? [] : at.split(".")) node = (node as Record<string, unknown> | undefined)?.[key];
  expect(node, `an error at "${at}" in ${JSON.stringify(answer.body["errors"])}`).toBeDefined();
}
