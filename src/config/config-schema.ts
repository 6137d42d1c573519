/**
 * The only schema of config.json, with every key's default and sentence. `docs/settings.md` and the JSON Schema for
 * editors are generated from it.
 */
import { homedir } from "node:os";
import { resolve } from "node:path";
import * as z from "zod";
import { isTimeZone } from "../base/local-time.ts";
import type { WordKey } from "../base/words/say.ts";
import { underHome } from "./homes.ts";
import { isProjectName, PROJECT_NAME } from "./project-name.ts";

/** A check's message is the key of the words for what is expected. */
export const expectation = (key: WordKey): WordKey => key;

const text = z.string().max(4096);
const projectName = z.string().regex(PROJECT_NAME, expectation("config.want.project_name"));
const absolutePath = z.string().regex(/^(\/|~\/|[A-Za-z]:[\\/])[^\0]*$/, expectation("config.want.absolute_path"));
const snowflake = z.string().regex(/^[1-9][0-9]{16,19}$/, expectation("config.want.snowflake"));
const argument = z.string().refine((value) => !value.includes("\0"), expectation("config.want.no_nul"));
const command = z.array(argument).min(1);

/** A key that is reserved but not used yet: it is checked, and setting it gives a warning. */
const notYet = (description: string) => ({ description, "x-not-yet": true });

const count = (least: number, most: number, otherwise: number, sentence: string) =>
  z.int().min(least).max(most).default(otherwise).describe(sentence);

const limits = z.looseObject({
  cli_timeout_sec: count(1, 86_400, 900, "Seconds without a byte of output after which an agent is stopped."),
  acp_silence_sec: count(
    1,
    86_400,
    1800,
    "Seconds without an update from an agent that speaks ACP, while it works, after which it is ended and its " +
      "session closed.",
  ),
  max_queue_per_session: count(1, 1000, 20, "Jobs that may wait in one thread."),
  global_max_running: count(1, 1000, 2, "Jobs that may run at the same time, over all threads."),
  status_edit_min_interval_ms: count(
    0,
    60_000,
    1200,
    "Milliseconds between two edits of the same message while it grows; the last edit is sent at once.",
  ),
  snapshot_every_events: count(1, 1_000_000, 50, "Events after which a snapshot is written."),
  snapshot_every_seconds: count(
    5,
    86_400,
    5,
    "Seconds after which a snapshot is written; there is at most one in this time.",
  ),
  resume_after_limit: z
    .enum(["ask", "go_on"])
    .default("ask")
    .describe(
      "What happens when an agent's usage limit resets: `ask`: the queue continues after a press of a button, or your " +
        "next message; `go_on`: one job continues by itself, and if it reaches the limit again, you are asked. " +
        "Where the agent does not say a usable time, `ask` asks at once, and `go_on` tries after 5, 15 and 60 minutes " +
        "and then asks.",
    ),
  idle_agents: count(
    0,
    1000,
    4,
    "Agents that may stay open between jobs, over all threads; 0: every agent ends with its job.",
  ),
  idle_agent_sec: count(
    1,
    604_800,
    900,
    "Seconds without work after which an agent that stayed open is closed. Its next job opens it again.",
  ),
  background_work_sec: count(
    1,
    604_800,
    14_400,
    "Seconds for which work in the background keeps an agent open without a sign of life.",
  ),
  max_result_excerpt_chars: count(
    1,
    4000,
    400,
    "Characters of a result that the journal keeps; the full result is in a file.",
  ),
});

/** What the layers of a session's settings share. */
const layered = {
  model: text.min(1).optional().describe("The model of the tool with which a session begins, as that tool calls it."),
  permission: z
    .enum(["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"])
    .optional()
    .describe(
      "The permission mode in which Claude Code starts, headless or in a window. `bypassPermissions`: it asks about " +
        "nothing; it can be set only here, and not where Bellhop runs as root.",
    ),
  isolation: z
    .enum(["none", "worktree"])
    .optional()
    .describe("`worktree`: each new thread works in a git worktree of its own."),
};

const startup = z
  .boolean()
  .optional()
  .describe(
    "Whether its window is opened when Bellhop starts. Never closes one. For the project: the window of its channel.",
  );

const threadEntry = z.looseObject({
  thread_id: snowflake.describe("The thread."),
  ...layered,
  tool: text.min(1).optional().describe("The tool with which its session begins."),
  path: absolutePath
    .optional()
    .describe(
      "The directory in which it works, instead of the project's: one that exists, without symbolic links on the way.",
    ),
  startup,
});

