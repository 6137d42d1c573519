/** An agent that speaks ACP, from a message in Discord to its answer: the demo agent, and one that misbehaves. */
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { pageIn, requestShown } from "../core/decisions/shown.ts";
import { answer, asks, controlsOf, press, prompted, standing, type Asked } from "./asked.ts";
import { descriptionOf, learnt, withButton } from "./workshop.ts";
import { alive, crashNotice, descendants, openWorld, type WorldOptions } from "./world.ts";

const root = path.join(import.meta.dirname, "..", "..");

/** The project's only tool is `acp`, and this is what it runs. */
const running = (command: string[], config: Record<string, unknown> = {}): WorldOptions => ({
  agent: "none",
  tools: ["acp"],
  unlimited: true,
  config: { commands: { acp: [process.execPath, ...command] }, ...config },
});
const demo = (config?: Record<string, unknown>): WorldOptions =>
  running([path.join(root, "dist", "demo-agent.js")], config);
const scripts = path.join(root, "test", "fakes", "agents", "acp.mjs");
const scripted = (start = "fine", config?: Record<string, unknown>): WorldOptions => running([scripts, start], config);

/** Its message waits because of what the next one would meet too, and is dropped. */
async function drop({ world, thread, id }: Asked): Promise<void> {
  const notice = await world.saying(thread, (said) => withButton(said, "drop"));
  await (await world.owner(thread).clickButton(notice.id, "Drop it")).acknowledged();
  await world.marked(id, "🚫");
}

/** The agents of the daemon that run now. */
function agentsOf({ daemon }: Asked): number[] {
  return descendants(daemon.pid, /demo-agent\.js/);
}

