import { expect, test } from "vitest";
import type { OpenDecision } from "../../../src/core/decisions/decision.ts";
import { pendingFile } from "../../../src/core/decisions/pending-file.ts";
import { settledAs } from "../scene.ts";

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

const DECISION: OpenDecision = {
  kind: "question",
  subject: null,
  lapses_at: null,
  reminders: [],
  shown: { first: null, pages: 0 },
  typed: { reasked: 0, unclear: null },
  meanwhile: { refreshed_at: null },
  told_over: false,
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
  asked_at: "2026-03-01T10:30:00.789Z",
};

const POSTS = {
  posts: {
    [SEED.question_id]: { prompt: { channel_id: SEED.thread_id, message_id: SEED.message_id, hash: "", is: "said" } },
  },
};

test("the file of an open question is exactly as documented", () => {
  expect(JSON.stringify(pendingFile(POSTS, DECISION))).toBe(JSON.stringify(SEED));
});

test("of a disconnected one it says so, and how often it was asked again", () => {
  const file = pendingFile(POSTS, {
    ...DECISION,
    state: "disconnected",
    typed: { reasked: 2, unclear: "several" },
  });
  expect(file).toEqual({ ...SEED, status: "disconnected", clarify_attempts: 2 });
});

test.each<[Parameters<typeof settledAs>[1], object]>([
  [
    { state: "answered", settled_by: "press", answers: [{ places: [1], words: null }] },
    { status: "resolved", resolution: SEED.options[1], selected_option: SEED.options[1] },
  ],
  [
    { state: "answered", settled_by: "words", answers: [{ places: [], words: "first in staging" }] },
    { status: "resolved", resolution: "first in staging", selected_option: null },
  ],
  [{ state: "lapsed" }, { status: "aborted", resolution: null }],
  [{ state: "aborted" }, { status: "aborted", resolution: null }],
  [
    { state: "void", voided: "withdrawn" },
    { status: "aborted", resolution: null },
  ],
])("%j is %j", (end, told) => {
  const file = pendingFile(POSTS, settledAs(DECISION, end, "2026-03-01T11:00:00.001Z"));
  expect(file).toEqual({ ...SEED, resolved_at: "2026-03-01T11:00:00Z", ...told });
});

test("before there is a thread its place is empty; what no agent asked through its tools has no file", () => {
  expect(pendingFile({ posts: {} }, { ...DECISION, thread_id: null })).toMatchObject({ thread_id: "", message_id: "" });
  expect(pendingFile(POSTS, { ...DECISION, asker: { by: "hook", pid: 4711, request_id: "1" } })).toBeNull();
});
