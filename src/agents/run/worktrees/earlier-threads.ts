/**
 * Takes over the threads that an earlier bridge for tmux kept in `~/.discord-bridge/thread-state.json`: once, and as
 * soon as the channels of their projects are sessions. A file that cannot be understood, or that names a worktree
 * outside its project, is left alone as a whole.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import * as z from "zod";
import { errnoOf } from "../../../base/disk.ts";
import { projectOfChannel } from "../../../core/projects/project.ts";
import type { EarlierThread } from "../../../core/sessions/terminal-import.ts";
import type { RunContext } from "../run-context.ts";

const MOST_BYTES = 1024 * 1024;
const snowflake = z.string().regex(/^[1-9][0-9]{16,19}$/);
const path = z
  .string()
  .max(4096)
  .refine((one) => isAbsolute(one) && !one.includes("\0"));
/** What else is in it is about panes. */
const shape = z.looseObject({
  threads: z.record(
    snowflake,
    z.looseObject({ parentChannelId: snowflake, projectPath: path, worktreePath: path.optional() }),
  ),
});

type StoredThreads = z.infer<typeof shape>["threads"];

export async function importEarlierThreads(context: RunContext): Promise<void> {
  const { engine, home, log } = context;
  if (engine.state.terminal_imported) return;
  const file = join(home, ".discord-bridge", "thread-state.json");
  const earlier = await read(file).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  if (earlier === null) return;
  const refuse = (why: string): Promise<unknown> => {
    log.warn("the threads of an earlier bridge were not taken over", { file, reason: why });
    return engine.submit({ type: "import_terminal_state", threads: [] });
  };
  if (earlier instanceof Error) return void (await refuse(earlier.message));
  const channels = [...new Set(Object.values(earlier).map(({ parentChannelId }) => parentChannelId))];
  await engine.until(
    (state) => {
      const known = channels.filter((id) => projectOfChannel(state, id));
      return known.length > 0 && known.every((id) => state.threads[id]?.kind === "channel") ? known : null;
    },
    ["project", "session"],
  );
  const threads = taken(context, earlier);
  if (typeof threads === "string") return void (await refuse(threads));
  await engine.submit({ type: "import_terminal_state", threads });
  log.info("the threads of an earlier bridge are sessions", {
    file,
    threads: threads.length,
    left: Object.keys(earlier).length - threads.length,
  });
}

/** Null: there is none. @throws for anything but a file of this kind that is the user's own */
async function read(file: string): Promise<StoredThreads | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MOST_BYTES || (process.getuid !== undefined && stats.uid !== process.getuid()))
      throw new Error("it is not an ordinary file of this user's");
    const found = shape.safeParse(JSON.parse(await handle.readFile("utf8")));
    if (!found.success) throw new Error("it has another form");
    return found.data.threads;
  } finally {
    await handle.close();
  }
}

/** Those whose project and worktree are there; a text: why none is taken. */
function taken(context: RunContext, earlier: StoredThreads): EarlierThread[] | string {
  const { engine, worktrees, directoryAt } = context;
  const threads: EarlierThread[] = [];
  for (const [thread_id, { parentChannelId: channel_id, projectPath, worktreePath }] of Object.entries(earlier)) {
    const project = projectOfChannel(engine.state, channel_id);
    const directory = project && directoryAt(project.path);
    if (!project || !directory || directoryAt(projectPath)?.path !== directory.path) continue;
    const worktree = worktreePath === undefined ? undefined : worktrees.madeThere(directory.path, worktreePath);
    if (worktree === "elsewhere") return `the worktree of ${thread_id} is not in its project`;
    if (worktree !== null)
      threads.push({ thread_id, channel_id, project_name: project.name, ...(worktree && { worktree }) });
  }
  return threads;
}
