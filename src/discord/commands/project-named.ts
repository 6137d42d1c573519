/**
 * The project that a command names. What no project is called is told so, and what was typed is shown as plain
 * text.
 */
import { BellhopError } from "../../base/errors.ts";
import type { State } from "../../core/house.ts";
import type { Project } from "../../core/project.ts";
import { shown } from "./project-path.ts";

/** @throws BellhopError `E_PROJECT_NOT_FOUND` */
export function projectNamed(state: State, typed: string): Project {
  const name = typed.trim();
  const project = Object.hasOwn(state.projects, name) ? state.projects[name] : undefined;
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: shown(name) });
  return project;
}
