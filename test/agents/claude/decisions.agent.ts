/**
 * The real Claude Code asks and the owner settles: through the runner, the core and the driver, with a model on
 * loopback that tells what it heard.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { claudeDriver } from "../../../src/agents/claude/driver.ts";
import { openLivingAgents } from "../../../src/agents/live/living-agents.ts";
import type { Answer, Decision } from "../../../src/core/decisions/decision.ts";
import type { OutsideTurn } from "../../../src/core/jobs/outside-turn.ts";
import { PERMISSION, PLAN } from "../../../src/core/decisions/may-answer.ts";
import { pick, press, typesOf, words } from "../run/asking/asking-scene.ts";
import { openBench } from "../bench.ts";
import { RunnerScene, T1, today } from "../run/runner-scene.ts";

const { driver, environment, home, left, model, project } = await openBench({
  driver: claudeDriver,
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "test-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  passEnv: ["DISABLE_AUTOUPDATER"],
});

const COLOUR = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
};
const OTHERS = {
  question: "Which others?",
  header: "More",
  multiSelect: true,
  options: [
    { label: "Green", description: "" },
    { label: "Gold", description: "" },
    { label: "Grey", description: "" },
  ],
};

async function opened(args: string[] = [], idle = 4): Promise<RunnerScene> {
  const scene = new RunnerScene();
  scene.project = { path: project, args };
  const agents = openLivingAgents({
    ...scene.live,
    environment: (_thread, mark) => environment(mark),
    idleLimits: () => ({ agents: idle, idleMs: 900_000, backgroundMs: 900_000 }),
  });
  onTestFinished(() => agents.close());
  Object.assign(scene.options, { drivers: new Map([["claude", driver]]), agents });
  return scene.withSessions(T1);
}

/** The decision that is open; the process waits for it. */
function open(scene: RunnerScene): Promise<Decision> {
  return scene.engine.until(({ decisions }) => Object.values(decisions).find(({ state }) => state === "open"));
}

/** One prompt, its decision answered, and what the model says it heard. */
async function heard(scene: RunnerScene, prompt: string, ...answers: Answer[]): Promise<string> {
  await scene.hear(prompt);
  const decision = await open(scene);
  for (const [at, answer] of answers.entries()) await press(scene, decision, answer, at);
  return said(scene, 1);
}

async function said(scene: RunnerScene, number: number): Promise<string> {
  await scene.is(number, "success");
  await scene.free();
  return scene.engine.state.jobs[today(number)]?.result_excerpt ?? "";
}

const asks = (...questions: object[]): string => `call:AskUserQuestion:${JSON.stringify({ questions })}`;
const touch = (name: string): { file: string; prompt: string } => ({
  file: join(project, name),
  prompt: `tool:bash:touch ${join(project, name)}`,
});

describe("a permission", () => {
  it("allowed once lets exactly that run, once, and the next time it is asked again", async () => {
    const scene = await opened();
    const { file, prompt } = touch("once");
    await scene.hear(prompt);
    const decision = await open(scene);
    expect(JSON.parse(scene.decided.get(decision.decision_id) ?? "")).toEqual({
      tool: "Bash",
      input: { command: `touch ${file}`, description: "scripted command" },
    });
    expect(decision.subject).toMatchObject({ tool: "Bash", title: "touch once", pages: 1 });
    expect(existsSync(file)).toBe(false);
    await press(scene, decision, pick(PERMISSION.once));
    await said(scene, 1);
    expect(existsSync(file)).toBe(true);
    rmSync(file);
    await scene.hear(prompt);
    await press(scene, await open(scene), pick(PERMISSION.deny));
    await said(scene, 2);
    expect(existsSync(file)).toBe(false);
  });

  it("allowed for the session is not asked for again, and the agent was given no wider leave", async () => {
    const scene = await opened();
    const { file, prompt } = touch("session");
    await heard(scene, prompt, pick(PERMISSION.session));
    rmSync(file);
    await scene.hear(prompt);
    await said(scene, 2);
    expect(existsSync(file)).toBe(true);
    expect(Object.values(scene.engine.state.decisions)).toMatchObject([
      { settled_by: "press" },
      { settled_by: "grant" },
    ]);
    // Another file under the same command is another input.
    const other = touch("session-2");
    await scene.hear(other.prompt);
    await press(scene, await open(scene), pick(PERMISSION.deny));
    await said(scene, 3);
    expect(existsSync(other.file)).toBe(false);
    expect(existsSync(join(project, ".claude"))).toBe(false);
  });

  it("denied does not run, and the model hears the owner's reason", async () => {
    const { file, prompt } = touch("denied");
    expect(await heard(await opened(), prompt, pick(PERMISSION.deny))).toMatch(
      /AFTER_TOOL The owner did not allow this\./,
    );
    const scene = await opened();
    const answer = await heard(scene, prompt, { places: [PERMISSION.deny], words: "there is one already" });
    expect(answer).toMatch(/AFTER_TOOL The owner did not allow this\. .* The owner says: there is one already/);
    expect(existsSync(file)).toBe(false);
    expect(scene.engine.state.runs[today(1)]?.begun?.denied).toEqual(["Bash"]);
    expect(typesOf(scene).filter((type) => type === "AnswerDelivered")).toHaveLength(1);
  });
});

