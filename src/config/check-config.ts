/** config.json as it is now: whether it can be read, what in it has no effect, and projects whose directory is gone. */
import { nodeDisk, readWhole } from "../base/disk.ts";
import { failed, type Finding } from "../base/finding.ts";
import type { Locale } from "../base/words/say.ts";
import { unavailable } from "./availability.ts";
import { defaultConfig, readConfig, type Config } from "./config-file.ts";

/** `config`: the content, or the defaults if it cannot be read. */
export async function checkConfig(path: string, locale: Locale): Promise<{ findings: Finding[]; config: Config }> {
  try {
    const bytes = await readWhole(nodeDisk, path);
    if (bytes === undefined)
      return { findings: [{ check: "config", verdict: "warn", says: "cli.init.no_project" }], config: defaultConfig() };
    const { config, warnings } = readConfig(bytes.toString(), locale);
    const gone = await unavailable(Object.values(config.projects));
    const projects = gone.map(({ name, path: directory }): Finding => ({
      check: `project ${name}`,
      verdict: "warn",
      says: "config.project_unavailable",
      args: { project: name, path: directory },
      mend: { says: "doctor.project.mend", args: { path } },
    }));
    const unknown = warnings.map((text): Finding => ({
      check: "config",
      verdict: "warn",
      says: "doctor.as_it_is",
      args: { text },
      mend: { says: "doctor.config.mend", args: { path } },
    }));
    const good: Finding = {
      check: "config",
      verdict: "good",
      says: "doctor.config",
      args: { path, projects: Object.keys(config.projects).length },
    };
    return { findings: [...(unknown.length === 0 ? [good] : unknown), ...projects], config };
  } catch (error) {
    return { findings: [failed("config", error)], config: defaultConfig() };
  }
}
