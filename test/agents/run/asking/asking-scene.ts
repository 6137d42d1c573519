/** An agent that asks its owner things, in a runner's scene, and an owner who answers. */
import { expect } from "vitest";
import type { PermissionAsked, QuestionAsked } from "../../../../src/agents/contract/updates.ts";
import type { Answer, Decision } from "../../../../src/core/decisions/decision.ts";
import { isDelivered } from "../../../core/scene.ts";
import { RunnerScene, type Puppet, T1, today } from "../runner-scene.ts";

const COLOURS = [
  { label: "Red", description: "the warm one" },
  { label: "Blue", description: "" },
];
export const permission = (id: string, command = "rm -rf build", tool = "Bash"): PermissionAsked => ({
  kind: "permission",
  id,
  tool,
  title: command,
  input: { command },
  options: [],
});
export const question = (id: string, ...texts: string[]): QuestionAsked => ({
  kind: "question",
  id,
  questions: texts.map((text) => ({
    question: text,
    header: "H",
    multiple: text.endsWith("?*"),
    words: true,
    options: COLOURS,
  })),
});
export const plan = (id: string) => ({ kind: "plan_approval", id, input: { plan: "# Plan\n1. Do A" } }) as const;

export async function running(prompt = "do it"): Promise<{ scene: RunnerScene; run: Puppet }> {
  const scene = await new RunnerScene().withSessions(T1);
  await scene.hear(prompt);
  return { scene, run: await scene.run(1) };
}

/** The decision that the agent asked under this id, once it is asked. */
export function asked(scene: RunnerScene, id: string): Promise<Decision> {
  return scene.engine.until(({ decisions }) =>
    Object.values(decisions).find(({ asker }) => asker.by === "job" && asker.request_id === id),
  );
}

export const pick = (...places: number[]): Answer => ({ places, words: null });
export const words = (text: string): Answer => ({ places: [], words: text });

/** The owner presses, on what stands there. */
export function press(
  scene: RunnerScene,
  { decision_id, subject }: Decision,
  answer: Answer,
  question = 0,
): Promise<string[]> {
  return scene.do({ type: "answer", decision_id, question, answer, sha256: subject?.sha256 ?? null });
}

/** The prompt stands in the thread, above all that is written from now on. */
export async function shown(scene: RunnerScene, { decision_id: subject }: Decision): Promise<void> {
  await scene.do({
    type: "record_post",
    subject,
    part: "prompt",
    channel_id: T1,
    message_id: "300000000000000000",
    hash: "h",
    is: "said",
  });
}

/** Asks, has it answered, and gives what the agent is told. */
export async function told(
  update: PermissionAsked | QuestionAsked | ReturnType<typeof plan>,
  ...answers: Answer[]
): Promise<unknown> {
  const { scene, run } = await running();
  run.say(update);
  const decision = await asked(scene, update.id);
  for (const [at, answer] of answers.entries()) await press(scene, decision, answer, at);
  const [reply] = await run.tells(1);
  await scene.engine.until(({ decisions }) => isDelivered(decisions[decision.decision_id]));
  expect(scene.engine.state.jobs[today(1)]?.state).toBe("running");
  return reply;
}

export const typesOf = (scene: RunnerScene): string[] => scene.events.map(({ type }) => type);
