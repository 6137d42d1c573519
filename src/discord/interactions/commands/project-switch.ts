/**
 * `/project switch`: chooses the project that is used when a command names none. The choice is in the journal, so a
 * restart keeps it; removing the project ends it.
 */
import { say } from "../../../base/words/say.ts";
import { inert } from "../../views/body.ts";
import { projectNamed } from "../find-project.ts";
import { plain } from "../reply.ts";
import { NAME_CHARS, type Command } from "../command.ts";
import { projectChoices } from "../autocomplete.ts";

export const projectSwitch: Command = {
  name: "project switch",
  options: [{ key: "opt_project_which", max: NAME_CHARS, suggested: true }],
  ephemeral: false,
  async run({ options, locale }, { engine }) {
    const { name } = projectNamed(engine.state, options["project_name"] ?? "");
    await engine.submit({ type: "switch_project", project_name: name });
    return plain(say(locale, "project_switched", { project: `**${inert(name, 40)}**` }));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};
