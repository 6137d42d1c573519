/** Files that come with a message are on this machine before its job is, and what is not taken is said. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, openWorld } from "../world.ts";

const file = (name: string, text: string): { name: string; bytes: Uint8Array } => ({ name, bytes: Buffer.from(text) });

test("D19: files are kept beside the prompt, alone are a prompt, are asked for again, and refused keep no words from running", async () => {
  const world = await openWorld({ unlimited: true });
  const first = world.daemon();
  await first.ready;
  const thread = await world.session();
  const owner = world.owner(thread);
  const { faults } = world.sandbox;
  const kept = (id: string, name: string): string => join(world.stateDir, "uploads", thread, id, name);

  const both = await owner.upload([file("../../notes.txt", "read me"), file("b.md", "and me")], "count:both");
  const alone = await owner.upload([file("c.txt", "only me")]);
  await answered(world, thread, ["did both", "ok"]);
  const paths = both.attachments.map(({ filename }, index) => kept(both.id, `${index + 1}-${filename}`));
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual([
    expect.stringMatching(/^count:both\n\n\[Files .*\]\n- \S+\n- \S+$/),
    expect.stringContaining(kept(alone.id, "1-c.txt")),
  ]);
  for (const path of paths) expect(world.agentStarts()[0]?.prompt).toContain(path);
  expect(paths.map((path) => [readFileSync(path, "utf8"), statSync(path).mode & 0o777])).toEqual([
    ["read me", 0o600],
    ["and me", 0o600],
  ]);

  // An address that has expired: the message is read again, and has a fresh one.
  const expired = faults.fail({ path: "/attachments/", auth: "any", status: 404, times: 1 });
  const again = await owner.upload([file("d.txt", "twice")], "count:again");
  await answered(world, thread, ["did both", "ok", "did again"]);
  expect([expired.hits, readFileSync(kept(again.id, "1-d.txt"), "utf8")]).toEqual([1, "twice"]);

  const gone = faults.fail({ path: "/attachments/", auth: "any", status: 404 });
  const refused = await owner.upload([file("e.txt", "never")], "count:words");
  const notice = await world.saying(thread, (said) =>
    said.find((one) => JSON.stringify(one).includes("E_ATTACHMENT_REFUSED")),
  );
  expect(notice.message_reference?.message_id).toBe(refused.id);
  expect(notice.embeds[0]?.description).toContain("e.txt");
  await answered(world, thread, ["did both", "ok", "did again", "did words"]);
  gone.lift();

  await first.kill("SIGTERM");
  const away = await owner.upload([file("f.txt", "while away")], "count:away");
  await world.daemon().ready;
  await answered(world, thread, ["did both", "ok", "did again", "did words", "did away"]);
  expect(readFileSync(kept(away.id, "1-f.txt"), "utf8")).toBe("while away");
});
