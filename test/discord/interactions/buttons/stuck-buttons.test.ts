/** What the buttons do under what a thread is stuck with, and what a late or a second press does not. */
import { describe, expect, test } from "vitest";
import type { StuckCause } from "../../../../src/core/projects/checkout.ts";
import { handleInteraction } from "../../../../src/discord/interactions/interaction.ts";
import { CommandScene, inThread, T1, today } from "../scene.ts";

const CODES = {
  login: "E_AGENT_LOGIN",
  full: "E_CONVERSATION_FULL",
  model: "E_MODEL_UNAVAILABLE",
  credits: "E_OUT_OF_CREDITS",
  busy: "E_SERVICE_BUSY",
  locked: "E_LOCKED",
} as const;

async function park(scene: CommandScene, cause: StuckCause, since = "2026-03-01T14:00:00.000Z"): Promise<void> {
  const job_id = today(1);
  const wait = { kind: "stuck", job_id, cause, code: CODES[cause], details: {}, since } as const;
  await scene.engine.submit({ type: "put_back", job_id, why: "stuck" });
  await scene.engine.submit({ type: "park", thread_id: T1, job_id, wait });
  await scene.engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
}

/** Three messages wait, the first of which has met it. */
async function stuck(cause: StuckCause): Promise<CommandScene> {
  const scene = await new CommandScene().withSession(3);
  await park(scene, cause);
  return scene;
}

const waitOf = ({ engine: { state } }: CommandScene): unknown => state.threads[T1]?.wait;
const queueOf = ({ engine: { state } }: CommandScene): unknown => state.sessions[T1]?.queue;

async function press(scene: CommandScene, action: string, values?: string[]): Promise<void> {
  const custom_id = `${action}:${today(1)}`;
  const message = { id: "200000000000000910", channel_id: T1, flags: values ? 64 : 0 };
  const data = values ? { custom_id, component_type: 3, values } : { custom_id, component_type: 2 };
  await scene.press("", { ...inThread, data, message });
}

async function name(scene: CommandScene, value: string): Promise<void> {
  const component = { type: 4, custom_id: "words", value };
  const data = { custom_id: `m-choose:${today(1)}`, components: [{ type: 18, component }] };
  const message = { id: "200000000000000910", channel_id: T1, flags: 0 };
  await handleInteraction(scene.interaction({ ...inThread, type: 5, data, message }), scene.context);
}

/** The options of the select that was sent last. */
function optionsOf({ sent }: CommandScene): string[] {
  const body = sent.at(-1)?.body as { components: { components: { options: { value: string }[] }[] }[] } | undefined;
  return body?.components[0]?.components[0]?.options.map(({ value }) => value) ?? [];
}

const modal = ({ sent }: CommandScene): unknown => (sent.at(-1)?.body as { type?: number } | undefined)?.type;

async function withModels(count: number): Promise<CommandScene> {
  const scene = await stuck("model");
  scene.acp.add("claude");
  const models = Array.from({ length: count }, (_, at) => ({ id: `model-${at}`, name: `Model ${at}` }));
  if (count > 0) scene.offered.set("claude", models);
  return scene;
}

describe("Choose a model", () => {
  test("offers what the agent offers, 25 of them, and the choice ends the wait", async () => {
    const scene = await withModels(30);
    await press(scene, "m-choose");
    expect(optionsOf(scene)).toHaveLength(25);
    expect(scene.answered()).toContain("`/agent model` suggests all");
    await press(scene, "m-pick", ["model-3"]);
    expect(scene.engine.state.threads[T1]?.models).toEqual({ claude: "model-3" });
    expect(waitOf(scene)).toBeNull();
    await press(scene, "m-pick", ["model-4"]);
    expect(scene.answered()).toContain("E_DECISION_CLOSED");
    expect(scene.engine.state.threads[T1]?.models).toEqual({ claude: "model-3" });
    await press(scene, "m-choose");
    expect(JSON.stringify(scene.sent.at(-1)?.body)).toContain("E_DECISION_CLOSED");
  });

  test("asks for the name where nobody knows what the agent offers, and refuses a blank one", async () => {
    const scene = await withModels(0);
    await press(scene, "m-choose");
    expect(modal(scene)).toBe(9);
    await name(scene, "  ");
    expect(scene.answered()).toContain("E_MODEL_UNAVAILABLE");
    expect(waitOf(scene)).not.toBeNull();
    await name(scene, " claude-5 ");
    expect(scene.engine.state.threads[T1]?.models).toEqual({ claude: "claude-5" });
    expect(waitOf(scene)).toBeNull();
    await name(scene, "claude-6");
    expect(scene.answered()).toContain("E_DECISION_CLOSED");
    expect(scene.engine.state.threads[T1]?.models).toEqual({ claude: "claude-5" });
  });

  test("the same again is a choice too: it may be there now", async () => {
    const scene = await withModels(1);
    await scene.engine.submit({ type: "choose_model", thread_id: T1, tool: "claude", model: "model-0" });
    await scene.engine.submit({ type: "start_waiting" });
    await park(scene, "model");
    expect(waitOf(scene)).not.toBeNull();
    scene.facts.clear();
    await press(scene, "m-pick", ["model-0"]);
    expect(waitOf(scene)).toBeNull();
  });

  test("of one for which none can be chosen says so", async () => {
    const scene = await withModels(0);
    scene.known.model = [];
    await name(scene, "claude-5");
    expect(scene.answered()).toContain("E_MODEL_UNAVAILABLE");
    expect(waitOf(scene)).not.toBeNull();
  });
});

