/** What is owed for the files of a job: one after the other, each until it stands as it should. */
import { expect, test } from "vitest";
import { filePosts, isSent } from "../../../../src/discord/views/jobs/job-end.ts";
import { openFileLimit } from "../../../../src/discord/api/file-limit.ts";
import type { Body } from "../../../../src/discord/views/message.ts";
import { job, message, Scene, T1 } from "../../../core/scene.ts";

const MEGABYTE = 1024 * 1024;

/** A job that sends these; null: taken. */
function sending(...files: [name: string, why: string | null][]): Scene {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  for (const [name, why] of files)
    scene.do({ type: "progress", job_id: job(1), progress: { kind: "attachment", name, why } });
  scene.finish(job(1));
  return scene;
}

function bodies(scene: Scene, limit = 10 * MEGABYTE, size = 1): Body[] {
  const one = scene.state.jobs[job(1)];
  if (!one) throw new Error("there is no job");
  const options = {
    locale: "en",
    config: { long_answers: "file", max_file_bytes: limit },
    attached: () => new Uint8Array(size),
  } as const;
  return filePosts(scene.state, one, options, 0).flatMap(({ want }) => (want.kind === "show" ? [want.body] : []));
}

function stands(scene: Scene, place: number, is: string): void {
  scene.do({
    type: "record_post",
    subject: job(1),
    part: `file:${place}`,
    channel_id: T1,
    message_id: message(20 + place),
    hash: "h",
    is,
  });
}

test("the next one is due when the one before stands", () => {
  const scene = sending(["a.txt", null], ["b.txt", "missing"], ["c d.txt", null]);
  expect(bodies(scene).map(({ files = [] }) => files.map(({ name }) => name))).toEqual([["a.txt"]]);
  stands(scene, 0, "said");
  expect(bodies(scene)).toHaveLength(2);
  expect(bodies(scene)[1]?.content).toContain("there is no such file");
  stands(scene, 1, "said");
  // Discord would make that of a space by itself.
  expect(bodies(scene)[2]?.files?.[0]?.name).toBe("c_d.txt");
  stands(scene, 2, "said");
  expect([0, 1, 2, 3].map((place) => isSent(scene.state, job(1), place))).toEqual([true, true, true, false]);
});

test("one that may not stand as it should is due with its bytes", () => {
  const scene = sending(["a.txt", null]);
  stands(scene, 0, "unknown");
  expect(isSent(scene.state, job(1), 0)).toBe(false);
  expect(bodies(scene)[0]?.files).toHaveLength(1);
});

test("one that is too large for the server is said to be, with the server's limit", () => {
  const scene = sending(["a.txt", null]);
  expect(bodies(scene, 50 * MEGABYTE, 50 * MEGABYTE)[0]?.files).toHaveLength(1);
  const [large] = bodies(scene, 50 * MEGABYTE, 50 * MEGABYTE + 1);
  expect([large?.files, large?.content]).toEqual([
    undefined,
    expect.stringContaining("larger than the 50 MiB that this server takes"),
  ]);
});

test.each([
  [0, 10],
  [1, 10],
  [2, 50],
  [3, 100],
])(
  "with boosts of level %i a file may have %i MiB, as the server is at the start and as it changes",
  (level, megabytes) => {
    expect(openFileLimit({ guildId: "3", premiumTier: level }).bytes()).toBe(megabytes * MEGABYTE);
    const limit = openFileLimit({ guildId: "3", premiumTier: 0 });
    for (const d of [
      null,
      { id: "4", premium_tier: 3 },
      { id: "3", unavailable: true },
      { id: "3", premium_tier: "3" },
    ])
      limit.onServerEvent("GUILD_UPDATE", d);
    limit.onServerEvent("MESSAGE_CREATE", { id: "3", premium_tier: 3 });
    expect(limit.bytes()).toBe(10 * MEGABYTE);
    limit.onServerEvent("GUILD_UPDATE", { id: "3", premium_tier: level });
    expect(limit.bytes()).toBe(megabytes * MEGABYTE);
  },
);
