/**
 * `bellhop tail`: shows a job in the terminal while it runs. It only listens; it survives a restart of the daemon, and
 * then shows the same job to its end, never another one.
 */
import { BellhopError } from "../base/errors.ts";
import { jsonForTerminal, terminalLine } from "../base/terminal-text.ts";
import { say } from "../base/words/say.ts";
import type { Caller } from "../client/call.ts";
import type { DaemonStatus } from "../ipc/status.ts";
import type { TailEnd, TailPart } from "../ipc/tail.ts";
import { callDaemon } from "./start/daemons.ts";
import { asTyped, localeOf, type Io } from "./io.ts";
import { readOptions, WrongCall } from "./options.ts";
import { TailView } from "./terminal/tail-view.ts";

/** How long to wait for a daemon that restarts. */
const RETURN_MS = 10 * 60_000;
const NOT_A_SUCCESS = 1;
const NOTHING_RUNS = 66;

/**
 * @param argv `[job|thread] [--sandbox] [--json]`
 * @throws E_NO_DAEMON, E_JOB_NOT_FOUND, E_SESSION_NOT_FOUND
 */
export async function tail(argv: readonly string[], io: Io): Promise<number> {
  const { values, words } = readOptions(argv, { sandbox: { type: "boolean" }, json: { type: "boolean" } }, 1);
  const locale = localeOf(io.env);
  const note = (key: "cli.tail.lost" | "cli.tail.back"): unknown => io.stderr.write(`${say(locale, key)}\n`);
  const wait = { forMs: RETURN_MS, lost: () => note("cli.tail.lost"), back: () => note("cli.tail.back") };
  const caller = await callDaemon(io, values.sandbox ?? false, { wait });
  try {
    const target = words[0] ?? (await onlyRunning(caller));
    if (target === null) {
      io.stderr.write(`${asTyped(io, say(locale, "cli.tail.nothing"))}\n`);
      return NOTHING_RUNS;
    }
    const end = values.json ? await asJson(caller, target, io) : await asText(caller, target, io);
    return end.state === "success" ? 0 : NOT_A_SUCCESS;
  } finally {
    caller.close();
  }
}

/** Null if nothing runs. @throws WrongCall if more than one job runs */
async function onlyRunning(caller: Caller): Promise<string | null> {
  const { sessions } = (await caller.call("status", {})) as DaemonStatus;
  const jobs = sessions.flatMap(({ running_job_id }) => running_job_id ?? []);
  if (jobs.length > 1) throw new WrongCall("cli.tail.several", { jobs: jobs.join(", ") });
  return jobs[0] ?? null;
}

async function asText(caller: Caller, target: string, io: Io): Promise<TailEnd> {
  const view = new TailView(localeOf(io.env), (text) => io.stdout.write(text));
  const end = await follow(caller, target, (part) => view.show(part));
  view.end(end);
  return end;
}

/** One JSON object per line: the parts as they come, the end last. */
async function asJson(caller: Caller, target: string, io: Io): Promise<TailEnd> {
  const line = (value: object): unknown => io.stdout.write(`${jsonForTerminal(value)}\n`);
  const end = await follow(caller, target, line);
  line({ kind: "end", ...end });
  return end;
}

function follow(caller: Caller, target: string, show: (part: TailPart) => void): Promise<TailEnd> {
  // Read again on each reconnect: a thread's next job is not the one being watched.
  const params = { target: terminalLine(target, 80) };
  const part = (value: unknown): void => {
    const said = value as TailPart;
    if (said.kind === "job") params.target = said.job_id;
    show(said);
  };
  return caller.call("tail", params, { part }).then((end) => {
    if (typeof end !== "object" || end === null)
      throw new BellhopError("E_LINK_REFUSED", { why: "a job without an end" });
    return end as TailEnd;
  });
}
