/**
 * Every command there is, with a secret in each of its texts: none of it enters the state or the journal. A new kind of
 * command does not compile here until it has its line.
 */
import { theirWords } from "../../src/base/errors.ts";
import { expect, test } from "vitest";
import { Redactor } from "../../src/base/redact.ts";
import type { AskCommand } from "../../src/core/decisions/decision.ts";
import type { Command } from "../../src/core/slices.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryJournal } from "../fakes/memory-journal.ts";

const SECRET = 'sk-ant-api03-0123456789"abcdef';
const CODED = [
  SECRET,
  JSON.stringify(SECRET).slice(1, -1),
  encodeURIComponent(SECRET),
  Buffer.from(SECRET).toString("base64").slice(0, -2),
];
const S = `a ${SECRET} b ${encodeURIComponent(SECRET)} c ${Buffer.from(SECRET).toString("base64")} d`;
const [T, JOB, D, Q] = ["100000000000000001", "job_20260301_0001", "dec_1", "app_20260301_000001"];
const id = (number: number): string => `10000000000000${1000 + number}`;
const sha256 = "0".repeat(64);
const ends = { result_excerpt: S, result_sha256: sha256, model: S, usage: null };
const option = { label: S, description: S };
const ask = (decision_id: string, change: Partial<AskCommand>): AskCommand => ({
  type: "ask",
  decision_id,
  kind: "permission",
  thread_id: T,
  asker: { by: "job", job_id: JOB, request_id: S },
  context: S,
  lapses_at: null,
  questions: [{ question: S, header: S, options: [option, option, option], many: false, words: true }],
  subject: { tool: S, title: S, sha256, pages: 2, grant_until: "2026-03-02T12:00:00.000Z" },
  ...change,
});
const mcp = {
  by: "mcp",
  project: S,
  pending_dir: S,
  timeout_seconds: null,
  wanted_thread: null,
  channel_id: "2",
  bot_id: "4",
} as const;
const checkout = { cwd: S, branch: S, head: sha256, tree: sha256 };
const writer = { author: S, author_id: "1", timestamp: "2026-03-01T12:00:00Z", content: S };
const heard = {
  thread_id: T,
  prompt: S,
  files: [{ path: S, sha256: S }],
  refused_files: [{ name: S, why: "not_taken" }],
  reply_to: null,
};
const project = {
  name: "app",
  path: `/srv/${S}`,
  enabled_tools: ["claude", "codex"],
  default_tool: "claude",
  default_args: { claude: [S] },
};

