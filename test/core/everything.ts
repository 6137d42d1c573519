/** One history with every type of event there is, as it is written now. */
import { digestOf } from "../../src/base/digest.ts";
import { theirWords } from "../../src/base/errors.ts";
import { archiveMark } from "../../src/core/sessions/archives.ts";
import type { Quote } from "../../src/core/jobs/run.ts";
import type { Command } from "../../src/core/slices.ts";
import { everyDetail } from "./every-detail.ts";
import { job, message, Scene, T1 } from "./scene.ts";

/** What the owner changes, and what has to wait. */
function changes(scene: Scene): void {
  scene.rules = { ...scene.rules, max_queue_per_session: 5 };
  scene.do({
    type: "create_project",
    project: { name: "two", path: "/two", enabled_tools: ["claude"], default_tool: "claude", default_args: {} },
  });
  scene.do({ type: "switch_project", project_name: "two" });
  for (const number of [6, 7, 8]) scene.hear(T1, message(number));
  const [first = ""] = scene.running();
  scene.do({ type: "put_back", job_id: first, why: "limit" });
  scene.do({
    type: "park",
    thread_id: T1,
    job_id: first,
    wait: { kind: "limit", job_id: first, until: "2026-02-26T15:00:00.000Z" },
  });
  scene.do({ type: "restart" });
  scene.do({ type: "edit_message", thread_id: T1, discord_message_id: message(7), prompt: "better" });
  scene.do({ type: "move_first", job_id: scene.state.sessions[T1]?.queue[1] ?? "" });
  scene.do({ type: "queue_checked", thread_id: T1 });
  scene.do({ type: "lift_limit", thread_id: T1, job_id: first });
  scene.do({ type: "unpark", thread_id: T1, job_id: first, by: "owner" });
  scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
  scene.do({
    type: "offer_adoption",
    claude_session: "c1",
    project_name: "one",
    pid: 8,
    start_time: "1@b",
    socket: "/tmp/x",
    window_id: "@1",
    pane_id: "%1",
    cwd: "/one",
    channel_id: "2",
    guild_id: "3",
    bot_id: "4",
  });
  scene.do({ type: "adopt", claude_session: "c1", adopted: false });
  scene.do({
    type: "open_window",
    thread_id: T1,
    server: "own",
    socket: "/run/x.tmux",
    window_id: "@1",
    pane_id: "%1",
    pid: 7,
    start_time: "1@b",
    cwd: "/one",
    adopted: false,
  });
  scene.do({
    type: "begin_outside_turn",
    turn_id: "turn_1",
    thread_id: T1,
    tool: "codex",
    origin: "terminal",
    prompt: "/clear",
  });
  scene.do({
    type: "progress",
    job_id: "turn_1",
    progress: { kind: "session_key", adapter_state: { session_id: "k" } },
  });
  scene.do({ type: "end_outside_turn", turn_id: "turn_1", outcome: "done" });
  scene.do({ type: "clear_window", thread_id: T1, pane_id: "%1", tool: "codex", key: "k" });
  scene.do({ type: "close_window", thread_id: T1, pane_id: "%1", why: "exit" });
  scene.do({ type: "made_worktree", thread_id: T1, path: "/one/.claude/worktrees/a", branch: "worktree-a" });
  scene.do({ type: "see_worktree", thread_id: T1, configuration: "c" });
  scene.do({ type: "note_rules", thread_id: T1, project_name: "one", job_id: job(1), rules: ["Bash(ls)"] });
  const left = { busy: false, window: false, worktree: null };
  const at = "2026-02-26T14:00:00.000Z";
  scene.do({ type: "import_terminal_state", threads: [] });
  scene.do({ type: "archive_thread", thread_id: T1, at, surely: false });
  scene.do({ type: "ask_archive", thread_id: T1, left });
  scene.do({ type: "remove_worktree", thread_id: T1, mark: archiveMark({ at, left }) });
  scene.do({ type: "archive_done", thread_id: T1, left });
  scene.do({ type: "archive_thread", thread_id: T1, at: "2026-02-26T15:00:00.000Z", surely: false });
  scene.do({ type: "reopen_thread", thread_id: T1 });
  scene.do({ type: "lose_worktree", thread_id: T1, path: "/one/.claude/worktrees/a" });
  scene.do({ type: "made_worktree", thread_id: T1, path: "/one/.claude/worktrees/a", branch: "worktree-a" });
  scene.do({ type: "removed_worktree", thread_id: T1, path: "/one/.claude/worktrees/a" });
  scene.do({ type: "find_orphan", path: "/one/.claude/worktrees/b", project_name: "app" });
  const [running = ""] = scene.running();
  scene.do({
    type: "delete_message",
    thread_id: T1,
    discord_message_id: scene.state.jobs[running]?.discord_message_id ?? "",
  });
}

