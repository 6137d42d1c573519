/**
 * Finds the project that a command names. If there is none, the error shows what was typed as plain text.
 */
import { entryOf } from "../../base/entry.ts";
import { BellhopError } from "../../base/errors.ts";
import type { State } from "../../core/state.ts";
import type { Project } from "../../core/projects/project.ts";
import { shown } from "./project-path.ts";

/** @throws BellhopError `E_PROJECT_NOT_FOUND` */
export function projectNamed(state: State, typed: string): Project {
  const name = typed.trim();
  const project = entryOf(state.projects, name);
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: shown(name) });
  return project;
}