/** In an order in which they mean something. */
const DOORS: { [Type in Command["type"]]: (Command & { type: Type })[] } = {
  restart: [{ type: "restart" }],
  know_owner: [{ type: "know_owner", owner_id: S, from: "discovered" }],
  create_project: [{ type: "create_project", project }],
  projects_saved: [{ type: "projects_saved", names: ["app", S] }],
  see_project: [{ type: "see_project", project_name: "app", path: S, configuration: S }],
  switch_project: [{ type: "switch_project", project_name: "app" }],
  start_session: [
    { type: "start_session", request_id: "r", project_name: "app", channel_id: "2", guild_id: "3", bot_id: "4" },
    { type: "start_session", request_id: "s", project_name: "app", channel_id: "2", guild_id: "3", bot_id: "4" },
  ],
  adopt: [{ type: "adopt", claude_session: S, adopted: true, request_id: S }],
  release: [{ type: "release", thread_id: T }],
  offer_adoption: [
    {
      type: "offer_adoption",
      claude_session: S,
      project_name: S,
      pid: 7,
      start_time: "1@b",
      socket: S,
      window_id: "@1",
      pane_id: "%1",
      cwd: S,
      mode: S,
      channel_id: "2",
      guild_id: "3",
      bot_id: "4",
    },
  ],
  close_session: [{ type: "close_session", thread_id: "9", by: "owner" }],
  ready_start: [{ type: "ready_start", request_id: "9" }],
  note_background: [{ type: "note_background", thread_id: T, tool: "claude", what: S }],
  note_told: [
    {
      type: "note_told",
      thread_id: T,
      tool: "claude",
      told: { model: S, commands: [{ name: S, description: S, hint: S }] },
    },
  ],
  import_terminal_state: [
    {
      type: "import_terminal_state",
      threads: [{ thread_id: "11", channel_id: "2", project_name: "app", worktree: { path: S, branch: S } }],
    },
  ],
  choose_settings: [{ type: "choose_settings", thread_id: T }],
  settings_refused: [
    {
      type: "settings_refused",
      thread_id: T,
      code: "E_CONFIG_WRITE",
      details: { path: S, reason: theirWords("EACCES") },
    },
  ],
  settings_saved: [
    {
      type: "settings_saved",
      thread_id: T,
      settings: { tool: "claude", model: S },
      parked: { tool: "codex", model: S },
    },
  ],
  finish_job: [{ type: "finish_job", job_id: S }],
  choose_budget: [{ type: "choose_budget", thread_id: T, budget: null }],
  raise_budget: [{ type: "raise_budget", thread_id: T, job_id: S, since: S }],
  stop_at_budget: [{ type: "stop_at_budget", thread_id: T, job_id: S, since: S }],
  choose_effort: [{ type: "choose_effort", thread_id: T, tool: "claude", effort: S }],
  want_conversation: [{ type: "want_conversation", thread_id: T, how: "new" }],
  choose_model: [{ type: "choose_model", thread_id: T, tool: "claude", model: S }],
  set_mode: [{ type: "set_mode", thread_id: T, tool: "claude", mode: S, by: "agent" }],
  reopen_session: [{ type: "reopen_session", thread_id: "9" }],
  take_place: [
    {
      type: "take_place",
      kind: "found",
      thread_id: "80",
      project_name: "app",
      channel_id: "2",
      guild_id: "3",
      bot_id: "4",
      since: "80",
    },
  ],
  open_session: [{ type: "open_session", request_id: "r", thread_id: T }],
  drop_start: [{ type: "drop_start", request_id: "s", code: "E_THREAD_ACCESS_FAILED" }],
  open_channel: [{ type: "open_channel", channel_id: "7", guild_id: "3", bot_id: "4", kind: "watched", since: "7" }],
  request_window: [{ type: "request_window", thread_id: T }],
  refuse_window: [
    { type: "refuse_window", thread_id: T, code: "E_CLI_EXIT_NONZERO", details: { reason: theirWords(S) } },
  ],
  open_window: [
    {
      type: "open_window",
      thread_id: T,
      server: "own",
      socket: S,
      window_id: "@1",
      pane_id: "%1",
      pid: 7,
      start_time: "1@b",
      cwd: S,
      adopted: false,
    },
  ],
  hear: [1, 2].map((number) => ({ type: "hear", ...heard, discord_message_id: id(number) })),
  hold_forward: [3, 4].map((number) => ({
    type: "hold_forward",
    thread_id: T,
    discord_message_id: id(20 + number),
    quote: {
      how: "forward",
      message_id: id(20 + number),
      mark: "quoted_0123456789ab",
      whose: "unknown",
      author: null,
      at: null,
      text: `${S} was said`,
      left_out: 0,
      files: [],
      named: [S],
    },
  })),
  send_forward: [{ type: "send_forward", thread_id: T, discord_message_id: id(23) }],
  drop_forward: [{ type: "drop_forward", thread_id: T, discord_message_id: id(24) }],
  edit_message: [{ type: "edit_message", thread_id: T, discord_message_id: id(2), prompt: `${S} more` }],
  progress: [
    { type: "progress", job_id: JOB, progress: { kind: "session_key", adapter_state: { session_id: S } } },
    { type: "progress", job_id: JOB, progress: { kind: "tool", name: S, title: S, ok: true } },
    { type: "progress", job_id: JOB, progress: { kind: "denied", name: S } },
    { type: "progress", job_id: JOB, progress: { kind: "checkout", checkout } },
  ],
  ask: [
    ask(D, {}),
    ask("dec_2", { kind: "question", subject: null }),
    ask("dec_3", { kind: "question", subject: null, form: true }),
    ask(Q, { kind: "question", subject: null, asker: mcp, thread_id: null }),
  ],
  place_decision: [
    { type: "place_decision", decision_id: Q, thread_id: "9", channel_id: "2", guild_id: "3", bot_id: "4", since: "9" },
  ],
  record_post: [{ type: "record_post", subject: D, part: "prompt", channel_id: T, message_id: id(3), hash: S, is: S }],
  see_page: [{ type: "see_page", decision_id: D, page: 2 }],
  decline: [{ type: "decline", decision_id: "dec_3", how: "cancel" }],
  snooze: [{ type: "snooze", decision_id: Q, until: S }],
  remind: [{ type: "remind", decision_id: D, step: 1, by: "mention" }],
  disconnect: [{ type: "disconnect", decision_id: Q }],
  reconnect: [{ type: "reconnect", decision_id: Q }],
  notice: [{ type: "notice", decision_id: Q }],
  note_agent_post: [{ type: "note_agent_post", request: S, channel_id: "7", message_id: null }],
  answer: [
    { type: "answer", decision_id: D, question: 0, answer: { places: [2], words: S }, sha256 },
    { type: "answer", decision_id: "dec_2", question: 0, answer: { places: [], words: S }, sha256: null },
  ],
  take_back: [{ type: "take_back", decision_id: D }],
  leave_decision: [{ type: "leave_decision", decision_id: D, work: JOB }],
  ask_there: [
    { type: "ask_there", decision_id: "q1", asker: { by: "hook", request_id: "req_1", claude_session: S, pid: 4711 } },
  ],
  take_over: [
    { type: "take_over", thread_id: T, asker: { by: "turn", turn_id: "turn_1", request_id: "req_1", subagent: S } },
  ],
  answer_stands: [{ type: "answer_stands", decision_id: D }],
  answer_delivered: [{ type: "answer_delivered", decision_id: D }],
  lapse: [{ type: "lapse", decision_id: Q, lapses_at: S }],
  void: [{ type: "void", decision_id: Q, why: "no_place" }],
  revoke_grant: [{ type: "revoke_grant", thread_id: T, decision_id: S }],
  add_rule: [
    {
      ...{ type: "add_rule", rule_id: "rule_1", effect: "allow", by: "thread", root: S, decision_id: "dec_rule" },
      ...{ cover: { family: "exact", tool: S, sha256, cwd: S }, author_id: "9", sha256 },
    },
  ],
  ask_by_rules: [
    {
      ...{ type: "ask_by_rules", ask: ask("dec_by_rule", {}), bytes: S },
      facts: {
        thread_id: T,
        project: "app",
        root: S,
        cwd: S,
        real: new Map([[S, S]]),
        files: new Set<string>(),
        definition: S,
      },
    },
  ],
  remove_rule: [{ type: "remove_rule", rule_id: "rule_1" }],
  made_worktree: [{ type: "made_worktree", thread_id: T, path: S, branch: S }],
  see_worktree: [{ type: "see_worktree", thread_id: T, configuration: S }],
  note_rules: [{ type: "note_rules", project_name: "app", thread_id: T, job_id: JOB, rules: [S] }],
  archive_thread: [{ type: "archive_thread", thread_id: T, at: S, surely: true }],
  ask_archive: [
    {
      type: "ask_archive",
      thread_id: T,
      left: { busy: true, window: true, worktree: { path: S, branch: S, files: 1, commits: 1, mark: S } },
    },
  ],
  remove_worktree: [{ type: "remove_worktree", thread_id: T, mark: S }],
  archive_done: [
    {
      type: "archive_done",
      thread_id: T,
      left: { busy: true, window: true, worktree: { path: S, branch: S, files: 1, commits: 1, mark: S } },
    },
  ],
  reopen_thread: [{ type: "reopen_thread", thread_id: T }],
  find_orphan: [{ type: "find_orphan", path: S, project_name: S }],
  lose_worktree: [{ type: "lose_worktree", thread_id: T, path: S }],
  removed_worktree: [{ type: "removed_worktree", thread_id: T, path: S }],
  clear_window: [{ type: "clear_window", thread_id: T, pane_id: "%1", tool: "codex", key: S }],
  close_window: [{ type: "close_window", thread_id: T, pane_id: "%1", why: "exit", exit_code: 1 }],
  complete: [{ type: "complete", job_id: JOB, ...ends }],
  fail: [
    {
      type: "fail",
      job_id: JOB.replace("0001", "0002"),
      code: "E_CLI_EXIT_NONZERO",
      details: { reason: theirWords(S), [S]: S },
      ...ends,
    },
  ],
  cancelled: [{ type: "cancelled", job_id: JOB.replace("0001", "0003") }],
  retry: [{ type: "retry", job_id: JOB.replace("0001", "0002"), prompt: `${S} again` }],
  continue: [{ type: "continue", job_id: S }],
  discard: [{ type: "discard", job_id: S }],
  put_back: [{ type: "put_back", job_id: S, why: "limit" }],
  park: [
    {
      type: "park",
      thread_id: T,
      job_id: JOB.replace("0001", "0004"),
      wait: { kind: "limit", job_id: S, until: "2026-03-02T12:00:00.000Z" },
    },
  ],
  accept_changed: [{ type: "accept_changed", thread_id: T, job_id: S, digest: S, by: "seen" }],
  begin_outside_turn: [
    { type: "begin_outside_turn", turn_id: "turn_1", thread_id: T, tool: "claude", origin: "terminal", prompt: S },
  ],
  end_outside_turn: [
    {
      type: "end_outside_turn",
      turn_id: "turn_1",
      outcome: "failed",
      error_code: "E_CLI_EXIT_NONZERO",
      error_details: { reason: theirWords(S) },
      result_excerpt: S,
      result_sha256: sha256,
      model: S,
    },
  ],
  lift_limit: [{ type: "lift_limit", thread_id: T, job_id: S }],
  unpark: [{ type: "unpark", thread_id: T, job_id: S, by: "owner" }],
  move_first: [{ type: "move_first", job_id: S }],
  send_now: [{ type: "send_now", job_id: S }],
  sent: [{ type: "sent", job_id: S, into: S }],
  not_sent: [{ type: "not_sent", job_id: S, code: "E_SEND_FAILED" }],
  queue_checked: [{ type: "queue_checked", thread_id: T }],
  start_waiting: [{ type: "start_waiting" }],
  cancel_job: [{ type: "cancel_job", job_id: S, by: "owner" }],
  clear_queue: [{ type: "clear_queue", thread_id: T }],
  delete_message: [{ type: "delete_message", thread_id: T, discord_message_id: id(2) }],
  name_session: [{ type: "name_session", thread_id: T, name: S }],
  change_tool: [{ type: "change_tool", thread_id: T, tool: "codex" }],
  receive: [{ type: "receive", place_id: "7", message_id: "71", ...writer }],
  read_inbox: [{ type: "read_inbox", message_ids: ["71", S] }],
  clear_inbox: [{ type: "clear_inbox", message_ids: [S] }],
  channel_read: [{ type: "channel_read", channel_id: T, through: id(9) }],
  lose_thread: [{ type: "lose_thread", thread_id: T, place: "thread", code: "E_THREAD_ACCESS_FAILED" }],
  find_thread: [{ type: "find_thread", thread_id: T }],
  adopt_projects: [
    {
      type: "adopt_projects",
      projects: [
        {
          ...project,
          path: `/other/${S}`,
          created_at: "2026-03-01T12:00:00.000Z",
          updated_at: "2026-03-01T12:00:00.000Z",
        },
      ],
    },
  ],
  lock: [{ type: "lock", by: "machine" }],
  refuse_word: [{ type: "refuse_word" }],
  unlock: [{ type: "unlock", by: "set", interaction_id: "2000000000000000001" }],
  forget_session: [{ type: "forget_session", thread_id: "11" }],
  forgetting_done: [{ type: "forgetting_done", thread_id: "11" }],
};

