/** The commands a person can give are those of the specification's table, by the same names, in the same forms. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandTable, usedCommands } from "../../../docs/commands.ts";

/** Options that its table does not name. */
const UNNAMED: Readonly<Record<string, string>> = { "/ask": " prompt", "/resume": " conversation [project_name]" };

/** Not in its table, but in what it says of conversations: the same verbs for every tool. */
const MORE = [
  "/agent mode mode_id",
  "/agent effort level",
  "/agent commands",
  "/new",
  "/compact [focus]",
  "/session forget [session_id]",
  "/budget [limit]",
  "/rules",
  "/lock",
  "/unlock",
];

/** Every command in the first column of the table under the heading. */
function specified(spec: string): string[] {
  const section = /## 4\. Commands[^\n]*\n([\s\S]*?)\n## /.exec(spec)?.[1] ?? "";
  const cells = section
    .split("\n")
    .filter((line) => line.startsWith("| `/"))
    .map((line) => line.split(" | ")[0] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`(\/[^`]+)`/g)].map(([, usage = ""]) => usage));
}

test("the registered commands are the specification's", ({ annotate }) => {
  const registered = usedCommands().map(({ usage }) => usage);
  expect(new Set(registered).size).toBe(registered.length);
  const file = new URL("../../../../shared/spec.md", import.meta.url);
  if (!existsSync(file)) {
    expect(process.env["BELLHOP_TEST_ALL"], "the specification is not beside this checkout").not.toBe("1");
    return void annotate("The specification is not beside this checkout: the table was not compared.");
  }
  const wanted = specified(readFileSync(file, "utf8"))
    .map((usage) => `${usage}${UNNAMED[usage] ?? ""}`)
    .concat(MORE);
  expect(wanted.length).toBeGreaterThan(15);
  expect(registered.sort()).toEqual(wanted.sort());
});

test.each([
  [
    "threads",
    [
      "/project create name path [tools_csv] [default_tool] [args_json]",
      "/project list",
      "/project status project_name",
      "/start [project_name]",
      "/session list [project_name]",
      "/session open session_id",
      "/status",
      "/tool tool",
      "/retry job_id",
    ],
  ],
  [
    "ACP",
    [
      "/projects",
      "/project add path",
      "/agent start project_id [tool]",
      "/agent stop",
      "/agent kill",
      "/agent status",
      "/agent model model_id",
      "/agent usage",
    ],
  ],
])("the commands of the design %s are registered by their names and parameters", (_design, wanted) => {
  expect(usedCommands().map(({ usage }) => usage)).toEqual(expect.arrayContaining(wanted));
});

test("the page's table has one row for each command, and the specification's commands are read from such a table", () => {
  const rows = commandTable()
    .split("\n")
    .filter((line) => line.startsWith("| `/"));
  expect(rows).toHaveLength(usedCommands().length);
  expect(specified(`## 4. Commands\n${commandTable()}\n## 5`)).toEqual(usedCommands().map(({ usage }) => usage));
  expect(rows[0]).toBe(
    "| `/project create name path [tools_csv] [default_tool] [args_json]` | Register a directory and the tools allowed in it | `tools_csv`, `default_tool`, `args_json` |",
  );
});

test("every option that names a project, a session, a job or a tool, and an agent's prompt, is completed", () => {
  const named =
    /\[?(project_name|project_id|session_id|job_id|model_id|mode_id|level|tool|tools_csv|default_tool|args_json|prompt|conversation)\]?(?= |$)/g;
  for (const { usage, completed } of usedCommands()) {
    const options = usage.replace(
      /^(\/\w+)( (create|add|list|status|switch|open|start|stop|kill|model|mode|effort|commands|usage))?/,
      "",
    );
    expect(completed, usage).toEqual([...options.matchAll(named)].map(([, name]) => name));
  }
});
