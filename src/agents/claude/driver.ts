/**
 * Claude Code, headless: a process that lives as long as its conversation is kept open, each prompt a line on its
 * stdin, a stream of lines back. A turn ends with the agent's own `result` line; a process that exits without one has
 * failed.
 */
import type { JobLog } from "../../host/files/job-log.ts";
import type { Agent, Driver, Opening } from "../contract/driver.ts";
import {
  type ProcessSetting,
  type Program,
  type LoginCheck,
  chosenMode,
  startProcess,
  unopenedAgent,
} from "../process/dialect.ts";
import { programDriver, type ProcessDriverOptions } from "../process/process-driver.ts";
import { readBy } from "../process/stored/claude.ts";
import { stores } from "../process/stores.ts";
import { ClaudeAgent } from "./agent.ts";
import { argumentsOf, offers, rules, settingsArguments } from "./arguments.ts";
import { LOGIN } from "./messages.ts";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const HOME = "CLAUDE_CONFIG_DIR";

/**
 * How to ask Claude Code whether it is logged in. Asking creates its state file if there is none. If it has never run,
 * it is asked in an empty folder: this leaves no trace and gives the same answer, because no login can exist there.
 */
const loginCheck: LoginCheck = {
  args: ["auth", "status"],
  since: "2.1.329",
  home: {
    variable: HOME,
    state(env) {
      const [home, folder] = env[HOME] ? [env[HOME], env[HOME]] : homes(env["HOME"] ?? homedir());
      if (existsSync(join(home, ".claude.json")) || existsSync(join(folder, ".config.json"))) return "used";
      // Somebody put these files here by hand; Claude Code would not find them in an empty folder.
      return [".credentials.json", "settings.json"].some((name) => existsSync(join(folder, name)))
        ? "unclear"
        : "unused";
    },
  },
};

/** The folder of its state file, and the folder of everything else. */
function homes(home: string): [string, string] {
  return [home, join(home, ".claude")];
}

const program: Program = {
  tool: "claude",
  keyName: "session_id",
  store: stores.claude,
  install: "npm install --global @anthropic-ai/claude-code",
  login: LOGIN,
  loginCheck,
  tried: new Set(["2.1.329"]),
  rules,
  offers,
  choosesWithPrompt: true,
  compacts: "command",
  readBy,
};

export function claudeDriver(options: ProcessDriverOptions): Driver {
  return programDriver(program, options, open);
}

function open(opening: Opening, setting: ProcessSetting): Agent {
  const { key, folders } = opening;
  const mode = chosenMode(program, opening);
  const args = [
    ...opening.args,
    ...settingsArguments({ ...opening.settings, ...(mode !== undefined && { permission: mode }) }),
  ];
  let agent: ClaudeAgent | null = null;
  const log = (): JobLog => agent?.log ?? opening.log;
  const notes: string[] = [];
  const start = {
    program,
    opening,
    setting,
    log: { writeNote: (text: string) => void notes.push(text) },
    onStdout: (chunk: Buffer) => log().stdout(chunk),
    onStderr: (chunk: Buffer) => log().stderr(chunk),
  };
  const child = startProcess(start, () => ({ args: argumentsOf(key, folders, args) }));
  if ("kind" in child) return unopenedAgent(child);
  agent = new ClaudeAgent({ program, setting, opening: { ...opening, args }, child, notes });
  return agent;
}
