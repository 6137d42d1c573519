/**
 * What comes and is not Discord's, through the built daemon: garbage in its frames, half of one, and a page where an
 * answer should be. None of it is obeyed, and none of it is taken for a refusal.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { statusOf } from "../mcp/asked.ts";
import { answered, openSession, openWorld, type World } from "../world.ts";

/** The id of the bot's gateway session while it has a socket. */
const session = ({ sandbox }: World): string | undefined => sandbox.connections().find(({ isBot }) => isBot)?.sessionId;

test("D23: frames of garbage, by the thousand, cost neither the connection nor a job nor a word", async () => {
  const { world, daemon, thread } = await openSession();
  const first = session(world);
  const before = world.sandbox.requests.length;
  const ids = [thread, world.sandbox.owner.id, world.sandbox.guildId, world.sandbox.channelId];
  world.sandbox.faults.gateway({ kind: "say", frames: garbage(ids) });
  await world.owner(thread).send("echo:still here");
  await answered(world, thread, ["still here"]);
  expect([session(world), world.agentStarts().length]).toEqual([first, 1]);
  // What was asked of Discord was for the one message: none of the garbage made us ask, or answer anybody.
  const asked = world.sandbox.requests
    .slice(before)
    .filter(({ path }) => !path.includes(thread) && !path.endsWith("/threads/active"));
  expect(asked.filter(({ auth }) => auth !== "user")).toEqual([]);
  expect(daemon.stderr()).not.toMatch(/unhandled|TypeError/i);
});

/** Frames as Discord never sends them, some of them nearly right; the sequence is left alone or mad. */
function garbage(ids: readonly string[]): string[] {
  const kinds = [
    "MESSAGE_CREATE",
    "MESSAGE_UPDATE",
    "MESSAGE_DELETE",
    "MESSAGE_DELETE_BULK",
    "INTERACTION_CREATE",
    "THREAD_UPDATE",
    "THREAD_LIST_SYNC",
    "CHANNEL_UPDATE",
    "NO_SUCH",
  ];
  const keys = [
    "id",
    "channel_id",
    "guild_id",
    "content",
    "type",
    "author",
    "member",
    "user",
    "data",
    "threads",
    "ids",
    "attachments",
    "message",
    "thread_metadata",
  ];
  const odd = fc.oneof(
    fc.constantFrom(null, -1, 1e300, "", "9".repeat(400), [], {}, [[[[]]]], "\u0000", { id: null }),
    fc.constantFrom(...ids),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const d = fc.oneof(odd, fc.dictionary(fc.constantFrom(...keys), odd, { maxKeys: 10 }));
  const frame = fc.record({
    op: fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(2, 12, 99, null, "0", -1) },
    ),
    t: fc.oneof(fc.constantFrom(...kinds), fc.constantFrom(null, 7, {})),
    s: fc.constantFrom(null, "1", 1.5, {}),
    d,
  });
  const text = fc.oneof(
    { weight: 19, arbitrary: frame.map((one) => JSON.stringify(one)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "",
        "{",
        "[]",
        "null",
        "7",
        `{"op":${"[".repeat(5_000)}`,
        "\ufffd",
        "x".repeat(100_000),
      ),
    },
  );
  return fc.sample(text, { numRuns: 3_000, seed: 23 });
}

/** The connection as `bellhop status` is told of it. */
async function gatewayStatus(world: World): Promise<{ phase?: unknown }> {
  return (await statusOf(world))["gateway"] as { phase?: unknown };
}

test("D24: a captive portal, a gateway that opens no socket and one that dies in mid-frame are no connection, waited out and said", async () => {
  const world = await openWorld({ unlimited: true });
  const portal = world.sandbox.faults.portal();
  const daemon = world.daemon();
  await portal.hit(2);
  await daemon.told(/no answer from Discord.*no JSON/);
  expect(await gatewayStatus(world)).toMatchObject({ phase: "down", healthy: true, rest: { connected: false } });
  portal.lift();
  await daemon.ready;
  const thread = await world.session();
  const shut = world.sandbox.faults.gateway({ kind: "no_upgrade", times: 2 });
  world.sandbox.faults.gateway({ kind: "half_frame" });
  await shut.hit(2);
  await world.owner(thread).send("echo:meanwhile");
  await answered(world, thread, ["meanwhile"]);
  expect(daemon.stderr()).toMatch(/connecting again/);
  // What was written meanwhile may have been read while the gateway was still away.
  while ((await gatewayStatus(world)).phase !== "live");
  expect(await gatewayStatus(world)).toMatchObject({
    phase: "live",
    healthy: true,
    why: null,
    rest: { connected: true },
  });
  expect(world.agentStarts()).toHaveLength(1);
});
