/** What is to be put into a server waits while the bot is not in it. */
import { expect, test } from "vitest";
import { inServer } from "../../../src/discord/delivery/in-server.ts";
import { openPresence, type Presence } from "../../../src/discord/bot.ts";

const GUILD = "3";

function presence(isMember = true): Presence {
  return openPresence({ guildId: GUILD, isMember, arrived: () => undefined });
}

/** What was done, and whether it is over. */
function doing(
  one: Presence,
  changed = new AbortController(),
): { done: string[]; over: Promise<string | null>; abort(): void } {
  const done: string[] = [];
  const over = inServer(one.whenPresent, changed.signal, async () => (done.push("posted"), "posted"));
  return { done, over, abort: () => changed.abort() };
}

test("it is done at once in the server, after a removal or before an invitation when the bot has joined, and an outage is no removal", async () => {
  const member = presence();
  expect(await doing(member).over).toBe("posted");
  member.onServerEvent("GUILD_DELETE", { id: GUILD, unavailable: true });
  member.onServerEvent("GUILD_DELETE", { id: "4" });
  expect(await doing(member).over).toBe("posted");
  member.onServerEvent("GUILD_DELETE", { id: GUILD });
  for (const one of [member, presence(false)]) {
    const waits = doing(one);
    await Promise.resolve();
    expect(waits.done).toEqual([]);
    one.onServerEvent("GUILD_CREATE", { id: GUILD });
    expect(await waits.over).toBe("posted");
  }
});

test("what changes while the bot is away is left to the next look", async () => {
  const one = presence(false);
  const waits = doing(one);
  waits.abort();
  expect(await waits.over).toBeNull();
  const late = doing(one);
  one.onServerEvent("GUILD_CREATE", { id: GUILD });
  late.abort();
  expect([waits.done, await late.over]).toEqual([[], null]);
});
