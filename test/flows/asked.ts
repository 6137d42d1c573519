/** An agent that asks in a world, and its owner who presses and writes, as he sees it in the thread. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { descriptionOf, recorded } from "./workshop.ts";
import { openSession, type Daemon, type World, type WorldOptions } from "./world.ts";

export interface Asked {
  world: World;
  daemon: Daemon;
  thread: string;
  /** The message that it was asked for. */
  id: string;
}

/** A session whose agent was given this to do. */
export async function asks(prompt: string, options: WorldOptions = {}): Promise<Asked> {
  const { world, daemon, thread } = await openSession({ unlimited: true, ...options });
  const { id } = await world.owner(thread).send(prompt);
  return { world, daemon, thread, id };
}

export const controlsOf = ({ components }: APIMessage): string => JSON.stringify(components ?? []);

/** The newest prompt with a button that says this. */
export function prompted({ world, thread }: Asked, label: string): Promise<APIMessage> {
  return world.saying(thread, (said) => said.findLast((message) => controlsOf(message).includes(`"label":"${label}"`)));
}

/** Resolves when the daemon knows where its prompt stands: what is written from now on can be meant for it. */
export function standing({ world }: Asked): Promise<void> {
  return recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "prompt");
}

export async function press(asked: Asked, label: string, words?: string): Promise<APIMessage> {
  const { world, thread } = asked;
  const prompt = await prompted(asked, label);
  const pressed = await world.owner(thread).clickButton(prompt.id, label);
  if (words === undefined) await pressed.acknowledged();
  else await (await world.owner(thread).submitModal(pressed, { words })).acknowledged();
  return prompt;
}

/** Several options, and that these are all. */
export async function choose(asked: Asked, ...values: string[]): Promise<void> {
  const { world, thread } = asked;
  const prompt = await world.saying(thread, (said) =>
    said.findLast((message) => controlsOf(message).includes('"type":3')),
  );
  const [, customId = ""] = /"custom_id":"(ds:[^"]+)"/.exec(controlsOf(prompt)) ?? [];
  const [own] = await (await world.owner(thread).select(prompt.id, customId, values)).followUps(1);
  await (await world.owner(thread).clickButton(own?.id ?? "", `Done (${values.length})`)).acknowledged();
}

/** The one message of ours that points from what the owner wrote to what is open, once it begins so. */
export function pointer({ world, thread }: Asked, beginning: string): Promise<APIMessage> {
  return world.saying(thread, (said) => said.find((message) => descriptionOf(message).startsWith(beginning)));
}

/** What the agent says from these words on: in a message of their own, or below what it has said before. */
export function answer({ world, thread }: Asked, beginning: string): Promise<string> {
  return world.saying(thread, (said) =>
    said
      .flatMap(({ content }) => {
        const at = `\n\n${content}`.indexOf(`\n\n${beginning}`);
        return at < 0 ? [] : content.slice(at);
      })
      .at(-1),
  );
}

/** What stands in the place of a prompt once nothing can be pressed there any more. */
export function settled({ world, thread }: Asked, { id }: APIMessage): Promise<string> {
  return world.saying(
    thread,
    (said) =>
      said.filter((message) => message.id === id && (message.components ?? []).length === 0).map(descriptionOf)[0],
  );
}

export function ran({ world }: Asked): unknown[] {
  const file = join(world.project, "ran.txt");
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown)
    : [];
}

/** Opens what could be allowed always, and resolves with what is said of it. */
export async function offers(
  { world, thread }: Asked,
  prompt: APIMessage,
  label = "Always allow…",
): Promise<APIMessage> {
  const [offered] = await (await world.owner(thread).clickButton(prompt.id, label)).followUps(1);
  if (offered === undefined) throw new Error("nothing was offered");
  return offered;
}

/** Presses what stands in an answer that only the owner sees, and resolves when this stands in its place. */
export async function pressed(
  { world, thread }: Asked,
  { id }: APIMessage,
  label: string,
  words: string,
): Promise<APIMessage> {
  await world.owner(thread).clickButton(id, label);
  return changed(world, id, words);
}

/** The message with this id, once it says this. */
export function changed(world: Asked["world"], id: string, words: string): Promise<APIMessage> {
  return world.sandbox.until(({ message }) => {
    const now = message(id);
    return now && JSON.stringify([now.content, now.embeds]).includes(words) ? now : undefined;
  });
}

/** Makes the first rule that is offered, as this button says. */
export async function always(asked: Asked, label: string): Promise<void> {
  const prompt = await prompted(asked, "Always allow…");
  await pressed(asked, await offers(asked, prompt), label, "from now on without asking: exactly");
  await settled(asked, prompt);
}
