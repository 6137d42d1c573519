/**
 * Every button, select and modal that exists, by its action: the owner's press has its effect, and a press by anybody
 * else has none, tells nothing and is answered by the one sentence that only they see. A new action has no row here and
 * does not compile.
 */
import { createHash } from "node:crypto";
import { archiveMark } from "../../../src/core/sessions/archives.ts";
import { describe, expect, test } from "vitest";
import type { AskCommand, Decision } from "../../../src/core/decisions/decision.ts";
import { bytesOf, reviewText } from "../../../src/core/decisions/review-text.ts";
// The pages of a request need it at once.
import "../../../src/discord/text/markdown.ts";
import type { Wait } from "../../../src/core/projects/checkout.ts";
import { forgetMark } from "../../../src/discord/interactions/commands/forget.ts";
import { stopMark } from "../../../src/discord/views/stop-offer.ts";
import { changedMark } from "../../../src/discord/views/changed-notice.ts";
import { dispatch } from "../../../src/discord/connection.ts";
import { packPlaces, pressId, type DecisionVerb } from "../../../src/discord/views/custom-id.ts";
import type { Action } from "../../../src/discord/views/custom-id.ts";
import { PANEL_PART, panelSubject } from "../../../src/discord/views/panel.ts";
import { draftMark } from "../../../src/discord/views/wait-notice.ts";
import { digestOf } from "../../../src/host/files/kept-files.ts";
import { STAYS, app, CHANNEL, CommandScene, T1, today } from "../interactions/scene.ts";
import { OWNER } from "./intake-scene.ts";
import {
  actors,
  budgeted,
  changed,
  full,
  interactionOf,
  limit,
  login,
  model,
  onBudget,
  owner,
  terminal,
  type Actor,
} from "./stranger-scene.ts";
import { part } from "../../fakes/part.ts";
import type { Listener } from "../../../src/discord/intake/listener.ts";
import type { Direct } from "../../../src/discord/intake/direct-messages.ts";
import type { Intake } from "../../../src/discord/intake/intake.ts";
import type { BotPosts } from "../../../src/discord/bot-posts.ts";

/** Where it stands, as people call it, and a scene in which a press means something. */
interface Row {
  name: string;
  make(): Promise<CommandScene>;
  id(scene: CommandScene): string;
  /** It is a select, and these are chosen. */
  values?: string[];
  /** Below an answer that only the presser sees. */
  alone?: true;
  /** The modal is filled in with this. */
  words?: string | ((scene: CommandScene) => string);
  /** It stands in a text channel, not in a thread. */
  outside?: true;
}

const DEC = "dec_20260226_00000000000000000000000000000001";
const session = (messages: number) => () => new CommandScene().withSession(messages);

async function failed(): Promise<CommandScene> {
  const scene = await session(1)();
  await scene.fail(today(1));
  scene.patches.set(today(1), Buffer.from("diff --git a/a b/a\n"));
  return scene;
}

async function crashed(): Promise<CommandScene> {
  const scene = await session(1)();
  await scene.engine.submit({ type: "restart" });
  return scene;
}

const waiting = (wait: Wait) => async (): Promise<CommandScene> => {
  const scene = await session(1)();
  const { engine } = scene;
  await engine.submit({
    type: "progress",
    job_id: today(1),
    progress: { kind: "session_key", adapter_state: { session_id: "s1" } },
  });
  await engine.submit({ type: "put_back", job_id: today(1), why: wait.kind });
  await engine.submit({ type: "park", thread_id: T1, job_id: today(1), wait });
  await engine.submit({ type: "progress", job_id: today(1), progress: { kind: "gone" } });
  return scene;
};

/** Its model is not there; `offers`: others are known. */
const withoutModel = (offers: boolean) => async (): Promise<CommandScene> => {
  const scene = await waiting(model)();
  scene.acp.add("claude");
  if (offers) scene.offered.set("claude", [{ id: "large", name: "Large" }]);
  return scene;
};

