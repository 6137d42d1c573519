import { describe, expect, test } from "vitest";
import { handleInteraction } from "../../../../src/discord/interactions/interaction.ts";
import { QUEUE_PART } from "../../../../src/discord/views/queue-card.ts";
import { CHANNEL, CommandScene, inThread, T1, today } from "../scene.ts";

const CARD = "200000000000000901";
const hidden = { ...inThread, message: { id: "200000000000000990", channel_id: T1, flags: 64 } };

type Custom = {
  custom_id?: string;
  options?: { value: string; label: string; description?: string }[];
  components?: Custom[];
};

function parts(body: unknown): Custom[] {
  return ((body as { components?: Custom[] }).components ?? []).flatMap((row) => row.components ?? []);
}

const ids = (body: unknown): string[] => parts(body).map(({ custom_id }) => custom_id ?? "");

/** A session with so many jobs, the first of which runs, and its card shown. */
async function withCard(messages: number): Promise<CommandScene> {
  const scene = await new CommandScene().withSession(messages);
  scene.answer = ({ method, path }) =>
    method === "PATCH" && path.includes("/webhooks/") ? { id: CARD, channel_id: T1 } : undefined;
  await scene.slash("queue", {}, inThread);
  return scene;
}

const onCard = { ...inThread, message: { id: CARD, channel_id: T1, flags: 0 } };
const waiting = (scene: CommandScene): string[] => scene.engine.state.sessions[T1]?.queue ?? [];
/** What was said beside the card since its press was acknowledged. */
const whispers = (scene: CommandScene): unknown[] =>
  scene.sent.filter(({ method, path }) => method === "POST" && path.startsWith("/webhooks/")).map(({ body }) => body);

describe("/queue", () => {
  test("shows what runs and what waits, in order, with what changes it", async () => {
    const scene = await withCard(3);
    expect(scene.answered()).toBe(
      `⚙️ p1 · \`${today(1)}\`\n**Waiting: 2**\n**1.** p2 · \`${today(2)}\`\n**2.** p3 · \`${today(3)}\``,
    );
    expect(ids(scene.sent.at(-1)?.body)).toEqual([`q-pick:${T1}`, `q-clear:${T1}`]);
    expect(parts(scene.sent.at(-1)?.body)[0]?.options).toEqual([
      { label: "1. p2", value: today(2), description: today(2) },
      { label: "2. p3", value: today(3), description: today(3) },
    ]);
  });

  test("is a message for the thread, written down as its card, in the language it is kept in", async () => {
    const scene = await new CommandScene({ locale: "ko" }).withSession(2);
    scene.answer = ({ method }) => (method === "PATCH" ? { id: CARD, channel_id: T1 } : undefined);
    await handleInteraction(scene.command("queue", {}, { ...inThread, locale: "ja" }), scene.context);
    expect(scene.answered()).toContain("기다리는 작업");
    expect(scene.sent[0]?.body).toEqual({ type: 5, data: {} });
    expect(scene.engine.state.posts[T1]?.[QUEUE_PART]).toMatchObject({ channel_id: T1, message_id: CARD });
  });

  test("says when nothing runs or waits, without anything to press", async () => {
    const scene = await withCard(0);
    expect(scene.answered()).toContain("Nothing is running or waiting here now.");
    expect(parts(scene.sent.at(-1)?.body)).toEqual([]);
  });

  test("a second card is the one that counts, and the first is closed", async () => {
    const scene = await withCard(3);
    scene.answer = ({ method }) => (method === "PATCH" ? { id: "200000000000000950", channel_id: T1 } : undefined);
    await scene.slash("queue", {}, inThread);
    expect(scene.engine.state.posts[T1]).toMatchObject({
      [QUEUE_PART]: { message_id: "200000000000000950" },
      "queue:old": { message_id: CARD },
    });
  });

  test("stands although it could not be written down", async () => {
    const scene = await new CommandScene().withSession(2);
    scene.answer = ({ method }) => (method === "PATCH" ? { id: CARD, channel_id: T1 } : undefined);
    const { submit } = scene.engine;
    scene.context.engine = {
      ...scene.engine,
      submit: (command) => (command.type === "record_post" ? Promise.reject(new Error("disk")) : submit(command)),
    };
    expect(await scene.slash("queue", {}, inThread)).toContain("Waiting: 1");
    expect(scene.failures).toHaveLength(1);
  });
});

