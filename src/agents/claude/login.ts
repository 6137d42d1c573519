/**
 * How to ask Claude Code whether it is logged in. Asking creates its state file if there is none. If it has never run,
 * it is asked in an empty folder: this leaves no trace and gives the same answer, because no login can exist there.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { LoginCheck } from "../process/dialect.ts";

const HOME = "CLAUDE_CONFIG_DIR";

export const loginCheck: LoginCheck = {
  args: ["auth", "status"],
  since: "2.1.329",
  home: {
    variable: HOME,
    state(env) {
      const [home, folder] = env[HOME] ? [env[HOME], env[HOME]] : homes(env["HOME"] ?? homedir());
      if (existsSync(join(home, ".claude.json")) || existsSync(join(folder, ".config.json"))) return "used";
      // Somebody put these files here by hand; Claude Code would not find them in an empty folder.
      return [".credentials.json", "settings.json"].some((name) => existsSync(join(folder, name))) ? "unclear" : "unused";
    },
  },
};

/** The folder of its state file, and the folder of everything else. */
function homes(home: string): [string, string] {
  return [home, join(home, ".claude")];
}
