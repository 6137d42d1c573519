/**
 * `bellhop init`: from a bot token to the first message. Each step first looks at what is there, says what it did, and
 * saves it before the next begins. So a set-up that was interrupted continues where it stopped, and one on a working
 * Bellhop changes nothing that its options do not name.
 */
import { say } from "../base/words/say.ts";
import { asTyped, localeOf, type Io } from "./io.ts";
import { agreedOwner } from "../config/settings.ts";
import { throwUnknownOwner } from "../discord/identity.ts";
import { chooseChannel, chooseServer, intentOn } from "./init/bot-steps.ts";
import { addProjects, findAgents, openProjects, keepRunning, sayHello, wayNamed, type Way } from "./init/steps.ts";
import { Stopped, unaskedPrompts, type Prompts } from "./init/prompts.ts";
import { readSettings, sayTo, type Flags, type Setup } from "./init/setup.ts";
import { connect } from "./init/token-step.ts";
import { readOptions } from "./options.ts";

const INTERRUPTED = 130;

/**
 * @param argv `[--token-file PATH|-] [--server ID] [--channel ID|NAME] [--project PATH …] [--run
 * service|terminal|later] [--yes]`
 * @throws E_CONFIG_INVALID, E_TOKEN_REFUSED, E_INTENT_REFUSED, E_DISCORD_UNREACHABLE, E_INVALID_PATH, E_STATE_DIRECTORY
 */
export async function init(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    "token-file": { type: "string" },
    server: { type: "string" },
    channel: { type: "string" },
    project: { type: "string", multiple: true },
    run: { type: "string" },
    yes: { type: "boolean" },
  });
  wayNamed(values.run);
  const flags: Flags = {
    tokenFile: values["token-file"],
    server: values.server,
    channel: values.channel,
    projects: values.project ?? [],
    run: values.run,
  };
  const locale = localeOf(io.env);
  const prompts = await promptsFor(io, { locale, yes: values.yes ?? false, tokenFromInput: flags.tokenFile === "-" });
  // Nothing else keeps the process alive while it waits for Discord.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    const { settings, broken } = readSettings(io);
    const setup: Setup = { io, locale, flags, prompts, settings, changed: false, written: new Set() };
    prompts.showTitle(say(locale, "cli.init.title"));
    if (broken !== undefined) prompts.warn(say(locale, broken.code, broken.details));
    const way = await steps(setup);
    finish(setup, way);
    if (way !== "terminal") return 0;
    // A daemon that removes the token from its environment begins its own image again, as this command.
    process.argv.splice(2, process.argv.length, "start");
    return (await import("./start.ts")).start([], io);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    io.stderr.write(`${asTyped(io, say(locale, "cli.init.stopped"))}\n`);
    return INTERRUPTED;
  } finally {
    clearInterval(alive);
  }
}

async function steps(setup: Setup): Promise<Way | "runs"> {
  const connected = await connect(setup);
  try {
    const projects = await openProjects(setup);
    await intentOn(setup, connected);
    const ownerId =
      agreedOwner(setup.settings, projects.config.owner_id) ??
      connected.about.ownerId ??
      throwUnknownOwner(setup.locale);
    const server = await chooseServer(setup, connected);
    const channel = await chooseChannel(setup, connected, server);
    const tools = await findAgents(setup, projects);
    await addProjects(setup, projects, tools);
    await sayHello(setup, connected, ownerId, { server, channel });
    return await keepRunning(setup);
  } finally {
    await connected.contact.close();
  }
}

function finish(setup: Setup, way: Way | "runs"): void {
  const word = sayTo(setup);
  if (way === "later") setup.prompts.plain(word("cli.init.start"));
  setup.prompts.showFarewell(word("cli.init.end"));
}

async function promptsFor(
  io: Io,
  { locale, yes, tokenFromInput }: { locale: Setup["locale"]; yes: boolean; tokenFromInput: boolean },
): Promise<Prompts> {
  const options = { locale, yes, write: (text: string) => void io.stdout.write(text) };
  const terminal = io.screen !== undefined && process.stdin.isTTY === true && !tokenFromInput;
  return terminal ? (await import("./init/terminal.ts")).terminalPrompts(options) : unaskedPrompts(options);
}
