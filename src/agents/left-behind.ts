/** What an earlier daemon left behind when it ended: processes that still run, and jobs whose ends were not recorded. */
import type { Log } from "../base/log.ts";
import { busyThreads } from "../core/sessions/thread.ts";
import type { Engine } from "../engine/engine.ts";
import type { Results } from "../host/files/results.ts";
import { sessionFolders } from "../host/files/session-folders.ts";
import { openDrivers } from "./drivers.ts";
import type { MachineContext } from "./process/machine.ts";
import { cutTurns, doneUnwritten } from "./run/conclusion.ts";
import { runProcess } from "../core/jobs/run.ts";
import { readMeanwhile } from "./run/steering.ts";
import { standingWindows } from "./tmux/windows.ts";

/** Ends what the previous daemon left running before anything new starts; then tells the core of the restart. */
export async function afterRestart(
  machine: MachineContext,
  { engine, results, log }: { engine: Engine; results: Results; log: Log },
): Promise<void> {
  const { settings, configProjects, processes } = machine;
  // Windows outlive the daemon, and what runs in them goes on.
  const { windows } = engine.state;
  const alive = await standingWindows(machine, windows);
  const recorded = busyThreads(engine.state).flatMap(({ thread_id, busy_job }) => {
    const process = busy_job === null ? null : runProcess(engine.state.runs[busy_job]);
    if (alive.includes(thread_id) && process?.pid === windows[thread_id]?.pid) return [];
    // Only its owner ends a Claude that he has started himself.
    if (
      Object.values(engine.state.adoptions).some(
        ({ pid, start_time }) => pid === process?.pid && start_time === process.start_time,
      )
    )
      return [];
    return process ? [{ pid: process.pid, startTime: process.start_time }] : [];
  });
  const { ended, left } = await processes.sweep({
    outputsRoot: sessionFolders(settings.stateDir).outputsRoot,
    recorded,
  });
  if (ended > 0) log.warn("ended processes that an earlier daemon had left running", { processes: ended });
  for (const { pid } of left) log.warn("a process of an earlier daemon may still run", { pid });
  const excerptChars = configProjects.config.limits.max_result_excerpt_chars;
  const before = { state: engine.state, results, excerptChars, log };
  const read = await readMeanwhile(engine.state, () => openDrivers(machine));
  await engine.submit({
    type: "restart",
    done: await doneUnwritten(before),
    turns: await cutTurns(before),
    read,
    alive,
  });
}