/** The first job runs, and can be spoken to; the others wait. */
const spokenTo = (messages: number) => async (): Promise<CommandScene> => {
  const scene = await session(messages)();
  await scene.engine.submit({
    type: "progress",
    job_id: today(1),
    progress: { kind: "process", pid: 1, start_time: "1", steers: true },
  });
  return scene;
};

async function closed(): Promise<CommandScene> {
  const scene = await session(0)();
  await scene.engine.submit({ type: "close_session", thread_id: T1, by: "owner" });
  return scene;
}

/** With a forward that is held. */
async function forwarded(): Promise<CommandScene> {
  const scene = await session(0)();
  const id = "300000000000000001";
  const quote = {
    how: "forward",
    message_id: id,
    mark: "quoted_0123456789ab",
    whose: "unknown",
    author: null,
    at: null,
    text: "build failed",
    left_out: 0,
    files: [],
    named: [],
  } as const;
  await scene.engine.submit({
    type: "hold_forward",
    thread_id: T1,
    discord_message_id: id,
    quote: { ...quote, files: [], named: [] },
  });
  return scene;
}

/** A Claude that the owner started himself; with a thread, it is there. */
const claude = (thread?: string) => async (): Promise<CommandScene> => {
  const scene = await session(0)();
  await scene.engine.submit({
    type: "offer_adoption",
    claude_session: "c1",
    project_name: "app",
    pid: 7,
    start_time: "1@b",
    socket: "/tmp/s",
    window_id: "@1",
    pane_id: "%1",
    cwd: "/srv/app",
    channel_id: CHANNEL,
    guild_id: "3",
    bot_id: "4",
  });
  if (thread !== undefined)
    await scene.engine.submit({
      type: "open_window",
      thread_id: thread,
      server: "owner",
      socket: "/tmp/s",
      window_id: "@1",
      pane_id: "%1",
      pid: 7,
      start_time: "1@b",
      cwd: "/srv/app",
      adopted: true,
    });
  return scene;
};

async function offering(): Promise<CommandScene> {
  const scene = await session(1)();
  scene.acp.add("claude");
  scene.offered.set("claude", [{ id: "large", name: "Large" }]);
  scene.modes.set("claude", [{ id: "plan", name: "Plan" }]);
  return scene;
}

/** A panel of a project with a session at a terminal, whose window stands or not. */
const panelled = (stands: boolean) => async (): Promise<CommandScene> => {
  const scene = new CommandScene({ panelId: CHANNEL }, ["tmux"]);
  const { engine } = scene;
  await scene.slash("project create", { ...app, tools_csv: "tmux", default_tool: "tmux" });
  await scene.withSession();
  await engine.submit({
    type: "record_post",
    subject: panelSubject(CHANNEL),
    part: PANEL_PART,
    channel_id: CHANNEL,
    message_id: "200000000000000900",
    hash: "h",
    is: "x",
  });
  if (stands)
    await engine.submit({
      type: "open_window",
      thread_id: T1,
      server: "own",
      socket: "/s",
      window_id: "@1",
      pane_id: "%1",
      pid: 1,
      start_time: "1",
      cwd: "/srv/app",
      adopted: false,
    });
  return scene;
};

const asked =
  (command: Partial<AskCommand> = {}) =>
  async (): Promise<CommandScene> => {
    const scene = await session(1)();
    scene.answer = ({ path }) =>
      path.includes("/webhooks/") ? { id: "200000000000000990", channel_id: T1 } : undefined;
    const options = Array.from({ length: 30 }, (_, place) => ({ label: `Option ${place}`, description: "" }));
    const questions = [{ question: "Which?", header: "", many: false, words: true, options }];
    await scene.engine.submit({
      type: "ask",
      decision_id: DEC,
      kind: "question",
      thread_id: T1,
      asker: { by: "job", job_id: today(1), request_id: "r" },
      context: "",
      lapses_at: null,
      subject: null,
      questions,
      ...command,
    });
    return scene;
  };