describe("Compact", () => {
  const jobsOf = ({ engine: { state } }: CommandScene): unknown[] =>
    Object.values(state.jobs).map(({ prompt }) => prompt);

  test("has the conversation made shorter before what waits, once", async () => {
    const scene = await stuck("full");
    scene.engine.state.sessions[T1]!.adapter_state = { session_id: "s1" };
    await press(scene, "compact");
    expect(scene.answered()).toContain("`/compact`");
    expect(waitOf(scene)).toBeNull();
    expect(jobsOf(scene).at(-1)).toBe("/compact");
    expect(scene.engine.state.sessions[T1]?.queue).toEqual([today(1), today(2), today(3)]);
    await press(scene, "compact");
    expect(scene.answered()).toContain("E_DECISION_CLOSED");
    expect(jobsOf(scene)).toHaveLength(4);
  });

  test("of one that does that with its next prompt goes on with what waits", async () => {
    const scene = await stuck("full");
    scene.engine.state.sessions[T1]!.adapter_state = { session_id: "s1" };
    scene.compacts = "next";
    await press(scene, "compact");
    expect(waitOf(scene)).toBeNull();
    expect(jobsOf(scene)).toHaveLength(3);
  });

  test("of one that cannot says so, and waits on", async () => {
    const scene = await stuck("full");
    scene.compacts = undefined;
    await press(scene, "compact");
    expect(scene.answered()).toContain("E_NOT_COMPACTED");
    expect(waitOf(scene)).not.toBeNull();
  });
});

describe.each(["login", "credits"] as const)("Other tool, under %s", (cause) => {
  test("offers the project's others, and the queue goes to the one that is chosen", async () => {
    const scene = await stuck(cause);
    await press(scene, "t-other");
    expect(optionsOf(scene)).toEqual(["codex"]);
    await press(scene, "t-pick", ["codex"]);
    expect(scene.answered()).toContain("This session uses **codex**");
    expect(scene.engine.state.sessions[T1]?.tool).toBe("codex");
    expect(waitOf(scene)).toBeNull();
    await press(scene, "t-pick", ["claude"]);
    expect(scene.answered()).toContain("E_DECISION_CLOSED");
    expect(scene.engine.state.sessions[T1]?.tool).toBe("codex");
    await press(scene, "t-other");
    expect(scene.answered()).toContain("E_DECISION_CLOSED");
  });

  test("that the project does not use any more is refused", async () => {
    const scene = await stuck(cause);
    await press(scene, "t-pick", ["gemini"]);
    expect(scene.answered()).toContain("E_TOOL_NOT_ENABLED");
    expect(waitOf(scene)).not.toBeNull();
  });
});

describe("Drop the waiting ones", () => {
  test("drops all of them, says how many, and the thread waits no more; a second press says that it is over", async () => {
    const scene = await stuck("full");
    await press(scene, "drop-all");
    expect(scene.answered()).toBe("Dropped 3 waiting messages.");
    expect([waitOf(scene), queueOf(scene)]).toEqual([null, []]);
    await press(scene, "drop-all");
    expect(scene.answered()).toContain("E_DECISION_CLOSED");
  });

  test("drops nothing that waits for something else by then", async () => {
    const scene = await stuck("full");
    await scene.engine.submit({ type: "unpark", thread_id: T1, job_id: today(1), by: "fresh" });
    await scene.engine.submit({ type: "start_waiting" });
    await park(scene, "busy", "2026-03-01T15:00:00.000Z");
    await press(scene, "drop-all");
    expect(scene.answered()).toContain("E_DECISION_CLOSED");
    expect(queueOf(scene)).toEqual([today(1), today(2), today(3)]);
  });
});

test("a button of another cause changes nothing: what the job is stuck with may have changed between two tries", async () => {
  const scene = await stuck("busy");
  await scene.engine.submit({ type: "unpark", thread_id: T1, job_id: today(1), by: "time" });
  await park(scene, "login", "2026-03-01T15:00:00.000Z");
  expect(waitOf(scene)).toMatchObject({ cause: "login" });
  const presses: [string, string[]?][] = [["drop-all"], ["m-pick", ["m"]], ["s-fresh"]];
  for (const [action, values] of presses) {
    await press(scene, action, values);
    expect(scene.answered()).toContain("E_DECISION_CLOSED");
  }
  expect(waitOf(scene)).toMatchObject({ cause: "login" });
  await press(scene, "unpark");
  expect(waitOf(scene)).toBeNull();
});
