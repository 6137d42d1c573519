/** Slash commands as typed, checked and sent. */
import { describe, expect, test } from "vitest";
import {
  commandData,
  firstProblem,
  fixedChoices,
  invocables,
  matching,
  readOption,
  readTyped,
  type Index,
} from "../../src/page/composer/commands.ts";
import { discordLocale } from "../../src/page/locale.ts";
import type { CommandOption } from "../../src/page/state/model.ts";
import { askedAt, filled } from "../../src/page/composer/suggest.ts";

const index: Index = {
  applications: [{ id: "1", name: "Bellhop" }],
  application_commands: [
    { id: "10", application_id: "1", version: "7", name: "status", description: "State of this session" },
    {
      id: "11",
      application_id: "1",
      version: "8",
      name: "project",
      description: "Projects",
      options: [
        {
          type: 1,
          name: "create",
          description: "Register a project",
          options: [
            { type: 3, name: "name", description: "Name", required: true, max_length: 8 },
            { type: 3, name: "path", description: "Directory", required: true },
            { type: 4, name: "depth", description: "Depth", min_value: 1, max_value: 5 },
            {
              type: 3,
              name: "default_tool",
              description: "Tool",
              choices: [
                { name: "Claude", value: "claude" },
                { name: "Codex", value: "codex" },
              ],
            },
          ],
        },
        { type: 1, name: "list", description: "All projects" },
      ],
    },
    { id: "12", application_id: "1", version: "9", type: 3, name: "Pin it", description: "" },
    {
      id: "13",
      application_id: "1",
      version: "9",
      name: "start",
      name_localizations: { ko: "시작" },
      description: "Begin",
      description_localizations: { ko: "시작하기" },
    },
  ],
};
const all = invocables(index, "en");
const create = all.find((i) => i.title === "/project create") ?? all[0]!;

test("subcommands are what one types; message commands are not", () => {
  expect(all.map((i) => i.title)).toEqual(["/project create", "/project list", "/start", "/status"]);
  expect(invocables(index, "ko-KR").map((i) => `${i.title} ${i.description}`)).toContain("/시작 시작하기");
});

test.each([
  ["", "/project create, /project list, /start, /status"],
  ["st", "/start, /status, /project create, /project list"],
  ["project", "/project create, /project list"],
  ["create", "/project create"],
  ["pro cre", "/project create"],
  ["zzz", ""],
])("%j offers %s", (typed, titles) => {
  expect(
    matching(all, typed)
      .map((i) => i.title)
      .join(", "),
  ).toBe(titles);
});

test.each([
  ["ko-KR", "ko"],
  ["ko", "ko"],
  ["ja-JP", "ja"],
  ["zh-TW", "zh-TW"],
  ["zh-Hant-HK", "zh-TW"],
  ["zh", "zh-CN"],
  ["en", "en-US"],
  ["en-GB", "en-GB"],
  ["de-AT", "de"],
  ["es-MX", "es-419"],
  ["es-ES", "es-ES"],
  ["nb-NO", "no"],
  ["pt_BR", "pt-BR"],
  ["xx", "en-US"],
  ["", "en-US"],
])("the browser's %j is Discord's %j", (tag, name) => {
  expect(discordLocale(tag)).toBe(name);
});

test("the English name finds a command under its Korean one too", () => {
  expect(matching(invocables(index, "ko"), "start").map((i) => i.title)).toEqual(["/시작"]);
});

test("a whole command can be typed or pasted", () => {
  const typed = readTyped(all, "/project create name:house path:/tmp/a b depth:2");
  expect(typed?.invocable).toBe(create);
  expect(typed?.entries).toEqual({ name: { text: "house" }, path: { text: "/tmp/a b" }, depth: { text: "2" } });
  expect(readTyped(all, "/statusquo")).toBeUndefined();
  expect(readTyped(all, "/project")).toBeUndefined();
});