/** What only the owner settles, and what else becomes of it. */
function decisions(scene: Scene): void {
  const [running = ""] = scene.running();
  const sha256 = "0".repeat(64);
  scene.do({ type: "open_channel", channel_id: "8", guild_id: null, bot_id: "4", kind: "direct", since: "8" });
  scene.ask(running, "dec_0");
  scene.do({ type: "leave_decision", decision_id: "dec_0", work: running });
  scene.do({ type: "void", decision_id: "dec_0", why: "asker_gone" });
  scene.ask(running, "dec_1", 2);
  scene.show("dec_1", message(19));
  scene.hear(T1, message(20), "and then tidy up the folder");
  scene.do({
    type: "record_post",
    subject: "dec_1",
    part: "prompt",
    channel_id: T1,
    message_id: message(19),
    hash: "i",
    is: "said",
    partly: true,
  });
  scene.do({
    type: "record_post",
    subject: "dec_1",
    part: "prompt",
    channel_id: T1,
    message_id: message(19),
    hash: "j",
    is: "said",
  });
  scene.do({ type: "see_page", decision_id: "dec_1", page: 2 });
  scene.do({ type: "answer", decision_id: "dec_1", question: 0, answer: { places: [1], words: null }, sha256 });
  scene.do({ type: "answer_delivered", decision_id: "dec_1" });
  scene.do({ type: "revoke_grant", thread_id: T1, decision_id: "dec_1" });
  scene.ask(running, "dec_2");
  scene.do({ type: "void", decision_id: "dec_2", why: "withdrawn" });
  scene.do({ type: "cancel_job", job_id: running, by: "owner" });
  scene.question("app_20260226_000001", ["Which?", "And which?"], "2026-02-26T15:00:00.000Z");
  scene.do({
    type: "place_decision",
    decision_id: "app_20260226_000001",
    thread_id: "9",
    channel_id: "2",
    guild_id: "3",
    bot_id: "4",
    since: "9",
  });
  for (const type of ["disconnect", "notice", "reconnect"] as const)
    scene.do({ type, decision_id: "app_20260226_000001" });
  scene.do({ type: "restart" });
  scene.do({ type: "remind", decision_id: "app_20260226_000001", step: 1, by: "mention" });
  scene.hear("9", "30", "let me think");
  scene.do({ type: "snooze", decision_id: "app_20260226_000001", until: "2026-02-26T14:45:00.000Z" });
  scene.do({
    type: "remind",
    decision_id: "app_20260226_000001",
    step: 2,
    by: "mention",
    snoozed_until: "2026-02-26T14:45:00.000Z",
  });
  scene.hear("9", "31", "A");
  for (const id of ["32", "33", "34"]) scene.hear("9", id, "A or B");
  scene.question("app_20260226_000002", ["When?"], "2026-02-26T15:00:00.000Z");
  scene.now = Date.parse("2026-02-26T15:00:00.000Z");
  scene.do({ type: "lapse", decision_id: "app_20260226_000002", lapses_at: "2026-02-26T15:00:00.000Z" });
}

