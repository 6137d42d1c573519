/**
 * The access policy, cell by cell: every way in from Discord, by everybody it can come from. Nobody but the owner
 * has an effect, learns anything, or is answered, save by the one sentence that only they see after an interaction.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { say } from "../../../src/base/words/say.ts";
import { authorize, speakerOf, type Ingress } from "../../../src/discord/intake/authorize.ts";
import { GUILD, OWNER } from "./intake-scene.ts";
import { actors, effective, interactions, kinds, owner, SECRET, WallHouse } from "./stranger-scene.ts";

const EPHEMERAL = 64;
const FORWARDED = ["a message", "what is read back"];
const FORWARDER = "the owner, forwarding what somebody else wrote";
const LONG = process.env["BELLHOP_TEST_LONG"] !== undefined;

/** What may be sent after an interaction of a stranger's: that they may not, to them alone; or no choices at all. */
function isRefusal({ how, body }: { how: string; body: unknown }): boolean {
  const { type, data } = body as { type: number; data: { flags?: number; content?: string; choices?: unknown[] } };
  if (how !== "POST /interactions/500000000000000001/token/callback") return false;
  if (type === 8) return data.choices?.length === 0;
  return type === 4 && data.flags === EPHEMERAL && data.content?.includes("E_OWNER_ONLY") === true;
}

describe.each(Object.entries(kinds))("%s", (kind, act) => {
  test(effective.has(kind) ? "of the owner has its effect" : "of the owner has none either", async () => {
    const house = await WallHouse.open();
    const before = house.state();
    await act(house, owner);
    await house.quiet();
    expect(house.state() !== before).toBe(effective.has(kind));
    expect(house.sent.filter(isRefusal)).toEqual([]);
  });

  const nobody = Object.entries(actors).filter(([name]) => !FORWARDED.includes(kind) || name !== FORWARDER);
  test.each(nobody)("of %s has none, and tells nothing", async (_name, actor) => {
    const house = await WallHouse.open();
    const before = house.state();
    await act(house, actor);
    await house.quiet();
    expect(house.state()).toBe(before);
    expect(house.sent.filter((one) => !isRefusal(one))).toEqual([]);
    expect(house.sent).toHaveLength(interactions.has(kind) ? 1 : 0);
    expect(JSON.stringify(house.sent)).not.toContain(SECRET);
  });
});

test.for(FORWARDED)("%s that the owner forwards into a session is held, and runs nothing", async (kind) => {
  const house = await WallHouse.open();
  const { thread, engine } = house.scene;
  const before = Object.keys(engine.state.jobs);
  await kinds[kind]?.(house, actors[FORWARDER] ?? owner);
  await house.quiet();
  expect(Object.keys(engine.state.jobs)).toEqual(before);
  expect(Object.values(engine.state.threads[thread]?.forwards ?? {}).map(({ quote }) => quote.text)).toEqual(["B"]);
});

test("an interaction of the owner's in his direct messages with us answers what stands there, and commands nothing", async () => {
  const direct = { ...owner, guild_id: undefined };
  const pressed = await WallHouse.open();
  await kinds["a button"]?.(pressed, direct);
  await pressed.quiet();
  expect(pressed.scene.engine.state.decisions["q1"]?.state).toBe("answered");
  const commanded = await WallHouse.open();
  const before = commanded.state();
  await kinds["a slash command"]?.(commanded, direct);
  await commanded.quiet();
  expect([commanded.state(), commanded.sent.every(isRefusal)]).toEqual([before, true]);
});

test("a client's bot accepts answers to what was asked under it, and nothing else from the owner", async () => {
  for (const kind of interactions) {
    const house = await WallHouse.open("asks");
    const before = house.state();
    await kinds[kind]?.(house, owner);
    await house.quiet();
    expect([kind, house.state() !== before]).toEqual([kind, kind !== "a slash command" && effective.has(kind)]);
    if (kind === "a slash command") expect(JSON.stringify(house.sent)).toContain(say("en", "questions_only"));
  }
});

test("a group of direct messages is not the owner's own: what is pressed there is nobody's", () => {
  const interaction = { type: 3, user: { id: OWNER }, channel: { type: 3 } };
  expect(
    authorize({ ownerId: OWNER, guildId: GUILD }, { kind: "interaction", interaction: interaction as never }),
  ).toBe(false);
});

test("a deletion in another server takes nothing back; who deletes in ours Discord does not say, and it begins nothing", async () => {
  const house = await WallHouse.open();
  const { thread } = house.scene;
  house.hear("MESSAGE_DELETE", { id: house.queued, channel_id: thread, guild_id: "200000000000000009" });
  await house.quiet();
  expect(house.scene.queue()).toEqual([SECRET]);
  house.hear("MESSAGE_DELETE", { id: house.queued, channel_id: thread, guild_id: GUILD });
  await house.quiet();
  expect([house.scene.queue(), house.sent]).toEqual([[], []]);
});

test("a thread that wakes is read, whether or not the message comes that woke it; one that is only renamed is not", async () => {
  const house = await WallHouse.open();
  const { scene } = house;
  const update = (thread_metadata: object): void =>
    house.hear("THREAD_UPDATE", { id: scene.thread, guild_id: GUILD, name: "mend the door", thread_metadata });
  update({ archived: false });
  await house.quiet();
  const before = scene.reads.length;
  update({ archived: true, archive_timestamp: "2026-02-26T14:00:00.000000+00:00", auto_archive_duration: 60 });
  scene.write({ content: "this woke it" });
  scene.write({ content: "and this followed" });
  update({ archived: false });
  await house.quiet();
  expect(scene.queue().slice(1)).toEqual(["this woke it", "and this followed"]);
  expect(scene.reads).toHaveLength(before + 1);
});

