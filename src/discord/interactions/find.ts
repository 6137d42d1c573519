/** Finds what a command is about. A name that is not found is shown in the error as plain text. */
import { entryOf } from "../../base/entry.ts";
import { BellhopError } from "../../base/errors.ts";
import type { Project } from "../../core/projects/project.ts";
import type { Session } from "../../core/sessions/session.ts";
import type { State } from "../../core/state.ts";
import { shown } from "./project-path.ts";

/** @throws BellhopError `E_PROJECT_NOT_FOUND` */
export function projectNamed(state: State, typed: string): Project {
  const name = typed.trim();
  const project = entryOf(state.projects, name);
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: shown(name) });
  return project;
}

/** The session of the thread in which the command was used. @throws BellhopError `E_NOT_IN_MANAGED_THREAD` */
export function sessionHere(state: State, channelId: string): Session {
  const session = entryOf(state.sessions, channelId);
  if (!session) throw new BellhopError("E_NOT_IN_MANAGED_THREAD");
  return session;
}
