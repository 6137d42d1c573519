/** A message that is sent into what an agent is at, as its owner does it and as the agent is given it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { asks, controlsOf, type Asked } from "./asked.ts";
import { descriptionOf, learnt } from "./workshop.ts";
import { inFolder, type World, type WorldOptions } from "./world.ts";

/** A session whose agent is at this, and can be spoken to. */
export async function busy(prompt: string, options: WorldOptions = {}): Promise<Asked> {
  const session = await asks(prompt, options);
  await learnt(session.world, "process");
  return session;
}

/** What a card says, as it is read. */
export const shown = (message: APIMessage): string => descriptionOf(message).replaceAll("\\", "");

/** The button that sends the next message of the queue, on the card of what runs. */
export function offered({ world, thread }: Pick<Asked, "world" | "thread">, words: string): Promise<APIMessage> {
  return world.saying(thread, (said) =>
    said.find((one) => shown(one).includes(`⏳ [${words}]`) && controlsOf(one).includes('"q-send:')),
  );
}

/** Writes this, which then waits. */
export async function waiting({ world, thread }: Pick<Asked, "world" | "thread">, words: string): Promise<string> {
  const { id } = await world.owner(thread).send(words);
  await world.marked(id, "⏳");
  return id;
}

/** Writes this, and sends it into what runs. */
export async function sendNow(session: Pick<Asked, "world" | "thread">, words: string): Promise<string> {
  const { world, thread } = session;
  const { id } = await world.owner(thread).send(words);
  const card = await offered(session, words);
  await (await world.owner(thread).clickButton(card.id, "Send now")).acknowledged();
  return id;
}

/** Resolves when the running agent was told so much in mid-turn. */
export function heard({ home }: World, count: number): Promise<void> {
  const file = join(home, "heard");
  return inFolder(home, () => existsSync(file) && readFileSync(file, "utf8").split("\n").length > count);
}

/** How often an agent was given a prompt with these words. */
export const given = ({ world }: Pick<Asked, "world">, words: string): number =>
  world.agentStarts().filter(({ prompt }) => prompt.includes(words)).length;

export const prompts = ({ world }: Pick<Asked, "world">): string[] => world.agentStarts().map(({ prompt }) => prompt);
