/**
 * `bellhop status`: the daemon's state, its connection, and every thread in which something runs, waits or failed.
 * Exits with 69 if there is no daemon.
 */
import { systemClock } from "../base/clock.ts";
import { BellhopError, errors } from "../base/errors.ts";
import { jsonForTerminal, terminalLine } from "../base/terminal-text.ts";
import { say, sayReason, sayState, type Locale } from "../base/words/say.ts";
import type { DaemonStatus, GatewayStatus, SessionStatus } from "../ipc/status.ts";
import { callDaemon, muteDaemon, places } from "./start/daemons.ts";
import { asTyped, localeOf, type Io } from "./io.ts";
import { readOptions } from "./options.ts";
import { localTime, span, zoneOf } from "./terminal/time.ts";

/** A daemon that is well answers within milliseconds; a person at a terminal waits no longer. */
const PATIENCE_MS = 3_000;
const SHOWN_SESSIONS = 20;
const WIDTH = 80;

/** @param argv `[--sandbox] [--json]` */
export async function status(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, { sandbox: { type: "boolean" }, json: { type: "boolean" } });
  const { sandbox = false, json = false } = values;
  const status = await ask(io, sandbox);
  if (status === null) return tellNone(io, sandbox, json);
  if (json) io.stdout.write(`${jsonForTerminal({ daemon: true, ...status })}\n`);
  else
    io.stdout.write(
      `${statusLines(status, systemClock.now(), localeOf(io.env), zoneOf(status.state_dir)).join("\n")}\n`,
    );
  return 0;
}

async function ask(io: Io, sandbox: boolean): Promise<DaemonStatus | null> {
  try {
    const caller = await callDaemon(io, sandbox, { welcomeMs: PATIENCE_MS });
    try {
      // From our own daemon over our own socket; a daemon of another version is refused before this.
      return (await caller.call("status", {})) as DaemonStatus;
    } finally {
      caller.close();
    }
  } catch (error) {
    if (error instanceof BellhopError && error.code === "E_NO_DAEMON") return null;
    throw error;
  }
}

function tellNone(io: Io, sandbox: boolean, json: boolean): number {
  const dir = places(io, sandbox)[0]?.stateDir ?? "";
  const mute = muteDaemon(io, sandbox);
  const locale = localeOf(io.env);
  if (json) io.stdout.write(`${jsonForTerminal({ daemon: false, state_dir: dir, pid: mute?.pid ?? null })}\n`);
  else
    io.stdout.write(
      `${asTyped(io, mute === undefined ? say(locale, "E_NO_DAEMON", { dir }) : say(locale, "cli.status.mute", { ...mute }))}\n`,
    );
  return errors.E_NO_DAEMON.exit ?? 1;
}

/** The lines for a terminal. @param now milliseconds since the epoch */
export function statusLines(status: DaemonStatus, now: number, locale: Locale, zone?: string): string[] {
  const { version, pid, since, running, pending, max_running, disk_full, locked } = status;
  const busy = status.sessions.filter(isBusy).sort((a, b) => rank(a) - rank(b));
  const quiet = status.sessions.length - busy.length;
  const more = Math.max(0, busy.length - SHOWN_SESSIONS) + status.sessions_total - status.sessions.length;
  return [
    say(locale, "cli.status.runs", {
      version,
      pid,
      since: localTime(since, zone),
      span: span(now - Date.parse(since)),
    }),
    ...connection(status, locale),
    ...servers(status, locale),
    ...agents(status, locale),
    ...living(status, now, locale),
    say(locale, "cli.status.state", { dir: status.state_dir }),
    say(locale, "cli.status.logs", { dir: status.log_dir }),
    "",
    say(locale, "cli.status.jobs", { running, pending, max: max_running }),
    ...(locked == null ? [] : [say(locale, "cli.status.locked", { since: localTime(locked, zone) })]),
    ...(disk_full ? [say(locale, "cli.status.disk_full")] : []),
    ...busy.slice(0, SHOWN_SESSIONS).flatMap((session) => ["", ...sessionLines(session, now, locale, zone)]),
    ...(quiet + more > 0 ? [""] : []),
    ...(quiet > 0 ? [say(locale, "cli.status.quiet", { count: quiet })] : []),
    ...(more > 0 ? [say(locale, "cli.status.more", { count: more })] : []),
    ...failures(status, locale, zone),
  ];
}

function connection({ gateway, serves }: DaemonStatus, locale: Locale): string[] {
  // An older daemon has another word for `clients`.
  if (serves !== "all") return [say(locale, "cli.status.clients")];
  if (gateway === null) return [say(locale, "cli.status.no_gateway")];
  const key = gateway.phase === "live" ? "cli.status.live" : "cli.status.not_live";
  const line = say(locale, key, { phase: sayState(locale, gateway.phase), span: span(gateway.heard_ms) });
  const { next_try_ms, rest } = gateway;
  const why = whyAway(gateway, locale);
  return [
    line,
    ...(why === undefined || next_try_ms === null
      ? []
      : [say(locale, "cli.status.next_try", { span: span(next_try_ms), why: terminalLine(why, 45) })]),
    ...(rest.connected === false ? [say(locale, "cli.status.no_rest", { waiting: rest.waiting })] : []),
    ...(gateway.healthy ? [] : [say(locale, "cli.status.unwell")]),
  ];
}

