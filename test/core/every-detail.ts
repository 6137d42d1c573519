/** Commands whose events have what is rare in the payloads: what an agent tells, asks and ends with, and each wait. */
import { theirWords } from "../../src/base/errors.ts";
import type { HookAsker } from "../../src/core/decisions/asker.ts";
import type { Question } from "../../src/core/decisions/decision.ts";
import type { Progress } from "../../src/core/jobs/run.ts";
import { changedWait, type Changed, type Checkout, type Wait } from "../../src/core/projects/checkout.ts";
import { message, SHA, T1, T2, type Scene } from "./scene.ts";

const THERE: Checkout = { cwd: "/srv/app", branch: "main", head: "1f0c2a", tree: "e3b0c4" };
const SWITCHED: Checkout = { ...THERE, branch: "other", head: "9d8e7f", tree: null };
const DIGESTS = { was: "a".repeat(64), is: "b".repeat(64), shown: "c".repeat(64) };
const USAGE = { input_tokens: 10, output_tokens: 4, cost_usd: 0.01, duration_ms: 1800 };
const PLACE = { channel_id: "2", guild_id: "3", bot_id: "4" };

/** In a session of its own. */
export function everyDetail(scene: Scene): void {
  scene.rules = { ...scene.rules, max_queue_per_session: 9, global_max_running: 9 };
  scene.withSessions(T2);
  work(scene);
  waits(scene);
  asks(scene);
  forms(scene);
  hooks(scene);
  tells(scene);
  turns(scene);
  places(scene);
}

/** The next message, whose job runs. */
function begun(scene: Scene, number: number): string {
  scene.hear(T2, message(number));
  return scene.state.sessions[T2]?.running_job_id ?? "";
}

function work(scene: Scene): void {
  const copy = { path: "/uploads/2/1/1-2000px-shot.png", sha256: "0b", width: 2000, height: 1500 };
  scene.do({
    type: "hear",
    thread_id: T2,
    discord_message_id: message(101),
    prompt: "look at this",
    files: [
      { path: "/uploads/2/1/1-shot.png", sha256: "0a", large: { width: 4000, height: 3000, copy } },
      { path: "/uploads/2/1/2-again.png", sha256: "0a", large: { width: 3000, height: 4000, copy: null } },
      { path: "/uploads/2/1/3-notes.txt", sha256: "0a" },
    ],
    refused_files: [{ name: "a.png", why: "not_taken" }],
    reply_to: null,
  });
  const job_id = scene.state.sessions[T2]?.running_job_id ?? "";
  const all: Progress[] = [
    { kind: "process", pid: 42, start_time: "7@b", prompt_id: "p1", steers: true },
    { kind: "session_key", adapter_state: { session_id: "6d3040e7" } },
    { kind: "checkout", checkout: THERE, late: true },
    { kind: "access", access: "reads" },
    { kind: "tool", name: "Bash", title: "npm test", ok: true },
    { kind: "denied", name: "Write" },
    { kind: "left_out", why: "long", bytes: 104_857_601 },
    { kind: "attachment", name: "b.png", why: "outside" },
    { kind: "ended_early", why: "max_tokens" },
    { kind: "changes", changes: { files: 2, added: 10, removed: 3, patch: SHA, beside: [T1] }, stat: " a.ts | 13 +++" },
    { kind: "unmeasured" },
    { kind: "checkout_end", checkout: THERE },
  ];
  for (const progress of all) scene.learn(job_id, progress);
  const end = { result_excerpt: "said", result_sha256: null, model: null, usage: USAGE };
  scene.do({ type: "complete", job_id, ...end });
  scene.learn(job_id, { kind: "gone" });
  const failed = begun(scene, 102);
  scene.do({
    type: "fail",
    job_id: failed,
    code: "E_CLI_EXIT_NONZERO",
    details: { reason: theirWords("it broke"), exit_code: 1 },
    ...end,
  });
  scene.learn(failed, { kind: "gone" });
  scene.do({ type: "retry", job_id: failed });
}

/** A job that could not begin, for each reason. */
function waits(scene: Scene): void {
  const thread_id = T2;
  const job_id = scene.state.sessions[T2]?.running_job_id ?? "";
  const park = (wait: Wait): void => {
    scene.do({ type: "put_back", job_id, why: wait.kind });
    scene.do({ type: "park", thread_id, job_id, wait });
    scene.learn(job_id, { kind: "gone" });
  };
  const changes: [Changed, "seen" | "fresh"][] = [
    [{ checkout: { was: THERE, is: SWITCHED } }, "seen"],
    [{ place: { project_name: "app", was: "/srv/app", is: "/data/app" } }, "fresh"],
    [{ configuration: { project_name: "app", ...DIGESTS } }, "seen"],
  ];
  for (const [changed, by] of changes) {
    const wait = changedWait(job_id, changed);
    park(wait);
    scene.do({ type: "accept_changed", thread_id, job_id, digest: wait.digest, by });
  }
  park({ kind: "terminal", job_id, reason: "draft", attach: "tmux -S /run/x.tmux attach", screen: "half a thought" });
  scene.do({ type: "unpark", thread_id, job_id, by: "cleared" });
  scene.rules = { ...scene.rules, resume_after_limit: "go_on" };
  for (let times = 0; times < 2; times += 1) {
    park({ kind: "limit", job_id, until: "2026-02-26T16:00:00.000Z", untimed: true });
    scene.do({ type: "lift_limit", thread_id, job_id });
  }
  scene.do({ type: "unpark", thread_id, job_id, by: "owner" });
}

