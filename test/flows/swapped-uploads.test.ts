/**
 * A file that waits with its message lies where agents can write. Its job gets the bytes that its owner sent, or none:
 * what was swapped, changed or linked away meanwhile is refused, and no agent is started with it.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { descriptionOf } from "./workshop.ts";
import { busy, given, offered, prompts } from "./sending.ts";
import { openSession, type World } from "./world.ts";

const NOTES = { name: "notes.txt", bytes: Buffer.from("kumquats") };

/** What is done to the file at `path`; `aside` is a folder outside. */
const swaps: Record<string, (path: string, aside: string) => void> = {
  linked: (path, aside) => (rmSync(path), symlinkSync(join(aside, "secret"), path)),
  // Even to the very same content.
  "linked to itself": (path, aside) => (renameSync(path, join(aside, "same")), symlinkSync(join(aside, "same"), path)),
  "linked hard": (path, aside) => (rmSync(path), linkSync(join(aside, "secret"), path)),
  "named twice": (path, aside) => linkSync(path, join(aside, "twice")),
  replaced: (path) => (
    writeFileSync(`${path}.new`, "somequat"),
    utimesSync(`${path}.new`, 0, 0),
    renameSync(`${path}.new`, path)
  ),
  "written over": (path) => writeFileSync(path, "somequat"),
  grown: (path) => appendFileSync(path, " and more"),
  cut: (path) => writeFileSync(path, "kum"),
  removed: (path) => rmSync(path),
  "a pipe": (path) => (rmSync(path), void execFileSync("mkfifo", [path])),
  "a folder": (path) => (rmSync(path), mkdirSync(path)),
  "in a linked folder": (path, aside) => (
    renameSync(dirname(path), join(aside, "message")),
    symlinkSync(join(aside, "message"), dirname(path))
  ),
};

function outside({ home }: World): string {
  const aside = join(home, "aside");
  mkdirSync(aside);
  writeFileSync(join(aside, "secret"), "the secret");
  return aside;
}

const uploaded = ({ stateDir }: World, thread: string, message: string): string =>
  join(stateDir, "uploads", thread, message, "1-notes.txt");

/** The codes of the failed jobs that the thread tells of. */
const refusals = (said: ReturnType<World["said"]>): number =>
  said.filter(
    (one) =>
      descriptionOf(one).includes("E_ATTACHMENT_CHANGED") ||
      JSON.stringify(one.embeds).includes("E_ATTACHMENT_CHANGED"),
  ).length;

test("a queued file that is not what was sent any more fails its job, which no agent sees, and one that is goes along", async () => {
  const { world, thread } = await openSession({ unlimited: true, config: { limits: { max_queue_per_session: 50 } } });
  const aside = outside(world);
  await world.owner(thread).send("until:ready");
  await world.agents(1);
  for (const [how, swap] of Object.entries(swaps)) {
    const { id } = await world.owner(thread).upload([NOTES], `echo:${how}`);
    await world.marked(id, "⏳");
    swap(uploaded(world, thread, id), aside);
  }
  await world.owner(thread).upload([NOTES], "echo:as it was");
  writeFileSync(join(world.home, "ready"), "");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("as it was")));
  await world.saying(thread, (said) => refusals(said) === Object.keys(swaps).length);
  expect(prompts({ world }).map((prompt) => prompt.split("\n")[0])).toEqual(["until:ready", "echo:as it was"]);
});

test("a file that was swapped before its message is sent into a turn is not sent, and fails its job", async () => {
  const session = await busy("work:build");
  const { world, thread } = session;
  const aside = outside(world);
  const { id } = await world.owner(thread).send("read this", { files: [NOTES] });
  const card = await offered(session, "read this");
  swaps["linked"]?.(uploaded(world, thread, id), aside);
  await (await world.owner(thread).clickButton(card.id, "Send now")).acknowledged();
  await world.saying(thread, (said) => JSON.stringify(said).includes("E_ATTACHMENT_CHANGED"));
  writeFileSync(join(world.home, "build"), "");
  writeFileSync(join(world.home, "build-end"), "");
  await world.marked(id, "❌");
  expect(given(session, "read this")).toBe(0);
});
