/** What `bellhop status` shows of what a daemon told. */
import { expect, test } from "vitest";
import stringWidth from "string-width";
import { span } from "../../src/cli/terminal/time.ts";
import { statusLines } from "../../src/cli/status.ts";
import { sessionsStatus, type DaemonStatus, type SessionStatus } from "../../src/ipc/status.ts";
import { job, message, Scene, T1 } from "../core/scene.ts";

const now = Date.parse("2026-02-26T14:21:00.000Z");
const quiet: SessionStatus = {
  thread_id: "123456789012345678",
  project_name: "app",
  tool: "claude",
  state: "idle",
  pending: 0,
  running_job_id: null,
  running_since: null,
  outside: null,
  last_activity_at: "2026-02-26T14:00:00.000Z",
  parked: null,
  last_error: null,
};
const live: NonNullable<DaemonStatus["gateway"]> = {
  phase: "live",
  heard_ms: 12_345.6,
  dispatch_ms: null,
  healthy: true,
  next_try_ms: null,
  why: null,
  why_said: null,
  rest: { connected: true, invalidRequests: 0, pausedRoutes: [], waiting: 0 },
};
const job_id = "job_20260226_0001";

function told(sessions: Partial<SessionStatus>[], more: Partial<DaemonStatus> = {}): DaemonStatus {
  const all = sessions.map((session) => ({ ...quiet, ...session }));
  return {
    version: "1.2.3",
    pid: 42,
    since: "2026-02-26T12:16:00.000Z",
    state_dir: "/s",
    log_dir: "/l",
    installed: null,
    serves: "all",
    bot_id: null,
    guild_id: null,
    owner_id: null,
    gateway: live,
    agents: [
      { tool: "claude", found: true, version: "2.1.0" },
      { tool: "codex", found: false },
    ],
    living: [],
    servers: [],
    max_running: 2,
    disk_full: false,
    locked: null,
    sessions: all,
    sessions_total: all.length,
    running: 1,
    pending: 3,
    failures: [],
    ...more,
  };
}

test("a lock is told, with what has waited since before it", () => {
  const waits = { parked: { kind: "locked" as const, job_id }, pending: 1 };
  const text = statusLines(told([waits], { locked: "2026-02-26T14:00:00.000Z" }), Date.now(), "en").join("\n");
  expect(text).toContain("Locked since");
  expect(text).toContain(`waiting for you since before the lock: ${job_id}`);
});

test("what runs comes first, then what is held up and why, what waits, what went wrong; what is quiet is counted", () => {
  const text = statusLines(
    told([
      { state: "failed", last_error: { job_id, error_code: "E_CLI_TIMEOUT", at: null } },
      { pending: 2, state: "queued", project_name: "waiting" },
      {},
      { parked: { kind: "changed", job_id }, project_name: "elsewhere" },
      {
        parked: { kind: "crash", job_id },
        last_error: { job_id, error_code: null, at: null },
        project_name: "crashed",
      },
      { parked: { kind: "limit", job_id, until: "2026-02-26T16:00:00.000Z", lifted: false }, project_name: "limited" },
      { parked: { kind: "limit", job_id, until: "2026-02-26T16:00:00.000Z", lifted: true }, project_name: "lifted" },
      { running_job_id: job_id, running_since: "2026-02-26T14:17:00.000Z", state: "running", pending: 1 },
    ]),
    now,
    "en",
  ).join("\n");
  expect(text).toMatch(
    /^Bellhop 1\.2\.3 is running \(process 42\), since 2026-02-26 \d\d:16:00 \(2 h 5 min\)\.\nDiscord: connected, last heard 12 s ago\.\nAgents: claude 2\.1\.0, codex not found\n/,
  );
  const order = [
    "running job_20260226_0001 for 4 min\n    1 waiting",
    "elsewhere",
    "something has changed since you last saw it",
    "crashed",
    "which a crash cut off",
    "limited",
    "its usage limit",
    "lifted",
    "waiting for you to continue",
    "waiting  claude",
    "2 waiting",
    "E_CLI_TIMEOUT",
    "Idle sessions: 1.",
  ];
  expect(order.map((words) => text.indexOf(words))).toEqual(
    order.map((words) => text.indexOf(words)).toSorted((a, b) => a - b),
  );
  for (const words of order) expect(text).toContain(words);
  // A crash that is waited for is not told a second time as an error.
  expect(text).not.toContain("unknown_after_crash");
});

