/**
 * The command `discord-sandbox`: starts a sandbox, prints how to reach it, then one line for everything Discord would
 * have refused, until it is told to stop.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Violation } from "./context.ts";
import type { Sandbox } from "./sandbox.ts";
import { startSandbox } from "./server.ts";

const USAGE = `Usage: discord-sandbox [--port N] [--file PATH] [--json]

Starts a local Discord on 127.0.0.1 and prints its addresses and the bot's token.

  --port N     listens on this port (default 4000; 0: any free port)
  --file PATH  keeps the server's world in this file between runs (default: in memory)
  --json       prints the addresses and tokens as one line of JSON
  --version    prints the version
`;

/** What the program needs of the process around it. */
export interface Surroundings {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  once(signal: "SIGINT" | "SIGTERM", call: () => void): unknown;
}

/** Runs until SIGINT or SIGTERM; resolves with the exit code: 0, 1 where it could not start, 64 for a wrong call. */
export async function program(argv: readonly string[], around: Surroundings): Promise<number> {
  const options = readOptions(argv);
  if (typeof options === "string") {
    around.stderr.write(`${options}\n${USAGE}`);
    return 64;
  }
  if (options.help) return print(around, USAGE);
  if (options.version) return print(around, `${version()}\n`);
  let sandbox: Sandbox;
  try {
    sandbox = await startSandbox({
      port: options.port,
      ...(options.file === undefined ? {} : { file: resolve(options.file) }),
    });
  } catch (error) {
    around.stderr.write(`${whyNot(error, options.port)}\n`);
    return 1;
  }
  around.stdout.write(options.json ? `${JSON.stringify(reachedAt(sandbox))}\n` : introduction(sandbox));
  void report(sandbox, around);
  await new Promise<void>((stop) => {
    around.once("SIGINT", stop);
    around.once("SIGTERM", stop);
  });
  await sandbox.close();
  return 0;
}

interface Options {
  port: number;
  file: string | undefined;
  json: boolean;
  help: boolean;
  version: boolean;
}

/** The options, or the sentence that says what is wrong with them. */
function readOptions(argv: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        port: { type: "string", default: "4000" },
        file: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
        version: { type: "boolean", default: false },
      },
    });
    const port = Number(values.port);
    if (!/^\d{1,5}$/.test(values.port) || port > 65_535)
      return `--port: expected a number from 0 to 65535, found "${values.port}"`;
    return { port, file: values.file, json: values.json, help: values.help, version: values.version };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function print(around: Surroundings, text: string): number {
  around.stdout.write(text);
  return 0;
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
}

function whyNot(error: unknown, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `Port ${port} is in use. Choose another with --port, or --port 0 for any free one.`;
  return message;
}

/** Everything a bot and its tests need, by name. */
function reachedAt(sandbox: Sandbox): Record<string, string> {
  const { api, link, botToken, applicationId, guildId, channelId, controlToken, owner } = sandbox;
  return {
    event: "ready",
    api,
    link,
    botToken,
    applicationId,
    guildId,
    channelId,
    ownerId: owner.id,
    ownerToken: owner.token,
    control: `${sandbox.url}/control`,
    controlToken,
  };
}

function introduction(sandbox: Sandbox): string {
  const rows: [string, string][] = [
    ["Page", sandbox.link],
    ["API", `${sandbox.api} (version 10: ${sandbox.api}/v10)`],
    ["Bot token", sandbox.botToken],
    ["Application", sandbox.applicationId],
    ["Server", sandbox.guildId],
    ["Channel", sandbox.channelId],
    ["Owner", sandbox.owner.id],
    ["Control token", sandbox.controlToken],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(14)} ${value}\n`);
  return `A local Discord is running. Open the page, and start your bot with this API and token.\n\n${lines.join("")}\nWhat your bot does wrong is listed below. Ctrl-C ends it.\n`;
}

/** One line for each thing the bot did that Discord refuses, as it happens. */
async function report(sandbox: Sandbox, around: Surroundings): Promise<void> {
  let last: Violation | undefined;
  try {
    for (;;) {
      const found = await sandbox.until(({ violations }) => {
        const fresh = violations.slice(last === undefined ? 0 : violations.lastIndexOf(last) + 1);
        return fresh.length > 0 && fresh;
      });
      for (const violation of found) around.stderr.write(`${sentence(violation)}\n`);
      last = found.at(-1);
    }
  } catch {
    // The sandbox was closed, and nothing more will happen.
  }
}

function sentence({ kind, code, message, exchange }: Violation): string {
  const request = exchange === undefined ? "" : `${exchange.method} ${exchange.path}: `;
  const status = exchange === undefined ? "" : `${exchange.status} `;
  return `${kind}: ${request}${status}${code === 0 ? "" : `(${code}) `}${message}`;
}