const project = z
  .looseObject({
    name: projectName.describe("The project's name, the same as its key."),
    path: absolutePath.describe("The absolute path of its directory; `~/` is your home."),
    enabled_tools: z
      .array(text.min(1))
      .min(1)
      .refine((tools) => new Set(tools).size === tools.length, expectation("config.want.unique"))
      .describe("The tools allowed in it."),
    default_tool: text.describe("The tool of a new session; one of enabled_tools."),
    default_args: z
      .record(z.string(), z.array(argument))
      .default({})
      .describe("For each tool, the arguments it is always given."),
    created_at: text.describe("When it was created, ISO 8601."),
    updated_at: text.describe("When it was last changed, ISO 8601."),
    number: z.int().min(1).optional().meta(notYet("The number under which lists show it.")),
    adopt: z
      .boolean()
      .optional()
      .describe("Whether the first Claude that you start there in your own tmux becomes a session without a question."),
    channel_id: snowflake
      .optional()
      .describe(
        "The channel of this project: what you write there from now on is a prompt, and each thread that you open " +
          "there is a session. A channel has one project, and a directory one channel.",
      ),
    channel: z
      .enum(["session", "threads"])
      .optional()
      .describe(
        "What that channel is: one session (`session`, which is the default), or a place where each message of yours " +
          "opens a thread on itself and is its first prompt (`threads`).",
      ),
    ...layered,
    startup,
    thread: z
      .looseObject({ ...layered, startup })
      .optional()
      .describe("Settings for each of its threads; what is not set here is as for the project."),
    threads: z
      .array(threadEntry)
      .optional()
      .describe("Settings for single threads; what is not set here is as in `thread`."),
  })
  .refine(({ enabled_tools, default_tool }) => enabled_tools.includes(default_tool), {
    message: expectation("config.want.enabled_tool"),
    path: ["default_tool"],
  });

const reminder = z.looseObject({
  after_minutes: z.int().min(1).max(43_200).describe("Minutes since it was asked."),
  by: z
    .enum(["mention", "direct"])
    .describe("`mention`: by name where it was asked; `direct`: in direct messages, with a link."),
});

const ladder = z
  .array(reminder)
  .max(20)
  .refine(
    (steps) =>
      steps.every(({ after_minutes }, index) => index === 0 || after_minutes > (steps[index - 1]?.after_minutes ?? 0)),
    expectation("config.want.ascending"),
  );

const TIME = "([01][0-9]|2[0-3]):[0-5][0-9]";
const hours = z
  .string()
  .regex(new RegExp(`^${TIME}-${TIME}$`), expectation("config.want.hours"))
  .refine((text) => text.slice(0, 5) !== text.slice(6), expectation("config.want.hours"));

const lapse = (what: string) => z.int().min(1).max(31_536_000).optional().describe(`For ${what}.`);

const lapsesByKind = {
  question: lapse("a question without a time limit of its own"),
  permission: lapse("a permission"),
  plan: lapse("a plan"),
};

const lapses = z.looseObject({
  ...lapsesByKind,
  by_tool: z
    .record(z.string(), z.looseObject(lapsesByKind))
    .optional()
    .describe(
      "The same for single tools. For `tmux` a permission and a plan do not expire where the terminal asks too: " +
        "after this time (120 seconds if not set) you are called once more, and what was asked before a tool is " +
        "asked in the terminal too.",
    ),
});

/** So many of a currency, or tokens, are more than anybody has. */
const MOST_AMOUNT = 1e12;

const amounts = z.record(
  z.string().regex(/^(tokens|[A-Z]{3})$/),
  z
    .number(expectation("config.want.amount"))
    .gt(0, expectation("config.want.amount"))
    .lt(MOST_AMOUNT, expectation("config.want.amount")),
  { error: (issue) => (issue.code === "invalid_key" ? expectation("config.want.budget_unit") : undefined) },
);

const budget = z.looseObject({
  session: amounts.default({}).describe("For each session that has no budget of its own (`/budget`)."),
  day: amounts.default({}).describe("For all sessions together, from midnight to midnight in your time zone."),
});

/** The tools that have a driver of their own: the config cannot give such a name to another agent. */
const OWN_TOOLS = ["acp", "claude", "codex", "gemini", "tmux"] as const;
export type OwnTool = (typeof OWN_TOOLS)[number];

