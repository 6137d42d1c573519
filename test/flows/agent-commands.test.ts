/** `/agent …` with real processes: the demo agent, and one that hears nothing. */
import { chmodSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, asks, press, type Asked } from "./asked.ts";
import { descriptionOf, inJournal, recorded, withButton } from "./workshop.ts";
import { descendants, openWorld, type Daemon, type World, type WorldOptions } from "./world.ts";

const root = path.join(import.meta.dirname, "..", "..");
const running = (command: string[]): WorldOptions => ({
  agent: "none",
  tools: ["acp"],
  unlimited: true,
  config: { commands: { acp: [process.execPath, ...command] } },
});
const demo = running([path.join(root, "dist", "demo-agent.js")]);
const scripted = running([path.join(root, "test", "fakes", "agents", "acp.mjs")]);

interface Question {
  components: [{ components: [{ custom_id: string; options: { value: string }[] }] }];
}

function agentsOf({ daemon }: Asked): number[] {
  return descendants(daemon.pid, /^(?!.*--version).*(demo-agent|acp\.mjs)/s);
}

async function slash(
  { world, thread }: Asked,
  name: string,
  options: Record<string, string> = {},
  place = thread,
): Promise<{ content: string; embeds: { fields?: { name: string; value: string }[] }[]; id: string }> {
  return (await (await world.owner(place).slash(name, options)).answer()) as never;
}

test("/agent stop ends the agent and keeps the conversation; a message reopens the session", async () => {
  const asked = await asks("echo one", demo);
  const { world, thread } = asked;
  await world.marked(asked.id, "✅");
  expect(agentsOf(asked)).toHaveLength(1);
  expect((await slash(asked, "agent stop")).content).toBe(
    `The session has ended\nTo open it again, write in <#${thread}> and press *Reopen and send* under your message.`,
  );
  expect(agentsOf(asked)).toEqual([]);
  expect((await slash(asked, "agent stop")).content).toContain("E_NO_ACTIVE_SESSION");
  const { id } = await world.owner(thread).send("history");
  const refusal = await world.saying(thread, (said) => withButton(said, "s-reopen"));
  await (await world.owner(thread).clickButton(refusal.id, "Reopen and send")).acknowledged();
  await world.marked(id, "✅");
  expect(await answer(asked, "You wrote before:")).toBe("You wrote before:\n1. echo one");
});

test("/agent kill ends one that hears nothing, with the job that runs, and leaves what waits", async () => {
  const asked = await asks("deaf", scripted);
  const { world, thread } = asked;
  await answer(asked, "working");
  await world.owner(thread).send("echo later");
  await recorded(world, ({ type, payload }) => type === "JobEnqueued" && payload["prompt"] === "echo later");
  const said = await slash(asked, "agent kill");
  expect(said.content.split("\n").slice(0, 2)).toEqual([
    "The session was ended by force",
    "Messages still in its queue: 1.",
  ]);
  expect(agentsOf(asked)).toEqual([]);
  await world.marked(asked.id, "🚫");
});

test.each(["agent stop", "agent kill"])(
  "what was allowed for a session ends with it (/%s): /pending shows it no more, and the reopened session asks again",
  async (end) => {
    const asked = await asks("write note.md hello", demo);
    const { world, thread } = asked;
    await press(asked, "Allow for this session");
    await world.marked(asked.id, "✅");
    expect(JSON.stringify(await slash(asked, "pending"))).toContain("Write note.md");
    await slash(asked, end);
    expect(JSON.stringify(await slash(asked, "pending"))).not.toContain("Write note.md");
    const { id } = await world.owner(thread).send("write note.md hello");
    const refusal = await world.saying(thread, (said) => withButton(said, "s-reopen"));
    await (await world.owner(thread).clickButton(refusal.id, "Reopen and send")).acknowledged();
    await press(asked, "Deny");
    await world.marked(id, "✅");
    await answer(asked, "I did not write note.md.");
  },
);

