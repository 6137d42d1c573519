/**
 * What keeps the tmux server alive when systemd stops the service that started it: a scope of its own. Elsewhere the
 * server leaves our session by itself, and that is enough.
 */
import { runProgram } from "../processes/program.ts";
import { which } from "../processes/which.ts";

const WITHIN_MS = 5_000;

/**
 * The words to put before the command that starts the server; none if we are not a systemd service or its user manager
 * does not answer.
 * @param service the daemon's own environment, in which systemd names its services
 */
export async function outOfUnit(service: Readonly<Record<string, string | undefined>>): Promise<readonly string[]> {
  const file = which("systemd-run", service["PATH"]);
  if (service["INVOCATION_ID"] === undefined || file === null) return [];
  const prefix = [file, "--user", "--scope", "--collect", "--quiet", "--"];
  const tried = await runProgram({ file, args: [...prefix.slice(1), "/bin/true"], env: service, withinMs: WITHIN_MS });
  return tried.code === 0 ? prefix : [];
}