const acpAgent = z.looseObject({
  command: command.describe('The command that starts it, such as `["opencode", "acp"]`.'),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, expectation("config.want.variable_name")))
    .optional()
    .describe("Environment variables that it gets in addition, as in `pass_env`."),
  asks: z
    .enum(["as_is"])
    .optional()
    .describe("`as_is`: use it even if it may act without asking and cannot be set to another mode."),
});

/** A channel stands for one directory and a directory for one channel; a thread has one entry. */
function placesTwice(
  projects: Record<string, z.infer<typeof project>>,
): { path: (string | number)[]; message: WordKey }[] {
  const places = new Set<string>();
  const directories = new Set<string>();
  return Object.entries(projects).flatMap(([name, { path, channel_id, threads = [] }]) => {
    const ids = [
      ...(channel_id === undefined ? [] : [{ id: channel_id, at: ["channel_id"] }]),
      ...threads.map(({ thread_id }, index) => ({ id: thread_id, at: ["threads", index, "thread_id"] })),
    ];
    const twice = ids
      .filter(({ id }) => places.has(id) || !places.add(id))
      .map(({ at }) => ({ path: ["projects", name, ...at], message: expectation("config.want.own_channel") }));
    const directory = resolve(underHome(path, homedir()));
    const shared = channel_id !== undefined && (directories.has(directory) || !directories.add(directory));
    return [
      ...twice,
      ...(shared ? [{ path: ["projects", name, "path"], message: expectation("config.want.own_directory") }] : []),
    ];
  });
}

const toolNames = z.array(z.string().regex(/^[A-Za-z0-9_-]{1,200}$/, expectation("config.want.tool_name")));

const server = z.looseObject({
  token_file: absolutePath
    .optional()
    .describe(
      "A file with the token of this server's bot that only you may read (mode 0600). Left out for the bot that the " +
        "environment names.",
    ),
  guild_id: snowflake.describe("The server's id."),
  owner_id: snowflake.optional().describe("If set, it must be the owner's id: all servers have the same owner."),
  general_channel_id: snowflake.optional().describe("The channel in this server in which the control panel stands."),
  tmux_session: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,60}$/, expectation("config.want.session_name"))
    .default("bellhop")
    .describe(
      "The tmux session in which windows of this server's threads stand. Windows that are open stay where they are.",
    ),
  permission_tools: toolNames
    .default([])
    .describe("As `permission_tools`, in addition, for windows of this server's threads."),
});

