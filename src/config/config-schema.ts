/**
 * The one schema of config.json, with every key's default and sentence. `docs/settings.md` and the JSON Schema for
 * editors are made from it.
 */
import * as z from "zod";
import type { WordKey } from "../base/words/say.ts";

/** A check's message is the key of the words for what belongs there. */
export const want = (key: WordKey): WordKey => key;

const NAME = /^[a-z0-9-_]{1,40}$/;
/** A name that every JavaScript object has already: it would be found where no project is. */
const RESERVED = "constructor";

const text = z.string().max(4096);
const projectName = z.string().regex(NAME, want("config.want.project_name"));
const snowflake = z.string().regex(/^[1-9][0-9]{16,19}$/, want("config.want.snowflake"));
const argument = z.string().refine((value) => !value.includes("\0"), want("config.want.no_nul"));
const command = z.array(argument).min(1);

/** For a key that the design names and nothing uses yet: it is checked, and whoever sets it is told. */
const notYet = (description: string) => ({ description, "x-not-yet": true });

const count = (least: number, most: number, otherwise: number, sentence: string) =>
  z.int().min(least).max(most).default(otherwise).describe(sentence);

const limits = z.looseObject({
  cli_timeout_sec: count(1, 86_400, 900, "Seconds without a byte of output after which an agent is stopped."),
  max_queue_per_session: count(1, 1000, 20, "Jobs that may wait in one thread."),
  global_max_running: count(1, 1000, 2, "Jobs that may run at the same time, over all threads."),
  status_edit_min_interval_ms: count(0, 60_000, 1200, "Milliseconds between two edits of the same message."),
  snapshot_every_events: count(1, 1_000_000, 50, "Events after which a snapshot is due."),
  snapshot_every_seconds: count(5, 86_400, 5, "Seconds after which a snapshot is due; there is at most one in this time."),
  max_result_excerpt_chars: count(1, 4000, 400, "Characters of a result that the journal keeps beside the file of the whole."),
});

const project = z
  .looseObject({
    name: projectName.describe("The project's name, the same as its key."),
    path: z.string().regex(/^(\/|[A-Za-z]:[\\/])[^\0]*$/, want("config.want.absolute_path")).describe("The absolute path of its directory."),
    enabled_tools: z.array(text.min(1)).min(1).refine((tools) => new Set(tools).size === tools.length, want("config.want.unique")).describe("The tools allowed in it."),
    default_tool: text.describe("The tool of a new session; one of enabled_tools."),
    default_args: z.record(z.string(), z.array(argument)).default({}).describe("For each tool, the arguments it is always given."),
    created_at: text.describe("When it was made, ISO 8601."),
    updated_at: text.describe("When it was last changed, ISO 8601."),
    number: z.int().min(1).optional().meta(notYet("The number under which lists show it.")),
    channel_id: snowflake.optional().meta(notYet("The channel that stands for this project.")),
    startup: z.unknown().optional().meta(notYet("What runs when its channel starts.")),
    thread: z.unknown().optional().meta(notYet("What holds for each of its threads.")),
    threads: z.array(z.unknown()).optional().meta(notYet("What holds for single threads.")),
  })
  .refine(({ enabled_tools, default_tool }) => enabled_tools.includes(default_tool), {
    message: want("config.want.enabled_tool"),
    path: ["default_tool"],
  });

const reminder = z.looseObject({
  after_minutes: z.int().min(1).max(43_200).describe("Minutes since it was asked."),
  by: z.enum(["mention", "direct"]).describe("`mention`: by name where it was asked; `direct`: in direct messages, with a link."),
});

const ladder = z.array(reminder).max(20).refine(
  (steps) => steps.every(({ after_minutes }, index) => index === 0 || after_minutes > (steps[index - 1]?.after_minutes ?? 0)),
  want("config.want.ascending"),
);

const TIME = "([01][0-9]|2[0-3]):[0-5][0-9]";
const hours = z.string().regex(new RegExp(`^${TIME}-${TIME}$`), want("config.want.hours")).refine((text) => text.slice(0, 5) !== text.slice(6), want("config.want.hours"));

const lapse = (what: string) => z.int().min(1).max(31_536_000).optional().describe(`For ${what}.`);

const lapses = z.looseObject({
  question: lapse("a question that brings no time of its own"),
  permission: lapse("a permission"),
  plan: lapse("a plan"),
});

export const schema = z
  .looseObject({
    $schema: text.optional().describe("Where the schema of this file is, for editors."),
    version: z.literal(1).describe("The version of this file's form."),
    owner_id: snowflake.optional().describe("The Discord user id of the one person who is obeyed."),
    projects: z.record(z.string(), project).default({}).describe("The projects by name."),
    limits: limits.prefault({}).describe("How much and how often."),
    pass_env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, want("config.want.variable_name"))).default([]).describe("Variables that agents get beside the usual ones: names, or a beginning and `*`."),
    commands: z.record(z.string(), command).default({}).describe("For a tool such as `claude`, the command that starts it where PATH does not find it."),
    gemini_output: z.enum(["stream-json", "json"]).default("stream-json").describe("Whether Gemini CLI tells what it does while it does it, or gives its answer whole at the end."),
    acp_agents: z
      .record(z.string().regex(NAME, want("config.want.project_name")), z.looseObject({ command, env: z.array(text).optional() }))
      .default({})
      .meta(notYet("Further ACP agents by name: the command of each, and names of variables it gets.")),
    after_crash: z.enum(["wait", "go_on"]).default("wait").describe("Whether a thread whose job was cut off by a crash waits for its owner or goes on with its queue."),
    reminders: ladder
      .default([{ after_minutes: 10, by: "mention" }, { after_minutes: 60, by: "direct" }, { after_minutes: 240, by: "mention" }])
      .describe("When and how you are reminded of what still waits for your answer; an empty list: never."),
    quiet_hours: hours.optional().describe("Hours in which nothing reminds you, such as `22:00-08:00`, by this machine's time zone; what falls into them comes at their end."),
    decision_lapse_s: lapses.default({}).describe("Seconds after which what nobody decided lapses, which allows nothing. Not set: it waits for ever."),
    long_answers: z.enum(["file", "split"]).default("file").describe("Whether a very long answer becomes a file or many messages."),
    inbox_from: z.enum(["owner", "anyone"]).default("owner").describe("Whose messages the inbox takes. Whoever wrote one, an agent gets it to read, and it is never a command or an answer."),
    servers: z.unknown().optional().meta(notYet("Settings by server.")),
  })
  .superRefine(({ projects }, context) => {
    for (const [key, { name }] of Object.entries(projects)) {
      const wrong = !NAME.test(key) || key === RESERVED;
      if (wrong) context.addIssue({ code: "custom", message: want("config.want.project_name"), path: ["projects", key] });
      else if (name !== key) context.addIssue({ code: "custom", message: want("config.want.same_as_key"), path: ["projects", key, "name"] });
    }
  });