describe("a subagent's permission", () => {
  it("says which subagent asks, and its yes and no count like the agent's own", async () => {
    for (const [name, place, runs] of [
      ["sub-yes", PERMISSION.once, true],
      ["sub-no", PERMISSION.deny, false],
    ] as const) {
      const { file, prompt } = touch(name);
      const scene = await opened();
      await scene.hear(
        `call:Agent:${JSON.stringify({ description: "look around", prompt, subagent_type: "general-purpose", run_in_background: false })}`,
      );
      const decision = await open(scene);
      expect([decision.asker, decision.subject?.tool]).toMatchObject([
        { by: "job", subagent: "general-purpose: look around" },
        "Bash",
      ]);
      await press(scene, decision, pick(place));
      await said(scene, 1);
      expect(existsSync(file)).toBe(runs);
    }
  });
});

describe("work in the background", () => {
  /** The outside turn that has told something. */
  const told = (scene: RunnerScene): Promise<OutsideTurn> =>
    scene.engine.until(({ turns }) =>
      Object.values(turns ?? {}).find(({ state, result_excerpt }) => state === "done" && result_excerpt),
    );

  it("that ends after the answer is reported in an outside turn, and the next message is in the same conversation", async () => {
    const scene = await opened();
    await scene.hear(
      `call:Bash:${JSON.stringify({ command: "sleep 1; echo built", description: "build", run_in_background: true })}`,
    );
    await said(scene, 1);
    const turn = await told(scene);
    expect(turn).toMatchObject({ tool: "claude", origin: "background" });
    expect(scene.answers.get(turn.turn_id)).toBe(turn.result_excerpt);
    await scene.hear("echo:after");
    expect(await said(scene, 2)).toBe("after");
  });

  it("of a subagent asks also after the answer, and runs what was allowed", async () => {
    const scene = await opened();
    const { file, prompt } = touch("sub-later");
    await scene.hear(
      `call:Agent:${JSON.stringify({ description: "look around", prompt, subagent_type: "general-purpose" })}`,
    );
    await said(scene, 1);
    const asked = await scene.engine.until(({ decisions }) =>
      Object.values(decisions).find(({ state, asker }) => state === "open" && asker.by === "turn"),
    );
    expect(asked.asker).toMatchObject({ subagent: "general-purpose: look around" });
    expect(existsSync(file)).toBe(false);
    await press(scene, asked, pick(PERMISSION.once));
    await told(scene);
    expect(existsSync(file)).toBe(true);
  });
});

describe("a question", () => {
  it.each<[string, object[], Answer[], string]>([
    ["one", [COLOUR], [pick(1)], '"Which colour?"="Blue"'],
    ["two", [COLOUR, OTHERS], [pick(0), pick(2)], '"Which colour?"="Red", "Which others?"="Grey"'],
    ["several chosen of one", [OTHERS], [pick(0, 2)], '"Which others?"="Green, Grey"'],
    [
      "in the owner's own words",
      [COLOUR],
      [words('neither, a "warm" grey\nplease')],
      '"Which colour?"="neither, a "warm" grey\nplease"',
    ],
  ])("%s: the model hears the answer", async (_, questions, answers, expected) => {
    expect(await heard(await opened(), asks(...questions), ...answers)).toContain(expected);
  });
});

