/**
 * Bellhop's commands as the person at this shell types them: whoever runs them with npm in a checkout has no `bellhop`
 * in PATH, so `bellhop init` is `npm run init` there.
 */
import type { Io } from "./io.ts";

const COMMAND = /\bbellhop (doctor|hooks|init|journal|logs|mcp|sandbox|service|start|status|tail|watch)( -)?/g;
/** The names of the scripts of package.json that run it. */
const SCRIPTS = new Set(["start", "init", "bellhop"]);

export function asTyped({ env }: Pick<Io, "env">, text: string): string {
  if (env["npm_package_name"] !== "bellhop" || !SCRIPTS.has(env["npm_lifecycle_event"] ?? "")) return text;
  return text.replace(COMMAND, (_command, verb: string, option = "") => {
    if (verb !== "start" && verb !== "init") return `npm run bellhop -- ${verb}${option}`;
    return `npm ${verb === "init" ? "run " : ""}${verb}${option === "" ? "" : ` --${option}`}`;
  });
}
