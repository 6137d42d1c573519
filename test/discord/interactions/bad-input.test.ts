/**
 * Whatever is typed into an option that does not fit: the code is clear, the sentence helps in the person's own
 * language, nothing is written, nothing breaks, and nothing of what was typed is formatting in the answer.
 */
import { describe, expect, test } from "vitest";
import { app, CommandScene, inThread, T1 } from "./scene.ts";

const LOCALES = ["en-US", "ko", "ja", "zh-TW"];

/** What nobody means: none of these is a name, a path, a tool, a list of tools, JSON of arguments or an id. */
const nonsense: Record<string, string> = {
  "escape sequences": "\u001b[31mred\u001b[0m\u0007\u009b2J\u001b]0;title\u0007",
  mentions: "@everyone @here <@200000000000000003> <@&200000000000000003> <#200000000000000002> </start:1>",
  Markdown: "**bold** `code` ```js\nlet\n``` [link](https://example.org) ~~s~~ ||spoiler|| > q\n# h\n-# small",
  "a NUL": "app\0",
  "a way up": "../../../etc/passwd",
  "a way up from the root": "/../../etc/passwd\0",
  "an object's own words": "__proto__",
  "an object's constructor": "constructor",
  "six thousand characters": "x".repeat(6000),
  "two thousand combining marks": `e${"\u0301".repeat(2000)}`,
  "half a character": "\ud83d",
  "a text that turns the writing direction": "\u202egnp.exe\u2066",
  "a shell's words": "$(touch x); rm -rf ~ && `id` | sh",
  "an option": "--dangerously-skip-permissions",
  "a placeholder": "{name} {project} {toString}",
  "an id that is none": "99999999999999999999999",
  "JSON of another kind": '[{"claude":{}}]',
  "a thousand lines": "a\n".repeat(1000),
};

interface Option {
  command: string;
  option: string;
  /** The others, as they should be. */
  rest?: Record<string, string>;
  code: string;
  /** May be left out. */
  optional?: boolean;
  /** What is not nonsense here: a project may have such a name. */
  fits?: string[];
}

const options: Option[] = [
  {
    command: "project create",
    option: "name",
    rest: app,
    code: "E_INVALID_NAME",
    fits: ["an object's constructor", "an option", "an id that is none"],
  },
  { command: "project create", option: "path", rest: app, code: "E_INVALID_PATH" },
  { command: "project create", option: "tools_csv", rest: app, code: "E_INVALID_TOOLSET", optional: true },
  { command: "project create", option: "default_tool", rest: app, code: "E_INVALID_TOOLSET", optional: true },
  { command: "project create", option: "args_json", rest: app, code: "E_CONFIG_INVALID", optional: true },
  { command: "project add", option: "path", code: "E_INVALID_PATH" },
  { command: "project status", option: "project_name", code: "E_PROJECT_NOT_FOUND" },
  { command: "project switch", option: "project_name", code: "E_PROJECT_NOT_FOUND" },
  { command: "start", option: "project_name", code: "E_PROJECT_NOT_FOUND", optional: true },
  { command: "session list", option: "project_name", code: "E_PROJECT_NOT_FOUND", optional: true },
  { command: "session open", option: "session_id", code: "E_SESSION_NOT_FOUND" },
  { command: "session forget", option: "session_id", code: "E_SESSION_NOT_FOUND", optional: true },
  { command: "tool", option: "tool", code: "E_TOOL_NOT_ENABLED" },
  { command: "retry", option: "job_id", code: "E_JOB_NOT_RETRYABLE" },
];

/** A session with one job running and one waiting; no path is there but those that nobody may ask for. */
async function scene(): Promise<CommandScene> {
  const made = await new CommandScene().withSession(2);
  made.context.checkDirectory = (path) =>
    Promise.resolve(
      /\p{Cc}/u.test(path) || !path.startsWith("/") ? { is: "directory", path, wide: false } : { is: "absent" },
    );
  return made;
}

/** Where it is used: a thread for what needs one, else a text channel. */
const place = (command: string): object => (command === "tool" || command === "retry" ? inThread : {});

interface Refused {
  scene: CommandScene;
  command: string;
  given: Record<string, unknown>;
  code: string;
}

/** The answers in every language, each held against what holds for every answer to what does not fit. */
async function refused({ scene: made, command, given, code }: Refused): Promise<string[]> {
  const answers: string[] = [];
  const { engine, events, sent, failures } = made;
  const before = { events: events.length, state: structuredClone(engine.state) };
  for (const locale of LOCALES) {
    sent.length = 0;
    const answer = await made.slash(command, given as Record<string, string>, { ...place(command), locale });
    const {
      content = "",
      embeds = [],
      allowed_mentions,
    } = (sent.at(-1)?.body ?? {}) as { content?: string; embeds?: unknown[]; allowed_mentions?: unknown };
    expect(answer.endsWith(`\`${code}\``), answer).toBe(true);
    expect(answer.slice(0, -code.length).length, answer).toBeGreaterThan(10);
    expect({ embeds, allowed_mentions }).toEqual({ embeds: [], allowed_mentions: { parse: [] } });
    expectInert(content);
    answers.push(answer);
  }
  expect(events.length).toBe(before.events);
  expect(engine.state).toEqual(before.state);
  expect(failures).toEqual([]);
  return answers;
}

