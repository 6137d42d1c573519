/** An agent whose command starts and never answers: its owner is told so, and nothing is lost or left running. */
import path from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { descriptionOf, inJournal, open, recorded } from "./workshop.ts";
import { descendants, openWorld, type Daemon, type World } from "./world.ts";

const root = path.join(import.meta.dirname, "..", "..");
/** Hangs until there is a file `mended` in its home directory, and is the demo agent from then on. */
const HANGING = [
  "/bin/sh",
  "-c",
  '[ -e "$HOME/mended" ] && exec "$0" "$1"; exec "$0" "$2" hang',
  process.execPath,
  path.join(root, "dist", "demo-agent.js"),
  path.join(root, "test", "fakes", "agents", "acp.mjs"),
];
/** In the daemon, what would last 30 s lasts one. */
const SOONER = `--import=data:text/javascript,${encodeURIComponent("const real=globalThis.setTimeout;globalThis.setTimeout=(call,ms,...more)=>real(call,ms===30_000?1_000:ms,...more);")}`;

async function hanging(): Promise<{ world: World; daemon: Daemon }> {
  const world = await openWorld({
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: { commands: { acp: HANGING } },
  });
  const daemon = world.daemon({ env: { NODE_OPTIONS: SOONER } });
  await daemon.ready;
  return { world, daemon };
}

function agentsOf(daemon: Daemon): number[] {
  return descendants(daemon.pid, /acp\.mjs/);
}

test("a thread is told that its agent did not start, and the same message is done once when it is tried again", async () => {
  const { world, daemon } = await hanging();
  const thread = await world.session();
  const { id } = await world.owner(thread).send("echo kept");
  await world.marked(id, "❌");
  const told = await world.saying(thread, (said) =>
    said.map(descriptionOf).find((text) => text.includes("The agent could not be started.")),
  );
  expect(told).toContain("E_AGENT_START_FAILED");
  const failed = eventsOf(world).filter(({ type }) => type === "JobFailed");
  expect(failed.map(({ payload }) => JSON.stringify(payload))).toEqual([
    expect.stringContaining("it did not open a session within 30 s"),
  ]);
  await recorded(world, ({ type, payload }) => type === "JobProgress" && payload["kind"] === "gone");
  expect(agentsOf(daemon)).toEqual([]);

  open(world, "mended");
  await (await world.owner(thread).slash("retry", { job_id: String(failed[0]?.payload["job_id"]) })).answer();
  await world.marked(id, "✅");
  await world.saying(thread, (said) => said.some(({ content }) => content === "kept"));
  expect(eventsOf(world).filter(({ type }) => type === "JobStarted")).toHaveLength(2);
});

test("/agent start says it, and leaves no thread, no process and no start", async () => {
  const { world, daemon } = await hanging();
  const { channelId } = world.sandbox;
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "agent"));
  const { content } = await (await world.owner(channelId).slash("agent start", { project_id: 1 })).answer();
  expect(content).toContain("The agent could not be started.");
  expect(content).toContain("E_AGENT_START_FAILED");
  expect(agentsOf(daemon)).toEqual([]);
  expect(world.sandbox.messages(channelId).filter((message) => message.thread !== undefined)).toEqual([]);
  await inJournal(world, (events) => events.some(({ type }) => type === "SessionRequestDropped"));
  expect(eventsOf(world).map(({ type }) => type)).not.toContain("SessionCreated");
});
