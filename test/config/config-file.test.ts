import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { say } from "../../src/base/words/say.ts";
import { defaultConfig, readConfig } from "../../src/config/config-file.ts";
import { seedConfig } from "./seed-config.ts";

type Change = (config: ReturnType<typeof seedConfig>) => unknown;

const read = (value: unknown): ReturnType<typeof readConfig> => readConfig(JSON.stringify(value));

/** What the owner is told about an example after a change. */
function refusal(change: Change | string): string {
  let text = change;
  if (typeof text !== "string") {
    const config = seedConfig();
    text = JSON.stringify((change as Change)(config) ?? config);
  }
  try {
    readConfig(text as string);
  } catch (error) {
    if (!(error instanceof BellhopError) || error.code !== "E_CONFIG_INVALID") throw error;
    const sentence = say("en", error.code, error.details);
    expect(sentence).not.toContain("\n");
    expect(sentence).toMatch(/Fix it in config.json. Nothing was changed.$/);
    return sentence;
  }
  return "accepted";
}

describe("config.json", () => {
  test("in its documented form is read without a warning", () => {
    const { config, warnings } = read(seedConfig());
    expect(config).toMatchObject(seedConfig());
    expect(warnings).toEqual([]);
  });

  test("takes a path that begins at home as the absolute one it is", () => {
    const { config } = read({
      version: 1,
      projects: {
        app: {
          name: "app",
          path: "~/app",
          enabled_tools: ["claude"],
          default_tool: "claude",
          created_at: "",
          updated_at: "",
        },
      },
    });
    expect(config.projects["app"]?.path).toBe(join(homedir(), "app"));
  });

  test("has the documented defaults where it says nothing", () => {
    expect(defaultConfig()).toEqual({
      version: 1,
      projects: {},
      limits: {
        cli_timeout_sec: 900,
        acp_silence_sec: 1800,
        max_queue_per_session: 20,
        global_max_running: 2,
        status_edit_min_interval_ms: 1200,
        snapshot_every_events: 50,
        snapshot_every_seconds: 5,
        max_result_excerpt_chars: 400,
        idle_agents: 4,
        idle_agent_sec: 900,
        background_work_sec: 14_400,
        resume_after_limit: "ask",
      },
      pass_env: [],
      terminal_turns: "all",
      budget: { session: {}, day: {} },
      budget_stops: "after_turn",
      footer: "line",
      permission_tools: [],
      servers: {},
      commands: {},
      acp_agents: {},
      after_crash: "wait",
      long_answers: "file",
      thoughts: "hidden",
      gemini_output: "stream-json",
      inbox_from: "owner",
      mention: ["waiting", "ends"],
      mention_after_s: 60,
      reminders: [
        { after_minutes: 10, by: "mention" },
        { after_minutes: 60, by: "direct" },
        { after_minutes: 240, by: "mention" },
      ],
      decision_lapse_s: {},
    });
  });

  test("keeps keys it does not know, and warns with the nearest name it does", () => {
    const { config, warnings } = read({
      version: 1,
      after_crush: "wait",
      limits: { cli_timeout: 5, global_max_running: 12 },
      projects: { "my-app": { ...seedConfig().projects["my-app"], defualt_args: {}, note: "mine" } },
      acp_agents: { opencode: { command: ["opencode", "acp"] } },
      wallpaper: true,
    });
    expect(config).toMatchObject({
      after_crush: "wait",
      wallpaper: true,
      limits: { cli_timeout: 5, global_max_running: 12 },
    });
    expect(config.projects["my-app"]).toMatchObject({ note: "mine" });
    expect(warnings).toEqual([
      "config.json after_crush is not a setting Bellhop knows. It is kept but has no effect. Did you mean after_crash?",
      "config.json limits.cli_timeout is not a setting Bellhop knows. It is kept but has no effect. Did you mean cli_timeout_sec?",
      "config.json projects.my-app.defualt_args is not a setting Bellhop knows. It is kept but has no effect. Did you mean default_args?",
      "config.json projects.my-app.note is not a setting Bellhop knows. It is kept but has no effect.",
      "config.json wallpaper is not a setting Bellhop knows. It is kept but has no effect.",
    ]);
  });

  test("may begin with a byte order mark", () => {
    expect(readConfig('\uFEFF{"version":1}').config.version).toBe(1);
  });
});

