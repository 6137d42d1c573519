/** What a thread says that is stuck, in whose hands that is, and which buttons help. */
import { ComponentType } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import type { ErrorDetails } from "../../../src/base/errors.ts";
import { locales } from "../../../src/base/words/say.ts";
import type { StuckCause, StuckWait } from "../../../src/core/projects/checkout.ts";
import type { DesiredPost } from "../../../src/discord/views/message.ts";
import type { WaitOptions } from "../../../src/discord/views/wait-notice.ts";
import { job, message, T1, type Scene } from "../../core/scene.ts";
import { description, of, running, view } from "../seen.ts";

const since = "2026-02-26T14:00:00.000Z";
const CODES = {
  login: "E_AGENT_LOGIN",
  full: "E_CONVERSATION_FULL",
  model: "E_MODEL_UNAVAILABLE",
  credits: "E_OUT_OF_CREDITS",
  busy: "E_SERVICE_BUSY",
  locked: "E_LOCKED",
} as const;

/** @param alone the project has one tool; @param more so many messages behind the one that has met it */
function stuck(
  cause: StuckCause,
  { details = {}, more = 1, until, done }: { details?: ErrorDetails; more?: number; until?: string; done?: true } = {},
  scene = running(),
): Scene {
  for (let number = 2; number < 2 + more; number += 1) scene.hear(T1, message(number));
  const wait: StuckWait = {
    kind: "stuck",
    job_id: job(1),
    cause,
    code: CODES[cause],
    details,
    since,
    ...(until && { until }),
  };
  if (done) scene.fail(job(1));
  else scene.do({ type: "put_back", job_id: job(1), why: "stuck" });
  scene.do({ type: "park", thread_id: T1, job_id: job(1), wait });
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
  return scene;
}

function labels({ want }: DesiredPost): string[] {
  const rows = want.kind === "show" ? want.body.components : [];
  return rows.flatMap((row) =>
    row.type === ComponentType.ActionRow
      ? row.components.flatMap((one) => ("label" in one && one.label ? [one.label] : []))
      : [],
  );
}

function notice(scene: Scene, options: Partial<WaitOptions> = {}): DesiredPost {
  const found = view(scene, options).find(({ part }) => part.startsWith("stuck:"));
  if (!found) throw new Error("no notice");
  return found;
}

const fresh = (one: Scene): Scene => (one.do({ type: "change_tool", thread_id: T1, tool: "codex" }), one);

describe("the buttons", () => {
  test.each([
    ["login", {}, ["Try again", "Other tool", "Drop it"]],
    ["credits", {}, ["Try again", "Other tool", "Drop it"]],
    ["credits", { done: true }, ["Try again", "Other tool"]],
    ["model", {}, ["Choose a model", "Try again", "Drop it"]],
    ["busy", { until: "2026-02-26T14:01:00.000Z" }, ["Try now", "Drop it"]],
    ["busy", {}, ["Continue now", "Drop it"]],
    ["full", {}, ["New conversation", "Drop it", "Drop the waiting ones"]],
    ["full", { more: 0 }, ["New conversation", "Drop it"]],
    ["full", { done: true, more: 2 }, ["New conversation", "Drop the waiting ones"]],
  ] as const)("under %s %j are these", (cause, how, wanted) => {
    expect(labels(notice(stuck(cause, how)))).toEqual(wanted);
  });

  test("offer no other tool where the project has none, and the post is another once it has", () => {
    const scene = stuck("login");
    const both = notice(scene);
    const { app } = scene.state.projects;
    if (app) app.enabled_tools = ["claude"];
    const alone = notice(scene);
    expect(labels(alone)).toEqual(["Try again", "Drop it"]);
    expect(alone.is).not.toBe(both.is);
  });

  test("offer to drop all only while more than one waits, and the post is another then", () => {
    const scene = stuck("full", { more: 0 });
    const one = notice(scene);
    scene.hear(T1, message(5));
    expect(labels(notice(scene))).toContain("Drop the waiting ones");
    expect(notice(scene).is).not.toBe(one.is);
  });

  const can = (how: ReturnType<NonNullable<WaitOptions["compacts"]>>): Partial<WaitOptions> => ({
    compacts: () => how,
  });
  const later = (): Scene => {
    const scene = running();
    scene.complete(job(1));
    scene.hear(T1, message(9));
    return scene;
  };
  test.each([
    ["the tool can", { kind: "image_error" }, true],
    ["Claude may not do that by itself", { kind: "blocking_limit" }, true],
    ["Claude has done that, and one exchange alone is too long", { kind: "prompt_too_long" }, false],
  ])("offer to compact where %s: %j", (_why, details, isOffered) => {
    const scene = later();
    const wait: StuckWait = {
      kind: "stuck",
      job_id: job(2),
      cause: "full",
      code: "E_CONVERSATION_FULL",
      details,
      since,
    };
    scene.do({ type: "put_back", job_id: job(2), why: "stuck" });
    scene.do({ type: "park", thread_id: T1, job_id: job(2), wait });
    expect(labels(notice(scene, can("command"))).includes("Compact")).toBe(isOffered);
    expect(labels(notice(scene, can("next"))).includes("Compact")).toBe(isOffered);
    expect(labels(notice(scene, can(undefined)))).not.toContain("Compact");
    expect(labels(notice(scene, can("offered")))).not.toContain("Compact");
    const commands = [{ name: "compact", description: "", hint: "" }];
    scene.do({ type: "note_told", thread_id: T1, tool: "claude", told: { commands } });
    expect(labels(notice(scene, can("offered"))).includes("Compact")).toBe(isOffered);
  });

  test("do not offer to compact a conversation that begins with this message", () => {
    expect(labels(notice(stuck("full"), can("command")))).not.toContain("Compact");
  });
});

describe("the words", () => {
  test("name the command that logs this agent in, or who can lift a refusal and the command for another account", () => {
    const login = { login: "codex login", tool: "codex" };
    expect(description(notice(stuck("login", { details: login })))).toContain(
      "codex isn't logged in on the machine where Bellhop runs. Type `codex login` in a terminal there, then try again.",
    );
    const refused = description(notice(stuck("login", { details: { ...login, because: "why_account_refused" } })));
    expect(refused).toContain("type `codex login` in a terminal on Bellhop's machine and log in with another account");
    expect(refused).toContain("An administrator of its organization can lift that; then try again.");
    expect(description(notice(stuck("login", { details: { because: "why_account_refused" } })))).not.toContain("``");
    expect(description(notice(stuck("credits")))).toContain("Whoever manages the account can lift that.");
  });

  test("say that config.json sets a model, and where that of a Claude in a window is chosen", () => {
    const scene = stuck("model", { details: { model: "m9" } });
    expect(description(notice(scene))).toContain("does not offer the model m9.");
    expect(description(notice(scene))).not.toContain("config.json");
    expect(description(notice(scene, { isModelInConfig: () => true }))).toContain("config.json sets this model.");
    const one = scene.state.jobs[job(1)];
    if (one) one.tool = "tmux";
    expect(description(notice(scene))).toContain("is chosen at its terminal");
    expect(labels(notice(scene))).toEqual(["Try again", "Drop it"]);
  });

  test.each(locales)("fit into a post in %s, and a wait that another tool ends says that it is over", (locale) => {
    const scene = stuck("login", { details: { login: "claude auth login", because: "why_account_refused" } });
    const post = notice(scene, { locale });
    expect(description(post).length).toBeLessThan(2_000);
    scene.post(job(1), "5", post.part);
    expect(labels(of(view(fresh(scene), { locale }), post.part))).toEqual([]);
  });
});
