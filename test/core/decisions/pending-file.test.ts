import { expect, test } from "vitest";
import type { Decision } from "../../../src/core/decisions/decision.ts";
import { pendingFile } from "../../../src/core/decisions/pending-file.ts";

/** The documented file, field by field. */
const SEED = {
  question_id: "project_20260301_abc123",
  project: "my-project",
  question: "Run DB migration?",
  context: "v1→v2 schema change",
  options: ["A) Execute now", "B) Staging first", "C) Hold"],
  timeout_seconds: null,
  thread_id: "1234567890",
  message_id: "0987654321",
  asked_at: "2026-03-01T10:30:00Z",
  status: "pending",
  clarify_attempts: 0,
  resolved_at: null,
  resolution: null,
  selected_option: null,
};

/** As much of a decision as its file tells. */
const DECISION: Pick<
  Decision,
  | "decision_id"
  | "thread_id"
  | "asker"
  | "questions"
  | "context"
  | "asked_at"
  | "reasked"
  | "settled_at"
  | "state"
  | "answers"
> = {
  decision_id: SEED.question_id,
  thread_id: SEED.thread_id,
  asker: {
    by: "mcp",
    project: SEED.project,
    pending_dir: "/pending",
    timeout_seconds: null,
    wanted_thread: null,
    channel_id: "1",
    bot_id: "2",
  },
  context: SEED.context,
  questions: [
    {
      question: SEED.question,
      header: "",
      options: SEED.options.map((label) => ({ label, description: "" })),
      many: false,
      words: true,
    },
  ],
  state: "open",
  answers: [null],
  reasked: 0,
  asked_at: "2026-03-01T10:30:00.789Z",
  settled_at: null,
};

const POSTS = {
  posts: {
    [SEED.question_id]: { prompt: { channel_id: SEED.thread_id, message_id: SEED.message_id, hash: "", is: "said" } },
  },
};

test("the file of an open question is exactly as documented", () => {
  expect(JSON.stringify(pendingFile(POSTS, DECISION))).toBe(JSON.stringify(SEED));
});

test.each<[Partial<Decision>, object]>([
  [
    { state: "disconnected", reasked: 2 },
    { status: "disconnected", clarify_attempts: 2 },
  ],
  [
    { state: "answered", answers: [{ places: [1], words: null }] },
    { status: "resolved", resolution: SEED.options[1], selected_option: SEED.options[1] },
  ],
  [
    { state: "answered", answers: [{ places: [], words: "first in staging" }] },
    { status: "resolved", resolution: "first in staging", selected_option: null },
  ],
  [{ state: "lapsed" }, { status: "aborted", resolution: null }],
  [{ state: "aborted" }, { status: "aborted", resolution: null }],
  [{ state: "void" }, { status: "aborted", resolution: null }],
])("%j is %j", (change, told) => {
  const settled = change.state === "disconnected" ? null : "2026-03-01T11:00:00.001Z";
  const file = pendingFile(POSTS, { ...DECISION, ...change, settled_at: settled });
  expect(file).toEqual({ ...SEED, resolved_at: settled === null ? null : "2026-03-01T11:00:00Z", ...told });
});

test("before there is a thread its place is empty; what no agent asked through its tools has no file", () => {
  expect(pendingFile({ posts: {} }, { ...DECISION, thread_id: null })).toMatchObject({ thread_id: "", message_id: "" });
  expect(pendingFile(POSTS, { ...DECISION, asker: { by: "hook", pid: 4711, request_id: "1" } })).toBeNull();
});
