/**
 * The command `acp-demo-agent`: speaks the Agent Client Protocol on stdin and stdout until stdin ends. Nothing but
 * protocol is ever written to stdout then.
 */
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import manifest from "../package.json" with { type: "json" };
import { demoAgent } from "./agent.ts";
import { openConversations, stateFolder } from "./conversations.ts";

const USAGE = `Usage: acp-demo-agent [--pace MS]

A small agent that speaks the Agent Client Protocol (ACP) on stdin and stdout. It uses no model and no network.
Start it from an ACP client; sent "help", it says what it can do.

  --pace MS  the pause between two pieces of a streamed answer (default 30)
  --version  prints the version
`;

const SLOWEST_MS = 60_000;

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  const [option, value = ""] = argv;
  if (option === "--help") return print(USAGE);
  if (option === "--version") return print(`${manifest.version}\n`);
  const paced = option === "--pace" && argv.length === 2 && /^\d{1,5}$/.test(value) && Number(value) <= SLOWEST_MS;
  if (argv.length > 0 && !paced) {
    process.stderr.write(`Not understood: ${argv.join(" ")}\n${USAGE}`);
    return 64;
  }
  const conversations = openConversations(stateFolder(process.env));
  const agent = demoAgent({ conversations, version: manifest.version, paceMs: paced ? Number(value) : 30 });
  const stream = ndJsonStream(
    Writable.toWeb(process.stdout),
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  );
  await agent.connect(stream).closed;
  return 0;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
