/** The last two steps: the first message in Discord, and how Bellhop is kept running. */
import { existsSync } from "node:fs";
import { BellhopError } from "../../base/errors.ts";
import { sayState } from "../../base/words/say.ts";
import { lockHolder } from "../../journal/lock.ts";
import { failureKind } from "../../discord/api/transport.ts";
import type { ChannelHere, Place } from "../../discord/first-contact.ts";
import { discordUrl } from "../../discord/views/message.ts";
import { WrongCall } from "../options.ts";
import { service } from "../unit.ts";
import { thisMachine, type Machine } from "../unit/machine.ts";
import { words, type Setup } from "./setup.ts";
import { again, type Connected } from "./token-step.ts";

export const ways = ["service", "terminal", "later"] as const;
export type Way = (typeof ways)[number];

/** @throws E_DISCORD_UNREACHABLE */
export async function sayHello(
  setup: Setup,
  { contact, about }: Connected,
  ownerId: string,
  at: { server: Place; channel: ChannelHere },
): Promise<void> {
  const word = words(setup);
  const body = { content: word("cli.init.hello", { owner: `<@${ownerId}>` }), allowed_mentions: { users: [ownerId] } };
  try {
    const { id, posted } = await contact.firstMessage({ channelId: at.channel.id, botId: about.botId, body });
    setup.prompts.done(word(posted ? "cli.init.posted" : "cli.init.posted_before"));
    setup.prompts.plain(discordUrl(at.server.id, at.channel.id, id));
  } catch (error) {
    if (failureKind(error) !== "unavailable") throw error;
    await again(setup, sayState(setup.locale, contact.reason));
    await sayHello(setup, { contact, about }, ownerId, at);
  }
}

/** Resolves with what the caller is left to do. */
export async function keepRunning(setup: Setup, machine: Machine = thisMachine(setup.io)): Promise<Way | "runs"> {
  const { prompts, settings, flags, io } = setup;
  const word = words(setup);
  const supported = machine.platform === "darwin" || (machine.platform === "linux" && machine.systemd);
  const holder = existsSync(settings.stateDir) ? lockHolder(settings.stateDir) : undefined;
  if (holder !== undefined && flags.run === undefined) {
    prompts.done(word("cli.init.runs", { pid: holder.pid }));
    if (setup.changed) prompts.warn(word("cli.init.restart"));
    return "runs";
  }
  const choices = [
    ...(supported ? [{ value: "service" as const, label: word("cli.init.run_service") }] : []),
    { value: "terminal" as const, label: word("cli.init.run_terminal") },
    { value: "later" as const, label: word("cli.init.run_later") },
  ];
  const usual = supported ? "service" : "later";
  const way =
    wayNamed(flags.run) ??
    (await prompts.one<Way>({ message: word("cli.init.run_ask"), option: "--run" }, choices, usual));
  if (way !== "service") return way;
  try {
    // Its lines say what it writes and what is left to do.
    return (await service(["install"], io, machine)) === 0 ? "service" : "later";
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    prompts.warn(word(error.code, error.details));
    return "later";
  }
}

/** @throws WrongCall for another word */
export function wayNamed(typed: string | undefined): Way | undefined {
  const way = ways.find((one) => one === typed);
  if (typed !== undefined && way === undefined) throw new WrongCall("cli.init.wrong_run", { ways: ways.join(", ") });
  return way;
}
