/**
 * `/project add`: makes a directory a project from its path alone. Its name comes from the path's last segment, its
 * tools are the installed agents; `/project create` takes other values.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import type { Project } from "../../../core/projects/project.ts";
import { projectAt, registerProject } from "../../../engine/register-projects.ts";
import { code, colours, inert } from "../../views/body.ts";
import { readers, toolsHere, troubles } from "../installed-agents.ts";
import { PATH_CHARS, directoryAt, pathRemarks, readPath } from "../project-path.ts";
import { plain } from "../reply.ts";
import { NAME_CHARS, type Answer, type Command } from "../command.ts";

export const projectAdd: Command = {
  name: "project add",
  options: [{ key: "opt_path", max: PATH_CHARS }],
  ephemeral: false,
  async run({ options, locale }, context) {
    const typed = readPath(options["path"] ?? "", context.home);
    if ((await context.checkDirectory(typed)).is === "absent") return plain(`${say(locale, "path_absent")} \`E_INVALID_PATH\``);
    const directory = await directoryAt(typed, context);
    const known = await projectAt(context.engine, directory.path, context.checkDirectory);
    if (known) return before(known, locale);
    const { name, number, path, enabled_tools } = await registerProject(context.engine, directory.path, await toolsHere(context));
    await context.see(name, path);
    const lines = [
      say(locale, "project_added", { number, path: code(path, 300) }),
      say(locale, "project_added_as", { project: `**${inert(name, NAME_CHARS)}**` }),
      ...pathRemarks(typed, directory, locale),
      ...readers({ enabled_tools, default_args: {} }, locale, context),
      ...(await troubles(enabled_tools, locale, context)),
    ];
    return { content: "", embeds: [{ color: colours.good, description: lines.join("\n") }] };
  },
};

function before({ number, name, path }: Project, locale: Locale): Answer {
  const words = say(locale, "project_added_before", { path: code(path, 300), number, project: `**${inert(name, NAME_CHARS)}**` });
  return plain(`${words} \`E_PROJECT_EXISTS\``);
}
