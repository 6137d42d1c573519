/**
 * What we post while Discord loses answers, limits us, refuses us or is overtaken, through the built daemon: each
 * post stands once, with its last words, and nothing that will not be granted is asked for again and again.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PermissionFlagsBits as Bit } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { errors } from "../../../src/base/errors.ts";
import { open } from "../workshop.ts";
import { answered, openSession, type World } from "../world.ts";

/** All that a server gives its members, but for what makes one its ruler. */
const EVERYTHING = Object.values(Bit).reduce((all, bit) => all | bit, 0n) & ~Bit.Administrator;

const creates = ({ sandbox }: World, thread: string) =>
  sandbox.requests.filter(
    ({ method, path, auth }) => method === "POST" && auth === "bot" && path.endsWith(`/channels/${thread}/messages`),
  );

test("D10: a message whose answer was lost is one message, after an error, a reset or a kill", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  const post = { method: "POST", path: `/channels/${thread}/messages` };
  const { faults } = world.sandbox;
  faults.fail({ ...post, status: 500, when: "after", times: 2 });
  await world.owner(thread).send("count:failed");
  await answered(world, thread, ["did failed"]);
  faults.reset({ ...post, when: "after", times: 1 });
  await world.owner(thread).send("count:reset");
  await answered(world, thread, ["did failed", "did reset"]);
  // Stored, and the daemon is killed before it hears of it.
  const silent = faults.drop({ ...post, when: "after" });
  const { id } = await world.owner(thread).send("count:killed");
  await silent.hit();
  await world.sandbox.until(({ reactions }) => reactions(id)["✅"] !== undefined);
  await daemon.kill("SIGKILL");
  silent.lift();
  await world.daemon().ready;
  await world.owner(thread).send("count:after");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("did after")));
  const texts = world
    .said(thread)
    .map(({ content }) => content.trim())
    .filter((content) => content.startsWith("did "));
  expect(texts).toEqual(["did failed", "did reset", "did killed", "did after"]);
  const bodies = creates(world, thread).map(
    ({ requestBody }) => requestBody as { nonce: string; enforce_nonce: boolean },
  );
  expect(bodies.every(({ nonce, enforce_nonce }) => enforce_nonce && nonce.length <= 25)).toBe(true);
  // What was sent again was sent under the same nonce.
  const nonces = new Set(bodies.map(({ nonce }) => nonce));
  expect(nonces.size).toBeLessThan(bodies.length);
});

test("D11: limits of a route, of everything and of others are waited out; nothing is lost, doubled or sent into a limit of our own making", async () => {
  const { world, thread } = await openSession();
  const storms = (["user", "shared", "global"] as const).map((scope) =>
    world.sandbox.faults.rateLimit({
      method: "POST",
      path: `/channels/${thread}/messages`,
      retryAfter: 0.4,
      scope,
      times: 1,
    }),
  );
  await world.owner(thread).send("slow:6:40");
  await world.owner(thread).send("count:behind");
  // Somebody who asks is answered meanwhile.
  await (await world.owner(thread).slash("status")).answer();
  await Promise.all(storms.map((storm) => storm.hit()));
  await world.saying(thread, (said) => said.some(({ content }) => content.trim() === "did behind"));
  const texts = world
    .said(thread)
    .map(({ content }) => content.trim())
    .filter((content) => content !== "");
  expect(texts).toEqual(["chunk1 chunk2 chunk3 chunk4 chunk5 chunk6", "did behind"]);
  expect(world.sandbox.violations.filter(({ kind }) => kind === "rate_limited")).toEqual([]);
  // Three refusals, of which the one shared with others is not held against us.
  expect(world.sandbox.invalidRequests).toBe(2);
});