describe("the demo agent", () => {
  test("answers, its answer is kept as it was streamed, and the next job goes on with the conversation", async () => {
    const asked = await asks("echo hello", demo());
    const { world, thread } = asked;
    expect(await answer(asked, "hello")).toBe("hello");
    await world.marked(asked.id, "✅");
    const [result = ""] = readdirSync(path.join(world.stateDir, "results")).filter((name) => name.endsWith(".md"));
    expect(readFileSync(path.join(world.stateDir, "results", result), "utf8")).toBe("hello");
    const { id } = await world.owner(thread).send("history");
    expect(await answer(asked, "You wrote before:")).toBe("You wrote before:\n1. echo hello");
    await world.marked(id, "✅");
  });

  test("lives between its jobs, and no longer than them where none may idle", async () => {
    const asked = await asks("echo hello", demo());
    const { world, thread } = asked;
    await world.marked(asked.id, "✅");
    const agents = agentsOf(asked);
    expect(agents).toHaveLength(1);
    const next = await world.owner(thread).send("echo again");
    await world.marked(next.id, "✅");
    expect(agentsOf(asked)).toEqual(agents);
    const other = await asks("echo hello", demo({ limits: { idle_agents: 0 } }));
    await other.world.marked(other.id, "✅");
    await learnt(other.world, "gone");
    expect(agentsOf(other)).toEqual([]);
  });

  test("ends with its daemon, and its session stays open", async () => {
    const asked = await asks("echo hello", demo());
    const { world, thread, daemon } = asked;
    await world.marked(asked.id, "✅");
    const agents = agentsOf(asked);
    expect(agents).toHaveLength(1);
    await daemon.kill("SIGTERM");
    expect(agents.filter(alive)).toEqual([]);
    await world.daemon().ready;
    await world.marked((await world.owner(thread).send("echo again")).id, "✅");
    expect(eventsOf(world).map(({ type }) => type)).not.toContain("SessionClosed");
  });

  test("writes a file only once exactly that was allowed", async () => {
    const asked = await asks("write note.md hello there", demo());
    const file = path.join(asked.world.project, "note.md");
    const prompt = await prompted(asked, "Allow once");
    expect(prompt.content).toMatch(/^🔐 Demo agent wants to create `note\.md`/);
    const diff = { type: "diff", path: file, oldText: null, newText: "hello there\n" };
    const call = {
      title: "Write note.md",
      name: "write",
      kind: "edit",
      status: "pending",
      rawInput: { path: file, content: "hello there\n" },
      locations: [{ path: file }],
      content: [diff],
    };
    const request = { tool: "write", call };
    expect(requestShown([pageIn(descriptionOf(prompt))], request)).toEqual(request);
    expect(existsSync(file)).toBe(false);
    await press(asked, "Allow once");
    await answer(asked, "I wrote note.md.");
    expect(readFileSync(file, "utf8")).toBe("hello there\n");
    await asked.world.marked(asked.id, "✅");
  });

  test("that is refused writes nothing", async () => {
    const asked = await asks("write note.md hello", demo());
    await press(asked, "Deny");
    await answer(asked, "I did not write note.md.");
    await asked.world.marked(asked.id, "✅");
    expect(readdirSync(asked.world.project)).toEqual([]);
  });

  test("allowed for the session, the same is not asked again, also by the next process", async () => {
    const asked = await asks("write note.md hello", demo());
    await press(asked, "Allow for this session");
    await asked.world.marked(asked.id, "✅");
    rmSync(path.join(asked.world.project, "note.md"));
    const again = await asked.world.owner(asked.thread).send("write note.md hello");
    const other = await asked.world.owner(asked.thread).send("write note.md other");
    await press(asked, "Deny");
    await asked.world.marked(other.id, "✅");
    await asked.world.marked(again.id, "✅");
    expect(eventsOf(asked.world).filter(({ type }) => type === "DecisionAnswered")).toHaveLength(3);
  });

  test("asks, and is told what its owner chose", async () => {
    const asked = await asks("ask", demo());
    await press(asked, "B · Blue");
    await press(asked, "A · Send");
    expect(await answer(asked, "You answered:")).toBe("You answered:\n- colour: blue");
  });

  test("plans, thinks, and uses a tool that asks for nothing", async () => {
    const asked = await asks("plan 0", demo());
    await answer(asked, "There are 0 entries");
    await asked.world.marked(asked.id, "✅");
    expect(
      eventsOf(asked.world).filter(({ type, payload }) => type === "JobProgress" && payload["kind"] === "tool"),
    ).toMatchObject([{ payload: { name: "list", ok: true } }]);
  });

  test("stops when it is told to, and the session goes on", async () => {
    const asked = await asks("wait 600", demo());
    const { world, thread, id } = asked;
    await world.saying(thread, (said) => said.some(({ content }) => content.includes("Waiting 600 s.")));
    await (await world.owner(thread).slash("cancel")).answer();
    await world.marked(id, "🚫");
    const next = await world.owner(thread).send("history");
    await world.marked(next.id, "✅");
    expect(await answer(asked, "You wrote before:")).toContain("wait 600");
  });

  test("that fails says why, once", async () => {
    const asked = await asks("fail the model is on strike", demo());
    const said = await asked.world.saying(asked.thread, (all) =>
      all.map(descriptionOf).find((text) => text.includes("on strike")),
    );
    expect(said).toContain("Demo agent stopped");
    expect(eventsOf(asked.world).filter(({ type }) => type === "JobStarted")).toHaveLength(1);
  });

  test("killed with its daemon is unknown, leaves nothing running, and its conversation goes on", async () => {
    const asked = await asks("wait 600", demo());
    const { world, thread, daemon } = asked;
    await world.saying(thread, (said) => said.some(({ content }) => content.includes("Waiting 600 s.")));
    await (await world.owner(thread).slash("status")).answer();
    const agents = agentsOf(asked);
    expect(agents.length).toBeGreaterThan(0);
    await daemon.kill("SIGKILL");
    await world.daemon().ready;
    await world.saying(thread, (said) => crashNotice(said)?.id);
    expect(agents.filter(alive)).toEqual([]);
    const next = await world.owner(thread).send("echo and on");
    await world.marked(next.id, "✅");
    // What was cut off was never the agent's to keep; the session was.
    expect(
      eventsOf(world).filter(
        ({ type, payload }) => type === "JobFailed" && payload["error_code"] === "E_RESUME_UNKNOWN",
      ),
    ).toEqual([]);
  });
});