function asks(scene: Scene): void {
  const job_id = scene.state.sessions[T2]?.running_job_id ?? "";
  const subject = { tool: "Bash", title: "ls", sha256: SHA, pages: 1, grant_until: "2026-02-27T14:00:00.000Z" };
  scene.ask(job_id, "dec_20", 1, {
    asker: { by: "job", job_id, request_id: "dec_20", subagent: "Explore: read the tests" },
    subject: {
      ...subject,
      exact: "e".repeat(64),
      described: true,
      mixed: [{ word: "pаy", scripts: ["Latin", "Cyrillic"], letters: [{ at: 1, code: 0x430 }] }],
    },
  });
  scene.do({ type: "leave_decision", decision_id: "dec_20", work: job_id });
  scene.ask(job_id, "dec_21", 1, { subject: { ...subject, no_yes: true } });
  scene.show("dec_21", message(121));
  scene.reply(T2, message(122), "yes", message(121));
  scene.hear(T2, message(123), "yes");
  scene.plan(job_id, "dec_22");
  scene.do({ type: "void", decision_id: "dec_22", why: "terminal", outcome: "denied", said: ["use another one"] });
  scene.do({ type: "cancel_job", job_id, by: "deleted" });
  scene.do({ type: "cancelled", job_id });
  scene.learn(job_id, { kind: "gone" });
}

/** What an agent wants to be told in a form, and where there is no place to ask. */
function forms(scene: Scene): void {
  const options = ["A", "B"].map((label) => ({ label, description: "" }));
  const asked = { question: "How many?", header: "", options: [], many: false, words: true };
  const questions: Question[] = [
    { ...asked, optional: true, wanted: { is: "number", integer: true, minimum: 1, maximum: 9 } },
    { ...asked, wanted: { is: "text", format: "date" }, preset: { places: [], words: "2026-03-01" } },
    { ...asked, wanted: { is: "text", pattern: "^[a-z]+$" }, url: "https://shop.example/" },
    {
      ...asked,
      options,
      many: true,
      words: false,
      wanted: { is: "choice", maximum: 1 },
      preset: { places: [0], words: null },
    },
  ];
  const [id, second] = ["app_20260226_000010", "app_20260226_000011"];
  scene.question(id, [], null, { form: true, questions });
  scene.place(id, "19");
  scene.hear("19", "191", "many");
  scene.do({ type: "decline", decision_id: id, how: "decline" });
  scene.question(second, ["Whither?"]);
  scene.do({
    type: "void",
    decision_id: second,
    why: "no_place",
    refused: { code: "E_PLACE_REFUSED", details: { place: "<#2>", because: "why_rights", rights: "Send Messages" } },
  });
}

/** A Claude in a window, which its hooks tell of. */
function hooks(scene: Scene): void {
  const turn_id = "turn_20260226_11111111111111111111111111111111";
  scene.do({
    type: "begin_outside_turn",
    turn_id,
    thread_id: T2,
    tool: "claude",
    origin: "background",
    began_at: "2026-02-26T13:59:00.000Z",
  });
  const before: HookAsker = {
    by: "hook",
    request_id: "r1",
    turn_id,
    claude_session: "6606b889",
    prompt_id: "8c33c038",
    agent_id: "agent-1",
    before: true,
    pid: 4711,
  };
  scene.ask("", "dec_30", 1, { thread_id: T2, asker: before });
  const { before: _before, ...asker } = before;
  scene.do({ type: "ask_there", decision_id: "dec_30", asker: { ...asker, dialog: true, screen: true, pid: 4712 } });
  scene.do({ type: "void", decision_id: "dec_30", why: "untold", outcome: "allowed" });
  const onScreen: HookAsker = { by: "hook", request_id: "r3", turn_id, dialog: true, screen: true, pid: 4713 };
  scene.ask("", "dec_32", 1, { thread_id: T2, asker: onScreen });
  scene.ask("", "dec_31", 1, { thread_id: T2, asker: { by: "turn", turn_id, request_id: "r2", subagent: "Explore" } });
  scene.do({ type: "leave_decision", decision_id: "dec_31", work: turn_id });
  scene.do({
    type: "end_outside_turn",
    turn_id,
    outcome: "failed",
    error_code: "E_CLI_EXIT_NONZERO",
    error_details: { reason: theirWords("it broke"), exit_code: 1 },
    result_excerpt: "so far",
    result_sha256: SHA,
    model: "opus",
    usage: USAGE,
  });
  const next = "turn_20260226_22222222222222222222222222222222";
  scene.do({
    type: "begin_outside_turn",
    turn_id: next,
    thread_id: T2,
    tool: "claude",
    origin: "terminal",
    prompt: "go",
  });
  scene.do({
    type: "take_over",
    thread_id: T2,
    asker: { by: "turn", turn_id: next, request_id: "r2", subagent: "Explore" },
  });
  scene.do({ type: "end_outside_turn", turn_id: next, outcome: "cancelled" });
}

