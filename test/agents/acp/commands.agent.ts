/** `/agent …` with real agents that speak ACP, through the built daemon and Discord. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { eventsOf } from "../../flows/acceptance/stage.ts";
import { type Daemon, tree, unlinked, type World } from "../../flows/world.ts";
import { learnt } from "../../flows/workshop.ts";
import type { FakeModel } from "../../fakes/model/model.ts";
import { openReal } from "../real-world.ts";

interface Said {
  content: string;
  embeds: { fields?: { name: string; value: string }[] }[];
}

const slash = async (
  world: World,
  place: string,
  name: string,
  options: Record<string, string | number> = {},
): Promise<Said> => (await (await world.owner(place).slash(name, options)).answer()) as never;

async function field(world: World, thread: string, name: string): Promise<string | undefined> {
  return (await slash(world, thread, "agent status")).embeds[0]?.fields?.find((one) => one.name === name)?.value;
}

const table = systemProcessTable();

function processesOf(daemon: Daemon): ReturnType<typeof table.list> {
  const below = new Set(tree(daemon.pid).filter((pid) => pid !== daemon.pid));
  return table.list().filter(({ pid }) => below.has(pid));
}

/** The models that the agent itself has named, by what it wrote when it opened its session. */
function modelsTold({ stateDir }: World): string[] {
  const folder = join(stateDir, "logs", "sessions");
  const lines = readdirSync(folder)
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line.startsWith("{"));
  const { models, configOptions = [] } =
    lines
      .map((line) => (JSON.parse(line) as { result?: SessionOpened }).result)
      .find((result) => result?.sessionId !== undefined) ?? {};
  const option = configOptions.find(({ category }) => category === "model");
  return (
    option?.options.flatMap((one) => (one.options ?? [one]).map(({ value }) => value ?? "")) ??
    models?.availableModels.map(({ modelId }) => modelId) ??
    []
  );
}

interface SessionOpened {
  sessionId?: string;
  models?: { availableModels: { modelId: string }[] };
  configOptions?: { category?: string; options: { value?: string; options?: { value: string }[] }[] }[];
}

/**
 * The model that each job's work was asked of; Gemini has it in the path. What an agent asks besides, such as a title,
 * comes without tools.
 */
function modelsAsked({ asked }: FakeModel): unknown[] {
  return asked
    .filter(({ body }) => JSON.stringify(body["tools"] ?? []) !== "[]")
    .map(({ body, path }) => body["model"] ?? path);
}

/** From the daemon's next start on, an agent that has nothing to do sleeps. */
function sleepAtOnce({ stateDir }: World): void {
  const file = join(stateDir, "config.json");
  writeFileSync(
    file,
    JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), limits: { idle_agents: 0 } }),
  );
}

describe.each([
  ["claude-agent-acp", ["default", "plan"]],
  ["codex-acp", ["read-only"]],
  ["gemini-acp", ["default", "plan"]],
  ["opencode", ["build", "plan"]],
] as const)("%s", (tool, modes) => {
  it("is started before its thread, tells its modes and models, keeps what is chosen over a restart and its sleep, and is gone when it is stopped", async () => {
    const real = await openReal([tool]);
    const { world, start } = real;
    const killed = await start();
    await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "agent"));
    const [thread = ""] =
      /\d{17,20}/.exec((await slash(world, world.sandbox.channelId, "agent start", { project_id: 1, tool })).content) ??
      [];
    expect(
      eventsOf(world)
        .map(({ type }) => type)
        .filter((type) => /^(StartReadied|SessionCreated)$/.test(type)),
    ).toEqual(["StartReadied", "SessionCreated"]);
    const early = processesOf(killed);
    expect(early.length).toBeGreaterThan(0);

    await world.marked((await world.owner(thread).send("echo:the whole answer")).id, "✅");
    const [result = ""] = readdirSync(join(world.stateDir, "results")).filter((name) => name.endsWith(".md"));
    expect(readFileSync(join(world.stateDir, "results", result), "utf8")).toBe("the whole answer");
    // The same agent works on it; what it only ran at its start may have ended.
    const working = new Set(
      eventsOf(world).flatMap(({ type, payload }) =>
        type === "JobProgress" && payload["kind"] === "process" ? payload["pid"] : [],
      ),
    );
    expect(working.size).toBe(1);
    expect(early.map(({ pid }) => pid)).toEqual(expect.arrayContaining([...working]));

    const offers = async (option: string, typed = ""): Promise<string[]> =>
      (await world.owner(thread).autocomplete(`agent ${option.slice(0, -3)}`, option, typed)).map(({ value }) =>
        String(value),
      );
    expect(await offers("mode_id")).toEqual(modes);
    const mode = modes.at(-1) ?? "";
    expect((await slash(world, thread, "agent mode", { mode_id: mode })).content).toBe(
      `The mode was changed to \`${mode}\``,
    );
    expect((await slash(world, thread, "agent mode", { mode_id: "bypassPermissions" })).content).toContain(
      "E_MODE_UNAVAILABLE",
    );
    const models = modelsTold(world);
    const model = models.at(-1) ?? "";
    expect(model).not.toBe("");
    expect(await offers("model_id")).toEqual(models.slice(0, 25));
    for (const id of models) expect(await offers("model_id", id)).toContain(id);
    const own = await field(world, thread, "Model ID");
    expect((await slash(world, thread, "agent model", { model_id: model })).content).toBe(
      `The model was changed to \`${model}\``,
    );
    expect(unlinked(await slash(world, thread, "agent model", { model_id: "nonesuch" })).content).toBe(
      "The agent does not offer the model nonesuch. Choose one that `/agent model` suggests. `E_MODEL_UNAVAILABLE`",
    );
    const chosen = [await field(world, thread, "Model ID"), await field(world, thread, "Mode")];
    expect(chosen).toEqual([`\`${model}\``, `\`${mode}\``]);
    expect(chosen[0]).not.toBe(own);

    await killed.kill("SIGKILL");
    sleepAtOnce(world);
    const again = await start();
    // Each job is done by an agent that wakes in its conversation. Gemini waits a minute for that, which it is spared
    // here.
    if (tool !== "gemini-acp") {
      await world.marked((await world.owner(thread).send("echo:and on")).id, "✅");
      await learnt(world, "gone", 2);
      expect(processesOf(again)).toEqual([]);
      expect(await field(world, thread, "Model ID")).toBe(chosen[0]);
    }
    const before = modelsAsked(real.model).length;
    const last = await world.owner(thread).send("hang:");
    // Its card says how long it waits.
    if (tool === "gemini-acp")
      await Promise.race([
        world.saying(thread, (said) => JSON.stringify(said).includes("It gets your message <t:")),
        real.model.until(real.model.asked.length + 1),
      ]);
    while (modelsAsked(real.model).length === before) await real.model.until(real.model.asked.length + 1);
    expect([await field(world, thread, "Model ID"), await field(world, thread, "Mode")]).toEqual(chosen);
    // Claude plans with another one than Haiku, but the same each time.
    const [first, ...later] = modelsAsked(real.model);
    expect(later).toEqual(later.map(() => later[0]));
    expect(later[0]).not.toBe(first);
    expect(processesOf(again).length).toBeGreaterThan(0);
    expect((await slash(world, thread, "agent stop")).content).toContain("The session has ended");
    expect(processesOf(again)).toEqual([]);
    await world.marked(last.id, "🚫");
    expect(eventsOf(world).filter(({ type }) => type === "JobFailed")).toEqual([]);
    await again.kill("SIGTERM");
  }, 240_000);
});