/** Answered by a press that nobody heard, taken back, and answered by one that stands. */
function takenBack(scene: Scene): void {
  const id = "app_20260226_000003";
  scene.question(id, ["Where?"]);
  scene.do({ type: "disconnect", decision_id: id });
  scene.press(id, [0]);
  scene.do({ type: "take_back", decision_id: id });
  scene.press(id, [1]);
  scene.do({ type: "answer_stands", decision_id: id });
}

/** What is written for an agent to read. */
function inbox(scene: Scene): void {
  const writer = { author: "owner", author_id: "1", timestamp: "2026-02-26T15:00:00Z" };
  scene.do({ type: "open_channel", channel_id: "7", guild_id: "3", bot_id: "4", kind: "watched", since: "7" });
  scene.do({ type: "receive", place_id: "7", message_id: "71", content: "look", ...writer });
  scene.do({ type: "read_inbox", message_ids: ["71"] });
  scene.do({ type: "edit_message", thread_id: "7", discord_message_id: "71", prompt: "look here" });
  scene.do({ type: "clear_inbox", message_ids: ["71"] });
  scene.do({ type: "note_agent_post", request: "notify:r", channel_id: "7", message_id: null });
}

/** What the owner writes in his channel, and the session that he opens with it. */
function offered(scene: Scene): void {
  const from = { author: "owner", author_id: "1", timestamp: "2026-02-26T15:00:00Z", content: "begin" };
  scene.do({ type: "open_channel", channel_id: "6", guild_id: "3", bot_id: "4", kind: "watched", since: "6" });
  scene.do({
    type: "hear",
    thread_id: "6",
    discord_message_id: "62",
    prompt: "begin",
    files: [],
    refused_files: [],
    reply_to: null,
    from,
    offered: true,
  });
  scene.do({
    type: "start_session",
    request_id: "r62",
    project_name: "app",
    channel_id: "6",
    guild_id: "3",
    bot_id: "4",
    on_message: "62",
  });
  scene.do({ type: "open_session", request_id: "r62", thread_id: "62" });
  scene.do({ type: "read_inbox", channel_id: "6", message_ids: [] });
  scene.hear("62", "63");
  const job_id = scene.state.sessions["62"]?.running_job_id ?? scene.state.sessions["62"]?.queue[0] ?? "";
  scene.do({ type: "put_back", job_id, why: "stuck" });
  const wait = { kind: "stuck", job_id, cause: "busy", code: "E_SERVICE_BUSY", details: { status: 529 } } as const;
  const times = { since: "2026-02-26T15:00:00.000Z", until: "2026-02-26T15:01:00.000Z" };
  scene.do({ type: "park", thread_id: "62", job_id, wait: { ...wait, ...times } });
}

/** What its agent does by itself. */
function outside(scene: Scene): void {
  const turn_id = "turn_1";
  scene.do({ type: "begin_outside_turn", turn_id, thread_id: T1, tool: "claude", origin: "background" });
  scene.do({ type: "progress", job_id: turn_id, progress: { kind: "tool", name: "Bash", title: "ls", ok: true } });
  scene.post(turn_id, message(60), "answer:0");
  scene.do({
    type: "end_outside_turn",
    turn_id,
    outcome: "done",
    result_excerpt: "it is built",
    result_sha256: "0".repeat(64),
    model: "m",
    usage: { input_tokens: 1 },
  });
}

/** One message is taken up in the running turn, and one is not. */
function sends(scene: Scene): void {
  const thread_id = T1;
  scene.do({ type: "queue_checked", thread_id });
  scene.do({ type: "clear_queue", thread_id });
  const into = scene.state.sessions[thread_id]?.running_job_id ?? "";
  scene.learn(into, { kind: "process", pid: 42, start_time: "7", steers: true });
  for (const [number, end] of [
    { type: "sent", into } as const,
    { type: "not_sent", code: "E_SEND_FAILED" } as const,
  ].entries()) {
    scene.hear(thread_id, message(71 + number));
    const job_id = scene.state.sessions[thread_id]?.queue[0] ?? "";
    scene.do({ type: "send_now", job_id });
    scene.do({ ...end, job_id });
  }
}

