/** `/agent stop`, `kill`, `status`, `model` and `usage`: their texts, which session is meant, and what is refused. */
import { describe, expect, test } from "vitest";
import { BellhopError, codeOf } from "../../../../src/base/errors.ts";
import { type Log, silentLog } from "../../../../src/base/log.ts";
import { CHANNEL, CommandScene, inThread, T1, today, type Sent } from "../scene.ts";

const T2 = "200000000000000020";
const ja = { ...inThread, locale: "ja" };
const running = { state: "idle", heardMs: 60_000 } as const;

const bodyOf = (
  sent: Sent | undefined,
): { content?: string; embeds?: { fields?: { name: string; value: string }[] }[]; components?: unknown } =>
  (sent?.body ?? {}) as ReturnType<typeof bodyOf>;
const fieldsOf = (scene: CommandScene): [string, string][] =>
  (bodyOf(scene.sent.at(-1)).embeds?.[0]?.fields ?? []).map(({ name, value }) => [name, value]);
const closings = ({ events }: CommandScene): unknown[] =>
  events.flatMap((event) => (event.type === "SessionClosed" ? [event.payload] : []));

describe.each([
  ["stop", "owner", undefined, "セッションを終了しました"],
  ["kill", "killed", "now", "セッションを強制終了しました"],
] as const)("/agent %s", (verb, by, how, said) => {
  test("closes the session, ends its agent and says so, and how to go on", async () => {
    const scene = await new CommandScene().withSession(2);
    scene.facts.set(T1, running);
    const [first, ...more] = (await scene.slash(`agent ${verb}`, {}, ja)).split("\n");
    expect(first).toBe(said);
    expect(more).toEqual([
      "キューに 1 件のメッセージが残っています。",
      `開き直すには、<#${T1}> にメッセージを書き、その下の「開き直して送信」を押してください。`,
    ]);
    expect(closings(scene)).toEqual([{ thread_id: T1, by }]);
    expect(scene.ended).toEqual([[T1, how]]);
  });

  test("where none is active says so", async () => {
    const scene = await new CommandScene().withSession();
    await scene.slash(`agent ${verb}`, {}, ja);
    expect(await scene.slash(`agent ${verb}`, {}, ja)).toMatch(
      /^アクティブなセッションはありません。.*`E_NO_ACTIVE_SESSION`$/s,
    );
    expect(await new CommandScene().slash(`agent ${verb}`, {}, { ...ja, channel: { id: CHANNEL, type: 0 } })).toContain(
      "E_NO_ACTIVE_SESSION",
    );
  });
});

test("one that is ending may still be killed", async () => {
  const scene = await new CommandScene().withSession();
  await scene.slash("agent stop", {}, inThread);
  scene.facts.set(T1, running);
  expect(await scene.slash("agent kill", {}, inThread)).toContain("ended by force");
});

describe("/agent status", () => {
  test("has the five fields in their order", async () => {
    const scene = await new CommandScene().withSession();
    scene.facts.set(T1, { ...running, model: "demo-small" });
    await scene.slash("agent status", {}, ja);
    expect(fieldsOf(scene)).toEqual([
      ["セッションID", `\`${T1}\``],
      ["プロジェクトID", "#1 app"],
      ["モデルID", "`demo-small`"],
      ["状態", "待機中"],
      ["最終応答からの経過時間", `<t:${Math.floor((scene.clock.now() - 60_000) / 1000)}:R>`],
    ]);
  });

  test("says how to continue at the machine, once there is a conversation", async () => {
    const scene = await new CommandScene().withSession();
    await scene.hear("p1");
    const [job_id = ""] = Object.keys(scene.engine.state.jobs);
    await scene.engine.submit({
      type: "progress",
      job_id,
      progress: { kind: "session_key", adapter_state: { session_id: "k1" } },
    });
    await scene.slash("agent status", {}, ja);
    expect(fieldsOf(scene)[5]).toEqual(["端末で続ける", "`claude -r k1`"]);
  });

  test.each([
    ["準備中", (scene: CommandScene) => void scene.facts.set(T1, { state: "opening", heardMs: 0 })],
    ["応答中", (scene: CommandScene) => scene.hear("p1")],
    ["待機中", (scene: CommandScene) => void scene.facts.set(T1, { state: "idle", heardMs: 0 })],
    ["スリープ中（次のメッセージで再開）", () => undefined],
    [
      "あなたの回答待ち",
      async (scene: CommandScene) => {
        await scene.hear("p1");
        const [job_id = ""] = Object.keys(scene.engine.state.jobs);
        await scene.engine.submit({
          type: "ask",
          decision_id: "dec_1",
          kind: "question",
          thread_id: T1,
          asker: { by: "job", job_id, request_id: "1" },
          context: "",
          lapses_at: null,
          questions: [{ question: "Which?", header: "", options: [], many: false, words: true }],
          subject: null,
        });
      },
    ],
    ["終了", async (scene: CommandScene) => void (await scene.slash("agent stop", {}, ja))],
  ])("says %s", async (state, make) => {
    const scene = await new CommandScene().withSession();
    await make(scene);
    await scene.slash("agent status", {}, ja);
    expect(fieldsOf(scene)[3]).toEqual(["状態", state]);
    expect(fieldsOf(scene)[2]).toEqual(["モデルID", "このエージェントからは通知されていません"]);
  });
});

