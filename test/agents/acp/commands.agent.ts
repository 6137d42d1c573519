/** `/agent …` with real agents that speak ACP, through the built daemon and Discord. OpenCode's models are not those of the tests. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { eventsOf } from "../../flows/acceptance/stage.ts";
import { type Daemon, tree, type World } from "../../flows/world.ts";
import { openReal } from "../real-world.ts";

interface Said {
  content: string;
  embeds: { fields?: { name: string; value: string }[] }[];
}

const slash = async (world: World, place: string, name: string, options: Record<string, string | number> = {}): Promise<Said> => (await (await world.owner(place).slash(name, options)).answer()) as never;

async function field(world: World, thread: string, name: string): Promise<string | undefined> {
  return (await slash(world, thread, "agent status")).embeds[0]?.fields?.find((one) => one.name === name)?.value;
}

const table = systemProcessTable();

function processesOf(daemon: Daemon): ReturnType<typeof table.list> {
  const below = new Set(tree(daemon.pid).filter((pid) => pid !== daemon.pid));
  return table.list().filter(({ pid }) => below.has(pid));
}

describe.each([
  ["claude-agent-acp", ["default", "plan"]],
  ["codex-acp", ["read-only"]],
  ["gemini-acp", ["default", "plan"]],
] as const)("%s", (tool, modes) => {
  it("is started before its thread, tells its modes and models, keeps what is chosen over a restart, and is gone when it is stopped", async () => {
    const { world, start } = await openReal([tool]);
    const first = await start();
    await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "agent"));
    const [thread = ""] = /\d{17,20}/.exec((await slash(world, world.sandbox.channelId, "agent start", { project_id: 1, tool })).content) ?? [];
    expect(eventsOf(world).map(({ type }) => type).filter((type) => /^(StartReadied|SessionCreated)$/.test(type))).toEqual(["StartReadied", "SessionCreated"]);
    const early = processesOf(first);
    expect(early.length).toBeGreaterThan(0);

    await world.marked((await world.owner(thread).send("echo:the whole answer")).id, "✅");
    const [result = ""] = readdirSync(join(world.stateDir, "results")).filter((name) => name.endsWith(".md"));
    expect(readFileSync(join(world.stateDir, "results", result), "utf8")).toBe("the whole answer");
    // The same agent works on it; what it only ran at its start may have ended.
    const working = new Set(eventsOf(world).flatMap(({ type, payload }) => (type === "JobProgress" && payload["kind"] === "process" ? payload["pid"] : [])));
    expect(working.size).toBe(1);
    expect(early.map(({ pid }) => pid)).toEqual(expect.arrayContaining([...working]));

    const offers = async (option: string): Promise<string[]> => (await world.owner(thread).autocomplete(`agent ${option.slice(0, -3)}`, option, "")).map(({ value }) => String(value));
    expect(await offers("mode_id")).toEqual(modes);
    const mode = modes.at(-1) ?? "";
    expect((await slash(world, thread, "agent mode", { mode_id: mode })).content).toBe(`The mode was changed to \`${mode}\``);
    expect((await slash(world, thread, "agent mode", { mode_id: "bypassPermissions" })).content).toContain("E_MODE_UNAVAILABLE");
    const model = (await offers("model_id")).at(-1) ?? "";
    expect(model).not.toBe("");
    expect((await slash(world, thread, "agent model", { model_id: model })).content).toMatch(/^The model was changed to `[^`]+`$/);
    expect((await slash(world, thread, "agent model", { model_id: "no-such-model" })).content).toContain("E_MODEL_UNAVAILABLE");
    const chosen = [await field(world, thread, "Model ID"), await field(world, thread, "Mode")];
    expect(chosen[1]).toBe(`\`${mode}\``);

    await first.kill("SIGKILL");
    const again = await start();
    const next = await world.owner(thread).send("echo:and on");
    // Gemini waits for the end of the minute in which its session was opened, and its card says so.
    if (tool === "gemini-acp") await Promise.race([world.saying(thread, (said) => JSON.stringify(said).includes("It gets your message <t:")), world.marked(next.id, "✅")]);
    await world.marked(next.id, "✅");
    expect([await field(world, thread, "Model ID"), await field(world, thread, "Mode")]).toEqual(chosen);
    expect(eventsOf(world).filter(({ type }) => type === "JobFailed")).toEqual([]);
    expect((await slash(world, thread, "agent stop")).content).toContain("The session has ended");
    expect(processesOf(again)).toEqual([]);
    await again.kill("SIGTERM");
  }, 240_000);
});
