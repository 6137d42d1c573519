/** What flows over MCP share: a world with a daemon, a client that asks, and what the journal has of it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { openCaller } from "../../../src/client/call.ts";
import { journalOf } from "../journal.ts";
import { openWorld, type Daemon, type World } from "../world.ts";
import { clientEnvironment, openClient, type AgentsClient, type Kind, type Result } from "./clients.ts";

export const QUESTION = {
  question: "Run the migration?",
  context: "v1 to v2",
  options: ["A) Run it now", "B) Staging first"],
};

export interface Asking {
  world: World;
  daemon: Daemon;
  client: AgentsClient;
}

/** A daemon that accepts messages, and a MCP client with its client. */
export async function openAsking(kind: Kind = "2.x"): Promise<Asking> {
  const world = await openWorld({ agent: "none" });
  const daemon = world.daemon();
  await daemon.ready;
  return { world, daemon, client: await openClient(kind, clientEnvironment(world), world.home) };
}

/** Asks, and resolves when the owner can read it; `answer` resolves with the tool's result. */
export async function ask(
  world: World,
  client: AgentsClient,
  args: Record<string, unknown> = QUESTION,
  {
    signal,
    waited,
  }: { signal?: AbortSignal; /** Told how many seconds it has been waited. */ waited?: (seconds: number) => void } = {},
): Promise<{ thread: string; answer: Promise<Result> }> {
  const asked = Promise.withResolvers<string>();
  const onprogress = ({ progress, message = "" }: { progress: number; message?: string | undefined }): void => {
    waited?.(progress);
    const [, thread] = /in thread (\d+)/.exec(message) ?? [];
    if (thread !== undefined) asked.resolve(thread);
  };
  const answer = client.call("discord_ask_decision", args, { onprogress, ...(signal !== undefined && { signal }) });
  const early = answer.then((result) => {
    throw new Error(`answered before it was asked: ${result.text}`);
  });
  const thread = await Promise.race([asked.promise, early]);
  // What is written above a prompt is no answer to it.
  await world.saying(thread, (said) => said.length > 0);
  return { thread, answer };
}

/** The events of a type that are on the disk. */
export function events(world: World, type: string): Record<string, unknown>[] {
  return journalOf(world).flatMap((event) => (event.type === type ? [event.payload] : []));
}

/** The daemon's process, by what it says of itself; ended with the test. */
export function daemonOf(world: World): number {
  return (JSON.parse(readFileSync(join(world.stateDir, "link.json"), "utf8")) as { pid: number }).pid;
}

/** Whatever daemon holds this world at the end of the test goes with it. */
export function endDaemon(world: World): void {
  onTestFinished(() => {
    if (existsSync(join(world.stateDir, "link.json"))) process.kill(daemonOf(world), "SIGKILL");
  });
}

/** What `bellhop status` is told. */
export async function statusOf(world: World): Promise<Record<string, unknown>> {
  const caller = await openCaller({ stateDir: world.stateDir, role: "cli", clock: systemClock });
  try {
    return (await caller.call("status", {})) as Record<string, unknown>;
  } finally {
    caller.close();
  }
}
