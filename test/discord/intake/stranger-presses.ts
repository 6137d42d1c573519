/** A scene for each button, select and modal in which a press means something. */
import type { AskCommand, Decision } from "../../../src/core/decisions/decision.ts";
import { bytesOf, reviewText } from "../../../src/core/decisions/review-text.ts";
import type { Wait } from "../../../src/core/projects/checkout.ts";
import { pressId, type DecisionVerb } from "../../../src/discord/views/custom-id.ts";
import { PANEL_PART, panelSubject } from "../../../src/discord/views/panel.ts";
import { coverMark } from "../../../src/discord/views/decisions/rules.ts";
import type { Cover } from "../../../src/core/rules/judge.ts";
import { digestOf } from "../../../src/host/files/kept-files.ts";
import { app, CHANNEL, CommandScene, T1, today } from "../interactions/scene.ts";
import { OWNER } from "./intake-scene.ts";
import { model } from "./stranger-scene.ts";

export const DEC = "dec_20260226_00000000000000000000000000000001";
export const session = (messages: number) => () => new CommandScene().withSession(messages);

export async function failed(): Promise<CommandScene> {
  const scene = await session(1)();
  await scene.fail(today(1));
  scene.patches.set(today(1), Buffer.from("diff --git a/a b/a\n"));
  return scene;
}

export async function crashed(): Promise<CommandScene> {
  const scene = await session(1)();
  await scene.engine.submit({ type: "restart" });
  return scene;
}

export const waiting = (wait: Wait) => async (): Promise<CommandScene> => {
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
export const withoutModel = (offers: boolean) => async (): Promise<CommandScene> => {
  const scene = await waiting(model)();
  scene.acp.add("claude");
  if (offers) scene.offered.set("claude", [{ id: "large", name: "Large" }]);
  return scene;
};

/** The first job runs, and can be spoken to; the others wait. */
export const spokenTo = (messages: number) => async (): Promise<CommandScene> => {
  const scene = await session(messages)();
  await scene.engine.submit({
    type: "progress",
    job_id: today(1),
    progress: { kind: "process", pid: 1, start_time: "1", steers: true },
  });
  return scene;
};

export async function closed(): Promise<CommandScene> {
  const scene = await session(0)();
  await scene.engine.submit({ type: "close_session", thread_id: T1, by: "owner" });
  return scene;
}

/** With a forward that is held. */
export async function forwarded(): Promise<CommandScene> {
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
export const claude = (thread?: string) => async (): Promise<CommandScene> => {
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

export async function offering(): Promise<CommandScene> {
  const scene = await session(1)();
  scene.acp.add("claude");
  scene.offered.set("claude", [{ id: "large", name: "Large" }]);
  scene.modes.set("claude", [{ id: "plan", name: "Plan" }]);
  return scene;
}

/** A panel of a project with a session at a terminal, whose window stands or not. */
export const panelled = (stands: boolean) => async (): Promise<CommandScene> => {
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

export const asked =
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
export const permission =
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

export const job = { by: "job", job_id: today(1), request_id: "r" } as const;
export const hook = { by: "hook", pid: 4711, request_id: "h1", job_id: today(1) } as const;
export const byJob = permission(job);
export const byHook = permission(hook);
/** Of many pages. */
export const LONG = "ls\n".repeat(2_000);

export async function granted(): Promise<CommandScene> {
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

const coverOf = (scene: CommandScene): Cover => ({
  family: "exact",
  tool: "Bash",
  sha256: decisionOf(scene).subject?.sha256 ?? "",
  cwd: null,
});
export const markOf = (scene: CommandScene): string => coverMark(coverOf(scene), "/srv/app");

export async function ruled(): Promise<CommandScene> {
  const scene = await byJob();
  const sha256 = decisionOf(scene).subject?.sha256 ?? "";
  await scene.engine.submit({
    ...{ type: "add_rule", rule_id: "rule_1", effect: "allow", by: "project", root: "/", cover: coverOf(scene) },
    ...{ decision_id: DEC, author_id: OWNER, sha256 },
  });
  return scene;
}

/** Answered, and the agent that asked is not there to hear it. */
export async function unheard(): Promise<CommandScene> {
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

export const AT = "2026-02-26T14:00:00.000Z";
export const LEFT = {
  busy: false,
  window: false,
  worktree: { path: "/srv/app/.claude/worktrees/a", branch: "worktree-a", files: 1, commits: 0, mark: "0".repeat(32) },
};

export async function archived(): Promise<CommandScene> {
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

export const many = asked({
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
export const form = asked({ form: true });

const decisionOf = (scene: CommandScene): Decision => {
  const found = scene.engine.state.decisions[DEC];
  if (!found) throw new Error("nothing is asked");
  return found;
};
export const under =
  (verb: DecisionVerb, detail: string | number = "") =>
  (scene: CommandScene): string =>
    pressId(decisionOf(scene), verb, detail);
export const on = (id: string) => (): string => id;

export async function locked(): Promise<CommandScene> {
  const scene = new CommandScene();
  await scene.engine.submit({ type: "lock", by: "discord" });
  return scene;
}

export const shownWord = ({ context }: CommandScene): string => context.unlockWords.showWord();
