import { expect, test } from "vitest";
import { locales } from "../../../src/base/words/say.ts";
import { definitions, registerCommands } from "../../../src/discord/interactions/registry.ts";
import { botContext } from "../../fakes/bot-context.ts";

type Named = {
  name: string;
  description: string;
  name_localizations?: object | null;
  description_localizations?: object | null;
  options?: Named[];
};
const others = locales.filter((locale) => locale !== "en");
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

function all(commands: readonly Named[]): Named[] {
  return commands.flatMap((command) => [command, ...all(command.options ?? [])]);
}

/** What Discord gives back: its own additions, and without what is false or empty. */
function stored(commands: readonly unknown[]): unknown[] {
  const strip = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(strip)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .filter(([, it]) => it !== false && !(Array.isArray(it) && it.length === 0))
              .map(([key, it]) => [key, strip(it)]),
          )
        : value;
  return commands
    .map((command) => ({
      ...(strip(command) as object),
      id: "1",
      version: "2",
      nsfw: false,
      default_member_permissions: null,
    }))
    .reverse();
}

async function register(there: unknown): Promise<{
  written: boolean;
  calls: { method: string; path: string; body?: unknown }[];
  commandIds: Map<string, string>;
}> {
  const calls: { method: string; path: string; body?: unknown }[] = [];
  const call = async <T>(request: { method: string; path: string; body?: unknown }): Promise<T> => {
    calls.push(request);
    return (request.method === "GET" ? there : undefined) as T;
  };
  const commandIds = new Map<string, string>();
  const written = await registerCommands(botContext({ rest: { call }, guildId: "2", commandIds }), "1");
  return { written, calls, commandIds };
}

test("commands are written to the guild where they are not there", async () => {
  const { written, calls } = await register([]);
  expect(written).toBe(true);
  expect(calls.map(({ method, path }) => [method, path])).toEqual([
    ["GET", "/applications/1/guilds/2/commands?with_localizations=true"],
    ["PUT", "/applications/1/guilds/2/commands"],
  ]);
  expect(calls[1]?.body).toEqual(definitions());
});

test("commands that are there are not written again, and their ids are learnt", async () => {
  const { written, commandIds } = await register(stored(definitions()));
  expect(written).toBe(false);
  expect([commandIds.get("queue"), commandIds.get("agent model"), commandIds.get("agent")]).toEqual([
    "1",
    "1",
    undefined,
  ]);
});

test.each([
  ["a command less", (commands: Named[]) => commands.slice(1)],
  ["a command more", (commands: Named[]) => [...commands, { name: "old", description: "x" }]],
  ["another description", ([first, ...rest]: Named[]) => [{ ...first, description: "x" } as Named, ...rest]],
  [
    "a name less in another language",
    ([first, ...rest]: Named[]) => [{ ...first, name_localizations: { ko: "프로젝트" } } as Named, ...rest],
  ],
  [
    "an option less",
    ([first, ...rest]: Named[]) => [{ ...first, options: first?.options?.slice(1) } as Named, ...rest],
  ],
])("%s has them written", async (_what, change) => {
  expect((await register(stored(change(structuredClone(definitions()) as Named[])))).written).toBe(true);
});

test("names and descriptions are what Discord allows, in every language, and no two of one command are alike", () => {
  const commands = definitions() as Named[];
  for (const { name, description, name_localizations, description_localizations } of all(commands)) {
    expect(Object.keys(name_localizations ?? {})).toEqual(others);
    for (const localized of [name, ...Object.values(name_localizations ?? {})] as string[]) {
      expect(localized).toMatch(NAME);
      expect(localized).toBe(localized.toLowerCase());
    }
    for (const says of [description, ...Object.values(description_localizations ?? {})] as string[]) {
      expect(says.length).toBeGreaterThan(0);
      expect(says.length).toBeLessThanOrEqual(100);
    }
  }
  for (const options of [commands, ...all(commands).map((command) => command.options ?? [])]) {
    for (const locale of others) {
      const localized = options.map(({ name_localizations }) => (name_localizations as Record<string, string>)[locale]);
      expect(new Set(localized).size).toBe(localized.length);
    }
  }
  for (const command of commands)
    expect(JSON.stringify(all([command]).map(({ name, description }) => [name, description])).length).toBeLessThan(
      8000,
    );
});

test("no subcommand needs an option after one that may be left out", () => {
  for (const { options = [] } of all(definitions() as Named[])) {
    const required = options.map((option) => ("required" in option ? option.required === true : false));
    expect(required).toEqual(required.toSorted((a, b) => Number(b) - Number(a)));
  }
});
