/**
 * A question with a time limit, and an answer that is heard after it: what was written in time counts, whoever was away
 * in between, and what was written later never does. Time is Discord's: the sandbox stands still until a test puts its
 * clock forward, and the daemon learns of that from the answers to its requests.
 */
import { expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { recorded } from "../workshop.ts";
import { openWorld, type World } from "../world.ts";
import { openAsker, promptOf, type Asker } from "./asker.ts";
import { events } from "./asked.ts";

const HOUR_MS = 3_600_000;

interface Late {
  world: World;
  asker: Asker;
  /** Puts Discord's clock forward. */
  pass(ms: number): void;
}

/** @param apart how far Discord's clock is ahead of this machine's */
async function late(apart = 0): Promise<Late & { daemon: ReturnType<World["daemon"]> }> {
  let now = Date.now() + apart;
  const world = await openWorld({
    agent: "none",
    unlimited: true,
    discord: { clock: { ...systemClock, now: () => now } },
  });
  // While the gateway is away, nothing is read but for the end of a question's time.
  const daemon = world.daemon({ env: { POLL_INTERVAL_SECONDS: "300" } });
  await daemon.ready;
  return { world, daemon, asker: await openAsker(world), pass: (ms) => void (now += ms) };
}

const ANSWERED = { success: true, answer: "Yes, after the backup has run.", timed_out: false, aborted: false };
const NOT_IN_TIME = { success: false, answer: null, timed_out: true, aborted: false };

test.each([0, HOUR_MS, -HOUR_MS])(
  "written 0.3 s after the daemon was killed, before the time was over, and heard by the next daemon after it; Discord's clock ahead by %d ms",
  async (apart) => {
    const { world, daemon, asker, pass } = await late(apart);
    const answer = asker.ask({ timeout_seconds: 5 });
    const thread = await promptOf(world, "Deploy?");
    await daemon.kill("SIGKILL");
    pass(300);
    await world.owner(thread).send(ANSWERED.answer);
    pass(6_200);
    await world.daemon().ready;
    expect(await answer).toMatchObject({ ...ANSWERED, thread_id: thread });
    expect([events(world, "InboxReceived"), events(world, "DecisionLapsed")]).toEqual([[], []]);
  },
);

test.each([0, HOUR_MS, -HOUR_MS])(
  "written after the time was over, while no daemon ran: no answer, and kept in the inbox; Discord's clock ahead by %d ms",
  async (apart) => {
    const { world, daemon, asker, pass } = await late(apart);
    const answer = asker.ask({ timeout_seconds: 5 });
    const thread = await promptOf(world, "Deploy?");
    await daemon.kill("SIGKILL");
    // The daemon's own clock went on while it asked, so its limit is a little later than 5 s after Discord's time now.
    pass(120_000);
    await world.owner(thread).send(ANSWERED.answer);
    pass(3_000);
    await world.daemon().ready;
    expect(await answer).toMatchObject({ ...NOT_IN_TIME, thread_id: thread });
    await recorded(world, ({ type }) => type === "InboxReceived");
    expect(events(world, "DecisionAnswered")).toEqual([]);
  },
);

/** Asked for a minute, and the gateway goes away for good. */
async function away(): Promise<Late & { answer: ReturnType<Asker["ask"]>; thread: string }> {
  const made = await late();
  const answer = made.asker.ask({ timeout_seconds: 60 });
  const thread = await promptOf(made.world, "Deploy?");
  const { faults } = made.world.sandbox;
  faults.gateway({ kind: "no_upgrade" });
  faults.gateway({ kind: "cut" });
  return { ...made, answer, thread };
}

/** Anything that Discord answers tells the daemon what time it is. */
async function tellTime({ asker }: Late, request_id: string): Promise<void> {
  await asker.notify({ message: "Still at work.", request_id });
}

async function directOf({ sandbox }: World): Promise<string> {
  return sandbox.until(
    ({ requests }) =>
      requests.flatMap(({ operationId, responseBody }) =>
        operationId === "create_dm" ? (responseBody as { id: string }).id : [],
      )[0],
  );
}

test.each(["a reply to the announcement", "direct messages"])("the same of what was written in %s", async (place) => {
  const { world, daemon, asker, pass } = await late();
  const answer = asker.ask({ timeout_seconds: 5 });
  const thread = await promptOf(world, "Deploy?");
  const direct = await directOf(world);
  await recorded(world, ({ type, payload }) => type === "ChannelOpened" && payload["channel_id"] === direct);
  await daemon.kill("SIGKILL");
  pass(300);
  if (place === "direct messages") await world.owner(direct).send(ANSWERED.answer);
  else await world.owner(world.sandbox.channelId).send(ANSWERED.answer, { replyTo: thread });
  pass(6_200);
  await world.daemon().ready;
  expect(await answer).toMatchObject({ ...ANSWERED, thread_id: thread });
  expect([events(world, "InboxReceived"), events(world, "DecisionLapsed")]).toEqual([[], []]);
});

test("written while the gateway was away, which it was until the time was over: read before the question expires", async () => {
  const made = await away();
  await made.world.owner(made.thread).send(ANSWERED.answer);
  made.pass(70_000);
  await tellTime(made, "request-0001");
  expect(await made.answer).toMatchObject(ANSWERED);
});

test("a connection that has gone silent is no live one: what it did not bring is read", async () => {
  const made = await late();
  const answer = made.asker.ask({ timeout_seconds: 60 });
  const thread = await promptOf(made.world, "Deploy?");
  made.world.sandbox.faults.gateway({ kind: "silence" });
  await made.world.owner(thread).send(ANSWERED.answer);
  made.pass(70_000);
  await tellTime(made, "request-0001");
  expect(await answer).toMatchObject(ANSWERED);
});

test("over a live connection a question expires without any reading", async () => {
  const made = await late();
  const answer = made.asker.ask({ timeout_seconds: 60 });
  await promptOf(made.world, "Deploy?");
  // A place that is new to the daemon is read once.
  const direct = await directOf(made.world);
  await made.world.sandbox.until(({ requests }) =>
    requests.some(({ operationId, path }) => operationId === "list_messages" && path.includes(direct)),
  );
  // From here on everything comes over the gateway.
  expect(await made.asker.pending()).toMatchObject({ caught_up: true });
  made.world.sandbox.faults.hold({ operationId: "list_messages" });
  made.pass(70_000);
  await tellTime(made, "request-0001");
  expect(await answer).toMatchObject(NOT_IN_TIME);
  await recorded(made.world, ({ type }) => type === "DecisionLapsed");
});

test.each(["the check for open questions", "the same question, asked again"])(
  "nothing can be read for longer than 15 s after the time: the caller is told, and what was written in time goes to %s",
  async (way) => {
    const made = await away();
    const { world, asker } = made;
    const reading = world.sandbox.faults.hold({ operationId: "list_messages" });
    await world.owner(made.thread).send(ANSWERED.answer);
    made.pass(70_000);
    await tellTime(made, "request-0001");
    await reading.hit();
    expect(events(world, "DecisionLapsed")).toEqual([]);
    made.pass(10_000);
    await tellTime(made, "request-0002");
    const told = await made.answer;
    expect(told).toMatchObject(NOT_IN_TIME);
    await asker.delivered(told.question_id);
    await recorded(world, ({ type }) => type === "DecisionDisconnected");
    reading.lift();
    if (way === "the same question, asked again")
      expect(await asker.ask({ timeout_seconds: 60 })).toMatchObject({ ...ANSWERED, question_id: told.question_id });
    else {
      await recorded(world, ({ type }) => type === "DecisionAnswered");
      expect(await asker.pending()).toMatchObject({
        has_pending: false,
        resolved_questions: [{ question_id: told.question_id, answer: ANSWERED.answer }],
      });
    }
    expect([events(world, "InboxReceived"), events(world, "DecisionAsked").length]).toEqual([[], 1]);
  },
);