describe("/agent usage", () => {
  test("shows the agent's own figures, with a bar", async () => {
    const scene = await new CommandScene().withSession();
    scene.facts.set(T1, {
      ...running,
      context: { used: 50_000, size: 200_000 },
      cost: { amount: 1.25, currency: "USD" },
    });
    await scene.slash("agent usage", {}, ja);
    expect(fieldsOf(scene)).toEqual([
      ["コンテキスト使用量", "`█████░░░░░░░░░░░░░░░` 25 %\n50,000 / 200,000"],
      ["累積コスト", "$1.25"],
    ]);
  });

  test.each([
    [{ amount: 0, currency: "USD" }, "$0.00"],
    [{ amount: 0.0123, currency: "EUR" }, "€0.0123"],
    [{ amount: 120, currency: "JPY" }, "¥120"],
    [{ amount: 3, currency: "ABC" }, "ABC\u00a03.00"],
  ])("shows %j as its reader writes it", async (cost, written) => {
    const scene = await new CommandScene().withSession();
    scene.facts.set(T1, { ...running, cost });
    await scene.slash("agent usage", {}, inThread);
    expect(fieldsOf(scene)[1]?.[1]).toBe(written);
  });

  test("says what was never told, and no zero", async () => {
    const scene = await new CommandScene().withSession();
    scene.facts.set(T1, running);
    await scene.slash("agent usage", {}, inThread);
    expect(fieldsOf(scene)).toEqual([
      ["Context", "not reported by this agent"],
      ["Cost so far", "not reported by this agent"],
    ]);
  });

  test("of one that sleeps shows what its turns told", async () => {
    const scene = await new CommandScene().withSession(2);
    for (const number of [1, 2]) {
      await scene.engine.submit({
        type: "complete",
        job_id: today(number),
        result_excerpt: "said",
        result_sha256: "0".repeat(64),
        model: "m",
        usage: { cost_usd: 0.25, context_used: number * 10, context_size: 100 },
      });
      await scene.engine.submit({ type: "progress", job_id: today(number), progress: { kind: "gone" } });
    }
    await scene.slash("agent usage", {}, inThread);
    expect(fieldsOf(scene)).toEqual([
      ["Context", "`████░░░░░░░░░░░░░░░░` 20 %\n20 / 100"],
      ["Cost so far", "$0.5000"],
    ]);
  });
});

describe("/agent model", () => {
  async function withModels(): Promise<CommandScene> {
    const scene = await new CommandScene().withSession();
    scene.acp.add("claude");
    return scene;
  }

  test("of a Claude in a window is chosen at its terminal or in config.json, and the answer says so", async () => {
    const scene = await new CommandScene().withSession();
    const session = scene.engine.state.sessions[T1];
    if (session) session.tool = "tmux";
    expect(await scene.slash("agent model", { model_id: "large" }, inThread)).toMatch(
      /^The model of a Claude in a window is chosen at its terminal: type `\/model` there\..* set `model` in config\.json.* `E_MODEL_UNAVAILABLE`$/,
    );
    expect(scene.engine.state.threads[T1]?.models).toBeUndefined();
  });

  test("completes what can be chosen, also where the agent offers what cannot", async () => {
    const scene = await withModels();
    const offered = [
      ["small", "Small"],
      ["", ""],
      ["x".repeat(101), "Too long"],
      ["plain", "\u202e\n"],
    ].map(([id = "", name = ""]) => ({ id, name }));
    scene.facts.set(T1, { ...running, models: offered });
    const choices = await scene.choices("agent model", "model_id", "", {}, inThread);
    expect(choices.map(({ value }) => value)).toEqual(["small", "plain"]);
    expect(choices.every(({ name }) => name.trim() !== "")).toBe(true);
  });

  test("is the id that an idle agent confirms, and is kept", async () => {
    const scene = await withModels();
    scene.facts.set(T1, { ...running, models: [{ id: "large", name: "Large" }] });
    expect(await scene.slash("agent model", { model_id: "large" }, ja)).toBe(
      "モデルを `large-confirmed` に変更しました",
    );
    expect(scene.engine.state.threads[T1]?.models).toEqual({ claude: "large-confirmed" });
  });

  test("without an agent is kept, and said to be used from the next message on", async () => {
    const scene = await withModels();
    expect((await scene.slash("agent model", { model_id: "large" }, ja)).split("\n")[0]).toBe(
      "モデルを `large` に変更しました",
    );
    expect(scene.engine.state.threads[T1]?.models).toEqual({ claude: "large" });
  });

  test("that no agent of the tool offers is unavailable", async () => {
    const scene = await withModels();
    scene.offered.set("claude", [{ id: "small", name: "Small" }]);
    expect(await scene.slash("agent model", { model_id: "large" }, ja)).toMatch(
      /^指定されたモデルIDは利用できません。.*`E_MODEL_UNAVAILABLE`$/s,
    );
    expect(scene.engine.state.threads[T1]?.models).toBeUndefined();
  });
});