test("/agent model is completed, confirmed, shown, and holds after a restart", async () => {
  const asked = await asks("echo one", demo);
  const { world, thread, daemon } = asked;
  await world.marked(asked.id, "✅");
  const offered = await world.owner(thread).autocomplete("agent model", "model_id", "large");
  expect(offered).toEqual([{ name: "Demo large · demo-large", value: "demo-large" }]);
  expect((await slash(asked, "agent model", { model_id: "demo-large" })).content).toBe(
    "The model was changed to `demo-large`",
  );
  expect((await slash(asked, "agent model", { model_id: "demo-huge" })).content).toContain("E_MODEL_UNAVAILABLE");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  const { id } = await world.owner(thread).send("echo two");
  await world.marked(id, "✅");
  const { embeds } = await slash(asked, "agent status");
  expect(embeds[0]?.fields?.map(({ name, value }) => [name, value]).slice(0, 4)).toEqual([
    ["Session ID", `\`${thread}\``],
    ["Project ID", "#1 app"],
    ["Model ID", "`demo-large`"],
    ["State", "ready"],
  ]);
});

test("of more models than Discord shows, each is found by what is typed, and taken typed whole", async () => {
  const asked = await asks("echo one", running([path.join(root, "test", "fakes", "agents", "acp.mjs"), "many"]));
  const { world, thread } = asked;
  await world.marked(asked.id, "✅");
  const offered = async (typed: string): Promise<unknown[]> =>
    (await world.owner(thread).autocomplete("agent model", "model_id", typed)).map(({ value }) => value);
  expect(await offered("")).toEqual(Array.from({ length: 25 }, (_, at) => `vendor/model-${at + 1}`));
  expect(await offered("model-59")).toEqual(["vendor/model-59"]);
  expect(await offered("Model 4")).toEqual([
    "vendor/model-4",
    ...Array.from({ length: 10 }, (_, at) => `vendor/model-${at + 40}`),
  ]);
  expect((await slash(asked, "agent model", { model_id: "vendor/model-60" })).content).toBe(
    "The model was changed to `vendor/model-60`",
  );
  expect((await slash(asked, "agent model", { model_id: "vendor/model-61" })).content).toContain("E_MODEL_UNAVAILABLE");
  await world.marked((await world.owner(thread).send("model")).id, "✅");
  await answer(asked, "I am vendor/model-60");

  // In the channel its id is part of the question which session is meant, where a custom id has no room for all of it.
  const [long = ""] = (await offered("long/")) as string[];
  expect(long).toHaveLength(100);
  const other = await world.session();
  await world.marked((await world.owner(other).send("echo two")).id, "✅");
  const { channelId } = world.sandbox;
  const question = await slash(asked, "agent model", { model_id: long }, channelId);
  const { custom_id, options } = (question as never as Question).components[0].components[0];
  const option = options.find(({ value }) => value.startsWith(other))?.value ?? "";
  await (await world.owner(channelId).select(question.id, custom_id, [option])).acknowledged();
  await recorded(
    world,
    ({ type, payload }) => type === "ModelChosen" && payload["thread_id"] === other && payload["model"] === long,
  );
  await world.marked((await world.owner(other).send("model")).id, "✅");
  await answer({ ...asked, thread: other }, `I am ${long}`);
});

test("what is chosen in a project with a channel is kept in its file, which counts from then on; the agent goes on as it is", async () => {
  const asked = await asks("echo one", { ...demo, app: { channel_id: "400000000000000001" } });
  const { world, thread, daemon } = asked;
  await world.marked(asked.id, "✅");
  const agent = agentsOf(asked);
  await slash(asked, "agent model", { model_id: "demo-large" });
  const saved = (count: number): Promise<void> =>
    inJournal(world, (events) => events.filter(({ type }) => type === "ThreadSettingsSaved").length === count);
  await saved(1);
  const file = path.join(world.stateDir, "config.json");
  const config = (): { projects: { app: { threads?: { thread_id: string; model?: string }[]; updated_at: string } } } =>
    JSON.parse(readFileSync(file, "utf8")) as never;
  expect(config().projects.app.threads).toEqual([{ thread_id: thread, model: "demo-large" }]);
  const status = async (): Promise<unknown> => (await slash(asked, "agent status")).embeds[0]?.fields?.[2]?.value;
  const job = async (): Promise<void> => world.marked((await world.owner(thread).send("echo next")).id, "✅");
  await job();
  expect([agentsOf(asked), await status()]).toEqual([agent, "`demo-large`"]);
  // The owner edits it by hand.
  const edited = config();
  edited.projects.app.threads = [{ thread_id: thread, model: "demo-small" }];
  edited.projects.app.updated_at = "2026-03-05T00:00:00.000Z";
  const text = JSON.stringify(edited, null, 4);
  writeFileSync(file, text);
  await recorded(
    world,
    ({ type, payload }) => type === "ProjectUpdated" && JSON.stringify(payload).includes("2026-03-05"),
  );
  await job();
  expect([agentsOf(asked), await status()]).toEqual([agent, "`demo-small`"]);
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await job();
  expect([
    await status(),
    readFileSync(file, "utf8"),
    eventsOf(world).filter(({ type }) => type === "ThreadSettingsSaved").length,
  ]).toEqual(["`demo-small`", text, 1]);
});