describe("a press on the queue's card", () => {
  test("with one job waiting cancels it, and the card alone shows that", async () => {
    const scene = await withCard(2);
    expect(ids(scene.sent.at(-1)?.body)).toEqual([`q-cancel:${today(2)}`]);
    await scene.press(`q-cancel:${today(2)}`, onCard);
    expect(scene.engine.state.jobs[today(2)]).toMatchObject({ state: "cancelled" });
    expect(waiting(scene)).toEqual([]);
    expect(whispers(scene)).toEqual([]);
  });

  test("choosing a job offers what can be done with it, to the presser alone", async () => {
    const scene = await withCard(4);
    await scene.press(`q-pick:${T1}`, {
      ...onCard,
      data: { custom_id: `q-pick:${T1}`, component_type: 3, values: [today(3)] },
    });
    expect(whispers(scene)).toMatchObject([
      { flags: 64, embeds: [{ description: `Number 2 in this thread's queue:\np3 · \`${today(3)}\`` }] },
    ]);
    expect(ids(whispers(scene)[0])).toEqual([`q-first:${today(3)}`, `q-cancel:${today(3)}`]);
    await scene.press(`q-first:${today(3)}`, hidden);
    expect(waiting(scene)).toEqual([today(3), today(2), today(4)]);
    expect(scene.sent.at(-1)).toMatchObject({
      method: "PATCH",
      body: { content: `\`${today(3)}\` is now first.`, components: [] },
    });
    await scene.press(`q-first:${today(3)}`, hidden);
    expect(scene.answered()).toContain("was already first");
  });

  test("the first of the queue is not offered to be moved", async () => {
    const scene = await withCard(3);
    await scene.press("", { ...onCard, data: { custom_id: `q-pick:${T1}`, component_type: 3, values: [today(2)] } });
    expect(ids(whispers(scene)[0])).toEqual([`q-cancel:${today(2)}`]);
  });

  test("up to three are cleared at once, what runs is not", async () => {
    const scene = await withCard(4);
    await scene.press(`q-clear:${T1}`, onCard);
    expect(waiting(scene)).toEqual([]);
    expect(scene.engine.state.jobs[today(1)]?.state).toBe("running");
    expect(scene.events.filter(({ type }) => type === "JobCancelled").map(({ payload }) => payload)).toMatchObject([
      { by: "cleared" },
      { by: "cleared" },
      { by: "cleared" },
    ]);
  });

  test("more are cleared only after a second yes", async () => {
    const scene = await withCard(5);
    await scene.press(`q-clear:${T1}`, onCard);
    expect(waiting(scene)).toHaveLength(4);
    expect(ids(whispers(scene)[0])).toEqual([`q-sure:${T1}:${today(5)}`]);
    await scene.press(`q-sure:${T1}:${today(5)}`, hidden);
    expect(waiting(scene)).toEqual([]);
    expect(scene.sent.at(-1)?.body).toMatchObject({ content: "Cancelled: 4.", components: [] });
  });

  test("a yes to fewer than wait by then clears nothing and asks again; to more it holds", async () => {
    const scene = await withCard(5);
    await scene.hear("late");
    await scene.press(`q-sure:${T1}:${today(5)}`, hidden);
    expect(waiting(scene)).toHaveLength(5);
    expect(scene.answered()).toContain("5 are waiting now. Nothing has been cancelled yet.");
    expect(ids(scene.sent.at(-1)?.body)).toEqual([`q-sure:${T1}:${today(6)}`]);
    await scene.complete(today(1));
    await scene.press(`q-sure:${T1}:${today(6)}`, hidden);
    expect(waiting(scene)).toEqual([]);
  });

  test("leafs through a queue of sixty, page by page, for the presser alone", async () => {
    const scene = new CommandScene();
    scene.rules.max_queue_per_session = 60;
    scene.answer = ({ method }) => (method === "PATCH" ? { id: CARD, channel_id: T1 } : undefined);
    await scene.withSession(61);
    await scene.slash("queue", {}, inThread);
    expect(ids(scene.sent.at(-1)?.body)).toContain(`q-page:${T1}:1`);
    await scene.press(`q-page:${T1}:1`, onCard);
    expect(whispers(scene)).toMatchObject([{ flags: 64 }]);
    for (const [page, first, last] of [
      [2, 26, 50],
      [3, 51, 60],
    ] as const) {
      await scene.press(`q-page:${T1}:${page}`, hidden);
      const options = parts(scene.sent.at(-1)?.body)[0]?.options ?? [];
      expect([options[0]?.label, options.at(-1)?.label]).toEqual([`${first}. p${first + 1}`, `${last}. p${last + 1}`]);
    }
    expect(whispers(scene)).toHaveLength(1);
  });

  test("names a job that has begun, ended or never was: it does nothing and says so", async () => {
    const scene = await withCard(3);
    const before = scene.events.length;
    for (const job of [today(1), today(99)]) {
      await scene.press(`q-cancel:${job}`, onCard);
      await scene.press(`q-first:${job}`, onCard);
      await scene.press("", { ...onCard, data: { custom_id: `q-pick:${T1}`, component_type: 3, values: [job] } });
    }
    expect(scene.events.length).toBe(before);
    expect(scene.engine.state.runs[today(1)]?.cancelling).toBe(false);
    expect(whispers(scene)).toHaveLength(6);
    for (const body of whispers(scene))
      expect(body).toMatchObject({
        flags: 64,
        content: expect.stringContaining("is no longer waiting; nothing was changed."),
      });
  });

  test("of another make does nothing and says so", async () => {
    const scene = await withCard(3);
    const before = scene.events.length;
    for (const id of [
      "q-",
      "q-clear",
      `q-clear:${CHANNEL}`,
      `q-clear:${T1} `,
      "q-clear:constructor",
      `q-page:${T1}`,
      `q-page:${T1}:-1`,
      `q-sure:${T1}`,
      `q-cancel:${T1}`,
      `q-cancel:${today(2)}\n`,
    ]) {
      await scene.press(id, onCard);
      expect(scene.sent.at(-1)?.body, id).toMatchObject({
        flags: 64,
        content: expect.stringContaining("`E_DECISION_CLOSED`"),
      });
    }
    expect(scene.events.length).toBe(before);
  });

  test("on a card that a crash kept from being written down makes it the thread's card", async () => {
    const scene = await new CommandScene().withSession(3);
    await scene.press(`q-clear:${T1}`, onCard);
    expect(scene.engine.state.posts[T1]?.[QUEUE_PART]).toMatchObject({ message_id: CARD });
    expect(waiting(scene)).toEqual([]);
  });

  test("on an older card acts, and leaves the newest the thread's card", async () => {
    const scene = await withCard(3);
    await scene.press(`q-cancel:${today(3)}`, {
      ...inThread,
      message: { id: "200000000000000500", channel_id: T1, flags: 0 },
    });
    expect(scene.engine.state.posts[T1]?.[QUEUE_PART]?.message_id).toBe(CARD);
    expect(waiting(scene)).toEqual([today(2)]);
  });

  test("is acknowledged before anything is written, and has no effect where that is too late", async () => {
    const scene = await withCard(2);
    const before = scene.events.length;
    scene.answer = () => {
      throw new Error("10062");
    };
    await handleInteraction(
      scene.interaction({ type: 3, data: { custom_id: `q-cancel:${today(2)}`, component_type: 2 }, ...onCard }),
      scene.context,
    );
    expect(scene.events.length).toBe(before);
    expect(scene.sent.at(-1)).toMatchObject({ body: { type: 6 }, recorded: before });
  });
});