test("D12: after the first 401 nothing more is asked; what runs is let finish, and its answer comes once there is a token again", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  await world.owner(thread).send("slow:8:500");
  await world.owner(thread).send("count:queued");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("chunk1")));
  const token = world.sandbox.resetToken(world.sandbox.botId);
  expect(await daemon.exited).toEqual({ code: errors.E_TOKEN_REFUSED.exit, signal: null });
  expect(world.sandbox.requests.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(3);
  expect(world.sandbox.invalidRequests).toBeLessThanOrEqual(3);
  // The agent came to its end, and nothing new was begun.
  const [result = ""] = readdirSync(join(world.stateDir, "results")).filter((name) => name.endsWith(".md"));
  expect(readFileSync(join(world.stateDir, "results", result), "utf8")).toContain("chunk8");
  expect(world.agentStarts()).toHaveLength(1);
  await world.daemon({ env: { DISCORD_BOT_TOKEN: token } }).ready;
  await world.saying(thread, (said) => said.some(({ content }) => content.trim() === "did queued"));
  expect(world.said(thread).filter(({ content }) => content.includes("chunk8"))).toHaveLength(1);
});

test("D13: an edit that comes late is not overtaken, the last words stand, and where Discord takes no more edits they are posted anew", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const edit = { method: "PATCH", path: `/channels/${thread}/messages/` };
  const { faults } = world.sandbox;
  const words = (): string[] =>
    world
      .said(thread)
      .map(({ content }) => content.trim())
      .filter((content) => content.startsWith("chunk1"));
  // One edit has to be answered before more than one could be sent: until then Discord's limit is not known.
  await world.owner(thread).send("steps:first:2");
  await world.saying(thread, () => words()[0] === "chunk1.");
  open(world, "first-2");
  await world.saying(thread, () => words()[0]?.endsWith("chunk2."));
  const { id } = await world.owner(thread).send("steps:second:3");
  const growing = await world.saying(
    thread,
    (said) => said.filter(({ content }) => content.startsWith("chunk1"))[1]?.id,
  );
  const late = faults.hold({ method: "PATCH", path: `/messages/${growing}` });
  open(world, "second-2");
  await late.hit();
  // The agent is done while its message still shows a beginning, and the edit of that is still on its way.
  open(world, "second-3");
  await world.sandbox.until(({ reactions }) => reactions(id)["✅"] !== undefined);
  expect(late.hits).toBe(1);
  late.lift();
  await world.saying(thread, () => words()[1]?.endsWith("chunk3."));
  await world.owner(thread).send("steps:third:3");
  await world.saying(thread, () => words()[2] === "chunk1.");
  const old = faults.fail({ ...edit, status: 429, code: 30046 });
  for (const gate of ["third-2", "third-3"]) open(world, gate);
  await old.hit();
  await world.saying(thread, () => words().filter((text) => text.endsWith("chunk3.")).length === 2);
});

test("D20: an answer that Discord's filter refuses is not lost: a notice says so, the words come as a file, and they are on the disk", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const results = (): string[] =>
    readdirSync(join(world.stateDir, "results"))
      .filter((name) => name.endsWith(".md"))
      .toSorted();
  for (const [number, code] of ([200000, 240000] as const).entries()) {
    world.sandbox.setBlocked({ words: /forbidden/, code });
    await world.owner(thread).send(`echo:a forbidden word ${code}`);
    const notice = await world.saying(thread, (said) => said.find(({ content }) => content.includes(`error ${code}`)));
    const [file] = notice.attachments;
    expect(await (await fetch(file?.url ?? "")).text()).toBe(`a forbidden word ${code}`);
    expect(notice.content).toContain(`results/${results()[number]}`);
  }
  // Where files are not allowed either, the notice alone says where it is.
  world.sandbox.setEveryonePermissions(EVERYTHING & ~Bit.AttachFiles);
  world.sandbox.setBotPermissions(EVERYTHING & ~Bit.AttachFiles);
  await world.owner(thread).send("echo:another forbidden word");
  const bare = await world.saying(thread, (said) =>
    said.find(({ content }) => content.includes(`results/${results()[2]}`)),
  );
  expect(bare.attachments).toEqual([]);
});

test("D22: slow mode and write limits that come as refusals are waited for, and the words are delivered once", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const limits = [20016, 20028, 20029].map((code) =>
    world.sandbox.faults.fail({
      method: "POST",
      path: `/channels/${thread}/messages`,
      status: 400,
      code,
      retryAfter: 0.2,
      times: 1,
    }),
  );
  await world.owner(thread).send("count:patient");
  await answered(world, thread, ["did patient"]);
  expect(limits.map(({ hits }) => hits)).toEqual([1, 1, 1]);
  expect(world.agentStarts()).toHaveLength(1);
});
