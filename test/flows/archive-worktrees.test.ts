/**
 * An archived thread's worktree goes where nothing is lost; else its owner is asked, and his yes is for what he was
 * shown.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PermissionFlagsBits, type APIMessage } from "discord-api-types/v10";
import { botRolePermissions } from "../../packages/discord-sandbox/src/state/grants.ts";
import { systemClock } from "../../src/base/clock.ts";
import { descriptionOf, git, learnt, open, recorded, repository, withButton } from "./workshop.ts";
import { inFolder, openWorld, type World, type WorldOptions } from "./world.ts";

async function isolated(
  options: WorldOptions = {},
): Promise<{ world: World; daemon: ReturnType<World["daemon"]>; thread: string; path: string }> {
  const world = await openWorld({ unlimited: true, ...options });
  repository(world);
  const file = join(world.stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as { projects: { app: object } };
  config.projects.app = { ...config.projects.app, isolation: "worktree" };
  writeFileSync(file, JSON.stringify(config));
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  return { world, daemon, thread, path: join(world.project, ".claude", "worktrees", `bellhop-${thread}`) };
}

/** Resolves when nothing more is posted in its thread, which would open it again. */
async function runs(world: World, thread: string, prompt: string): Promise<void> {
  const { id } = await world.owner(thread).send(prompt);
  const [, gate] = /^work:(.*)/.exec(prompt) ?? [];
  if (gate !== undefined) {
    // From it the change is measured.
    await learnt(world, "checkout");
    open(world, gate);
    open(world, `${gate}-end`);
  }
  await world.marked(id, "✅");
  await inFolder(world.stateDir, () => {
    const events = readFileSync(join(world.stateDir, "events.ndjson"), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { type: string; payload: Record<string, unknown> });
    const job = events.find(({ type, payload }) => type === "JobEnqueued" && payload["discord_message_id"] === id)
      ?.payload["job_id"];
    const post = (subject: unknown, part: string) =>
      events.findLast(
        ({ type, payload }) => type === "PostRecorded" && payload["subject"] === subject && payload["part"] === part,
      )?.payload;
    const isGone = events.some(
      ({ type, payload }) => type === "JobProgress" && payload["job_id"] === job && payload["kind"] === "gone",
    );
    const changed =
      gate !== undefined ? String(post(job, "end")?.["is"]).includes("changed") : post(job, "end") !== undefined;
    return (
      isGone &&
      changed &&
      post(job, "card")?.["message_id"] == null &&
      String(post(thread, "welcome")?.["is"]).includes("worktree-")
    );
  });
}

const inChannel = <T>(world: World, fact: (said: APIMessage[]) => T | undefined | false): Promise<T> =>
  world.saying(world.sandbox.channelId, fact);
const asking = (world: World, words: string): Promise<APIMessage> =>
  inChannel(world, (said) => said.find((one) => withButton([one], "w-remove") && descriptionOf(one).includes(words)));
const idOf = (message: APIMessage): string => /"(w-remove:[\w:]+)"/.exec(JSON.stringify(message.components))?.[1] ?? "";
const happened = (world: World, type: string): Promise<void> => recorded(world, (event) => event.type === type);

test("a clean worktree goes with its thread, its branch stays, and the next message makes it again", async () => {
  const { world, daemon, thread, path } = await isolated();
  await runs(world, thread, "echo:one");
  git(world, "-C", path, "commit", "-qm", "kept", "--allow-empty");
  await world.owner(thread).archive();
  await inChannel(world, (said) =>
    said.some((one) => descriptionOf(one).includes(`Its branch \`worktree-bellhop-${thread}\` stays`)),
  );
  expect([existsSync(path), git(world, "log", "--format=%s", `worktree-bellhop-${thread}`)]).toEqual([
    false,
    "kept\none",
  ]);
  await runs(world, thread, "hist:");
  expect(world.agentStarts().map(({ prompt, resumed }) => [prompt, resumed !== undefined])).toEqual([
    ["echo:one", false],
    ["hist:", true],
  ]);
  expect(git(world, "-C", path, "log", "--format=%s")).toBe("kept\none");
  // While nobody listens.
  await daemon.kill("SIGKILL");
  await world.owner(thread).archive();
  await world.daemon().ready;
  await inChannel(world, (said) => said.filter((one) => descriptionOf(one).includes("was removed")).length === 2);
  expect(existsSync(path)).toBe(false);
});

