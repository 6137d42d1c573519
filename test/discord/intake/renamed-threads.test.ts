/** Lists name a session as its thread is named in Discord, also after its owner has renamed it there. */
import { expect, test } from "vitest";
import { openChannelEvents } from "../../../src/discord/intake/channels.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../fakes/memory-journal.ts";
import { BOT, GUILD, OWNER } from "./intake-scene.ts";

const THREAD = "200000000000000010";

async function opened() {
  const clock = createFakeClock();
  const { engine } = createMemoryJournal(clock).open();
  const rest = { call: () => Promise.reject(new Error("nothing is asked")) };
  const context = botContext({ engine, rest, clock, botId: BOT, guildId: GUILD, ownerId: OWNER });
  const events = openChannelEvents(context, { onThreadVisible: () => undefined, onServerBack: () => undefined });
  await engine.submit({
    type: "create_project",
    project: {
      name: "app",
      path: "/srv/app",
      enabled_tools: ["claude"],
      default_tool: "claude",
      default_args: { claude: [] },
    },
  });
  await engine.submit({
    type: "start_session",
    request_id: "r",
    project_name: "app",
    channel_id: "2",
    guild_id: GUILD,
    bot_id: BOT,
  });
  await engine.submit({ type: "open_session", request_id: "r", thread_id: THREAD });
  const named = async (t = "THREAD_UPDATE", d: object = {}): Promise<string | undefined> => {
    events.onGatewayEvent(t, d);
    await clock.settle();
    return engine.state.threads[THREAD]?.name;
  };
  const stands = async (): Promise<void> => {
    await engine.submit({ type: "name_session", thread_id: THREAD, name: "Mend the door" });
    events.connected();
  };
  const replayed = async (...names: string[]): Promise<string | undefined> => {
    for (const name of names) events.onGatewayEvent("THREAD_UPDATE", { id: THREAD, name });
    events.connected();
    await clock.settle();
    return engine.state.threads[THREAD]?.name;
  };
  return { named, stands, replayed, events };
}

test("a session takes the name that its owner gives its thread", async () => {
  const { named, stands } = await opened();
  await stands();
  expect(await named("THREAD_UPDATE", { id: THREAD, name: "Front door" })).toBe("Front door");
  expect(await named("THREAD_UPDATE", { id: THREAD, name: "Locked door", thread_metadata: { locked: true } })).toBe(
    "Locked door",
  );
});

test("and the one that it was given while nobody listened", async () => {
  const { named, stands } = await opened();
  await stands();
  expect(await named("GUILD_CREATE", { id: GUILD, threads: [{ id: THREAD, name: "Back door" }] })).toBe("Back door");
});

test("but not the one with which its thread begins, which may stand for minutes after ours is wanted", async () => {
  const { named, stands, events } = await opened();
  events.connected();
  expect(await named("THREAD_CREATE", { id: THREAD, name: "app · 2026-03-01 12:00" })).toBeUndefined();
  await stands();
  expect(await named("THREAD_UPDATE", { id: THREAD, name: "app · 2026-03-01 12:00" })).toBe("Mend the door");
});

test("of the names that are replayed after a restart the last one counts", async () => {
  const { stands, replayed, named } = await opened();
  expect(await replayed("app · 2026-03-01 12:00", "Mend the door", "Front door")).toBe("Front door");
  await stands();
  expect(await named("THREAD_UPDATE", { id: THREAD, name: "Back door" })).toBe("Back door");
});

test.each([undefined, 7, ""])("and none that is no name (%j)", async (name) => {
  const { named, stands } = await opened();
  await stands();
  expect(await named("THREAD_UPDATE", { id: THREAD, name })).toBe("Mend the door");
});