/** Short, whole, and without anything that Discord would draw, ping or hide. */
function expectInert(content: string): void {
  expect(content.length).toBeLessThan(1200);
  expect(content.isWellFormed()).toBe(true);
  expect(content).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  // Braces that were typed stay as they are; none of ours is left.
  expect(content.replace(String(nonsense["a placeholder"]), "")).not.toMatch(/\{\w+\}|undefined|\[object/);
  // What is escaped, and our own code spans, are drawn as they stand.
  const drawn = content.replace(/\\[\\`*_~|<>[\]()#@:-]/g, "").replace(/`[^`]*`/g, "");
  expect(drawn).not.toMatch(/[`*|[\]]|~~|<[@#/:]|@everyone|@here|https?:/);
}

describe.each(options)("/$command with a $option", ({ command, option, rest = {}, code, fits = [] }) => {
  test.each(Object.entries(nonsense).filter(([what]) => !fits.includes(what)))(
    "of %s is refused",
    async (_what, typed) => {
      const answers = await refused({ scene: await scene(), command, given: { ...rest, [option]: typed }, code });
      expect(new Set(answers).size).toBe(LOCALES.length);
    },
  );

  test("that is suggested for nonsense is within Discord's limits", async () => {
    const made = await scene();
    for (const typed of [...Object.values(nonsense), "", " "]) {
      for (const { name, value } of await made.choices(command, option, typed, rest, place(command))) {
        expect(Math.min(name.length, value.length)).toBeGreaterThan(0);
        expect(Math.max(name.length, value.length)).toBeLessThanOrEqual(100);
      }
    }
    expect(made.failures).toEqual([]);
  });
});

test.each(options.filter(({ optional }) => !optional))(
  "/$command without its $option, with a blank one, or one that is no text, is refused",
  async ({ command, option, rest = {}, code }) => {
    const { [option]: _left, ...others } = rest;
    for (const given of [
      others,
      { ...others, [option]: "" },
      { ...others, [option]: " \t " },
      { ...others, [option]: 7 },
      { ...others, [option]: true },
    ]) {
      await refused({ scene: await scene(), command, given, code });
    }
  },
);

test.each(options.filter(({ optional }) => optional))(
  "/$command with a blank $option is as if it were left out",
  async ({ command, option, rest }) => {
    const others = rest ? { ...rest, name: "other" } : {};
    const [left, blank] = [await new CommandScene().withSession(), await new CommandScene().withSession()];
    expect(await blank.slash(command, { ...others, [option]: "  " })).toBe(await left.slash(command, others));
    expect(blank.events.length).toBe(left.events.length);
  },
);

test.each([
  ["no JSON", "{claude: []}"],
  ["a list", "[]"],
  ["a text", '"--model"'],
  ["null", "null"],
  ["a number", "7"],
  ["a tool's one text", '{"claude":"--model"}'],
  ["a tool's null", '{"claude":null}'],
  ["a tool's object", '{"claude":{"0":"--model","length":1}}'],
  ["a number among texts", '{"claude":["--max-turns",3]}'],
  ["a list among texts", '{"claude":[["--model"]]}'],
  ["a tool that is not enabled", '{"gemini":[]}'],
  ["a tool nobody knows beside one that is", '{"claude":[],"vim":[]}'],
  ["an object's prototype", '{"__proto__":["x"]}'],
  ["a NUL in a text", '{"claude":["a\\u0000"]}'],
  ["more than four thousand characters", `{"claude":["${"a".repeat(4000)}"]}`],
  ["a thousand brackets", `${"[".repeat(1000)}${"]".repeat(1000)}`],
])("args_json that is %s is refused, with how it is written", async (_what, args_json) => {
  const answers = await refused({
    scene: await scene(),
    command: "project create",
    given: { ...app, name: "other", args_json },
    code: "E_CONFIG_INVALID",
  });
  for (const answer of answers) expect(answer.replaceAll("\\", "")).toContain('{"claude": ["--model", "…"]}');
});

test.each(["App", "a b", "a/b", "a.b", "ａ", "é", "a\n", "-".repeat(41), "app\u200b", "🦊"])(
  "%j is no project's name",
  async (name) => {
    await refused({ scene: await scene(), command: "project create", given: { ...app, name }, code: "E_INVALID_NAME" });
  },
);

test("a thread's commands are refused where there is no session, whatever the channel calls itself", async () => {
  const made = await scene();
  for (const command of ["status", "queue", "cancel", "tool"]) {
    for (const id of ["200000000000000002", "__proto__", "constructor", "", T1.slice(1)]) {
      expect(await made.slash(command, { tool: "claude" }, { channel: { id, type: 11 } })).toMatch(
        /`E_NOT_IN_MANAGED_THREAD`$/,
      );
    }
  }
  expect(made.failures).toEqual([]);
});