describe("an agent that misbehaves", () => {
  test.each([
    ["exit", "The agent could not be started."],
    ["version", "The agent could not be started."],
    ["stuck", "The agent could not be started."],
  ])("at its start (%s) fails the job with a sentence, and the next message is taken", async (start, sentence) => {
    const asked = await asks("echo hi", scripted(start));
    await asked.world.saying(asked.thread, (said) => said.some((message) => descriptionOf(message).includes(sentence)));
    await asked.world.marked(asked.id, "❌");
    const next = await asked.world.owner(asked.thread).send("echo again");
    await asked.world.marked(next.id, "❌");
  });

  test("at its start that is not logged in has its message wait, and the next one behind it", async () => {
    const asked = await asks("echo hi", scripted("login"));
    const { world, thread } = asked;
    const notice = await world.saying(thread, (said) => withButton(said, "drop"));
    expect(descriptionOf(notice)).toContain("isn't logged in");
    const next = await world.owner(thread).send("echo again");
    for (const id of [asked.id, next.id]) await world.marked(id, "⏳");
    await drop(asked);
    await world.saying(thread, (said) => {
      const again = withButton(said, "drop");
      return again !== undefined && again.id !== notice.id;
    });
    await world.marked(next.id, "⏳");
  });

  test("that dies while it asks leaves a prompt that nobody can press any more", async () => {
    const asked = await asks("die-asking", scripted());
    await asked.world.marked(asked.id, "❌");
    expect(
      eventsOf(asked.world)
        .filter(({ type }) => type.startsWith("Decision"))
        .map(({ type }) => type),
    ).not.toContain("DecisionAnswered");
  });

  test.each([
    ["max_tokens", "The answer was cut off"],
    ["refusal", "The model refused to continue"],
    ["max_turn_requests", "The agent stopped before it was done"],
  ])("whose answer ends early (%s) says so in the message that closes its job", async (prompt, words) => {
    const asked = await asks(prompt, scripted());
    await asked.world.saying(asked.thread, (said) =>
      said.some((message) => descriptionOf(message).includes("✅ done") && descriptionOf(message).includes(words)),
    );
  });

  test("reports by itself, outside of any job", async () => {
    const asked = await asks("report", scripted());
    expect(await answer(asked, "the build is done")).toBe("the build is done");
    await asked.world.saying(asked.thread, (said) =>
      said.some((message) => descriptionOf(message).startsWith("🌙") && descriptionOf(message).includes("✅ done")),
    );
  });

  test("can only be refused where it offers to allow for good and not once, and a written yes says why", async () => {
    const asked = await asks("always-only", scripted());
    const prompt = await prompted(asked, "Allow once");
    expect(controlsOf(prompt)).toContain('"label":"Allow once","disabled":true');
    expect(controlsOf(prompt)).toContain('"label":"Allow for this session","disabled":true');
    expect(descriptionOf(prompt)).toContain("can only be refused here");
    await standing(asked);
    const { world, thread } = asked;
    await world.owner(thread).send("yes", { replyTo: prompt.id });
    await world.saying(thread, (said) =>
      said.some((message) => JSON.stringify(message).includes("This cannot be allowed here")),
    );
    await press(asked, "Deny");
    expect(await answer(asked, "{")).toBe('{"outcome":{"outcome":"selected","optionId":"no"}}');
  });

  test("that was refused with a reason is given it with the next message, once", async () => {
    const asked = await asks("permit", scripted());
    const { world, thread } = asked;
    await press(asked, "Deny and say why (with the next message)", "not on a Friday");
    expect(await answer(asked, "{")).toBe('{"outcome":{"outcome":"selected","optionId":"no"}}');
    await world.marked(asked.id, "✅");
    await world.owner(thread).send("whole");
    expect(await answer(asked, "[Note from Bellhop")).toMatch(/\brm -rf build: not on a Friday\n\nwhole$/);
    await world.owner(thread).send("whole");
    expect(await answer(asked, "whole")).toBe("whole");
  });

  test.each([
    ["could not be started", "exit 3"],
    ["is not logged in", `exec '${process.execPath}' '${scripts}' logged-out`],
    ["was killed before it had the prompt", "sleep 600"],
  ])(
    "that was refused with a reason, and then %s, is given it with the next message after a restart, once",
    async (_what, trouble) => {
      const command = ["/bin/sh", "-c", `[ -e ../trouble ] && ${trouble}; exec '${process.execPath}' '${scripts}'`];
      const asked = await asks("permit", {
        ...scripted(),
        config: { commands: { acp: command }, limits: { idle_agents: 0 } },
      });
      const { world, thread } = asked;
      await press(asked, "Deny and say why (with the next message)", "not on a Friday");
      await world.marked(asked.id, "✅");
      await learnt(world, "gone");
      writeFileSync(path.join(world.home, "trouble"), "");
      const lost = await world.owner(thread).send("echo lost");
      if (trouble === "sleep 600") await learnt(world, "process", 2);
      else if (trouble.includes("logged-out")) await drop({ ...asked, id: lost.id });
      else await world.marked(lost.id, "❌");
      await asked.daemon.kill("SIGKILL");
      rmSync(path.join(world.home, "trouble"));
      await world.daemon().ready;
      // Only what is written below it lets the queue go on.
      if (trouble === "sleep 600") await world.saying(thread, crashNotice);
      await world.owner(thread).send("whole");
      expect(await answer(asked, "[Note from Bellhop")).toMatch(/\brm -rf build: not on a Friday\n\n(?:.*\n\n)?whole$/);
      await world.owner(thread).send("whole");
      expect(await answer(asked, "whole")).toBe("whole");
    },
  );

  test.each([
    ["is not logged in", { code: -32000, message: "Authentication required" }, "isn't logged in", "kept"],
    [
      "cannot work now",
      { code: -32603, message: "Internal error", data: { details: "connect ECONNREFUSED 127.0.0.1:4096" } },
      "connect ECONNREFUSED 127.0.0.1",
      "kept",
    ],
    [
      "does not know the conversation",
      { code: -32603, message: "Internal error", data: { details: "no rollout found for thread id x" } },
      "no longer knows this conversation",
      "lost",
    ],
  ])(
    "that refuses to go on because it %s says so, and keeps its conversation if it has it",
    async (_what, error, sentence, conversation) => {
      const command = [
        "/bin/sh",
        "-c",
        `[ -e ../trouble ] && exec '${process.execPath}' '${scripts}' refuse-resume '${JSON.stringify(error)}'; exec '${process.execPath}' '${path.join(root, "dist", "demo-agent.js")}'`,
      ];
      const asked = await asks("echo hello", {
        ...scripted(),
        config: { commands: { acp: command }, limits: { idle_agents: 0 } },
      });
      const { world, thread } = asked;
      await world.marked(asked.id, "✅");
      await learnt(world, "gone");
      writeFileSync(path.join(world.home, "trouble"), "");
      const refused = await world.owner(thread).send("echo lost");
      await world.saying(thread, (said) => said.some((message) => descriptionOf(message).includes(sentence)));
      if (sentence === "isn't logged in") await drop({ ...asked, id: refused.id });
      else await world.marked(refused.id, "❌");
      rmSync(path.join(world.home, "trouble"));
      await world.owner(thread).send("history");
      if (conversation === "kept")
        expect(await answer(asked, "You wrote before:")).toBe("You wrote before:\n1. echo hello");
      else await answer(asked, "This is your first message in this session.");
    },
  );

  test("is allowed once, whatever else it offers", async () => {
    const asked = await asks("permit", scripted());
    await press(asked, "Allow for this session");
    expect(await answer(asked, "{")).toBe('{"outcome":{"outcome":"selected","optionId":"yes"}}');
  });
});