/** A request to run this. */
const permission =
  (asker: AskCommand["asker"], command = "ls") =>
  async (): Promise<CommandScene> => {
    const bytes = bytesOf({ tool: "Bash", input: { command } });
    const questions = [
      {
        question: "",
        header: "",
        many: false,
        words: false,
        options: ["Allow once", "Allow for this session", "Deny"].map((label) => ({ label, description: "" })),
      },
    ];
    const subject = {
      tool: "Bash",
      title: "ls",
      sha256: digestOf(bytes),
      pages: reviewText(bytes).pages.length,
      grant_until: "2027-01-01T00:00:00.000Z",
    };
    const scene = await asked({ kind: "permission", asker, questions, subject })();
    scene.decisionFiles.set(DEC, bytes);
    return scene;
  };

const job = { by: "job", job_id: today(1), request_id: "r" } as const;
const hook = { by: "hook", pid: 4711, request_id: "h1", job_id: today(1) } as const;
const byJob = permission(job);
const byHook = permission(hook);
/** Of many pages. */
const LONG = "ls\n".repeat(2_000);

async function granted(): Promise<CommandScene> {
  const scene = await byJob();
  await scene.engine.submit({
    type: "answer",
    decision_id: DEC,
    question: 0,
    answer: { places: [1], words: null },
    sha256: decisionOf(scene).subject?.sha256 ?? null,
  });
  return scene;
}

/** Answered, and the agent that asked is not there to hear it. */
async function unheard(): Promise<CommandScene> {
  const scene = await asked({
    asker: {
      by: "mcp",
      project: "app",
      pending_dir: "/p",
      timeout_seconds: null,
      wanted_thread: null,
      channel_id: CHANNEL,
      bot_id: "4",
    },
  })();
  await scene.engine.submit({ type: "disconnect", decision_id: DEC });
  await scene.engine.submit({
    type: "answer",
    decision_id: DEC,
    question: 0,
    answer: { places: [0], words: null },
    sha256: null,
  });
  return scene;
}

const AT = "2026-02-26T14:00:00.000Z";
const LEFT = {
  busy: false,
  window: false,
  worktree: { path: "/srv/app/.claude/worktrees/a", branch: "worktree-a", files: 1, commits: 0, mark: "0".repeat(32) },
};

async function archived(): Promise<CommandScene> {
  const scene = await session(0)();
  await scene.engine.submit({
    type: "made_worktree",
    thread_id: T1,
    path: LEFT.worktree.path,
    branch: LEFT.worktree.branch,
  });
  await scene.engine.submit({ type: "archive_thread", thread_id: T1, at: AT, surely: true });
  await scene.engine.submit({ type: "ask_archive", thread_id: T1, left: LEFT });
  return scene;
}

const many = asked({
  questions: [
    {
      question: "Which?",
      header: "",
      many: true,
      words: true,
      options: ["A", "B"].map((label) => ({ label, description: "" })),
    },
  ],
});
const form = asked({ form: true });

const decisionOf = (scene: CommandScene): Decision => {
  const found = scene.engine.state.decisions[DEC];
  if (!found) throw new Error("nothing is asked");
  return found;
};
const under =
  (verb: DecisionVerb, detail: string | number = "") =>
  (scene: CommandScene): string =>
    pressId(decisionOf(scene), verb, detail);
const on = (id: string) => (): string => id;

async function locked(): Promise<CommandScene> {
  const scene = new CommandScene();
  await scene.engine.submit({ type: "lock", by: "discord" });
  return scene;
}

const shownWord = ({ context }: CommandScene): string => context.unlockWords.showWord();