describe("/agent effort", () => {
  const high = [{ id: "high", name: "high" }];
  const effort = ({ engine: { state } }: CommandScene): unknown => state.threads[T1]?.efforts?.["claude"];

  test("is kept, said to apply from the next message on, and shown", async () => {
    const scene = await new CommandScene().withSession();
    scene.known.effort = high;
    expect(await scene.slash("agent effort", { level: "high" }, inThread)).toBe(
      "The effort was changed to `high`\nIt applies from your next message.",
    );
    expect(effort(scene)).toBe("high");
    await scene.slash("agent status", {}, inThread);
    expect(fieldsOf(scene)).toContainEqual(["Effort", "`high`"]);
    expect(await scene.choices("agent effort", "level", "", {}, inThread)).toEqual([{ name: "high", value: "high" }]);
  });

  test("that is not offered, or of a tool that has none, is refused, and nothing changes", async () => {
    const scene = await new CommandScene().withSession();
    scene.known.effort = high;
    expect(await scene.slash("agent effort", { level: "lots" }, inThread)).toContain("`E_EFFORT_UNAVAILABLE`");
    scene.known.effort = [];
    expect(await scene.slash("agent effort", { level: "high" }, inThread)).toBe(
      "**claude** has no such setting, so nothing was changed. `E_EFFORT_UNAVAILABLE`",
    );
    expect(effort(scene)).toBeUndefined();
  });
});

describe("/agent commands", () => {
  test("are those that the agent has told, with what follows them and what they do", async () => {
    const scene = await new CommandScene().withSession();
    expect(await scene.slash("agent commands", {}, inThread)).toContain("has not reported any commands");
    scene.agentCommands.set("claude", [
      { name: "review", description: "Look at a pull request", hint: "[number]" },
      { name: "init", description: "", hint: "" },
    ]);
    expect(await scene.slash("agent commands", {}, inThread)).toBe(
      "`/review [number]` Look at a pull request\n`/init`\nSend one with `/ask`.",
    );
  });
});

describe("/agent mode", () => {
  const plan = { id: "plan", name: "Plan" };
  const set = ({ engine: { state } }: CommandScene): unknown => state.threads[T1]?.modes?.["claude"];

  async function withModes(): Promise<CommandScene> {
    const scene = await new CommandScene().withSession();
    scene.acp.add("claude");
    return scene;
  }

  test("of an open agent holds at once, and is kept as the owner's", async () => {
    const scene = await withModes();
    scene.facts.set(T1, { ...running, mode: "default", modes: [plan] });
    expect(await scene.slash("agent mode", { mode_id: "plan" }, ja)).toBe("モードを `plan` に変更しました");
    expect(set(scene)).toEqual({ mode: "plan", by: "owner", chosen: "plan" });
    await scene.slash("agent status", {}, ja);
    expect(fieldsOf(scene)[5]).toEqual(["モード", "`default`"]);
  });

  test("without an agent is kept, said to hold from the next message on, and shown", async () => {
    const scene = await withModes();
    scene.modes.set("claude", [plan]);
    expect(await scene.slash("agent mode", { mode_id: "plan" }, ja)).toBe(
      "モードを `plan` に変更しました\n次のメッセージから、エージェントはこのモードで動きます。",
    );
    await scene.slash("agent status", {}, ja);
    expect(fieldsOf(scene)[5]).toEqual(["モード", "`plan`"]);
  });

  test("of an agent that nobody knows says so", async () => {
    const scene = await withModes();
    scene.facts.set(T1, { ...running, mode: "careful", modes: [{ id: "swift", name: "Swift", unsure: true }] });
    expect((await scene.slash("agent mode", { mode_id: "swift" }, inThread)).split("\n")).toEqual([
      "The mode was changed to `swift`",
      expect.stringContaining("whether it asks before it acts in this mode is up to the agent itself"),
    ]);
  });

  test.each([
    ["that is not offered", "auto", false],
    ["that is empty", " ", false],
    ["that the driver says is too loose, whatever the agent offers", "plan", true],
  ])("%s is refused with its code, and nothing changes", async (_what, mode_id, isKnown) => {
    const scene = await withModes();
    if (isKnown) scene.known.mode = [{ id: "default", name: "default" }];
    scene.facts.set(T1, { ...running, modes: [plan] });
    expect(await scene.slash("agent mode", { mode_id }, inThread)).toContain("`E_MODE_UNAVAILABLE`");
    expect(set(scene)).toBeUndefined();
  });

  test("of which nobody has said any is refused, and so is one of a closed session", async () => {
    const scene = await withModes();
    expect(await scene.slash("agent mode", { mode_id: "plan" }, inThread)).toContain("`E_MODE_UNAVAILABLE`");
    await scene.slash("agent stop", {}, inThread);
    expect(await scene.slash("agent mode", { mode_id: "plan" }, inThread)).toContain("`E_NO_ACTIVE_SESSION`");
  });

  test("is completed with what may be chosen", async () => {
    const scene = await withModes();
    scene.facts.set(T1, { ...running, models: [{ id: "large", name: "Large" }], modes: [plan] });
    expect(await scene.choices("agent mode", "mode_id", "", {}, inThread)).toEqual([
      { name: "Plan · plan", value: "plan" },
    ]);
  });
});

