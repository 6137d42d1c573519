/** This machine: its agents, the directories they work in, and how Bellhop is kept running. */
import { readdirSync, existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { agentsHere } from "../../agents/drivers.ts";
import type { ProbedAgent } from "../../agents/contract/found-agents.ts";
import { systemClock } from "../../base/clock.ts";
import { nodeDisk } from "../../base/disk.ts";
import { BellhopError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { terminalLine } from "../../base/terminal-text.ts";
import { homeOf } from "../../config/homes.ts";
import { ConfigProjects } from "../../engine/config-projects.ts";
import { lookAtDirectory } from "../../host/files/kept-files.ts";
import { isRepository, writeProjects } from "../new-projects.ts";
import { typedPath, sayTo, type Setup } from "./setup.ts";
import { sayState } from "../../base/words/say.ts";
import { lockHolder } from "../../journal/lock.ts";
import { failureKind } from "../../discord/api/transport.ts";
import type { ChannelHere, NamedPlace } from "../../discord/first-contact.ts";
import { discordUrl } from "../../discord/views/message.ts";
import { WrongCall } from "../options.ts";
import { service } from "../unit.ts";
import { thisMachine, type Machine } from "../unit/machine.ts";
import { askToRetry, type Connected } from "./token-step.ts";

/** Where people keep their repositories, below the home directory. */
const FOLDERS = ["code", "src", "projects", "Projects", "dev", "work", "git", "repos", "Documents/GitHub", "workspace"];
const MOST_OFFERED = 50;

export async function openProjects({ settings, locale }: Setup): Promise<ConfigProjects> {
  return ConfigProjects.open({
    disk: nodeDisk,
    path: join(settings.stateDir, "config.json"),
    locale,
    clock: systemClock,
    log: silentLog,
  });
}

/** The tools a new project gets: those whose agents are installed, or all if none is. */
export async function findAgents(setup: Setup, projects: ConfigProjects): Promise<string[]> {
  const { prompts, io, settings } = setup;
  const word = sayTo(setup);
  const { findAgents: look } = agentsHere(io.env, projects, settings);
  for (;;) {
    const all = await look();
    for (const agent of all) tellAgent(setup, agent);
    const here = all.filter(({ found }) => found).map(({ tool }) => tool);
    if (all.some(({ found, loggedIn }) => found && loggedIn !== false) || !prompts.person)
      return here.length > 0 ? here : all.map(({ tool }) => tool);
    const question = { message: word("cli.init.agent_none"), option: "--yes" };
    const choices = [
      { value: true, label: word("cli.init.agent_look") },
      { value: false, label: word("cli.init.agent_later") },
    ];
    if (!(await prompts.one(question, choices, false))) return here.length > 0 ? here : all.map(({ tool }) => tool);
  }
}

function tellAgent(setup: Setup, { tool, found, version = "", loggedIn, install, login }: ProbedAgent): void {
  const { prompts } = setup;
  const word = sayTo(setup);
  if (!found) prompts.warn(word("cli.init.agent_missing", { tool, install, login }));
  else if (loggedIn === false)
    prompts.warn(word("cli.init.agent_logged_out", { tool, version: terminalLine(version, 40), login }));
  else prompts.done(word("cli.init.agent", { tool, version: terminalLine(version, 40) }));
}

/**
 * Adds what the command line names, or what is chosen where there is no project yet. @throws E_INVALID_PATH,
 * E_STATE_DIRECTORY
 */
export async function addProjects(setup: Setup, projects: ConfigProjects, tools: readonly string[]): Promise<void> {
  const { prompts, flags, settings } = setup;
  const word = sayTo(setup);
  const known = Object.values(projects.config.projects);
  if (known.length > 0) prompts.done(word("cli.init.projects", { names: known.map(({ name }) => name).join(", ") }));
  await mkdir(settings.stateDir, { recursive: true, mode: 0o700 });
  const wanted = flags.projects.length > 0 ? await named(setup) : known.length > 0 ? [] : await chosen(setup);
  const created = await writeProjects(settings.stateDir, known, wanted, tools);
  if (created.length === 0 && known.length === 0) prompts.warn(word("cli.init.no_project"));
  for (const { name, path } of created) prompts.done(word("cli.init.project", { name, path }));
}

async function named(setup: Setup): Promise<string[]> {
  const found: string[] = [];
  for (const typed of setup.flags.projects) found.push(await directory(setup, typed));
  return found;
}

async function directory(setup: Setup, typed: string): Promise<string> {
  const { settings, io } = setup;
  const path = typedPath(setup, typed);
  const looked = await lookAtDirectory(path, { home: homeOf(io.env), stateDir: settings.stateDir });
  if (looked.is === "ours") throw new BellhopError("E_STATE_DIRECTORY", { path });
  if (looked.is !== "directory") throw new BellhopError("E_INVALID_PATH", { path: terminalLine(typed, 100) });
  if (looked.wide) setup.prompts.warn(sayTo(setup)("path_wide"));
  return looked.path;
}

async function chosen(setup: Setup): Promise<string[]> {
  const { prompts, io } = setup;
  const word = sayTo(setup);
  const here = process.cwd();
  const checkout = join(import.meta.dirname, "..");
  const usual = isRepository(here) && here !== checkout ? [here] : [];
  const offered = [
    ...new Set([...usual, ...repositories(here, homeOf(io.env)).filter((path) => path !== checkout)]),
  ].slice(0, MOST_OFFERED);
  const other = "";
  const choices = [
    ...offered.map((value) => ({ value, label: value })),
    { value: other, label: word("cli.init.project_other") },
  ];
  const picked = await prompts.several({ message: word("cli.init.project_ask"), option: "--project" }, choices, usual);
  const paths = picked.filter((path) => path !== other);
  if (picked.includes(other)) paths.push(await askPath(setup));
  return Promise.all(paths.map((path) => directory(setup, path)));
}

async function askPath(setup: Setup): Promise<string> {
  const word = sayTo(setup);
  for (;;) {
    const typed = await setup.prompts.line({ message: word("cli.init.project_path"), option: "--project" }, (text) =>
      text.trim() === "" ? word("cli.init.is_empty") : undefined,
    );
    try {
      return await directory(setup, typed.trim());
    } catch (error) {
      if (!(error instanceof BellhopError)) throw error;
      setup.prompts.warn(word(error.code, error.details));
    }
  }
}

/** Beside this directory, and where people keep them; each once. */
function repositories(here: string, home: string): string[] {
  const parents = [
    ...new Set([
      ...(dirname(here) === home || here === home ? [] : [dirname(here)]),
      ...FOLDERS.map((name) => join(home, name)),
      home,
    ]),
  ];
  return [...new Set(parents.flatMap((parent) => folders(parent).filter(isRepository)))];
}

function folders(parent: string): string[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => join(parent, name))
      .toSorted();
  } catch {
    return [];
  }
}