describe("what is wrong in config.json stops the start and is said with its place", () => {
  const project =
    (changes: object): Change =>
    (config) =>
      void Object.assign(config.projects["my-app"] as object, changes);
  const cases: [string, Change | string, string][] = [
    ["no JSON", '{\n  "version": 1,\n}', 'config.json 3:1: found "}", expected valid JSON.'],
    ["cut off", '{"version": 1', "config.json 1:14: found nothing, expected valid JSON."],
    ["empty", "", "config.json 1:1: found nothing, expected valid JSON."],
    ["a list", "[]", "config.json: found [], expected an object in braces."],
    ["another version", (config) => ({ ...config, version: 2 }), "config.json version: found 2, expected one of 1."],
    ["no version", () => ({}), "config.json version: found nothing, expected one of 1."],
    [
      "an owner that is a number",
      (config) => ({ ...config, owner_id: 123 }),
      "config.json owner_id: found 123, expected a string in quotes.",
    ],
    [
      "an owner that is no id",
      (config) => ({ ...config, owner_id: "me" }),
      'config.json owner_id: found "me", expected a Discord id',
    ],
    ...[0, -5, "5", null, 1e12].map((amount): [string, Change, string] => [
      `a budget of ${JSON.stringify(amount)}`,
      (config) => ({ ...config, budget: { session: { USD: amount } } }),
      `config.json budget.session.USD: found ${JSON.stringify(amount)}, expected a number above 0`,
    ]),
    ...["usd", "Tokens", "dollars", ""].map((unit): [string, Change, string] => [
      `a budget in ${JSON.stringify(unit)}`,
      (config) => ({ ...config, budget: { day: { [unit]: 5 } } }),
      "expected `tokens` or a currency's three capital letters, such as USD.",
    ]),
    [
      "another word for what a budget stops",
      (config) => ({ ...config, budget_stops: "always" }),
      'config.json budget_stops: found "always", expected one of "after_turn", "now".',
    ],
    [
      "a name of capitals",
      (config) => ({ ...config, projects: { App: { ...config.projects["my-app"], name: "App" } } }),
      'config.json projects.App.name: found "App", expected a project name of 1 to 40 characters',
    ],
    [
      "a name unlike its key",
      project({ name: "other" }),
      'config.json projects.my-app.name: found "other", expected the same name as its key.',
    ],
    [
      "a relative path",
      project({ path: "code/app" }),
      'config.json projects.my-app.path: found "code/app", expected an absolute path.',
    ],
    ["a path with NUL", project({ path: "/a\0b" }), "config.json projects.my-app.path: found"],
    [
      "no tools",
      project({ enabled_tools: [] }),
      "config.json projects.my-app.enabled_tools: found [], expected at least one entry.",
    ],
    [
      "a tool twice",
      project({ enabled_tools: ["gemini", "gemini"] }),
      'projects.my-app.enabled_tools: found ["gemini","gemini"], expected each tool only once.',
    ],
    [
      "a default tool that is not enabled",
      project({ default_tool: "vim" }),
      'config.json projects.my-app.default_tool: found "vim", expected one of this project\'s enabled_tools.',
    ],
    [
      "arguments as one text",
      project({ default_args: { gemini: "--model x" } }),
      'config.json projects.my-app.default_args.gemini: found "--model x", expected a list in square brackets.',
    ],
    ["an argument with NUL", project({ default_args: { gemini: ["a\0"] } }), "default_args.gemini.0: found"],
    [
      "a limit as text",
      (config) => ({ ...config, limits: { cli_timeout_sec: "900" } }),
      'config.json limits.cli_timeout_sec: found "900", expected a whole number.',
    ],
    [
      "a broken limit",
      (config) => ({ ...config, limits: { global_max_running: 1.5 } }),
      "config.json limits.global_max_running: found 1.5, expected a whole number.",
    ],
    [
      "a limit of nothing",
      (config) => ({ ...config, limits: { global_max_running: 0 } }),
      "config.json limits.global_max_running: found 0, expected at least 1.",
    ],
    [
      "snapshots too often",
      (config) => ({ ...config, limits: { snapshot_every_seconds: 1 } }),
      "config.json limits.snapshot_every_seconds: found 1, expected at least 5.",
    ],
    [
      "a limit beyond bounds",
      (config) => ({ ...config, limits: { max_queue_per_session: 1e6 } }),
      "expected at most 1000.",
    ],
    [
      "a choice there is not",
      (config) => ({ ...config, after_crash: "rerun" }),
      'config.json after_crash: found "rerun", expected one of "wait", "go_on".',
    ],
    [
      "a reminder by letter",
      (config) => ({ ...config, reminders: [{ after_minutes: 5, by: "letter" }] }),
      'config.json reminders.0.by: found "letter", expected one of "mention", "direct".',
    ],
    [
      "a reminder at once",
      (config) => ({ ...config, reminders: [{ after_minutes: 0, by: "mention" }] }),
      "config.json reminders.0.after_minutes: found 0, expected at least 1.",
    ],
    [
      "reminders that go back",
      (config) => ({
        ...config,
        reminders: [
          { after_minutes: 9, by: "mention" },
          { after_minutes: 9, by: "direct" },
        ],
      }),
      "expected each reminder later than the previous one.",
    ],
    [
      "reminders that are none",
      (config) => ({ ...config, reminders: "never" }),
      'config.json reminders: found "never", expected a list in square brackets.',
    ],
    [
      "more reminders than anybody reads",
      (config) => ({
        ...config,
        reminders: Array.from({ length: 21 }, (_, index) => ({ after_minutes: index + 1, by: "mention" })),
      }),
      "expected at most 20.",
    ],
    [
      "quiet hours of no time",
      (config) => ({ ...config, quiet_hours: "22:00-22:00" }),
      'config.json quiet_hours: found "22:00-22:00", expected two different times of day, such as 22:00-08:00.',
    ],
    [
      "a time zone that does not exist",
      (config) => ({ ...config, time_zone: "Asia/Soul" }),
      'config.json time_zone: found "Asia/Soul", expected a time zone\'s name, such as Asia/Seoul.',
    ],
    [
      "quiet hours in words",
      (config) => ({ ...config, quiet_hours: "10pm to 8am" }),
      'config.json quiet_hours: found "10pm to 8am", expected two different times of day',
    ],
    [
      "quiet hours beyond the day",
      (config) => ({ ...config, quiet_hours: "22:00-24:00" }),
      "expected two different times of day",
    ],
    [
      "a lapse in no time",
      (config) => ({ ...config, decision_lapse_s: { plan: 0 } }),
      "config.json decision_lapse_s.plan: found 0, expected at least 1.",
    ],
    [
      "a variable that is none",
      (config) => ({ ...config, pass_env: ["MY VAR"] }),
      'config.json pass_env.0: found "MY VAR", expected the name of a variable',
    ],
    [
      "an agent without a command",
      (config) => ({ ...config, acp_agents: { mine: { command: [] } } }),
      "config.json acp_agents.mine.command: found [], expected at least one entry.",
    ],
    ...["acp", "claude", "codex", "gemini", "tmux"].map((name): (typeof cases)[number] => [
      `an agent with the name of our own, ${name}`,
      (config) => ({ ...config, acp_agents: { [name]: { command: ["x"] } } }),
      `config.json acp_agents.${name}: found "${name}", expected a name other than \`acp\`, \`claude\`, \`codex\`, \`gemini\`, \`tmux\``,
    ]),
    [
      "null",
      (config) => ({ ...config, projects: null }),
      "config.json projects: found null, expected an object in braces.",
    ],
  ];

  test.each(cases)("%s", (_, change, sentence) => {
    expect(refusal(change)).toContain(sentence);
  });

  test("a long value is shown by its beginning", () => {
    expect(refusal((config) => ({ ...config, after_crash: "x".repeat(10_000) })).length).toBeLessThan(300);
  });

  test("a name no property may have is refused, not lost", () => {
    const text = JSON.stringify(seedConfig()).replaceAll("my-app", "__proto__");
    expect(refusal(text)).toContain("expected a project name");
  });
});