/** A window that is wanted without a prompt. */
function wished(scene: Scene): void {
  scene.do({
    type: "create_project",
    project: { name: "desk", path: "/desk", enabled_tools: ["tmux"], default_tool: "tmux", default_args: {} },
  });
  scene.do({
    type: "start_session",
    request_id: "r7",
    project_name: "desk",
    channel_id: "2",
    guild_id: "3",
    bot_id: "4",
    window: true,
  });
  scene.do({ type: "open_session", request_id: "r7", thread_id: "77" });
  scene.do({ type: "refuse_window", thread_id: "77", code: "E_TMUX_MISSING", details: {} });
  scene.do({ type: "request_window", thread_id: "77" });
}

/** One of each. */
export function everything(): Scene {
  const scene = new Scene({ max_queue_per_session: 1 });
  wished(scene);
  scene.withSessions(T1);
  // The journal of an older format.
  scene.state.version = scene.replayed.version = 1;
  scene.do({ type: "know_owner", owner_id: "5", from: "discovered" });
  scene.do({ type: "projects_saved", names: ["app"] });
  const app = structuredClone(scene.state.projects["app"]);
  if (app) scene.do({ type: "adopt_projects", projects: [{ ...app, path: "/new" }] });
  scene.do({ type: "see_project", project_name: "app", path: "/new", configuration: null });
  scene.do({
    type: "start_session",
    request_id: "r9",
    project_name: "app",
    channel_id: "2",
    guild_id: "3",
    bot_id: "4",
  });
  scene.do({ type: "drop_start", request_id: "r9", code: "E_THREAD_ACCESS_FAILED" });
  scene.do({
    type: "start_session",
    request_id: "r8",
    project_name: "app",
    channel_id: "2",
    guild_id: "3",
    bot_id: "4",
    agent: true,
  });
  scene.do({ type: "ready_start", request_id: "r8" });
  scene.do({
    type: "drop_start",
    request_id: "r8",
    code: "E_AGENT_START_FAILED",
    details: { reason: theirWords("no room") },
  });
  for (const number of [1, 2, 3]) scene.hear(T1, message(number));
  scene.do({ type: "name_session", thread_id: T1, name: "Mend the door" });
  scene.do({ type: "close_session", thread_id: T1, by: "owner" });
  scene.do({ type: "reopen_session", thread_id: T1 });
  scene.do({ type: "choose_model", thread_id: T1, tool: "claude", model: "opus" });
  scene.do({ type: "choose_settings", thread_id: T1 });
  scene.do({
    type: "settings_refused",
    thread_id: T1,
    code: "E_CONFIG_WRITE",
    details: { path: "/state/config.json", reason: theirWords("EACCES") },
  });
  scene.do({ type: "settings_saved", thread_id: T1, settings: { tool: "claude", model: "opus" } });
  scene.do({ type: "choose_model", thread_id: T1, tool: "claude", model: "opus" });
  scene.do({ type: "set_mode", thread_id: T1, tool: "acp", mode: "plan", by: "agent" });
  scene.do({ type: "note_told", thread_id: T1, tool: "claude", told: { model: "opus" } });
  scene.do({ type: "note_background", thread_id: T1, tool: "claude", what: "npm run watch" });
  scene.do({
    type: "record_post",
    subject: job(1),
    part: "answer:0",
    channel_id: T1,
    message_id: "8",
    hash: "h",
    is: "whole to 4",
    upto: { chars: 4, sha256: "0".repeat(64) },
  });
  scene.finish(job(1));
  scene.do({
    type: "fail",
    job_id: job(2),
    code: "E_MODEL_UNAVAILABLE",
    details: { model: "opus" },
    result_excerpt: null,
    result_sha256: null,
    model: null,
    usage: null,
  });
  scene.do({ type: "progress", job_id: job(2), progress: { kind: "gone" } });
  scene.hear(T1, message(4));
  scene.do({
    type: "progress",
    job_id: job(3),
    progress: { kind: "said", result_excerpt: "so", result_sha256: "0".repeat(64) },
  });
  scene.do({ type: "progress", job_id: job(3), progress: { kind: "left_out", why: "deep", bytes: 7 } });
  scene.do({ type: "progress", job_id: job(3), progress: { kind: "compacted", before: 180_000, after: 12_000 } });
  scene.do({ type: "progress", job_id: job(3), progress: { kind: "renewed" } });
  scene.do({
    type: "progress",
    job_id: job(3),
    progress: { kind: "warned", code: "mode_set_back", mode: "bypassPermissions" },
  });
  scene.do({ type: "progress", job_id: job(3), progress: { kind: "attachment", name: "a.png", why: null } });
  scene.do({ type: "cancelled", job_id: job(3), result_excerpt: "so far", result_sha256: "1".repeat(64) });
  scene.do({ type: "progress", job_id: job(3), progress: { kind: "gone" } });
  scene.hear(T1, message(5));
  scene.do({ type: "restart" });
  const held = scene.state.threads[T1]?.hold;
  if (held) {
    scene.post(held, "9");
    scene.do({ type: "discard", job_id: held });
  }
  changes(scene);
  scene.do({ type: "channel_read", channel_id: T1, through: message(9) });
  scene.do({ type: "lose_thread", thread_id: T1, place: "thread", code: "E_THREAD_ACCESS_FAILED" });
  scene.do({ type: "find_thread", thread_id: T1 });
  decisions(scene);
  takenBack(scene);
  inbox(scene);
  outside(scene);
  sends(scene);
  everyDetail(scene);
  for (const number of [901, 902]) scene.do(forward(number));
  scene.do({ type: "send_forward", thread_id: T1, discord_message_id: message(901) });
  scene.do({ type: "drop_forward", thread_id: T1, discord_message_id: message(902) });
  offered(scene);
  for (let number = 903; number < 924; number += 1) scene.do(forward(number));
  nextConversations(scene);
  scene.do({ type: "adopt_projects", projects: [] });
  sentences(scene);
  budgets(scene);
  scene.do({ type: "forget_session", thread_id: "202" });
  scene.do({ type: "forgetting_done", thread_id: "202" });
  locked(scene);
  ruled(scene);
  return scene;
}