export const schema = z
  .looseObject({
    $schema: text.optional().describe("Where the schema of this file is, for editors."),
    version: z.literal(1).describe("The version of this file's format."),
    owner_id: snowflake.optional().describe("The Discord user id of the owner, the one person Bellhop obeys."),
    projects: z.record(z.string(), project).default({}).describe("The projects by name."),
    limits: limits.prefault({}),
    pass_env: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, expectation("config.want.variable_name")))
      .default([])
      .describe(
        "Environment variables that agents get in addition to the usual ones: names, or a prefix followed by `*`.",
      ),
    commands: z
      .record(z.string(), command)
      .default({})
      .describe("For a tool such as `claude`, the command that starts it, if it is not in PATH."),
    gemini_output: z
      .enum(["stream-json", "json"])
      .default("stream-json")
      .describe("Whether Gemini CLI reports what it does while it works, or only gives its answer at the end."),
    acp_agents: z
      .record(z.string(), acpAgent)
      .default({})
      .describe("Further agents that speak ACP, each a tool by its name. Read at the start."),
    after_crash: z
      .enum(["wait", "go_on"])
      .default("wait")
      .describe("Whether a thread whose job was cut off by a crash waits for its owner or continues with its queue."),
    reminders: ladder
      .default([
        { after_minutes: 10, by: "mention" },
        { after_minutes: 60, by: "direct" },
        { after_minutes: 240, by: "mention" },
      ])
      .describe("How Bellhop reminds you when something waits for your answer. An empty list: never."),
    mention: z
      .array(z.enum(["waiting", "ends"]))
      .max(2)
      .default(["waiting", "ends"])
      .describe(
        "When Bellhop mentions you: `waiting`: something waits for your answer; `ends`: a job that took a while ends.",
      ),
    mention_after_s: z
      .int()
      .min(0)
      .max(86_400)
      .default(60)
      .describe("Seconds of work after which the end of a job mentions you."),
    time_zone: text
      .refine(isTimeZone, expectation("config.want.time_zone"))
      .optional()
      .describe(
        "Your time zone, such as `Asia/Seoul`: of quiet hours, and of times that Bellhop writes as text, in the names of " +
          "threads, in lists and at a terminal. Not set: this machine's. The log files keep UTC.",
      ),
    quiet_hours: hours
      .optional()
      .describe(
        "Hours such as `22:00-08:00`, in your time zone, in which messages are posted silently and reminders " +
          "wait for the end.",
      ),
    decision_lapse_s: lapses
      .default({})
      .describe(
        "Seconds after which a decision that nobody made expires; nothing is allowed then. Not set: it never expires.",
      ),
    terminal_turns: z
      .enum(["all", "none"])
      .default("all")
      .describe(
        "Whether what you type at a session's window is shown in its thread with its answer: `all`, silently; or " +
          "`none`. What Claude asks is shown in any case.",
      ),
    budget: budget
      .prefault({})
      .describe(
        'How much agents may use before you are asked, such as `{"session": {"USD": 5}, "day": {"tokens": 3000000}}`: in ' +
          "a currency, which has to be the one that the agent tells, or in tokens, in and out, with " +
          "those that come from a cache. Each amount counts alone; nothing is converted or added. A Claude in a " +
          "terminal tells neither, so no budget counts it.",
      ),
    budget_stops: z
      .enum(["after_turn", "now"])
      .default("after_turn")
      .describe(
        "What a budget that is used up does to what runs: `after_turn`: it goes on to its end, and nothing new starts; " +
          "`now`: it is stopped.",
      ),
    footer: z
      .enum(["line", "card"])
      .default("line")
      .describe(
        "Where the model, the context and the usage limits of a Claude in a terminal are shown: `line`, below its " +
          "answer; `card`, in the message that closes the job.",
      ),
    permission_tools: toolNames
      .default([])
      .describe(
        "Tools of a Claude in a terminal, such as `Bash`, that you are asked about before each use, even if Claude's " +
          "own rules allow them. After a change run `bellhop hooks install` again; Bellhop's windows have it when next " +
          "opened.",
      ),
    long_answers: z
      .enum(["file", "split"])
      .default("file")
      .describe("Whether a very long answer becomes a file or many messages."),
    thoughts: z
      .enum(["hidden", "folded"])
      .default("hidden")
      .describe(
        "Whether the card of a running job shows what an agent that speaks ACP is thinking, folded until you tap it.",
      ),
    inbox_from: z
      .enum(["owner", "anyone"])
      .default("owner")
      .describe("Whose messages go into the inbox. Agents only read them; they are never commands or answers."),
    servers: z
      .record(z.string(), server)
      .default({})
      .describe("Discord servers by a name of your choice, each with a bot of its own. Read at the start."),
  })
  .superRefine(({ projects }, context) => {
    for (const { path, message } of placesTwice(projects)) context.addIssue({ code: "custom", message, path });
  })
  .superRefine(({ projects, acp_agents, servers }, context) => {
    const taken = new Set<string>();
    for (const [name, { token_file = "", guild_id, general_channel_id }] of Object.entries(servers)) {
      if (!isProjectName(name))
        context.addIssue({ code: "custom", message: expectation("config.want.project_name"), path: ["servers", name] });
      const own = { guild_id, token_file, ...(general_channel_id !== undefined && { general_channel_id }) };
      for (const [key, value] of Object.entries(own)) {
        if (taken.has(`${key} ${value}`))
          context.addIssue({
            code: "custom",
            message: expectation("config.want.own_to_server"),
            path: ["servers", name, key],
          });
        taken.add(`${key} ${value}`);
      }
    }
    for (const name of Object.keys(acp_agents)) {
      if (!isProjectName(name))
        context.addIssue({
          code: "custom",
          message: expectation("config.want.project_name"),
          path: ["acp_agents", name],
        });
      else if (OWN_TOOLS.some((own) => own === name))
        context.addIssue({
          code: "custom",
          message: expectation("config.want.free_tool_name"),
          params: { names: OWN_TOOLS.map((own) => `\`${own}\``).join(", ") },
          path: ["acp_agents", name],
        });
    }
    for (const [key, { name }] of Object.entries(projects)) {
      if (!isProjectName(key))
        context.addIssue({ code: "custom", message: expectation("config.want.project_name"), path: ["projects", key] });
      else if (name !== key)
        context.addIssue({
          code: "custom",
          message: expectation("config.want.same_as_key"),
          path: ["projects", key, "name"],
        });
    }
  });
