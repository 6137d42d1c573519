/** The mark by which an adopted Claude's hooks are ours is made, also where the disk refuses it at first. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { MachineContext } from "../../../src/agents/process/machine.ts";
import { openAdoptions } from "../../../src/agents/tmux/adoption.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createHookChannel } from "../../../src/engine/hook-channel.ts";
import { systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { createApp } from "../../core/scene.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../fakes/memory-journal.ts";
import { part } from "../../fakes/part.ts";
import type { HookFolder } from "../../../src/host/hooks/hook-folder.ts";

const THREAD = "200000000000000020";
const CLAUDE = "6606b889-bc7a-453b-9ac5-38efed9f0452";

test("a mark that the disk refuses is made a moment later, and taken away when the Claude is given back", async () => {
  const clock = createFakeClock();
  const { engine } = createMemoryJournal(clock).open();
  await engine.submit({
    ...createApp,
    project: { ...createApp.project, enabled_tools: ["tmux"], default_tool: "tmux" },
  });
  const place = { channel_id: "2", guild_id: "3", bot_id: "4" };
  const table = systemProcessTable();
  const window = {
    pid: process.pid,
    start_time: table.read(process.pid)?.startTime ?? "",
    socket: "/own",
    window_id: "@1",
    pane_id: "%1",
    cwd: "/app",
  };
  await engine.submit({ type: "offer_adoption", claude_session: CLAUDE, project_name: "app", ...window, ...place });
  let full = true;
  const marks = new Map<string, string>();
  const folder = {
    adopted: async () => new Map<string, string>(),
    adoptConversation: async (id: string, thread: string) =>
      full ? Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })) : void marks.set(id, thread),
    releaseConversation: async (id: string) => void marks.delete(id),
  };
  const adopting = await openAdoptions({
    engine,
    machine: part<MachineContext>({ clock }),
    log: silentLog,
    hooks: createHookChannel(),
    table,
    folder: part<HookFolder>(folder),
    asker: Promise.resolve(place),
  });
  await engine.submit({ type: "adopt", claude_session: CLAUDE, adopted: true, request_id: "r" });
  await engine.submit({ type: "open_session", request_id: "r", thread_id: THREAD });
  await setImmediate();
  expect([Object.keys(engine.state.windows ?? {}), marks.size]).toEqual([[THREAD], 0]);
  full = false;
  await clock.advance(1_000);
  await setImmediate();
  expect([...marks]).toEqual([[CLAUDE, THREAD]]);
  await engine.submit({ type: "close_window", thread_id: THREAD, pane_id: "%1", why: "released" });
  await setImmediate();
  expect([...marks]).toEqual([]);
  adopting.close();
});