describe("outside of a session's thread", () => {
  const outside = { channel: { id: CHANNEL, type: 0 } };

  test("the only one whose agent runs is meant", async () => {
    const scene = await (await new CommandScene().withSession()).withSession(0, T2);
    scene.facts.set(T2, running);
    await scene.slash("agent stop", {}, outside);
    expect(closings(scene)).toEqual([{ thread_id: T2, by: "owner" }]);
  });

  test("where several or none run, the person chooses", async () => {
    const scene = await (await new CommandScene().withSession()).withSession(0, T2);
    await scene.slash("agent kill", {}, outside);
    expect(JSON.stringify(bodyOf(scene.sent.at(-1)).components)).toContain(`"custom_id":"a-pick:kill:-"`);
    expect(closings(scene)).toEqual([]);
  });
});

describe("/agent start", () => {
  const channel = { channel: { id: CHANNEL, type: 0 }, locale: "ja" };

  async function withAcp(tools: string[] = ["claude", "acp"], log: Log = silentLog): Promise<CommandScene> {
    const scene = new CommandScene({ log });
    await scene.engine.submit({
      type: "create_project",
      project: { name: "app", path: "/srv/app", enabled_tools: tools, default_tool: "claude", default_args: {} },
    });
    return scene;
  }

  test("opens the agent of the first ACP tool before the thread, and links to it", async () => {
    const scene = await withAcp();
    expect(await scene.slash("agent start", { project_id: "1" }, channel)).toContain("<#200000000000000099>");
    expect(scene.events.flatMap(({ type }) => (/^(Session|Start)/.test(type) ? [type] : []))).toEqual([
      "SessionRequested",
      "StartReadied",
    ]);
    expect(scene.events.find(({ type }) => type === "SessionRequested")?.payload).toMatchObject({
      tool: "acp",
      agent: true,
    });
  });

  test("of a number that no project has says so", async () => {
    expect(await (await withAcp()).slash("agent start", { project_id: "7" }, channel)).toBe(
      "プロジェクト #7 が見つかりません。`/projects` で確認してください。 `E_PROJECT_NOT_FOUND`",
    );
  });

  test("whose agent cannot be started says why", async () => {
    const scene = await withAcp();
    scene.refusal = new BellhopError("E_AGENT_START_FAILED", { tool: "acp" });
    expect(await scene.slash("agent start", { project_id: "1" }, channel)).toMatch(
      /^エージェントの起動に失敗しました。.*`E_AGENT_START_FAILED`$/s,
    );
  });

  test("whose agent cannot be started is logged as an error", async () => {
    const errors: string[] = [];
    const scene = await withAcp(undefined, {
      ...silentLog,
      failure: (_text, error) => void errors.push(codeOf(error)),
    });
    scene.refusal = new BellhopError("E_AGENT_START_FAILED", { tool: "acp" });
    await scene.slash("agent start", { project_id: "1" }, channel);
    expect(errors).toEqual(["E_AGENT_START_FAILED"]);
  });

  test.each([
    [{ project_id: "1" }, ["claude"]],
    [{ project_id: "1", tool: "codex" }, ["claude", "acp"]],
  ])("with a tool that the project has not is refused: %o of %o", async (options, tools) => {
    const scene = await withAcp(tools);
    expect(await scene.slash("agent start", options, channel)).toContain("E_TOOL_NOT_ENABLED");
    expect(scene.events.filter(({ type }) => type === "SessionRequested")).toEqual([]);
  });

  test("completes projects by number and name, as numbers", async () => {
    expect(await (await withAcp()).choices("agent start", "project_id", "ap")).toEqual([
      { name: "#1 app · /srv/app", value: 1 },
    ]);
  });
});