describe("options are checked as Discord's client checks them", () => {
  const cases: [Partial<CommandOption>, string, unknown][] = [
    [{ type: 3, required: true }, "", "required"],
    [{ type: 3 }, "", undefined],
    [{ type: 3, min_length: 3 }, "ab", "shorter"],
    [{ type: 3, max_length: 2 }, "👍👍👍", "longer"],
    [{ type: 3, max_length: 3 }, "👍👍👍", "👍👍👍"],
    [{ type: 4 }, "1.5", "integer"],
    [{ type: 4 }, "12", 12],
    [{ type: 4, min_value: 3 }, "2", "least"],
    [{ type: 10, max_value: 3 }, "3.1", "most"],
    [{ type: 10 }, "abc", "number"],
    [{ type: 5 }, "maybe", "boolean"],
    [{ type: 5 }, "예", true],
    [{ type: 5 }, "No", false],
    [{ type: 6 }, "somebody", "reference"],
    [{ type: 6 }, "<@123456789012345678>", "123456789012345678"],
    [{ type: 11 }, "x", "unsupported"],
    [{ type: 3, choices: [{ name: "Claude", value: "claude" }] }, "gpt", "choice"],
    [{ type: 3, choices: [{ name: "Claude", value: "claude" }] }, "Claude", "claude"],
  ];
  test.each(cases)("%j with %j gives %j", (option, text, expected) => {
    const { value, problem } = readOption({ name: "o", description: "", type: 3, ...option }, { text });
    expect(problem?.kind ?? value).toEqual(expected);
  });
});

test("the first problem is the first option that cannot be sent", () => {
  expect(firstProblem(create, { name: { text: "far too long" } })).toMatchObject({
    option: { name: "name" },
    problem: { kind: "longer", bound: 8 },
  });
  expect(firstProblem(create, { name: { text: "a" }, path: { text: "/" } })).toBeUndefined();
});

test("what is sent has the nesting and the types of a real client", () => {
  const entries = {
    name: { text: "house" },
    path: { text: "/tmp" },
    depth: { text: "2" },
    default_tool: { text: "Codex", value: "codex" },
  };
  expect(commandData(create, entries)).toEqual({
    id: "11",
    name: "project",
    type: 1,
    version: "8",
    options: [
      {
        type: 1,
        name: "create",
        options: [
          { type: 3, name: "name", value: "house" },
          { type: 3, name: "path", value: "/tmp" },
          { type: 4, name: "depth", value: 2 },
          { type: 3, name: "default_tool", value: "codex" },
        ],
      },
    ],
  });
});

test("an autocompletion carries the option as typed so far and leaves out what cannot be sent", () => {
  expect(commandData(create, { path: { text: "/t" }, depth: { text: "x" } }, "path")).toMatchObject({
    options: [{ options: [{ name: "path", value: "/t", focused: true }] }],
  });
});

test("yes and no are choices, in the reader's language", () => {
  const option: CommandOption = { type: 5, name: "o", description: "" };
  expect(fixedChoices(option, "아", ["예", "아니요"], "ko")).toEqual([{ name: "아니요", value: "false" }]);
  expect(readOption(option, { text: "아니요", value: "false" }).value).toBe(false);
});

test.each([
  ["/pro", 4, "command", "pro"],
  ["hi @ad", 6, "user", "ad"],
  ["@", 1, "user", ""],
  ["x #gen", 6, "channel", "gen"],
  [":ta", 3, "emoji", "ta"],
  [":t", 2, undefined, undefined],
  ["a@b", 3, undefined, undefined],
  ["@ada then", 9, undefined, undefined],
  ["/a\nb", 4, undefined, undefined],
])("at the caret of %j (%i) %s is asked for", (text, caret, kind, typed) => {
  const asked = askedAt(text, caret);
  expect(asked?.kind).toBe(kind);
  expect(asked?.typed).toBe(typed);
});

test("a suggestion replaces what was typed for it and nothing else", () => {
  const asked = askedAt("say @ad please", 7);
  expect(asked && filled("say @ad please", 7, asked, "<@1>")).toEqual({ text: "say <@1> please", caret: 9 });
});