function locked(scene: Scene): void {
  scene.do({ type: "lock", by: "machine" });
  scene.hear(T1, message(925));
  for (let wrong = 0; wrong < 5; wrong += 1) scene.do({ type: "refuse_word" });
  scene.now += 15 * 60_000;
  scene.do({ type: "unlock", by: "shown", interaction_id: message(926) });
}

function utcDay(at: string): { from: string; until: string } {
  const from = `${at.slice(0, 10)}T00:00:00.000Z`;
  return { from, until: new Date(Date.parse(from) + 86_400_000).toISOString() };
}

/** Of a session and of the day, told meanwhile and at the end; used up, raised, and stopped at. */
function budgets(scene: Scene): void {
  const thread_id = "203";
  scene.withSessions(thread_id);
  const before = scene.rules;
  scene.rules = {
    ...before,
    global_max_running: 9,
    budget: { session: {}, day: { USD: 9 }, stops_now: true, dayAt: utcDay },
  };
  scene.do({ type: "choose_budget", thread_id, budget: { tokens: 100, EUR: 5 } });
  const next = (number: number): string => {
    scene.hear(thread_id, message(number));
    return scene.state.sessions[thread_id]?.running_job_id ?? "";
  };
  const end = { result_excerpt: "said", result_sha256: null, model: null };
  const first = next(930);
  scene.do({ type: "complete", job_id: first, ...end, usage: { input_tokens: 60, output_tokens: 30, cost_usd: 1 } });
  scene.learn(first, { kind: "gone" });
  const second = next(931);
  scene.learn(second, { kind: "used", amounts: { tokens: 20 } });
  scene.do({ type: "cancelled", job_id: second, usage: { input_tokens: 25, output_tokens: 0, cost_usd: 9 } });
  scene.learn(second, { kind: "gone" });
  const since = (): string => {
    const wait = scene.state.threads[thread_id]?.wait;
    return wait?.kind === "budget" ? wait.since : "";
  };
  next(932);
  scene.do({ type: "stop_at_budget", thread_id, job_id: second, since: since() });
  scene.do({ type: "raise_budget", thread_id, job_id: second, since: since(), to: 500 });
  const { wait } = scene.state.threads[thread_id] ?? {};
  scene.do({ type: "raise_budget", thread_id, job_id: wait?.job_id ?? "", since: since() });
  scene.finish(scene.state.sessions[thread_id]?.running_job_id ?? "");
  scene.rules = before;
}