test("a worktree with changes goes only with the owner's yes to these", async () => {
  const { world, thread, path } = await isolated();
  await runs(world, thread, "work:one");
  await world.owner(thread).archive();
  const asked = await asking(world, "Files that are not committed: 1.");
  expect(descriptionOf(asked)).toContain("`E_WORKTREE_DIRTY`");
  const stranger = world.sandbox.addUser("mallory", { admin: true });
  const refused = await world.sandbox
    .channel(world.sandbox.channelId)
    .user(stranger.id)
    .clickButton(asked.id, idOf(asked));
  expect((await refused.answer()).content).toContain("E_OWNER_ONLY");
  // What is there is more than he saw.
  writeFileSync(join(path, "more.txt"), "");
  await (await world.owner(world.sandbox.channelId).clickButton(asked.id, idOf(asked))).acknowledged();
  const again = await asking(world, "Files that are not committed: 2.");
  expect([again.id, existsSync(path)]).toEqual([asked.id, true]);
  const stale = await world.owner(world.sandbox.channelId).clickButton(again.id, idOf(again));
  await stale.acknowledged();
  await happened(world, "ArchiveDone");
  await inChannel(world, (said) =>
    said.some((one) => one.id === asked.id && descriptionOf(one).includes("was removed")),
  );
  expect([existsSync(path), git(world, "branch", "--list", "worktree-*") !== ""]).toEqual([false, true]);
});

test("a worktree that git does not remove is told with the reason, and goes when its owner has it tried again", async () => {
  const { world, thread, path } = await isolated();
  await runs(world, thread, "echo:one");
  git(world, "worktree", "lock", path);
  await world.owner(thread).archive();
  const asked = await asking(world, "Git failed on the worktree");
  expect(descriptionOf(asked)).toContain("`git worktree remove` ended with exit code 128");
  git(world, "worktree", "unlock", path);
  await (await world.owner(world.sandbox.channelId).clickButton(asked.id, idOf(asked))).acknowledged();
  await inChannel(world, (said) =>
    said.some((one) => one.id === asked.id && descriptionOf(one).includes("was removed")),
  );
  expect(existsSync(path)).toBe(false);
});

test("what may be Discord's own archiving ends nothing, and neither does a thread that is opened again", async () => {
  let ahead = 0;
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  const { world, thread, path } = await isolated({ discord: { clock } });
  await runs(world, thread, "echo:one");
  ahead = 61 * 60_000;
  await world.owner(thread).archive();
  const asked = await asking(world, "Discord may have archived it");
  expect(descriptionOf(asked)).toContain("everything is committed");
  await world.owner(thread).unarchive();
  await inChannel(world, (said) =>
    said.some((one) => one.id === asked.id && descriptionOf(one).includes("is open again")),
  );
  const late = await world
    .owner(world.sandbox.channelId)
    .clickButton(asked.id, idOf(asked))
    .then(
      (one) => one.answer(),
      () => null,
    );
  expect(late === null || late.content.includes("E_DECISION_CLOSED")).toBe(true);
  expect(existsSync(path)).toBe(true);
  await runs(world, thread, "hist:");
});

test("where the audit log may be read only the owner's archiving ends anything, whenever it was; others' is said with their name", async () => {
  let ahead = 0;
  const { world, thread, path } = await isolated({
    discord: { clock: { ...systemClock, now: () => Date.now() + ahead } },
  });
  world.sandbox.setBotPermissions(botRolePermissions | PermissionFlagsBits.ViewAuditLog);
  await runs(world, thread, "echo:one");
  const stranger = world.sandbox.addUser("mallory", { admin: true });
  const asks = async (who: string): Promise<void> => {
    const asked = await asking(world, `<@${who}> archived it, not you`);
    expect(existsSync(path)).toBe(true);
    await world.owner(thread).unarchive();
    await inChannel(world, (said) =>
      said.some((one) => one.id === asked.id && descriptionOf(one).includes("is open again")),
    );
  };
  await world.sandbox.channel(thread).user(stranger.id).archive();
  await asks(stranger.id);
  // Somebody else's work with the bot's own token.
  await fetch(`${world.sandbox.api}/v10/channels/${thread}`, {
    method: "PATCH",
    headers: { authorization: `Bot ${world.sandbox.botToken}`, "content-type": "application/json" },
    body: '{"archived":true}',
  });
  await asks(world.sandbox.applicationId);
  // Discord's own archiving could have come by now, and the entry comes late.
  ahead = 61 * 60_000;
  world.sandbox.setAuditLogLate(true);
  const read = (): number =>
    world.sandbox.requests.filter(({ operationId }) => operationId === "list_guild_audit_log_entries").length;
  const before = read();
  await world.owner(thread).archive();
  await world.sandbox.until(() => read() > before);
  expect(existsSync(path)).toBe(true);
  world.sandbox.setAuditLogLate(false);
  await inChannel(world, (said) => said.some((one) => descriptionOf(one).includes("The worktree of")));
  expect(existsSync(path)).toBe(false);
});
