/**
 * A storm of crashes: the owner writes into three threads while the daemon is killed again and again, each time after
 * some number of its requests, and started anew. What came of it is read from the agent's own file, the journal and
 * Discord, which keeps its rate limits.
 */
import fc from "fast-check";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signs } from "../../src/discord/views/message.ts";
import { journalOf } from "./journal.ts";
import { inJournal } from "./workshop.ts";
import { openWorld, type World } from "./world.ts";

export interface StormOptions {
  kills: number;
  seed: number;
  /** How many messages the owner writes for each kill, in all threads together. */
  messages: number;
  /**
   * A daemon is killed after at most so many requests; it takes about ten to be ready, and some for each message that
   * waits.
   */
  requests: number;
}

export interface Written {
  id: string;
  thread: string;
  word: string;
}

export interface Aftermath {
  world: World;
  threads: readonly string[];
  written: readonly Written[];
  /** From the first kill to the last start, and from there until everything stands, in milliseconds. */
  tookMs: { storm: number; settling: number };
  /** Messages that were not closed at the last start. */
  owed: number;
  /** The daemon's requests since its last start, as `METHOD /path`. */
  sinceLast: readonly string[];
}

const THREADS = 3;
/** What the owner's messages bear at the end. */
const ENDED = [signs.success, signs.unknown_after_crash];

export async function storm({ kills, seed, messages, requests: most }: StormOptions): Promise<Aftermath> {
  const world = await openWorld({
    agent: "none",
    config: {
      after_crash: "go_on",
      limits: { global_max_running: THREADS, max_queue_per_session: 1000, idle_agents: 0 },
    },
  });
  installAgent(world);
  const first = world.daemon();
  await first.ready;
  const threads: string[] = [];
  while (threads.length < THREADS) threads.push(await world.session());
  await first.kill("SIGTERM");
  const written: Written[] = [];
  const write = async (): Promise<void> => {
    const thread = threads[written.length % THREADS] ?? "";
    const word = `w${written.length + 1}`;
    written.push({ id: (await world.owner(thread).send(`count:${word}`)).id, thread, word });
  };
  const from = performance.now();
  for (const [number, requests] of fc.sample(fc.nat(most), { seed, numRuns: kills }).entries()) {
    while (written.length < (number + 1) * messages) await write();
    const made = requestsFromNow(world);
    const daemon = world.daemon();
    // With nothing left to do it makes no more of them.
    await world.sandbox.until(
      ({ reactions }) =>
        made().length >= requests || written.every(({ id }) => ENDED.some((sign) => reactions(id)[sign])),
    );
    await daemon.kill("SIGKILL");
  }
  const last = performance.now();
  const made = requestsFromNow(world);
  const owed = written.length - closed(world).size;
  await world.daemon().ready;
  while (written.length < (kills + 1) * messages) await write();
  await inJournal(world, () => closed(world).size === written.length);
  return {
    world,
    threads,
    written,
    tookMs: { storm: last - from, settling: performance.now() - last },
    owed,
    sinceLast: made(),
  };
}

/** The daemon's requests from now on. The local Discord forgets the first of very many. */
function requestsFromNow({ sandbox }: World): () => string[] {
  const last = sandbox.requests.at(-1);
  return () => {
    const { requests } = sandbox;
    const from = last === undefined ? 0 : requests.lastIndexOf(last) + 1;
    return requests
      .slice(from)
      .filter(({ auth }) => auth === "bot")
      .map(({ method, path }) => `${method} ${path}`);
  };
}

/** Prompts that agents worked on, each as often as one did. */
export function worked({ project }: World): string[] {
  const file = join(project, "done.txt");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

/** The owner's messages whose jobs have ended, by whether they were answered or cut off. */
export function ends(world: World): Map<unknown, "answered" | "told"> {
  const ended = new Map<unknown, "answered" | "told">();
  const messages = messagesOf(world);
  for (const { type, payload } of journalOf(world)) {
    if (type === "JobCompleted") ended.set(messages.get(payload["job_id"]), "answered");
    if (type === "JobMarkedUnknownAfterCrash") ended.set(messages.get(payload["job_id"]), "told");
  }
  return ended;
}

/** The owner's messages whose jobs have the post that closes them, with its id. */
export function closed(world: World): Map<unknown, unknown> {
  const messages = messagesOf(world);
  const ends = journalOf(world).filter(
    ({ type, payload }) =>
      type === "PostRecorded" && payload["part"] === "end" && typeof payload["message_id"] === "string",
  );
  return new Map(ends.map(({ payload }) => [messages.get(payload["subject"]), payload["message_id"]]));
}

function messagesOf(world: World): Map<unknown, unknown> {
  const enqueued = journalOf(world).filter(({ type }) => type === "JobEnqueued");
  return new Map(enqueued.map(({ payload }) => [payload["job_id"], payload["discord_message_id"]]));
}

/** A few lines of shell: with hundreds of kills, an agent that takes a while to start would hardly get to anything. */
const AGENT = String.raw`#!/bin/bash
case $1 in --version) echo 2.1.329; exit ;; auth) echo '{"loggedIn":true}'; exit ;; esac
IFS= read -r prompt
while [[ $prompt == *'"control_request"'* ]]; do IFS= read -r prompt; done
[[ $prompt =~ count:(w[0-9]+) ]]
word=$BASH_REMATCH
word=${"$"}{word#count:}
id=5f6c2f3e-0000-4000-8000-000000000000
echo '{"type":"system","subtype":"init","session_id":"'$id'","model":"storm"}'
echo "$word" >> done.txt
echo '{"type":"assistant","message":{"id":"msg","role":"assistant","content":[{"type":"text","text":"did '$word'"}]},"session_id":"'$id'"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"did '$word'","session_id":"'$id'","duration_ms":1}'
while IFS= read -r _; do :; done
`;

function installAgent({ home }: World): void {
  const file = join(home, "bin", "claude");
  writeFileSync(file, AGENT);
  chmodSync(file, 0o755);
}