test("AGENT_COMMAND says what the tool acp runs, whatever config.json says", async () => {
  const world = await openWorld(running(["no-such-file.js"]));
  const daemon = world.daemon({
    env: { AGENT_COMMAND: JSON.stringify([process.execPath, path.join(root, "dist", "demo-agent.js")]) },
  });
  await daemon.ready;
  const thread = await world.session();
  const { id } = await world.owner(thread).send("echo by variable");
  await answer({ world, daemon, thread, id }, "by variable");
});

describe("config.json", () => {
  test("adds agents as tools, each by its name", async () => {
    const world = await openWorld({
      ...demo(),
      tools: ["my-agent"],
      config: { acp_agents: { "my-agent": { command: [process.execPath, path.join(root, "dist", "demo-agent.js")] } } },
    });
    await world.daemon().ready;
    const thread = await world.session();
    const { id } = await world.owner(thread).send("echo by name");
    await world.marked(id, "✅");
    expect(eventsOf(world).find(({ type }) => type === "JobStarted")?.payload).toMatchObject({ tool: "my-agent" });
  });

  test.each(["codex", "tmux"])("cannot give the name of a driver away: %s", async (name) => {
    const world = await openWorld({ agent: "none", config: { acp_agents: { [name]: { command: ["x"] } } } });
    const daemon = world.daemon();
    expect(await daemon.exited).toMatchObject({ code: 78 });
    expect(daemon.stderr()).toContain(
      `E_CONFIG_INVALID: config.json acp_agents.${name}: found "${name}", expected a name other than`,
    );
  });
});

describe("what an agent thinks", () => {
  test("stands folded on its job's card where the owner wants to see it", async () => {
    const { world, thread, id } = await asks("think", scripted("fine", { thoughts: "folded" }));
    await world.saying(thread, (said) =>
      said.some((message) => descriptionOf(message).includes("💭 ||Let me see first.||")),
    );
    await (await world.owner(thread).slash("cancel")).answer();
    await world.marked(id, "🚫");
  });
});
