/** The command with which a person at the machine goes on with a session's conversation. */
import { shellWord } from "../../base/text.ts";
import type { State } from "../../core/state.ts";
import { sessionKey, type Session } from "../../core/sessions/session.ts";
import type { Window } from "../../core/sessions/windows.ts";
import type { Driver } from "./driver.ts";

/** Null if there is no conversation yet, or its place is not known. */
export function attachCommand(
  { windows, threads, projects }: State,
  driver: Driver | undefined,
  session: Session,
): string | null {
  const { thread_id, project_name } = session;
  const window = windows?.[thread_id];
  if (window) return attachToWindow(window);
  const key = sessionKey(session);
  const cwd = threads[thread_id]?.checkout?.cwd ?? projects[project_name]?.path;
  const store = driver?.store() ?? null;
  if (key === null || cwd === undefined || store === null) return null;
  return `cd ${shellWord(cwd)} && ${store.attach(key).map(shellWord).join(" ")}`;
}

/** The command that shows a window. */
export function attachToWindow({ socket, window_id }: Pick<Window, "socket" | "window_id">): string {
  return `tmux -S ${shellWord(socket)} attach -t ${shellWord(window_id)}`;
}
