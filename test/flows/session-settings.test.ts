/** What config.json sets for one session, for the threads of a project and for the project reaches the agent. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withButton } from "./workshop.ts";
import { answered, inFolder, openSession, openWorld } from "./world.ts";

test(
  "an agent starts with the model and the mode of its session, anew when they change, and not as the file forbids",
  { timeout: 60_000 },
  async () => {
    const { world, thread } = await openSession({
      app: { model: "opus", thread: { model: "sonnet", permission: "plan" } },
    });
    await world.owner(thread).send("count:1");
    await answered(world, thread, ["did 1"]);
    expect(world.agentStarts()[0]?.argv).toEqual(
      expect.arrayContaining(["--model=sonnet", "--permission-mode", "plan"]),
    );

    const file = join(world.stateDir, "config.json");
    const configure = async (entry: object, updated_at: string): Promise<void> => {
      const config = JSON.parse(readFileSync(file, "utf8")) as { projects: { app: Record<string, unknown> } };
      Object.assign(config.projects.app, { threads: [{ thread_id: thread, ...entry }], updated_at });
      writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
      await inFolder(world.stateDir, () =>
        readFileSync(join(world.stateDir, "events.ndjson"), "utf8").includes(`"updated_at":"${updated_at}"`),
      );
    };
    await configure({ model: "haiku" }, "2026-03-01T00:00:00.000Z");
    await world.owner(thread).send("count:2");
    await answered(world, thread, ["did 1", "did 2"]);
    // A model is told to the agent that lives, and its mode stays.
    const [first, second] = world.agentStarts();
    expect(second?.pid).toBe(first?.pid);
    expect(readFileSync(join(world.home, "settings"), "utf8")).toContain('{"subtype":"set_model","model":"haiku"}');

    await configure({ model: "haiku", permission: "default" }, "2026-03-01T12:00:00.000Z");
    await world.owner(thread).send("count:2b");
    await answered(world, thread, ["did 1", "did 2", "did 2b"]);
    const { argv = [], resumed } = world.agentStarts()[2] ?? {};
    expect(argv).toEqual(expect.arrayContaining(["--model=haiku", "--permission-mode", "default"]));
    expect(resumed).toBeDefined();

    await configure({ permission: "bypassPermissions" }, "2026-03-02T00:00:00.000Z");
    await world.owner(thread).send("count:3");
    if (process.getuid?.() === 0) {
      const told = await world.saying(thread, (said) =>
        said.find(({ embeds, content }) => JSON.stringify([embeds, content]).includes("E_CONFIG_INVALID")),
      );
      expect(JSON.stringify(told.embeds)).toContain("runs as root");
      expect(world.agentStarts()).toHaveLength(3);
    } else {
      await answered(world, thread, ["did 1", "did 2", "did 2b", "did 3"]);
      expect(world.agentStarts()[3]?.argv).toContain("--dangerously-skip-permissions");
    }
  },
);

test(
  "a thread works in the directory that the file gives it, with what its owner has seen there; one behind a link is refused",
  { timeout: 60_000 },
  async () => {
    const world = await openWorld({ unlimited: true });
    const own = join(world.home, "own");
    mkdirSync(own);
    await world.daemon().ready;
    const [thread, other] = [await world.session(), await world.session()];
    const file = join(world.stateDir, "config.json");
    const place = async (path: string, updated_at: string): Promise<void> => {
      const config = JSON.parse(readFileSync(file, "utf8")) as { projects: { app: Record<string, unknown> } };
      Object.assign(config.projects.app, { threads: [{ thread_id: thread, path }], updated_at });
      writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
      await inFolder(world.stateDir, () =>
        readFileSync(join(world.stateDir, "events.ndjson"), "utf8").includes(`"updated_at":"${updated_at}"`),
      );
    };
    await place(own, "2026-03-01T00:00:00.000Z");
    await world.marked((await world.owner(thread).send("count:1")).id, "✅");
    await world.marked((await world.owner(other).send("count:2")).id, "✅");
    expect([own, world.project].map((directory) => readFileSync(join(directory, "done.txt"), "utf8"))).toEqual([
      "1\n",
      "2\n",
    ]);

    // What makes agents run code there is asked about there, and nowhere else.
    writeFileSync(join(own, ".mcp.json"), "{}");
    const { id: third } = await world.owner(thread).send("count:3");
    const asked = await world.saying(thread, (said) => withButton(said, "accept"));
    expect(JSON.stringify(asked.embeds)).toContain(".mcp.json (new)");
    await world.marked((await world.owner(other).send("count:4")).id, "✅");
    const yes = /"(accept:[\w:#]+)"/.exec(JSON.stringify(asked.components))?.[1] ?? "";
    await (await world.owner(thread).clickButton(asked.id, yes)).acknowledged();
    await world.marked(third, "✅");

    symlinkSync(own, join(world.home, "link"));
    await place(join(world.home, "link"), "2026-03-02T00:00:00.000Z");
    await world.owner(thread).send("count:5");
    const told = await world.saying(thread, (said) =>
      said.find(({ embeds }) => JSON.stringify(embeds).includes("E_CONFIG_INVALID")),
    );
    expect(JSON.stringify(told.embeds)).toContain("without symbolic links");
    expect(readFileSync(join(own, "done.txt"), "utf8")).toBe("1\n3\n");
  },
);