/* The last two steps: the first message in Discord, and how Bellhop is kept running. */

const ways = ["service", "terminal", "later"] as const;
export type Way = (typeof ways)[number];

/** @throws E_DISCORD_UNREACHABLE */
export async function sayHello(
  setup: Setup,
  { contact, about }: Connected,
  ownerId: string,
  at: { server: NamedPlace; channel: ChannelHere },
): Promise<void> {
  const word = sayTo(setup);
  const body = { content: word("cli.init.hello", { owner: `<@${ownerId}>` }), allowed_mentions: { users: [ownerId] } };
  try {
    const { id, posted } = await contact.firstMessage({ channelId: at.channel.id, botId: about.botId, body });
    setup.prompts.done(word(posted ? "cli.init.posted" : "cli.init.posted_before"));
    setup.prompts.plain(discordUrl(at.server.id, at.channel.id, id));
  } catch (error) {
    if (failureKind(error) !== "unavailable") throw error;
    await askToRetry(setup, sayState(setup.locale, contact.reason));
    await sayHello(setup, { contact, about }, ownerId, at);
  }
}

/** Resolves with what the caller is left to do. */
export async function keepRunning(setup: Setup, machine: Machine = thisMachine(setup.io)): Promise<Way | "runs"> {
  const { prompts, settings, flags, io } = setup;
  const word = sayTo(setup);
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
