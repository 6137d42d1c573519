/** What is done with each command of the documents: run, or not run for a reason. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FreshMachine } from "../fresh-machine.ts";

const NEEDS_SYSTEMD = "needs the systemd of a logged-in user; test/cli/unit.test.ts has one of its own";
const DOWNLOADS = "downloads packages, or the agents";
const PACKAGE = "test/package.test.ts packs it and installs it";

/** Why a command is not run here. */
export const unrun: Record<string, string> = {
  "npm test": "is what runs this",
  ".ci/run": "is what runs this",
  "npm run format": "rewrites the sources",
  "npm run dev": "does not end",
  "npm run test:watch": "does not end",
  "npm run test:unit": "is a part of what runs this",
  "npm run build": "is done before this",
  "npx vitest run test/flows/burst.test.ts": "is a part of what runs this",
  "npm run test:agents": DOWNLOADS,
  "npm run test:long": DOWNLOADS,
  "npm run bench": "measures for minutes",
  "npm run bench -- <part>": "measures for minutes",
  "npm run picture": "test/flows/picture plays and checks what it makes",
  "npm pack": PACKAGE,
  "npm install -g bellhop-0.1.0.tgz": PACKAGE,
  "npm install -g bellhop-<version>.tgz": PACKAGE,
  "npm uninstall -g bellhop": "is npm's own",
  "git pull": "needs a remote repository",
  "rm -rf node_modules && npm ci --strict-allow-scripts": DOWNLOADS,
  "bellhop service install": NEEDS_SYSTEMD,
  "bellhop service remove": NEEDS_SYSTEMD,
  "systemctl --user edit bellhop": NEEDS_SYSTEMD,
  "systemctl --user restart bellhop": NEEDS_SYSTEMD,
  "systemctl --user stop bellhop": NEEDS_SYSTEMD,
  "journalctl --user -u bellhop": NEEDS_SYSTEMD,
  "loginctl enable-linger": NEEDS_SYSTEMD,
  "bellhop forget": "is the name of the next one",
  "bellhop forget --thread <thread id>": "test/flows/forget.test.ts runs it",
  "bellhop hook": "is run by the hooks' own command; test/flows/hook-without-curl.test.ts runs it",
  "npm run bellhop --": "is the beginning of a command",
};

export interface Run {
  /** With what the document leaves open filled in. */
  as?: (at: Place) => string;
  /** What it prints. */
  says: RegExp | ((at: Place) => RegExp);
  /** Its exit code; for what runs until it is told to stop, the code after that. */
  code?: number;
  /** It runs on, and is told to stop once it has said that. */
  runsOn?: true;
}

export interface Place {
  machine: FreshMachine;
  job: string;
  copy: string;
}

/** Beside a daemon that has done a job. */
export const besideDaemon: Record<string, Run> = {
  "bellhop --version": { says: /^\d+\.\d+\.\d+\n$/ },
  "bellhop doctor": { says: /Everything needed works\.\n$/ },
  "npm run bellhop -- doctor": { says: /Everything needed works\.\n$/ },
  "bellhop status": { says: /is running \(process \d+\)/ },
  "bellhop logs [-n N]": { as: () => "bellhop logs -n 3", says: /\n/ },
  "bellhop logs <job>": { as: ({ job }) => `bellhop logs ${job}`, says: /"type":"result"/ },
  "bellhop tail [job|thread]": { as: ({ job }) => `bellhop tail ${job}`, says: /All is well\.[\s\S]*success/ },
  "bellhop watch": { says: /unread · connected/, runsOn: true },
  "bellhop watch [--channel id]": {
    as: ({ machine }) => `bellhop watch --channel ${machine.sandbox.channelId}`,
    says: /unread · connected/,
    runsOn: true,
  },
  "discord-watch --interval 10": { says: /unread · connected/, runsOn: true },
  "bellhop mcp": { as: () => `echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | bellhop mcp`, says: /"result":\{\}/ },
  "bellhop journal verify": { says: /The journal is intact/ },
  "npm run bellhop -- journal verify": { says: /The journal is intact/ },
  "bellhop journal export": { says: /"type":"JobStarted"/ },
  "bellhop backup [FILE]": { as: ({ copy }) => `bellhop backup ${copy}.tar.gz`, says: /has the journal up to event/ },
  "bellhop backup --restore FILE": {
    as: ({ copy }) => `STATE_DIR=${copy}-restored bellhop backup --restore ${copy}.tar.gz`,
    says: /has the backup/,
  },
  "bellhop journal repair": { as: ({ copy }) => `STATE_DIR=${copy} bellhop journal repair`, says: /intact/ },
  [String.raw`sed -n 7p events.ndjson | sed 's/,"crc":"[0-9a-f]*"}$/}/' | tr -d '\n' | gzip -c | tail -c8 | head -c4 | od -An -tx4`]:
    { says: ({ machine }) => new RegExp(`^ ${crcOf(machine, 7)}\\n$`) },
  "bellhop lock --set-word": { as: () => "echo correct horse | bellhop lock --set-word", says: /The word is set/ },
  // Nothing of the others is asked of a daemon that is locked.
  "bellhop lock": { says: /Bellhop is locked/ },
  "bellhop unlock": { says: /^[a-z2-9]{5}-[a-z2-9]{5}\n/ },
};

/** As the line says it. */
function crcOf({ paths }: FreshMachine, number: number): string {
  const line = readFileSync(join(paths.state, "events.ndjson"), "utf8").split("\n")[number - 1] ?? "";
  return (JSON.parse(line) as { crc: string }).crc;
}

/** With nothing set up. */
export const onItsOwn: Record<string, Run> = {
  "npm start": { says: /http:\/\/127\.0\.0\.1:\d+/, runsOn: true },
  "bellhop start": { says: /http:\/\/127\.0\.0\.1:\d+/, runsOn: true },
  "bellhop sandbox": { says: /http:\/\/127\.0\.0\.1:\d+/, runsOn: true },
  "bellhop hooks install": { says: /hooks are in .*settings\.json/ },
  "bellhop hooks print": { says: /"SessionStart"/ },
  "bellhop hooks remove": { says: /byte for byte|none before|no hooks/ },
  "npm run docs": { says: /docs/ },
  "node bench/way.ts": { says: /message/ },
  "node -e 0": { says: /^$/ },
};

/** In a terminal, answered by a person. */
export const asked = ["npm run init", "bellhop init"];