const rows: Record<Action, [Row, ...Row[]]> = {
  retry: [
    { name: "Retry of a job that failed", make: failed, id: on(`retry:${today(1)}`) },
    { name: "Retry after a crash", make: crashed, id: on(`retry:${today(1)}`) },
  ],
  continue: [{ name: "Continue after a crash", make: crashed, id: on(`continue:${today(1)}`) }],
  discard: [{ name: "Discard after a crash", make: crashed, id: on(`discard:${today(1)}`) }],
  show_diff: [{ name: "Show changes", make: failed, id: on(`diff:${today(1)}`) }],
  resume_thread: [
    { name: "Continue at a usage limit", make: waiting(limit), id: on(`unpark:${today(1)}`) },
    { name: "Try now at a window that is in use", make: waiting(terminal), id: on(`unpark:${today(1)}`) },
  ],
  accept_changes: [
    {
      name: "Go on with what has changed",
      make: waiting(changed),
      id: on(`accept:${today(1)}:${changedMark(changed)}`),
    },
  ],
  new_conversation: [
    { name: "New conversation where one is full", make: waiting(full), id: on(`s-fresh:${today(1)}`) },
  ],
  confirm_conversation: [{ name: "a new conversation at the desk", make: session(1), id: () => `s-sure:${T1}:new` }],
  choose_model: [
    { name: "Choose a model", make: withoutModel(true), id: on(`m-choose:${today(1)}`) },
    { name: "Choose a model where none is known", make: withoutModel(false), id: on(`m-choose:${today(1)}`) },
    { name: "the modal that names a model", make: withoutModel(false), id: on(`m-choose:${today(1)}`), words: "m" },
  ],
  pick_model: [
    {
      name: "the select of models",
      make: withoutModel(true),
      id: on(`m-pick:${today(1)}`),
      values: ["large"],
      alone: true,
    },
  ],
  other_tool: [{ name: "Other tool", make: waiting(login), id: on(`t-other:${today(1)}`) }],
  pick_tool: [
    { name: "the select of tools", make: waiting(login), id: on(`t-pick:${today(1)}`), values: ["codex"], alone: true },
  ],
  compact_full: [{ name: "Compact where one is full", make: waiting(full), id: on(`compact:${today(1)}`) }],
  go_on_with_budget: [{ name: "Go on at a budget", make: budgeted, id: onBudget("b-on") }],
  raise_budget: [
    { name: "Raise to…", make: budgeted, id: onBudget("b-raise") },
    { name: "the modal of Raise to…", make: budgeted, id: onBudget("b-raise"), words: "$9" },
  ],
  stop_at_budget: [{ name: "Stop here at a budget", make: budgeted, id: onBudget("b-stop") }],
  drop_waiting: [{ name: "Drop the waiting ones", make: waiting(full), id: on(`drop-all:${today(1)}`) }],
  start_fresh: [
    {
      name: "a new conversation with what has changed",
      make: waiting(changed),
      id: on(`fresh:${today(1)}:${changedMark(changed)}`),
    },
  ],
  drop_job: [{ name: "Drop of a job that waits", make: waiting(changed), id: on(`drop:${today(1)}`) }],
  clear_draft: [
    { name: "Clear the draft", make: waiting(terminal), id: on(`t-clear:${today(1)}:${draftMark(terminal)}`) },
  ],
  cancel_queued: [{ name: "Cancel in the queue", make: session(3), id: on(`q-cancel:${today(2)}`) }],
  move_to_front: [{ name: "Move first in the queue", make: session(3), id: on(`q-first:${today(3)}`) }],
  send_queued: [
    { name: "Send now on the running job's card", make: spokenTo(2), id: on(`q-send:${today(2)}`) },
    { name: "Send now on the entry that was picked", make: spokenTo(3), id: on(`q-send:${today(3)}`), alone: true },
  ],
  pick_queued: [{ name: "the select of the queue", make: session(3), id: on(`q-pick:${T1}`), values: [today(2)] }],
  clear_queue: [{ name: "Clear of a short queue", make: session(3), id: on(`q-clear:${T1}`) }],
  queue_page: [{ name: "a page of the queue", make: session(40), id: on(`q-page:${T1}:2`) }],
  confirm_clear_queue: [
    { name: "Clear of a long queue, confirmed", make: session(6), id: on(`q-sure:${T1}:${today(6)}`), alone: true },
  ],
  pending_page: [{ name: "a page of what waits for the owner", make: byJob, id: on("p-page:1"), alone: true }],
  take_back_answer: [
    {
      name: "the select that takes a grant back",
      make: granted,
      id: on("p-back:1"),
      values: [
        createHash("sha256")
          .update(JSON.stringify([T1, DEC]))
          .digest("hex")
          .slice(0, 40),
      ],
      alone: true,
    },
  ],
  open_session: [{ name: "Open a session here", make: session(0), id: on("s-open:app"), outside: true }],
  open_on_message: [
    {
      name: "a project under a message that no agent gets",
      make: session(0),
      id: on("s-on:300000000000000001:app"),
      outside: true,
    },
  ],
  more_projects: [{ name: "More projects", make: session(0), id: on("s-more:300000000000000001"), outside: true }],
  pick_project: [
    {
      name: "the select of all projects",
      make: session(0),
      id: on("s-pick:1"),
      values: ["s-on:300000000000000001:app"],
      outside: true,
      alone: true,
    },
  ],
  reopen_session: [{ name: "Reopen and send", make: closed, id: on(`s-reopen:${T1}:300000000000000001`) }],
  send_held: [{ name: "Send it as a message", make: session(1), id: on(`send-held:${T1}:300000000000000001`) }],
  send_forward: [{ name: "Send as quoted text", make: forwarded, id: on(`f-send:${T1}:300000000000000001`) }],
  drop_forward: [{ name: "Drop of a forward", make: forwarded, id: on(`f-drop:${T1}:300000000000000001`) }],
  forget_session: [
    {
      name: "Forget it",
      make: session(0),
      id: (scene) => `s-forget:${T1}:${forgetMark(scene.engine.state, T1, STAYS)}`,
      alone: true,
    },
  ],
  stop_for: [
    {
      name: "Stop the job under a typed stop",
      make: session(2),
      id: (scene) => `stop-for:${today(2)}:${stopMark(scene.engine.state, T1)}`,
    },
  ],
  finish_job: [{ name: "Take it as finished", make: session(1), id: on(`finish:${today(1)}`) }],
  stop_job: [{ name: "Stop the job", make: session(1), id: on(`stop:${today(1)}`) }],
  adopt_claude: [{ name: "Adopt", make: claude(), id: on("ad-take:c1") }],
  ignore_claude: [{ name: "Ignore of a Claude that was offered", make: claude(), id: on("ad-leave:c1") }],
  release_claude: [{ name: "Release", make: claude(T1), id: on(`ad-back:${T1}`) }],
  remove_worktree: [
    {
      name: "what deletes an archived thread's worktree",
      make: archived,
      id: on(`w-remove:${T1}:${archiveMark({ at: AT, left: LEFT })}`),
    },
  ],
  start_windows: [{ name: "Start on the panel", make: panelled(false), id: on("w-start:app"), outside: true }],
  stop_windows: [{ name: "Stop on the panel", make: panelled(true), id: on("w-stop:app"), outside: true }],
  pick_window_project: [
    { name: "the panel's select", make: panelled(true), id: on("w-pick:1"), values: ["w-stop:app"], outside: true },
  ],
  pick_agent_setting: [
    { name: "the select of /agent stop", make: session(1), id: on("a-pick:stop:-"), values: [T1], alone: true },
    { name: "the select of /agent kill", make: session(1), id: on("a-pick:kill:-"), values: [T1], alone: true },
    { name: "the select of /agent status", make: session(1), id: on("a-pick:status:-"), values: [T1], alone: true },
    { name: "the select of /agent model", make: offering, id: on("a-pick:model:large"), values: [T1], alone: true },
    { name: "the select of /agent mode", make: offering, id: on("a-pick:mode:plan"), values: [T1], alone: true },
    { name: "the select of /agent usage", make: session(1), id: on("a-pick:usage:-"), values: [T1], alone: true },
  ],
  unlock: [{ name: "the modal of /unlock", make: locked, id: on("unlock"), words: shownWord, outside: true }],
  choose_option: [
    { name: "an option of a question", make: asked(), id: under("option", 1) },
    { name: "Allow once", make: byJob, id: under("option", 0) },
    { name: "Allow for this session", make: byJob, id: under("option", 1) },
    { name: "Deny", make: byJob, id: under("option", 2) },
    { name: "Allow once of a hook's request", make: byHook, id: under("option", 0) },
    { name: "Deny of a hook's request", make: byHook, id: under("option", 2) },
    { name: "an option of a form", make: form, id: under("option", 1) },
  ],
  ask_for_words: [
    { name: "Other … of a question", make: asked(), id: under("words") },
    { name: "the modal of a question", make: asked(), id: under("words"), words: "neither" },
    { name: "the modal of a form", make: form, id: under("words"), words: "neither" },
  ],
  select_option: [{ name: "the select of a question", make: asked(), id: under("select"), values: ["1"] }],
  show_page: [
    { name: "a page of what would run", make: permission(job, LONG), id: under("page", 2) },
    { name: "a page of what a hook's request would run", make: permission(hook, LONG), id: under("page", 2) },
  ],
  show_options: [{ name: "a page of the options", make: asked(), id: under("pick", 1) }],
  confirm_options: [
    { name: "Done with several options", make: many, id: under("done", packPlaces([0, 1])), alone: true },
  ],
  snooze_decision: [{ name: "Later", make: asked(), id: under("snooze", "1h") }],
  take_back_decision: [{ name: "Take back", make: unheard, id: under("back") }],
  decline_decision: [
    { name: "Decline of a form", make: form, id: under("decline", "decline") },
    { name: "Cancel of a form", make: form, id: under("decline", "cancel") },
  ],
};

