/**
 * An agent that breaks the protocol in every way we know, prompt after prompt in one thread of the built daemon: each
 * answer is what belongs to it, each failure has its sentence and its code, the next message is answered, and nothing
 * is left running.
 */
import { readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, asks, controlsOf, press, settled, type Asked } from "./asked.ts";
import { descriptionOf, recorded } from "./workshop.ts";
import { openWorld, descendants, type WorldOptions } from "./world.ts";

const agent = join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");
const scripted: WorldOptions = {
  agent: "none",
  tools: ["acp"],
  unlimited: true,
  config: { commands: { acp: [process.execPath, agent] } },
};

const tooLarge =
  '{"code":-32600,"message":"The request is too large or too deeply nested. Split it into several smaller ones"}';

/** The job of this prompt. */
function jobOf({ world }: Asked, prompt: string): string {
  return String(
    eventsOf(world).find(({ type, payload }) => type === "JobEnqueued" && payload["prompt"] === prompt)?.payload[
      "job_id"
    ],
  );
}

const resultOf = (asked: Asked, prompt: string): string =>
  join(asked.world.stateDir, "results", `${jobOf(asked, prompt)}.md`);

async function send({ world, thread }: Asked, prompt: string, sign: string): Promise<void> {
  await world.marked((await world.owner(thread).send(prompt)).id, sign);
}

/** Its process is gone, and the thread free. */
function over(asked: Asked, prompt: string): Promise<void> {
  return recorded(
    asked.world,
    ({ type, payload }) =>
      type === "JobProgress" && payload["kind"] === "gone" && payload["job_id"] === jobOf(asked, prompt),
  );
}

test("whatever it writes, its thread has what belongs to the answer, a sentence for each failure, and goes on", async () => {
  const asked = await asks("garbage", scripted);
  const { world, thread, daemon } = asked;
  await world.marked(asked.id, "✅");
  expect(readFileSync(resultOf(asked, "garbage"), "utf8")).toBe("fine");
  for (const [prompt, result] of [
    ["batch", "fine"],
    ["twice", "fine"],
    ["unversioned", "fine"],
    ["utf8", "a\ufffd\ufffdz"],
    ["other", 'fine {"outcome":{"outcome":"cancelled"}}'],
    ["long", "fine"],
    ["deep", "fine"],
    ["vast", `${tooLarge}${tooLarge}`],
    ["asides", "one\n\ntwo\n\nthree"],
  ] as const) {
    await send(asked, prompt, "✅");
    expect(readFileSync(resultOf(asked, prompt), "utf8")).toBe(result);
  }
  await send(asked, "flood", "✅");
  expect(statSync(resultOf(asked, "flood")).size).toBe(500_000);
  const said = world
    .said(thread)
    .map((message) => JSON.stringify(message))
    .join("\n");
  expect(said).not.toContain("not yours");
  expect(eventsOf(world).filter(({ type }) => type === "DecisionAsked" || type === "OutsideTurnBegan")).toEqual([]);

  for (const [prompt, words] of [
    ["half", "acp stopped: it ended with exit code 0."],
    ["die", "acp stopped: it was ended by SIGKILL."],
    ["cancel-itself", "acp stopped: it cancelled the turn itself."],
    ["die-asking", "acp stopped: it ended with exit code 9."],
  ] as const) {
    await send(asked, prompt, "❌");
    await world.saying(thread, (all) =>
      all.some(
        (message) =>
          descriptionOf(message).includes(`${words} Fix the cause, then press Retry. \`E_CLI_EXIT_NONZERO\``) &&
          JSON.stringify(message).includes(jobOf(asked, prompt)),
      ),
    );
    await send(asked, `echo after ${prompt}`, "✅");
  }
  expect(world.said(thread).filter((message) => controlsOf(message).includes('"do:'))).toEqual([]);

  await world.owner(thread).send("no-options");
  const prompt = await press(asked, "Deny");
  expect(controlsOf(prompt).match(/"label":"Allow[^"]*","disabled":true/g)).toHaveLength(2);
  await settled(asked, prompt);

  const { id } = await world.owner(thread).send("deaf");
  await world.saying(thread, (all) => all.some(({ content }) => content.includes("working")));
  await (await world.owner(thread).slash("cancel")).answer();
  await world.marked(id, "🚫");
  await over(asked, "deaf");
  expect(descendants(daemon.pid, /acp\.mjs/)).toEqual([]);
}, 120_000);

test("what it asks when its turn is over is shown outside of any job, and gets its owner's answer", async () => {
  const asked = await asks("late-told", scripted);
  const { world } = asked;
  await world.marked(asked.id, "✅");
  const late = await press(asked, "Allow once");
  expect(late.embeds[0]?.footer?.text).toContain("outside your jobs");
  await settled(asked, late);
  await answer(asked, '{"outcome":{"outcome":"selected","optionId":"yes"}}');
  await send(asked, "echo next", "✅");
  expect(
    eventsOf(world)
      .filter(({ type }) => type === "OutsideTurnEnded")
      .map(({ payload }) => payload["outcome"]),
  ).toEqual(["done"]);
});

test("the earlier name of an agent is found, one that cannot be set to ask is used where its owner said so, one that takes folders is granted its own, and one that was never prompted is opened anew", async () => {
  const command = (start: string): string[] => [process.execPath, agent, start];
  const world = await openWorld({
    agent: "none",
    tools: ["acp", "free", "folders"],
    unlimited: true,
    config: {
      acp_agents: { free: { command: command("stuck"), asks: "as_is" }, folders: { command: command("folders") } },
    },
  });
  // Of the two agents that the tool `acp` may be, the first is not here.
  writeFileSync(join(world.home, "bin", "claude-code-acp"), `#!/bin/sh\nexec '${process.execPath}' '${agent}' "$@"\n`, {
    mode: 0o755,
  });
  const daemon = world.daemon();
  await daemon.ready;
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "agent"));
  const begun = async (tool: string): Promise<Asked> => {
    const { content } = await (
      await world.owner(world.sandbox.channelId).slash("agent start", { project_id: 1, tool })
    ).answer();
    return { world, daemon, thread: /\d{17,20}/.exec(content)?.[0] ?? "", id: "" };
  };
  const earlier = await begun("acp");
  await send(earlier, "echo hi", "✅");
  expect(readFileSync(resultOf(earlier, "echo hi"), "utf8")).toBe("hi");
  const free = await begun("free");
  await send(free, "mode", "✅");
  expect(readFileSync(resultOf(free, "mode"), "utf8")).toBe("auto");
  const granted = await begun("folders");
  const unprompted = await begun("folders");
  await send(granted, "folders", "✅");
  const own = (kind: string): string => realpathSync(join(world.stateDir, kind, granted.thread));
  expect(
    readFileSync(resultOf(granted, "folders"), "utf8")
      .split("\n")
      .map((folder) => realpathSync(folder))
      .sort(),
  ).toEqual([own("outputs"), own("uploads")].sort());
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await send(unprompted, "echo first", "✅");
  expect(eventsOf(world).filter(({ type }) => type === "JobFailed")).toEqual([]);
});
