/** Whether tmux is there in a version that Bellhop's windows and titles work with. */
import type { Finding } from "../../base/finding.ts";
import { oneLine } from "../../base/text.ts";
import { runProgram } from "../processes/program.ts";
import { which } from "../processes/which.ts";

/** The first with every option we use. */
const SINCE = [3, 2] as const;
const WITHIN_MS = 2_500;

export async function checkTmux(env: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  const file = which("tmux", env["PATH"]);
  const mend = { says: "doctor.tmux.mend" as const, args: { since: SINCE.join(".") } };
  if (file === null) return [{ check: "tmux", verdict: "idle", says: "doctor.tmux.none", mend }];
  const { stdout } = await runProgram({ file, args: ["-V"], env: { PATH: env["PATH"] }, withinMs: WITHIN_MS });
  const [, version = oneLine(stdout, 40), major = "0", minor = "0"] =
    /^tmux (?:next-)?((\d{1,4})\.(\d{1,4})[a-z]?)/.exec(stdout) ?? [];
  const isNew = Number(major) > SINCE[0] || (Number(major) === SINCE[0] && Number(minor) >= SINCE[1]);
  return [
    isNew
      ? { check: "tmux", verdict: "good", says: "doctor.tmux", args: { version } }
      : { check: "tmux", verdict: "warn", says: "doctor.tmux.old", args: { version }, mend },
  ];
}