function tells(scene: Scene): void {
  scene.do({
    type: "note_told",
    thread_id: T2,
    tool: "claude",
    told: {
      model: "small",
      models: [{ id: "small", name: "Small" }],
      mode: "default",
      modes: [{ id: "default", name: "Default", unsure: true }],
      commands: [{ name: "review", description: "Review a change", hint: "which" }],
      context: { used: 10, size: 100 },
      cost: { amount: 0.5, currency: "USD" },
      limits: { session: { percent: 45, resetsAt: 1_772_020_800_000 }, weekly: null },
      pid: 7,
    },
  });
  const mode = { thread_id: T2, tool: "claude", mode: "plan" };
  scene.do({ type: "set_mode", ...mode, by: "owner", job_id: Object.keys(scene.state.jobs).at(-1) ?? "" });
  scene.do({ type: "see_project", project_name: "app", path: "/new", configuration: "d", allowed: ["Bash(ls)"] });
  scene.do({ type: "choose_settings", thread_id: T2 });
  scene.do({
    type: "settings_saved",
    thread_id: T2,
    settings: { tool: "codex" },
    parked: { tool: "claude", model: "large" },
  });
  scene.do({ type: "change_tool", thread_id: T2, tool: "codex", key_name: "session_id" });
  scene.do({ type: "edit_message", thread_id: T1, discord_message_id: message(1), prompt: "too late" });
}

/** Other ends of windows and worktrees. */
function turns(scene: Scene): void {
  const left = {
    busy: true,
    window: true,
    worktree: { path: "/one/.claude/worktrees/c", branch: "worktree-c", files: 2, commits: 1, mark: "2".repeat(32) },
  };
  const window = { socket: "/run/x.tmux", window_id: "@2", pane_id: "%2", pid: 9, start_time: "1@b", cwd: "/one" };
  scene.do({
    type: "open_window",
    thread_id: T2,
    server: "owner",
    ...window,
    adopted: true,
    claude_session: "6606b889",
  });
  scene.do({ type: "close_window", thread_id: T2, pane_id: "%2", why: "exit", exit_code: 1 });
  scene.do({ type: "made_worktree", thread_id: T2, path: left.worktree.path, branch: left.worktree.branch });
  scene.do({ type: "archive_thread", thread_id: T2, at: "2026-02-26T15:30:00.000Z", surely: false, by: "77" });
  const failed = {
    path: left.worktree.path,
    because: "why_git_code",
    command: "git worktree remove",
    exit_code: 128,
  } as const;
  scene.do({ type: "ask_archive", thread_id: T2, left: { ...left, failed } });
  scene.do({ type: "archive_done", thread_id: T2, left });
}

/** Where sessions come from, and what becomes of a Claude that was found. */
function places(scene: Scene): void {
  scene.do({
    type: "create_project",
    project: {
      name: "den",
      path: "/den",
      enabled_tools: ["claude", "tmux"],
      default_tool: "claude",
      default_args: { tmux: ["--model", "opus"] },
      channel_id: "200000000000000001",
    },
  });
  const found = { ...PLACE, project_name: "den", kind: "found", thread_id: "201", since: "200" } as const;
  scene.do({ type: "take_place", ...found });
  scene.do({
    type: "start_session",
    request_id: "r20",
    project_name: "den",
    ...PLACE,
    adapter_state: { session_id: "k1" },
    checkout: THERE,
  });
  scene.do({ type: "open_session", request_id: "r20", thread_id: "202" });
  const claude = { project_name: "den", pid: 8, start_time: "1@b", socket: "/tmp/x", cwd: "/den", ...PLACE };
  for (const [at, claude_session] of ["c2", "c3"].entries())
    scene.do({
      type: "offer_adoption",
      claude_session,
      ...claude,
      window_id: `@${at}`,
      pane_id: `%${at}`,
      mode: "default",
    });
  scene.do({ type: "adopt", claude_session: "c2", adopted: true, request_id: "r21" });
  scene.do({ type: "open_session", request_id: "r21", thread_id: "203" });
  scene.do({ type: "adopt", claude_session: "c3", adopted: false, gone: true });
  scene.do({ type: "close_window", thread_id: "203", pane_id: "%0", why: "released" });
  scene.do({ type: "take_place", ...found, kind: "channel", thread_id: "2" });
  scene.do({ type: "open_channel", channel_id: "27", guild_id: "3", bot_id: "4", kind: "watched", since: "27" });
  scene.do({
    type: "open_channel",
    channel_id: "28",
    guild_id: "3",
    bot_id: "4",
    kind: "project",
    since: "28",
    forum: true,
  });
  scene.reply("19", "192", "and this", "190");
}