/** Why there is no connection, in the reader's language where Bellhop says so. */
export function whyAway({ why, why_said }: GatewayStatus, locale: Locale): string | undefined {
  return sayReason(locale, why_said ?? (why === null ? {} : { reason: why }));
}

/** Those of config.json that have a bot of their own. */
function servers({ servers: all }: DaemonStatus, locale: Locale): string[] {
  return all.map(({ name, guild_id: guild, phase, error }) => {
    const server = terminalLine(name, 40);
    if (error)
      return say(locale, "cli.status.server_failed", { server, why: `${error.code} ${terminalLine(error.text, 200)}` });
    return say(locale, phase === "live" ? "cli.status.server_live" : "cli.status.server_not_live", {
      server,
      guild,
      phase: sayState(locale, phase ?? "-"),
    });
  });
}

function agents({ agents }: DaemonStatus, locale: Locale): string[] {
  if (agents === null) return [];
  const named = agents.map(({ tool, found, version }) =>
    found ? [tool, version].filter(Boolean).join(" ") : say(locale, "cli.status.agent_missing", { tool }),
  );
  return [say(locale, "cli.status.agents", { agents: named.join(", ") })];
}

function living({ living: all }: DaemonStatus, now: number, locale: Locale): string[] {
  return all.map(({ tool, thread_id, state, since, background, bytes }) => {
    const memory = bytes === null ? "?" : `${Math.round(bytes / 1_000_000)} MB`;
    const line = say(locale, `cli.status.living_${state}`, {
      tool: terminalLine(tool, 20),
      thread: thread_id,
      span: span(now - Date.parse(since)),
      memory,
    });
    return `  ${[line, ...(background > 0 ? [say(locale, "cli.status.living_background", { count: background })] : [])].join(", ")}`;
  });
}

/** Whether something runs, waits, is held up, or failed last. */
function isBusy({ state, pending, parked, last_error }: SessionStatus): boolean {
  return state !== "idle" || pending > 0 || parked !== null || last_error !== null;
}

/** Running first, then held up, then waiting, then failed. */
function rank({ running_job_id, parked, pending }: SessionStatus): number {
  return running_job_id !== null ? 0 : parked !== null ? 1 : pending > 0 ? 2 : 3;
}

function sessionLines(session: SessionStatus, now: number, locale: Locale, zone?: string): string[] {
  const { project_name, tool, thread_id, running_job_id, running_since, asks, outside, pending, parked, last_error } =
    session;
  const facts = [
    ...(running_job_id === null
      ? []
      : [
          say(locale, "cli.status.running", { job: running_job_id, span: span(now - Date.parse(running_since ?? "")) }),
        ]),
    ...(asks ? [say(locale, "cli.status.asks")] : []),
    ...(outside === null ? [] : [say(locale, "cli.status.outside", { span: span(now - Date.parse(outside.since)) })]),
    ...(parked === null ? [] : [parkedLine(parked, locale, zone)]),
    ...(pending > 0 ? [say(locale, "cli.status.pending", { count: pending })] : []),
    ...(last_error === null || parked?.job_id === last_error.job_id
      ? []
      : [
          say(locale, "cli.status.last_error", {
            job: last_error.job_id,
            code: last_error.error_code ?? sayState(locale, "unknown_after_crash"),
          }),
        ]),
  ];
  return [
    `  ${terminalLine(project_name, 40)}  ${terminalLine(tool, 20)}  ${thread_id}`,
    ...facts.map((fact) => `    ${fact}`),
  ];
}

function parkedLine(parked: NonNullable<SessionStatus["parked"]>, locale: Locale, zone?: string): string {
  const { kind, job_id: job } = parked;
  if (kind === "limit" && parked.lifted) return say(locale, "cli.status.parked_lifted", { job });
  return kind === "limit"
    ? say(locale, "cli.status.parked_limit", { job, until: localTime(parked.until, zone) })
    : say(locale, `cli.status.parked_${kind}`, { job });
}

function failures({ failures: all }: DaemonStatus, locale: Locale, zone?: string): string[] {
  if (all.length === 0) return [];
  const line = ({ ts, module, error_code, text }: DaemonStatus["failures"][number]): string =>
    `  ${terminalLine([localTime(ts, zone), error_code, !module ? text : `${module}: ${text}`].join(" "), WIDTH - 2)}`;
  return ["", say(locale, "cli.status.failures"), ...all.map(line)];
}
