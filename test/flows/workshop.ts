/**
 * What flows need to see an agent at work: gates that it waits at, the journal as it is on the disk, the project as a
 * git repository, and the text of a file that was posted.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { type JournalEvent, journalOf } from "./journal.ts";
import { inFolder, type World } from "./world.ts";

/** Lets agents pass that wait for it; see the scripted agent's `work:`. */
export function open(world: World, gate: string): void {
  writeFileSync(join(world.home, gate), "");
}

/** Resolves when the journal on the disk is so. */
export function inJournal(world: World, fact: (events: readonly JournalEvent[]) => boolean): Promise<void> {
  return inFolder(world.stateDir, () => fact(journalOf(world)));
}

/** Resolves when such an event is on the disk. */
export function recorded(world: World, fact: (event: JournalEvent) => boolean): Promise<void> {
  return inJournal(world, (events) => events.some(fact));
}

/** Resolves when so many posts of this kind are on the disk. */
export function posted(world: World, wanted: string, count = 1): Promise<void> {
  return inJournal(
    world,
    (events) =>
      events.filter(({ type, payload }) => type === "PostRecorded" && payload["part"] === wanted).length === count,
  );
}

/**
 * Resolves when an answer with these words is on the disk: what is shown of an answer that grows may be a moment ahead
 * of that.
 */
export function kept(world: World, words: string): Promise<void> {
  const folder = join(world.stateDir, "results");
  const answers = (): string[] => readdirSync(folder).filter((name) => /\.md(?:\.part)?$/.test(name));
  return inFolder(folder, () => answers().some((name) => readFileSync(join(folder, name), "utf8").includes(words)));
}

/** Resolves when this is known of the day's job of this number. */
export function learnt(world: World, kind: string, number = 1): Promise<void> {
  const suffix = `_${String(number).padStart(4, "0")}`;
  return recorded(
    world,
    ({ type, payload }) =>
      type === "JobProgress" && payload["kind"] === kind && String(payload["job_id"]).endsWith(suffix),
  );
}

/** Before a start. */
export function configure(
  { stateDir }: World,
  change: (config: { servers?: object; permission_tools?: string[]; projects: { app: object } }) => void,
): void {
  const file = join(stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as Parameters<typeof change>[0];
  change(config);
  writeFileSync(file, JSON.stringify(config));
}

/** The first server has a control panel. */
export function withPanel(world: World): void {
  const { guildId: guild_id, channelId: general_channel_id } = world.sandbox;
  configure(world, (config) => (config.servers = { main: { guild_id, general_channel_id } }));
}

export function git(world: World, ...args: string[]): string {
  const person = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  const env = { PATH: process.env["PATH"], HOME: world.home, GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...person, ...args], { cwd: world.project, env, encoding: "utf8" }).trim();
}

/** The project is a repository with one commit on `main`. */
export function repository(world: World): void {
  git(world, "init", "-q", "-b", "main");
  writeFileSync(join(world.project, "a.txt"), "a\n");
  git(world, "add", "-A");
  git(world, "commit", "-qm", "one");
}

/** The bot's message with this button. */
export function withButton(said: readonly APIMessage[], button: string): APIMessage | undefined {
  return said.find(({ components }) => JSON.stringify(components ?? []).includes(`"${button}:`));
}

export async function textOf(message: APIMessage | undefined): Promise<string> {
  const url = message?.attachments[0]?.url;
  if (url === undefined) throw new Error("no file was posted");
  return (await fetch(url)).text();
}

export function descriptionOf(message: APIMessage | undefined): string {
  return message?.embeds[0]?.description ?? "";
}
