/**
 * The tools that wait for nobody, through the built client and the daemon: what they post, what they read, what they
 * clear.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recorded } from "../workshop.ts";
import { inFolder } from "../world.ts";
import { ask, openAsking } from "./asked.ts";

describe("what is told to the owner", () => {
  test("a notification is in the channel, or in the thread that is named, and is named by its message", async () => {
    const { world, client } = await openAsking();
    const { structured } = await client.call("discord_notify", { message: "Half of it is done", level: "success" });
    expect(structured).toEqual({
      success: true,
      message_id: expect.stringMatching(/^\d{17,20}$/) as string,
      thread_id: null,
    });
    const stood = world.said(world.sandbox.channelId).find(({ id }) => id === structured["message_id"]);
    expect(JSON.stringify(stood?.embeds)).toContain("Half of it is done");
    const { thread, answer } = await ask(world, client);
    answer.catch(() => undefined);
    const inThread = await client.call("discord_notify", { message: "It waits here", thread_id: thread });
    expect(inThread.structured).toMatchObject({ success: true, thread_id: thread });
    expect(
      JSON.stringify(world.said(thread).find(({ id }) => id === inThread.structured["message_id"])?.embeds),
    ).toContain("It waits here");
  });

  test("a report has its title, its summary and its details", async () => {
    const { world, client } = await openAsking();
    const { structured, isError } = await client.call("discord_report_progress", {
      title: "Migration finished",
      summary: "All **12** tables",
      details: ["212 tests pass", "left: the changelog"],
    });
    expect(isError).toBeFalsy();
    const stood = JSON.stringify(
      world.said(world.sandbox.channelId).find(({ id }) => id === structured["message_id"])?.embeds,
    );
    for (const part of ["Migration finished", "All **12** tables", "212 tests pass", "left: the changelog"])
      expect(stood).toContain(part);
  });

  test("a thread that does not exist is an answer that says so", async () => {
    const { client } = await openAsking();
    const refused = await client.call("discord_notify", { message: "m", thread_id: "900000000000000001" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/thread/i);
  });
});

describe("the inbox", () => {
  test("holds what the owner wrote in the channel, until it is read and cleared", async () => {
    const { world, client } = await openAsking();
    const mirrors = join(world.home, ".claude");
    const mirror = join(mirrors, "discord_inbox.json");
    mkdirSync(mirrors, { recursive: true });
    await client.call("discord_check_pending", {});
    // What was written before the channel is watched is not replayed.
    await recorded(world, ({ type, payload }) => type === "ChannelOpened" && payload["kind"] === "watched");
    await world.owner(world.sandbox.channelId).send("use tabs, please");
    await inFolder(mirrors, () => existsSync(mirror) && readFileSync(mirror, "utf8").includes("use tabs, please"));
    const first = await client.call("discord_read_inbox", { mark_read: true });
    expect(first.structured).toMatchObject({
      messages: [
        {
          content: "use tabs, please",
          author_id: world.sandbox.owner.id,
          channel_id: world.sandbox.channelId,
          thread_id: null,
        },
      ],
    });
    expect((await client.call("discord_read_inbox", {})).structured).toMatchObject({ messages: [], unread_count: 0 });
    expect((await client.call("discord_read_inbox", { unread_only: false })).structured).toMatchObject({
      messages: [{ content: "use tabs, please", read: true }],
    });
    expect((await client.call("discord_clear_inbox", {})).structured).toEqual({ success: true, cleared_count: 1 });
    expect((await client.call("discord_read_inbox", { unread_only: false })).structured).toMatchObject({
      messages: [],
    });
  });
});