test("whatever is asked of the core, a secret in it enters neither the state nor the journal", async () => {
  const redactor = new Redactor([SECRET]);
  const clock = createFakeClock(Date.UTC(2026, 2, 1, 12));
  const journal = createMemoryJournal(clock, {}, (value) => redactor.value(value));
  const { engine } = journal.open();
  const marked = new Set<string>();
  for (const command of Object.values(DOORS).flat()) {
    const events = await engine.submit(command).catch(() => []);
    // Its thread is free for the next one.
    if (command.type === "complete") await engine.submit({ type: "progress", job_id: JOB, progress: { kind: "gone" } });
    const written = JSON.stringify([events, engine.state]);
    for (const coded of CODED) expect(written, command.type).not.toContain(coded);
    for (const event of events) if (JSON.stringify(event).includes("[redacted]")) marked.add(event.type);
  }
  // The texts did come in, without what is secret in them.
  for (const type of [
    "ProjectCreated",
    "JobEnqueued",
    "JobEdited",
    "JobProgress",
    "DecisionAsked",
    "DecisionAnswered",
    "JobCompleted",
    "JobFailed",
    "InboxReceived",
    "MessageRefused",
    "PostRecorded",
    "ProjectUpdated",
    "WindowRefused",
  ]) {
    expect([...marked]).toContain(type);
  }
});