/** The gateway tells of the press. Resolves with what it did and what was sent. */
async function pressed(row: Row, actor: Actor): Promise<{ changed: boolean; sent: CommandScene["sent"] }> {
  const scene = await row.make();
  const all = (): string => JSON.stringify([scene.engine.state, scene.reopened, scene.ended, scene.events.length]);
  const before = all();
  scene.sent.length = 0;
  const custom_id = row.id(scene);
  const message = { id: "200000000000000900", channel_id: T1, flags: row.alone ? 64 : 0 };
  const component =
    row.values === undefined ? { component_type: 2, custom_id } : { component_type: 3, custom_id, values: row.values };
  const typed = typeof row.words === "function" ? row.words(scene) : row.words;
  const data =
    row.words === undefined
      ? component
      : { custom_id, components: [{ type: 18, component: { type: 4, custom_id: "words", value: typed } }] };
  const interaction = interactionOf(actor, {
    type: row.words === undefined ? 3 : 5,
    data,
    channel: row.outside ? { id: CHANNEL, type: 0 } : { id: T1, type: 11 },
    message,
  });
  const nobody = (): never => {
    throw new Error("a press is no message");
  };
  dispatch("INTERACTION_CREATE", structuredClone(interaction), {
    intake: part<Intake>({
      listener: part<Listener>({ message: nobody, edited: nobody, deleted: nobody }),
      direct: part<Direct>({ message: nobody }),
      onGatewayEvent: nobody,
    }),
    server: [],
    commandContext: { ...scene.context, ownerId: OWNER },
    posts: part<BotPosts>({ onMessagePosted: nobody, onMessagesDeleted: nobody }),
  });
  for (let turns = 0; turns < 8; turns += 1) await scene.clock.settle();
  return { changed: all() !== before, sent: scene.sent };
}

describe.each(Object.values(rows).flat())("$name", (row) => {
  test("does what it says for the owner", async () => {
    const { changed, sent } = await pressed(row, owner);
    const answers = sent.filter(({ path }) => path.startsWith("/webhooks/"));
    expect(JSON.stringify(sent)).not.toContain("E_");
    // A modal is the first response itself.
    const opened = sent.some(({ body }) => (body as { type?: number } | undefined)?.type === 9);
    expect(changed || opened || answers.length > 0).toBe(true);
  });

  test.each(Object.entries(actors))("by %s does nothing, and tells nothing", async (_name, actor) => {
    const { changed, sent } = await pressed(row, actor);
    expect(changed).toBe(false);
    expect(sent.map(({ path }) => path)).toEqual(["/interactions/500000000000000001/token/callback"]);
    expect(sent[0]?.body).toMatchObject({
      type: 4,
      data: { flags: 64, content: expect.stringContaining("E_OWNER_ONLY") as string },
    });
  });
});