describe("whatever comes in", () => {
  const policy = { ownerId: OWNER, guildId: GUILD };
  const id = fc.oneof(
    fc.constant(OWNER),
    fc.constant(GUILD),
    fc.string(),
    fc.integer(),
    fc.constantFrom(null, undefined, `${OWNER}1`, OWNER.slice(1), ` ${OWNER}`, Number(OWNER), [OWNER], { id: OWNER }),
  );
  const author = fc.oneof(
    { weight: 6, arbitrary: fc.constant({ id: OWNER }) },
    fc.constantFrom(null, undefined, "", 0),
    fc.record({ id, bot: fc.constantFrom(true, false, undefined), username: fc.string() }, { requiredKeys: [] }),
  );
  const message = fc.record(
    {
      id: fc.string(),
      content: fc.string(),
      author,
      guild_id: fc.oneof({ weight: 4, arbitrary: fc.constant(GUILD) }, id),
      type: fc.constantFrom<unknown>(0, 0, 0, 19, 19, 6, 20, 23, "0", null, undefined),
      webhook_id: fc.constantFrom("1", null),
      application_id: fc.constantFrom("1", null),
      message_snapshots: fc.constantFrom<unknown>([], [{}], null, {}),
    },
    { requiredKeys: [] },
  );
  const interaction = fc.record(
    {
      type: fc.integer({ min: 0, max: 6 }),
      guild_id: id,
      member: fc.oneof(fc.constantFrom(null, undefined), fc.record({ user: author })),
      user: author,
      channel: fc.constantFrom<unknown>({ type: 1 }, { type: 3 }, {}, null, undefined),
    },
    { requiredKeys: [] },
  );
  const odd = fc.oneof({ weight: 20, arbitrary: message }, fc.constantFrom(null, undefined, 0, "", []));
  const ingress = fc.oneof(
    fc.record({ kind: fc.constant("message"), message: odd, direct: fc.boolean() }),
    fc.record({ kind: fc.constant("read_back"), message: odd }),
    fc.record({ kind: fc.constant("edit"), edit: odd, direct: fc.boolean() }),
    fc.record({
      kind: fc.constant("thread"),
      thread: fc.oneof(
        {
          weight: 20,
          arbitrary: fc.record({ owner_id: id, guild_id: fc.oneof(fc.constant(GUILD), id) }, { requiredKeys: [] }),
        },
        fc.constantFrom(null, undefined, 0),
      ),
    }),
    fc.record({
      kind: fc.constant("interaction"),
      interaction: fc.oneof({ weight: 20, arbitrary: interaction }, fc.constantFrom(null, undefined, 0)),
    }),
  ) as fc.Arbitrary<Ingress>;

  /** The same question asked once more, in the plainest words there are. */
  function isOwner(one: Ingress): boolean {
    if (one.kind === "deletion") return false;
    if (one.kind === "thread")
      return (one.thread as typeof one.thread | null | undefined)?.owner_id === OWNER && one.thread.guild_id === GUILD;
    if (one.kind === "interaction") {
      const { type, guild_id, member, user, channel } = (one.interaction ?? {}) as unknown as Record<
        string,
        { user?: { id?: unknown; bot?: unknown }; id?: unknown; bot?: unknown; type?: unknown } | undefined
      >;
      const who = member?.user ?? user;
      const alone =
        guild_id === undefined &&
        member === undefined &&
        channel?.type === 1 &&
        ((type as unknown) === 3 || (type as unknown) === 5);
      return who?.id === OWNER && who.bot !== true && ((guild_id as unknown) === GUILD || alone);
    }
    const told = (one.kind === "edit" ? one.edit : one.message) as Record<string, unknown> | null | undefined;
    const { author: who, guild_id, type, webhook_id, application_id, message_snapshots: quoted } = told ?? {};
    const { id: whose, bot } = (who ?? {}) as { id?: unknown; bot?: unknown };
    const own =
      webhook_id === undefined &&
      application_id === undefined &&
      (quoted === undefined || (Array.isArray(quoted) && quoted.length === 0));
    const spoken = type === 0 || type === 19;
    const here = one.kind === "read_back" || (one.direct ? guild_id === undefined : guild_id === GUILD);
    if (one.kind !== "edit") return whose === OWNER && bot !== true && own && spoken && here;
    return whose === OWNER && bot !== true && own && (spoken || type === undefined) && (guild_id === undefined || here);
  }

  test("10,000 times: it is the owner's only if Discord's own ids say so, and nothing makes it throw", () => {
    let owners = 0;
    fc.assert(
      fc.property(ingress, (one) => {
        const is = authorize(policy, one);
        owners += is ? 1 : 0;
        expect(is).toBe(isOwner(one));
      }),
      { numRuns: LONG ? 1_000_000 : 10_000 },
    );
    // A property over nobodies alone would prove nothing.
    expect(owners).toBeGreaterThan(50);
  });

  test("10,000 times: who is not the owner is at most a guest, and no bot, webhook or forward is even that", () => {
    const spoken = fc.oneof(
      fc.record({ kind: fc.constant("message"), message: odd, direct: fc.boolean() }),
      fc.record({ kind: fc.constant("read_back"), message: odd }),
    ) as fc.Arbitrary<Extract<Ingress, { kind: "message" | "read_back" }>>;
    fc.assert(
      fc.property(spoken, (one) => {
        const speaker = speakerOf(policy, one);
        expect(speaker === "owner").toBe(authorize(policy, one));
        if (speaker === "guest")
          expect(one.message).toMatchObject({ author: { id: expect.stringMatching(/^\d{17,20}$/) as string } });
      }),
      { numRuns: LONG ? 1_000_000 : 10_000 },
    );
  });
});
