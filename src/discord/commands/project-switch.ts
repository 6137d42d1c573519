/**
 * `/project switch`: chooses the project that is used when a command names none. The choice is in the journal, so a
 * restart keeps it; a project that is removed is chosen no longer.
 */
import { say } from "../../base/words/say.ts";
import { inert } from "../body.ts";
import { projectNamed } from "./project-named.ts";
import { plain } from "./reply.ts";
import type { Command } from "./room.ts";
import { projectChoices } from "./suggestions.ts";

export const projectSwitch: Command = {
  name: "project switch",
  ephemeral: false,
  async run({ options, locale }, { engine }) {
    const { name } = projectNamed(engine.state, options["project_name"] ?? "");
    await engine.submit({ type: "switch_project", project_name: name });
    return plain(say(locale, "project_switched", { project: `**${inert(name, 40)}**` }));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};