/** Rules of the owner's: one is made and settles what comes next; it is removed. */
function ruled(scene: Scene): void {
  scene.withSessions("204");
  scene.hear("204", message(940));
  const running = scene.state.sessions["204"]?.running_job_id ?? "";
  const bytes = JSON.stringify({ tool: "Bash", input: { command: "ls" } });
  const cwd = "/srv/app";
  const subject = {
    ...{ tool: "Bash", title: "ls", sha256: digestOf(bytes), pages: 1, cwd, rules: true as const },
    grant_until: "2026-02-27T15:00:00.000Z",
  };
  const cover = { family: "exact" as const, tool: "Bash", sha256: subject.sha256, cwd };
  const rule_id = "rule_20260226_00000000000000000000000000000001";
  scene.ask(running, "dec_ruled", 1, { subject });
  scene.do({
    ...{ type: "add_rule", rule_id, effect: "allow", by: "project", root: cwd, cover },
    ...{ decision_id: "dec_ruled", author_id: "9", sha256: subject.sha256 },
  });
  const ask = scene.askCommand(running, "dec_by_rule", 1, { subject });
  const facts = {
    thread_id: "204",
    project: "app",
    root: cwd,
    cwd,
    real: new Map<string, null>(),
    files: new Set<string>(),
    definition: null,
  };
  scene.do({ type: "ask_by_rules", ask, bytes, facts });
  scene.do({ type: "remove_rule", rule_id });
}

function forward(number: number): Extract<Command, { type: "hold_forward" }> {
  const discord_message_id = message(number);
  const quote: Quote = {
    how: "forward",
    message_id: discord_message_id,
    mark: "quoted_0123456789ab",
    whose: "unknown",
    author: null,
    at: "2026-02-26T13:00:00.000Z",
    text: "build failed",
    left_out: 12,
    files: [],
    named: ["log.txt"],
  };
  return { type: "hold_forward", thread_id: T1, discord_message_id, quote };
}

/** What an agent calls itself, and what it wants to do. */
function sentences(scene: Scene): void {
  scene.do({ type: "note_told", thread_id: T1, tool: "claude", told: { name: "Claude Agent" } });
  const act = { verb: "use" as const, object: "create_issue", where: "github" };
  const subject = { tool: "mcp__github__create_issue", title: "x", act, sha256: "0".repeat(64), pages: 1 };
  scene.ask("", "dec_act", 1, {
    thread_id: T1,
    asker: { by: "hook", request_id: "act", pid: 9 },
    subject: { ...subject, grant_until: "2026-02-27T15:00:00.000Z" },
  });
}

function nextConversations(scene: Scene): void {
  scene.do({ type: "choose_effort", thread_id: T1, tool: "claude", effort: "high" });
  scene.do({ type: "want_conversation", thread_id: T1, how: "new" });
}