test("a job that waits for its owner's answer is told to wait for it", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  const waits = (): string => statusLines(told(sessionsStatus(scene.state).sessions), now, "en").join("\n");
  expect(waits()).not.toContain("waiting for your answer");
  scene.ask(job(1), "dec_1", 1);
  expect(waits()).toMatch(
    /running job_20260226_0001 for .*\n {4}waiting for your answer; `\/pending` in Discord shows it/,
  );
});

test("agents that are open: which, where, since when, and their memory", () => {
  const one = {
    thread_id: "300000000000000001",
    tool: "claude",
    pid: 7,
    since: "2026-02-26T14:18:00.000Z",
    state: "idle",
    background: 0,
    bytes: 215_000_000,
  } as const;
  const lines = statusLines(
    told([], {
      living: [one, { ...one, thread_id: "300000000000000002", state: "working", background: 2, bytes: null }],
    }),
    now,
    "en",
  );
  expect(lines).toContain("  claude in 300000000000000001 is idle, open for 3 min, 215 MB");
  expect(lines).toContain("  claude in 300000000000000002 is working, open for 3 min, ?, 2 in the background");
});

test("a connection that is away, one that does not mend itself, and one not yet tried", () => {
  const said = (gateway: DaemonStatus["gateway"]): string => statusLines(told([], { gateway }), now, "en").join("\n");
  expect(said(null)).toContain("Discord: not connected yet.");
  expect(
    said({
      ...live,
      phase: "down",
      heard_ms: 61_000,
      next_try_ms: 5_000,
      why: "gone\u001b[2J away",
      rest: { ...live.rest, connected: false, waiting: 3 },
    }),
  ).toContain(
    "Discord: not connected (down), trying again; last heard 1 min ago.\nNext try in 5 s: “gone⟨U+001B⟩[2J away”.\nRequests to Discord are not getting through; 3 are waiting.\n",
  );
  expect(said({ ...live, healthy: false })).toContain("restart it");
  const away = {
    ...live,
    phase: "down",
    next_try_ms: 5_000,
    why: "the connection was closed (1006)",
    why_said: { because: "why_disconnected", close_code: 1006 },
  } as const;
  expect(statusLines(told([], { gateway: away }), now, "ko").join("\n")).toContain("연결이 닫힘(1006)");
  expect(statusLines(told([], { gateway: away }), now, "ko")).toContain(
    "Discord: 연결되지 않음, 다시 시도함(끊김). 마지막 수신 12 s 전.",
  );
});

test("a daemon that a client started says that it serves only clients, and what replaces it, within 80 columns", () => {
  for (const locale of ["en", "ko", "ja", "zh-TW"] as const) {
    const lines = statusLines(told([], { serves: "clients", gateway: null }), now, locale)
      .join("\n")
      .split("\n");
    expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
    expect(lines.join("\n")).toContain("`bellhop start`");
  }
});

test("fits 80 columns in every language, however many there are and whatever the log said", () => {
  const failures = [
    {
      ts: "2026-02-26T14:20:00.000Z",
      module: "discord",
      error_code: "E_DISCORD_RATE_LIMIT" as const,
      text: `${"long ".repeat(40)}\u001b[2J`,
    },
  ];
  const many = Array.from({ length: 30 }, () => ({
    running_job_id: job_id,
    running_since: quiet.last_activity_at,
    project_name: "p".repeat(40),
    parked: { kind: "limit" as const, job_id, until: "2026-02-26T16:00:00.000Z", lifted: false },
  }));
  for (const locale of ["en", "ko", "ja", "zh-TW"] as const) {
    const lines = statusLines(
      told(many, {
        gateway: { ...live, phase: "identifying", healthy: false, next_try_ms: 9_999_999, why: "w".repeat(200) },
        failures,
        sessions_total: 700,
      }),
      now,
      locale,
    );
    expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
    expect(lines.join("\n")).not.toContain("\u001b");
    expect(lines.length).toBeLessThan(100);
    expect(lines.join("\n")).toContain("680");
  }
});

test.each([
  [-5, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_600_000, "1 h"],
  [7_500_000, "2 h 5 min"],
  [86_400_000, "1 d"],
  [100_800_000, "1 d 4 h"],
])("%d ms are %s", (ms, text) => {
  expect(span(ms)).toBe(text);
});
