/** What the acceptance tests ask of a world: what a command answers, and what stands on the disk. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "../../../src/core/jobs/job.ts";
import type { Session } from "../../../src/core/sessions/session.ts";
import type { World } from "../world.ts";

export interface Event {
  seq: number;
  ts: string;
  type: string;
  payload: Record<string, unknown>;
}

export interface Snapshot {
  version: number;
  sessions: Record<string, Session>;
  jobs: Record<string, Job>;
  dedupe: Record<string, string | null>;
}

/** What the owner's command is answered with: its words, the embeds' among them. */
export async function says(
  world: World,
  channel: string,
  command: string,
  options: Record<string, string> = {},
): Promise<string> {
  const { content, embeds } = await (await world.owner(channel).slash(command, options)).answer();
  return [content, ...embeds.map(({ description = "" }) => description)].filter((words) => words !== "").join("\n");
}

/** Whole lines only: the last one may still be on its way. */
export function eventsOf({ stateDir }: World): Event[] {
  const lines = readFileSync(join(stateDir, "events.ndjson"), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Event);
}

/** As a daemon that was asked to end left it. */
export function snapshotOf({ stateDir }: World): Snapshot & Record<string, unknown> {
  return JSON.parse(readFileSync(join(stateDir, "snapshot.json"), "utf8")) as Snapshot & Record<string, unknown>;
}
