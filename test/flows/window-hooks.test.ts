/** Hooks that come where they do not belong, and a window that goes while something is asked in it. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookCommand } from "../../src/host/hooks/hook-folder.ts";
import { controlsOf, prompted, settled } from "./asked.ts";
import { did, hasTmux, openDesk, started } from "./desk.ts";
import { events } from "./mcp/asked.ts";
import { configure, learnt, open } from "./workshop.ts";
import { openWorld, type World } from "./world.ts";

const NOBODY = 65_534;
const BELLHOP = join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs");

/** Keeps each hook that is sent, so that it can be sent again just as it was. */
function keepHooks({ home }: World): void {
  const calls = join(home, "calls");
  mkdirSync(calls);
  const script = `#!/bin/sh\nn='${calls}'/$$\ncat >"$n.body"\nprintf '%s\\0' "$@" >"$n.args"\nmv "$n.args" "$n.sent"\nexec /usr/bin/curl "$@" <"$n.body"\n`;
  writeFileSync(join(home, "bin", "curl"), script, { mode: 0o755 });
}

/** Sends those again that stand for this prompt, and all its turn's; returns how many. */
function again({ home, stateDir }: World, names: readonly string[], prompt_id: string): number {
  const calls = join(home, "calls");
  const sent = readdirSync(calls)
    .filter((name) => name.endsWith(".sent"))
    .map((name) => {
      const body = readFileSync(join(calls, name.replace(".sent", ".body")), "utf8");
      const args = readFileSync(join(calls, name), "utf8").split("\0").slice(0, -1);
      return { body, args, hook: JSON.parse(body) as { hook_event_name?: string; prompt_id?: string } };
    });
  const chosen = names.flatMap((name) =>
    sent.filter(({ hook }) => hook.hook_event_name === name && hook.prompt_id === prompt_id),
  );
  for (const { body, args } of chosen)
    expect(
      execFileSync("/usr/bin/curl", args, { cwd: join(stateDir, "hooks"), input: body, encoding: "utf8" }),
    ).toMatch(/\{\}\n200$/);
  return chosen.length;
}

test.skipIf(!hasTmux)(
  "hooks that come again, at once and long after, and those of another user's Claude, change nothing",
  async () => {
    const { world, done } = await openDesk();
    keepHooks(world);
    await started(world);
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("count:one")).id, "✅");
    const prompts = (): string[] =>
      events(world, "JobProgress").flatMap(({ prompt_id }) => (typeof prompt_id === "string" ? [prompt_id] : []));
    const all = ["UserPromptSubmit", "MessageDisplay", "Stop"];
    const [first = ""] = prompts();
    expect(again(world, all, first)).toBe(3);
    const running = await world.owner(thread).send("until:gate:two");
    await learnt(world, "process", 2);
    const second = prompts().find((one) => one !== first) ?? "";
    expect([again(world, all, first), again(world, all, second)]).toEqual([3, 1]);
    const waits = await world.owner(thread).send("count:three");
    await world.marked(waits.id, "⏳");
    if (process.getuid?.() === 0) {
      const [body = ""] = readdirSync(join(world.home, "calls")).filter((name) => name.endsWith(".body"));
      const ran = ["PreToolUse", "Stop", "UserPromptSubmit"].map((hook) =>
        spawnSync("/bin/sh", ["-c", hookCommand(join(world.stateDir, "hooks"), hook)], {
          uid: NOBODY,
          gid: NOBODY,
          cwd: "/",
          env: { PATH: "/usr/bin:/bin", BELLHOP_SESSION: thread },
          input: readFileSync(join(world.home, "calls", body)),
          encoding: "utf8",
        }),
      );
      expect(ran.map(({ status, stdout }) => [status, stdout])).toEqual([
        [2, ""],
        [0, ""],
        [0, ""],
      ]);
    }
    open(world, "gate");
    for (const { id } of [running, waits]) await world.marked(id, "✅");
    await done("three");
    expect(did(world)).toEqual(["one", "two", "three"]);
    expect([events(world, "JobCompleted").length, events(world, "OutsideTurnBegan").length]).toEqual([3, 0]);
    expect(world.said(thread).flatMap(({ content }) => /did \w+/g.exec(content) ?? [])).toEqual([
      "did one",
      "did two",
      "did three",
    ]);
  },
);

test.skipIf(!hasTmux)(
  "a window that is killed while its dialog is open: the question is closed, its job says so, and nothing was done",
  async () => {
    const { world, tmux, done } = await openDesk();
    const daemon = await started(world);
    const thread = await world.session();
    const { id } = await world.owner(thread).send("may:one");
    const asked = { world, daemon, thread, id };
    const prompt = await prompted(asked, "Allow");
    tmux("kill-server");
    await world.marked(id, "❌");
    await settled(asked, prompt);
    expect(controlsOf(await world.saying(thread, (said) => said.find((one) => one.id === prompt.id)))).not.toContain(
      '"label":"Allow"',
    );
    await world.owner(thread).send("count:two");
    await done("two");
    expect([did(world), events(world, "WindowOpened").length]).toEqual([["two"], 2]);
    expect(events(world, "DecisionVoided")).toMatchObject([{ why: "asker_gone" }]);
  },
);

test("hooks that were installed by another version, or for other permission_tools, are told at a start, and those of this one are not", async () => {
  const world = await openWorld({ tools: ["tmux"], agent: "none" });
  const install = (): Buffer =>
    execFileSync(process.execPath, [BELLHOP, "hooks", "install"], {
      env: { PATH: "/usr/bin:/bin", HOME: world.home, STATE_DIR: world.stateDir },
      stdio: "ignore",
    });
  install();
  const first = await started(world);
  await first.kill("SIGTERM");
  configure(world, (config) => (config.permission_tools = ["Bash"]));
  const second = await started(world);
  await second.told(/settings\.json are not this version's\. Run `bellhop hooks install` again\./);
  await second.kill("SIGTERM");
  install();
  const third = await started(world);
  await third.kill("SIGTERM");
  for (const { stderr } of [first, third]) expect(stderr()).not.toContain("hooks install");
});