test("a choice that config.json cannot take is said in its thread, once, also after a restart; it holds, and goes into the file when it may", async () => {
  const asked = await asks("echo one", { ...demo, app: { channel_id: "400000000000000001" } });
  const { world, thread, daemon } = asked;
  await world.marked(asked.id, "✅");
  const file = path.join(world.stateDir, "config.json");
  chmodSync(file, 0o400);
  await slash(asked, "agent model", { model_id: "demo-large" });
  const told = (): number =>
    world.said(thread).filter(({ embeds }) => JSON.stringify(embeds).includes("E_CONFIG_WRITE")).length;
  const { id } = await world.saying(thread, (said) =>
    said.find(({ embeds }) => JSON.stringify(embeds).includes("could not write")),
  );
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["message_id"] === id);
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.marked((await world.owner(thread).send("echo next")).id, "✅");
  expect([told(), (await slash(asked, "agent status")).embeds[0]?.fields?.[2]?.value]).toEqual([1, "`demo-large`"]);
  chmodSync(file, 0o600);
  await slash(asked, "agent model", { model_id: "demo-small" });
  // The choice before may be tried again, and kept, first.
  await inJournal(world, () => readFileSync(file, "utf8").includes('"demo-small"'));
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
    projects: { app: { threads: [{ thread_id: thread, model: "demo-small" }] } },
  });
  expect(told()).toBe(1);
}, 60_000);

test("a cost is shown in the agent's own currency, and what is no text as what it is", async () => {
  const asked = await asks("euros", { ...scripted, unlimited: true });
  await answer(asked, "🖼️ `image/png`");
  await asked.world.marked(asked.id, "✅");
  const { id } = await asked.world.owner(asked.thread).send("euros");
  await asked.world.marked(id, "✅");
  // Each turn shows its own share of what the conversation has cost.
  await asked.world.saying(
    asked.thread,
    (said) =>
      said.filter((message) => `${message.content} ${descriptionOf(message)}`.includes(" · €1.50")).length === 2,
  );
  const { embeds } = await slash(asked, "agent usage");
  expect(embeds[0]?.fields?.[1]?.value).toBe("€3.00");
});

test("/agent usage shows what the agent told, and says what it did not", async () => {
  const asked = await asks("echo one", demo);
  await asked.world.marked(asked.id, "✅");
  const { embeds } = await slash(asked, "agent usage");
  expect(embeds[0]?.fields).toMatchObject([
    { name: "Context", value: expect.stringContaining(" / 32,000") as string },
    { name: "Cost so far", value: "not reported by this agent" },
  ]);
});

test("in the channel the only running one is meant; of several one is chosen", async () => {
  const asked = await asks("echo one", demo);
  const { world } = asked;
  const { channelId } = world.sandbox;
  await world.marked(asked.id, "✅");
  const { embeds } = await slash(asked, "agent status", {}, channelId);
  expect(embeds[0]?.fields?.[0]?.value).toBe(`\`${asked.thread}\``);
  const other = await world.session();
  const { id } = await world.owner(other).send("echo two");
  await world.marked(id, "✅");
  const question = await slash(asked, "agent stop", {}, channelId);
  expect(question.content).toBe("Which session?");
  await (await world.owner(channelId).select(question.id, "a-pick:stop:-", [other])).acknowledged();
  await recorded(world, ({ type, payload }) => type === "SessionClosed" && payload["thread_id"] === other);
  await world.sandbox.until(() =>
    world.sandbox
      .messages(channelId)
      .some(
        ({ id: one, content, components }) =>
          one === question.id && content.startsWith("The session has ended") && (components ?? []).length === 0,
      ),
  );
  expect(descriptionOf(world.said(asked.thread).at(-1))).not.toContain("E_SESSION_CLOSED");
});

