/**
 * Five of the sessions' acceptance tests once more, by their numbers, with the real agents: the built daemon, the
 * strict local Discord, and a model on loopback that keeps what reached it.
 */
import { describe, expect, it } from "vitest";
import { eventsOf, says } from "../flows/acceptance/stage.ts";
import { answered, crashNotice, tree } from "../flows/world.ts";
import { isAlive, systemProcessTable } from "../../src/host/processes/process-table.ts";
import { openReal, type Real } from "./real-world.ts";

/** Asks, and waits for the answer that this prompt must have, among those before it. */
function asking({ world }: Real, thread: string): (prompt: string, answer: string) => Promise<void> {
  const answers: string[] = [];
  return async (prompt, answer) => {
    const { id } = await world.owner(thread).send(prompt);
    answers.push(answer);
    await answered(world, thread, answers);
    // What stands in the thread may still be on its way as far as the job is concerned.
    await world.marked(id, "✅");
  };
}

describe("with the real agents", () => {
  it.each(["claude", "codex", "gemini"])(
    "2. /start makes a thread with a usable session of %s, and the next message continues in it",
    async (tool) => {
      const real = await openReal([tool]);
      const { world } = real;
      const daemon = await real.start();
      const thread = await world.session();
      expect(await says(world, thread, "status")).toContain("resume_ready: no");
      const ask = asking(real, thread);
      await ask("echo:hello", "hello");
      const status = await says(world, thread, "status");
      expect(status).toMatch(new RegExp(`\\ntool: ${tool}\\nsession_key: [0-9a-f-]{36}\\nstate: idle\\n`));
      expect(status).toContain("resume_ready: yes");
      await ask("hist:", 'HISTORY ["user:echo:hello","assistant:hello"]');
      await daemon.kill("SIGTERM");
    },
  );

  it("3. Three messages written one after the other are done first in, first out, in one conversation", async () => {
    const real = await openReal(["codex"]);
    const { world } = real;
    const daemon = await real.start();
    const thread = await world.session();
    for (const word of ["one", "two", "three"]) await world.owner(thread).send(`echo:${word}`);
    await answered(world, thread, ["one", "two", "three"]);
    await world.owner(thread).send("hist:");
    const turns = ["one", "two", "three"].flatMap((word) => [`user:echo:${word}`, `assistant:${word}`]);
    await answered(world, thread, ["one", "two", "three", `HISTORY ${JSON.stringify(turns)}`]);
    await daemon.kill("SIGTERM");
  });

  it("5. /tool counts for new jobs only, and going back takes the first agent's conversation up again", async () => {
    const real = await openReal(["claude", "gemini"]);
    const { world, model } = real;
    const daemon = await real.start();
    const thread = await world.session();
    const running = await world.owner(thread).send("slow:40:50");
    await world.started(running.id);
    await model.until(1);
    expect(await says(world, thread, "tool", { tool: "gemini" })).toContain("**gemini**");
    await world.owner(thread).send("echo:waited");
    const chunks = Array.from({ length: 40 }, (_, at) => `chunk${at + 1}`).join(" ");
    // An answer that stands already goes on below what its owner wrote meanwhile, in a second message.
    const reads = (...answers: string[]): Promise<unknown> =>
      world.saying(
        thread,
        (said) =>
          said
            .map(({ content }) => content.trim())
            .filter(Boolean)
            .join(" ") === answers.join(" "),
      );
    await reads(chunks, "waited");
    await says(world, thread, "tool", { tool: "claude" });
    await world.owner(thread).send("hist:");
    await reads(
      chunks,
      "waited",
      `HISTORY ${JSON.stringify(["user:slow:40:50", `assistant:${chunks}`]).replace(/"\]$/, ' "]')}`,
    );
    expect(
      eventsOf(world)
        .filter(({ type }) => type === "ToolChanged")
        .map(({ payload }) => payload["tool"]),
    ).toEqual(["gemini", "claude"]);
    await daemon.kill("SIGTERM");
  });

  it("6. A daemon that is killed in the middle calls the job unknown_after_crash, ends its agent, and continues in the same conversation when told", async () => {
    const real = await openReal(["claude"]);
    const { world } = real;
    const daemon = await real.start();
    const thread = await world.session();
    const { id } = await world.owner(thread).send("slow:2000:50");
    await world.saying(thread, (said) => said.some(({ content }) => content.includes("chunk5 ")));
    const table = systemProcessTable();
    const below = new Set(tree(daemon.pid).filter((pid) => pid !== daemon.pid));
    const agents = table.list().filter(({ pid }) => below.has(pid));
    expect(agents.length).toBeGreaterThan(0);

    await daemon.kill("SIGKILL");
    const again = await real.start();
    await world.saying(thread, crashNotice);
    await world.marked(id, "💥");
    expect(agents.filter((agent) => isAlive(table, agent))).toEqual([]);
    expect(await says(world, thread, "status")).toContain("\nstate: unknown_after_crash\n");
    await world.owner(thread).send("hist:");
    await world.saying(thread, (said) =>
      said.some(({ content }) => content.startsWith("HISTORY ") && content.includes("user:slow:2000:50")),
    );
    await again.kill("SIGTERM");
  });

  it.each(["claude", "codex", "gemini"])(
    "7. /retry makes a new job of a failed one of %s, and that succeeds",
    async (tool) => {
      const real = await openReal([tool]);
      const { world } = real;
      const daemon = await real.start();
      const thread = await world.session();
      real.fail(400);
      const { id } = await world.owner(thread).send("echo:recovered");
      await world.marked(id, "❌");
      real.fail(null);
      const [, failed = ""] =
        /\nretry_hint: \/retry (job_\d{8}_0001)$/m.exec(await says(world, thread, "status")) ?? [];
      expect(await says(world, thread, "retry", { job_id: failed })).toMatch(/`job_\d{8}_0002`/);
      await answered(world, thread, ["recovered"]);
      await world.marked(id, "✅");
      const ends = eventsOf(world).filter(({ type }) => type === "JobFailed" || type === "JobCompleted");
      expect(ends.map(({ type }) => type)).toEqual(["JobFailed", "JobCompleted"]);
      await daemon.kill("SIGTERM");
    },
  );
});