describe("a plan", () => {
  const prompt = 'call:ExitPlanMode:{"plan":"# Plan\\n1. Do A"}';
  const planning = ["--permission-mode", "plan"];

  it("is shown as it is, and approved: the agent leaves its planning", async () => {
    const scene = await opened(planning);
    await scene.hear(prompt);
    const decision = await open(scene);
    expect(decision.kind).toBe("plan");
    expect(JSON.parse(scene.decided.get(decision.decision_id) ?? "")).toEqual({ plan: { plan: "# Plan\n1. Do A" } });
    await press(scene, decision, pick(PLAN.approve));
    expect(await said(scene, 1)).toMatch(/AFTER_TOOL User has approved/);
  });

  it("that is in its file is shown as it stands there, and comes back whole when it is approved", async () => {
    const scene = await opened(planning);
    await scene.hear("echo:where?");
    await said(scene, 1);
    const [file_path] = /[^\s"'\\`]*\/\.claude\/plans\/[\w-]+\.md/.exec(JSON.stringify(model.asked.at(-1)?.body)) ?? [];
    const content = "# The plan in the file\n1. B\n";
    const calls = [
      { name: "Write", input: { file_path, content } },
      { name: "ExitPlanMode", input: {} },
    ];
    await scene.hear(`calls:${JSON.stringify(calls)}`);
    const decision = await open(scene);
    expect(JSON.parse(scene.decided.get(decision.decision_id) ?? "")).toEqual({
      plan: { plan: content, planFilePath: file_path },
    });
    await press(scene, decision, pick(PLAN.approve));
    await said(scene, 2);
    const heard = model.asked
      .at(-1)
      ?.turns.findLast(({ toolResult }) => toolResult?.startsWith("User has approved"))?.toolResult;
    expect(heard).toContain("The plan in the file");
  });

  it("rejected with what the owner says of it: the model hears that", async () => {
    const scene = await opened(planning);
    expect(await heard(scene, prompt, { places: [PLAN.reject], words: "B before A" })).toMatch(
      /AFTER_TOOL The owner did not approve this plan\. .* The owner says: B before A/,
    );
    expect(scene.engine.state.runs[today(1)]?.begun?.denied).toEqual([]);
  });
});

it("that are asked at once wait for their owner at once, and each hears its own answer", async () => {
  const scene = await opened();
  const outside = ["one", "two"].map((name) => join(home, `${name}.txt`));
  for (const file of outside) writeFileSync(file, `the words of ${file}`);
  await scene.hear(`calls:${JSON.stringify(outside.map((file_path) => ({ name: "Read", input: { file_path } })))}`);
  const both = await scene.engine.until(
    ({ decisions }) => Object.values(decisions).length === 2 && Object.values(decisions),
  );
  const of = (file: string | undefined): Decision =>
    both.find(({ decision_id }) => scene.decided.get(decision_id)?.includes(file ?? "?"))!;
  await press(scene, of(outside[1]), { places: [PERMISSION.deny], words: "not that one" });
  await press(scene, of(outside[0]), pick(PERMISSION.once));
  await said(scene, 1);
  const { tools, denied } = scene.engine.state.runs[today(1)]!.begun!;
  expect(tools.map(({ name, title, ok }) => [name, title.endsWith("one.txt"), ok]).toSorted()).toEqual([
    ["Read", false, false],
    ["Read", true, true],
  ]);
  expect(denied).toEqual(["Read"]);
});

it("that is cancelled while it waits for its owner is gone, and what it asked is void", async () => {
  const scene = await opened([], 0);
  const { file, prompt } = touch("cancelled");
  await scene.hear(prompt);
  const { decision_id } = await open(scene);
  await scene.do({ type: "cancel_job", job_id: today(1), by: "owner" });
  await scene.is(1, "cancelled");
  await scene.free();
  expect(scene.engine.state.decisions[decision_id]?.state).toBe("void");
  expect(existsSync(file)).toBe(false);
  expect(left()).toEqual([]);
});