describe("/agent start", () => {
  async function begun(options: WorldOptions): Promise<{ world: World; daemon: Daemon; said: string }> {
    const world = await openWorld({ ...options });
    const daemon = world.daemon();
    await daemon.ready;
    await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "agent"));
    const { content } = await (
      await world.owner(world.sandbox.channelId).slash("agent start", { project_id: 1 })
    ).answer();
    return { world, daemon, said: content };
  }

  test("the agent that was started before the thread takes its first message", async () => {
    const { world, daemon, said } = await begun(demo);
    const [thread = ""] = /\d{17,20}/.exec(said) ?? [];
    const asked = { world, daemon, thread, id: "" };
    const [pid] = agentsOf(asked);
    expect(pid).toBeDefined();
    const { embeds } = await slash(asked, "agent status", {}, world.sandbox.channelId);
    expect(embeds[0]?.fields?.map(({ value }) => value).slice(0, 4)).toEqual([
      `\`${thread}\``,
      "#1 app",
      "`demo-small`",
      "ready",
    ]);
    const { id } = await world.owner(thread).send("echo hello");
    await world.marked(id, "✅");
    await answer(asked, "hello");
    expect(agentsOf(asked)).toEqual([pid]);
    // What it was told of its folders at its start is where its session's are.
    const outputs =
      readFileSync(`/proc/${pid}/environ`, "utf8")
        .split("\0")
        .find((entry) => entry.startsWith("BELLHOP_OUTPUTS="))
        ?.slice("BELLHOP_OUTPUTS=".length) ?? "";
    expect(realpathSync(outputs)).toBe(path.join(realpathSync(world.stateDir), "outputs", thread));
    expect(
      eventsOf(world)
        .map(({ type }) => type)
        .filter((type) => /^(SessionRequested|StartReadied|SessionCreated)$/.test(type)),
    ).toEqual(["SessionRequested", "StartReadied", "SessionCreated"]);
  });

  test.each([
    ["missing", "`no-such-agent` is not in PATH", "`no-such-agent` が PATH にありません"],
    [
      "/no/such/agent",
      "`/no/such/agent` does not exist, or is not a program",
      "`/no/such/agent` が存在しないか、実行できるプログラムではありません",
    ],
    ["exit", "it ended with exit code 3", "終了コード 3 で終了しました"],
    ["banner-exit", "it ended with exit code 0", "終了コード 0 で終了しました"],
    ["version", "it speaks version 2 of the protocol, not 1", "対応しているプロトコルのバージョンが 1 ではなく 2 です"],
    ["no-id", "it opened a session without an id", "開いたセッションに ID がありません"],
    ["refuse-new", "“no room”", "「no room」"],
    [
      "stuck",
      "it starts in the mode `auto`, in which it may act without asking, and cannot be set to one that asks",
      "確認なしで動作できるモード `auto` で起動し、確認を求めるモードに切り替えられません",
    ],
    ["login", null, null],
  ])(
    "an agent that cannot be started (%s) says why in the reader's language, and leaves no thread, no process and no start",
    async (start, why, naze) => {
      const fake = running([path.join(root, "test", "fakes", "agents", "acp.mjs"), start]);
      const { world, daemon, said } = await begun(
        start === "missing" || start.startsWith("/")
          ? { ...fake, config: { commands: { acp: [start === "missing" ? "no-such-agent" : start] } } }
          : fake,
      );
      if (why === null)
        expect(said).toBe(
          "acp isn't logged in on the machine where Bellhop runs. Log in there with the agent's own program, then try again. It offers: Log in with a browser, key `E_AGENT_LOGIN`",
        );
      else
        expect(said.split("\n")).toEqual([
          expect.stringMatching(/^The agent could not be started\. .* `E_AGENT_START_FAILED`$/),
          `Why: ${why}`,
        ]);
      await daemon.kill("SIGTERM");
      const japanese = world.daemon({ env: { BELLHOP_LOCALE: "ja" } });
      await japanese.ready;
      const { content } = await (
        await world.owner(world.sandbox.channelId).slash("agent start", { project_id: 1 })
      ).answer();
      if (naze !== null)
        expect(content.split("\n")).toEqual([
          expect.stringMatching(/^エージェントの起動に失敗しました。.* `E_AGENT_START_FAILED`$/),
          `理由: ${naze}`,
        ]);
      expect(agentsOf({ world, daemon: japanese, thread: "", id: "" })).toEqual([]);
      expect(world.sandbox.messages(world.sandbox.channelId).filter(({ thread }) => thread !== undefined)).toEqual([]);
      expect(eventsOf(world).map(({ type }) => type)).not.toContain("SessionCreated");
      expect(eventsOf(world).map(({ type }) => type)).toContain("SessionRequestDropped");
    },
  );
});
