/**
 * Turns that an agent begins by itself: recorded before they are shown, asked about like a job, on disk before they
 * end.
 */
import { isDelivered } from "../../core/scene.ts";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { outsideTurns } from "../../../src/agents/run/outside-turn.ts";
import type { Agent, Turn } from "../../../src/agents/contract/driver.ts";
import type { PermissionAsked } from "../../../src/agents/contract/updates.ts";
import type { JobLiveEvent } from "../../../src/engine/live.ts";
import { Puppet, RunnerScene, T1, type Asked } from "./runner-scene.ts";

/** An agent's turns of its own, given one after another. */
class Between implements AsyncIterable<Turn> {
  readonly #given: Turn[] = [];
  #more: () => void = () => undefined;
  #gone = false;

  give(turn: Turn): void {
    this.#given.push(turn);
    this.#more();
  }

  end(): void {
    this.#gone = true;
    this.#more();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Turn> {
    for (;;) {
      const turn = this.#given.shift();
      if (turn) yield turn;
      else if (this.#gone) return;
      else await new Promise<void>((resolve) => (this.#more = resolve));
    }
  }
}

interface Outside {
  scene: RunnerScene;
  between: Between;
  begin(): Puppet;
  /** Resolves when the agent is gone and everything is recorded. */
  over: Promise<void>;
  stop(): void;
}

async function outside(): Promise<Outside> {
  const scene = await new RunnerScene().withSessions(T1);
  const between = new Between();
  let stopping = false;
  const over = outsideTurns(() => scene.options).followOutsideTurns(
    { thread_id: T1, tool: "claude", cwd: "/srv/app" },
    { between } as unknown as Agent,
    () => stopping,
  );
  const begin = (): Puppet => {
    const turn = new Puppet({} as Asked, scene.clock);
    between.give(turn);
    return turn;
  };
  return { scene, between, begin, over, stop: () => (stopping = true) };
}

const turnOf = ({ engine: { state } }: RunnerScene) => Object.values(state.turns ?? {}).at(-1);
const began = (scene: RunnerScene): Promise<string> =>
  scene.engine.until(({ threads }) => threads[T1]?.outside ?? null);
const isOver = (scene: RunnerScene): Promise<true> =>
  scene.engine.until(({ threads }) => threads[T1]?.outside === undefined);

describe("a turn of the agent's own", () => {
  test("is recorded, streamed, and its answer is on disk before its end is in the journal", async () => {
    const { scene, begin } = await outside();
    const told: JobLiveEvent[] = [];
    scene.liveEvents.listen((signal) => void told.push(signal));
    const turn = begin();
    const id = await began(scene);
    let endedBefore: unknown;
    scene.finishing = () => (endedBefore = turnOf(scene)?.state);
    turn.say(
      { kind: "text", delta: "The build is " },
      { kind: "text", delta: "SECRET." },
      { kind: "tool_finished", id: "1", ok: true, summary: "" },
    );
    turn.done("The build is SECRET.");
    await isOver(scene);
    expect([turnOf(scene), endedBefore]).toMatchObject([
      { state: "done", result_excerpt: "The build is ***.", origin: "background" },
      "running",
    ]);
    expect(scene.answers.get(id)).toBe("The build is SECRET.");
    expect(told.map(({ kind, job_id }) => [kind, job_id])).toEqual([
      ["text", id],
      ["text", id],
      ["tool_ended", id],
      ["written", id],
    ]);
    expect(scene.engine.state.runs[id]?.begun?.tools).toHaveLength(1);
  });

  test("asks its owner, and is told the answer; what is still open at its end is void", async () => {
    const { scene, begin } = await outside();
    const turn = begin();
    await began(scene);
    const permission = (id: string): PermissionAsked => ({
      kind: "permission",
      id,
      tool: "Bash",
      title: "ls",
      input: { command: id },
      options: [],
    });
    turn.say(permission("p1"), permission("p2"));
    const asked = await scene.engine.until(({ decisions }) =>
      Object.keys(decisions).length === 2 ? Object.values(decisions) : null,
    );
    // Each is on disk before it is asked, in whatever order.
    const of = (id: string) => asked.find(({ asker }) => asker.by === "turn" && asker.request_id === id);
    const [first, second] = [of("p1"), of("p2")];
    expect(first).toBeDefined();
    await scene.do({
      type: "record_post",
      subject: first?.decision_id ?? "",
      part: "prompt",
      channel_id: T1,
      message_id: "400000000000000000",
      hash: "h",
      is: "said",
    });
    await scene.do({
      type: "answer",
      decision_id: first?.decision_id ?? "",
      question: 0,
      answer: { places: [0], words: null },
      sha256: first?.subject?.sha256 ?? null,
    });
    expect(await turn.tells(1)).toEqual([{ kind: "allow", input: { command: "p1" } }]);
    turn.done();
    await isOver(scene);
    expect(scene.engine.state.decisions[second?.decision_id ?? ""]).toMatchObject({
      state: "void",
      voided: "asker_gone",
    });
  });

  test.each([
    ["before", true],
    ["after", false],
  ])("takes over what a job's agent asks on: a press %s it begins is told once, to it", async (_when, early) => {
    const { scene, begin } = await outside();
    await scene.hear("go");
    const run = await scene.run(1);
    const asks: PermissionAsked = {
      kind: "permission",
      id: "p1",
      tool: "Bash",
      title: "ls",
      input: { command: "ls" },
      options: [],
      subagent: "helper",
    };
    run.say(asks);
    const { decision_id, subject } = await scene.engine.until(({ decisions }) => Object.values(decisions)[0]);
    await scene.do({
      type: "record_post",
      subject: decision_id,
      part: "prompt",
      channel_id: T1,
      message_id: "400000000000000000",
      hash: "h",
      is: "said",
    });
    const press = (): Promise<unknown> =>
      scene.do({
        type: "answer",
        decision_id,
        question: 0,
        answer: { places: [0], words: null },
        sha256: subject?.sha256 ?? null,
      });
    run.end({ outcome: "done", result: "said", left: ["p1"] });
    await scene.is(1, "success");
    if (early) await press();
    const turn = begin();
    const turn_id = await began(scene);
    turn.say({ ...asks, handedOver: true });
    await scene.engine.until(({ decisions }) => decisions[decision_id]?.asker.by === "turn" || null);
    if (!early) await press();
    expect(await turn.tells(1)).toEqual([{ kind: "allow", input: { command: "ls" } }]);
    await scene.engine.until(({ decisions }) => isDelivered(decisions[decision_id]) || null);
    turn.done();
    await isOver(scene);
    expect(Object.values(scene.engine.state.decisions)).toMatchObject([
      { decision_id, state: "answered", asker: { by: "turn", turn_id, request_id: "p1", subagent: "helper" } },
    ]);
  });

  test("that is not recorded, because another is, takes over nothing: what it asks on is void, and nobody can press it", async () => {
    const { scene, begin } = await outside();
    await scene.hear("go");
    const run = await scene.run(1);
    const asks: PermissionAsked = {
      kind: "permission",
      id: "p1",
      tool: "Bash",
      title: "ls",
      input: { command: "ls" },
      options: [],
      subagent: "helper",
    };
    run.say(asks);
    const { decision_id } = await scene.engine.until(({ decisions }) => Object.values(decisions)[0]);
    run.end({ outcome: "done", result: "said", left: ["p1"] });
    await scene.is(1, "success");
    await scene.do({
      type: "begin_outside_turn",
      turn_id: "turn_other",
      thread_id: T1,
      tool: "claude",
      origin: "background",
    });
    const turn = begin();
    turn.say({ ...asks, handedOver: true });
    await scene.engine.until(({ decisions }) => decisions[decision_id]?.state === "void" || null);
    expect(scene.engine.state.decisions[decision_id]).toMatchObject({ voided: "asker_gone" });
    expect([turn.stopped, scene.failures]).toEqual([true, []]);
  });

  test("holds its thread's queue until its end; one that follows at once is recorded beside the job that began", async () => {
    const { scene, begin } = await outside();
    const [first, second] = [begin(), begin()];
    await began(scene);
    await scene.hear("next");
    expect(scene.runs).toEqual([]);
    first.done("one");
    await scene.engine.until(({ turns }) => Object.keys(turns ?? {}).length === 2);
    second.done("two");
    expect((await scene.run(1)).request.text).toBe("next");
    await isOver(scene);
    expect([...scene.answers.values()]).toEqual(["one", "two"]);
    expect(
      scene.events
        .map(({ type }) => type)
        .filter((type) => type.startsWith("OutsideTurn") || type === "JobStarted")
        .slice(0, 3),
    ).toEqual(["OutsideTurnBegan", "OutsideTurnEnded", "JobStarted"]);
  });

  test("is told once a message waits for its end, and not before", async () => {
    const { scene, begin } = await outside();
    const turn = begin();
    const told = Promise.withResolvers<string[]>();
    Object.assign(turn, { hurry: () => told.resolve(scene.engine.state.sessions[T1]?.queue ?? []) });
    await began(scene);
    await scene.hear("next");
    expect(await told.promise).toHaveLength(1);
    turn.done("one");
    expect((await scene.run(1)).request.text).toBe("next");
    await isOver(scene);
  });

  test("that fails says why, and one that is silent for too long is ended", async () => {
    const { scene, begin } = await outside();
    begin().fail();
    await began(scene).then(() => isOver(scene));
    expect(turnOf(scene)).toMatchObject({ state: "failed", error_code: "E_CLI_EXIT_NONZERO" });
    const quiet = begin();
    quiet.quiet = true;
    await began(scene);
    await scene.clock.advance(900_000);
    await isOver(scene);
    expect(turnOf(scene)).toMatchObject({ state: "failed", error_code: "E_CLI_TIMEOUT" });
  });

  test("whose answer cannot be kept is done without its digest, and the thread is free", async () => {
    const { scene, begin } = await outside();
    const turn = begin();
    await began(scene);
    scene.finishing = () => {
      throw Object.assign(new Error("disk full"), { code: "ENOSPC" });
    };
    turn.say({ kind: "text", delta: "much" });
    turn.done("much");
    await isOver(scene);
    expect(turnOf(scene)).toMatchObject({ state: "done", result_excerpt: "much" });
    expect(scene.failures).toHaveLength(1);
  });

  test("that ends with the daemon is unknown, with what it had said", async () => {
    const { scene, begin, stop } = await outside();
    const turn = begin();
    await began(scene);
    turn.say({ kind: "text", delta: "I was about to" });
    stop();
    await turn.cancel();
    await isOver(scene);
    expect(turnOf(scene)).toMatchObject({ state: "unknown", result_excerpt: "I was about to" });
  });

  test.each(["", " that can be spoken to"])(
    "that cannot be recorded%s is stopped, and nothing more is read once the journal has failed",
    async (kind) => {
      const { scene, begin, between, over } = await outside();
      scene.broken = new Error("EIO");
      const turn = begin();
      if (kind !== "") Object.assign(turn, { steer: async () => "refused" });
      const lost: unknown[] = [];
      const note = (error: unknown): void => void lost.push(error);
      process.on("unhandledRejection", note);
      onTestFinished(() => void process.off("unhandledRejection", note));
      between.end();
      await over;
      await setImmediate();
      expect([turn.stopped, lost]).toEqual([true, []]);
      expect(turnOf(scene)).toBeUndefined();
    },
  );
});
