/**
 * No regular expression of ours grows faster than what it reads: twice the input, at most two and a half times the
 * work. All that the source holds are found by parsing it, so a new one is held to it without being named here. Work
 * is counted in steps of a backtracking search and not in time, so the same is said on every machine.
 */
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { hostileTo } from "../architecture/patterns/hostile.ts";
import { readSources } from "../architecture/source.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const src = readSources(root, ["src", "packages/discord-sandbox/src"]);

/** Where a text becomes an expression while the code runs: what has to happen for it to be made. */
const made: Record<string, () => Promise<unknown>> = {
  "src/base/redact.ts": async () => {
    const { Redactor } = await import("../../src/base/redact.ts");
    return new Redactor([
      "aaaaaaaaaaaaaaaa",
      "a secret  (of .* many+ kinds)",
      "line one of it all\nline two of it all",
    ]);
  },
  "src/base/terminal-text.ts": () => import("../../src/base/terminal-text.ts"),
  "src/base/unseen.ts": async () => (await import("../../src/base/unseen.ts")).charsToShow("a"),
  "src/protocol/hooks.ts": async () =>
    (await import("../../src/protocol/hooks.ts")).hookBegun('{"session_id":"a","tool_input":'),
  "src/core/decisions/look-alikes.ts": () => import("../../src/core/decisions/look-alikes.ts"),
  "src/config/config-schema.ts": () => import("../../src/config/config-schema.ts"),
  "src/core/decisions/answers/lexicon.ts": () => import("../../src/core/decisions/answers/lexicon.ts"),
  // What stands for one character; the rest of such a pattern is never given to the engine.
  "src/core/decisions/answers/pattern.ts": async () =>
    (await import("../../src/core/decisions/answers/pattern.ts")).hasMatch("^[a-z-]+\\d.\\p{L}[\\w-.]$", "a"),
  "src/core/decisions/answers/option-names.ts": () => import("../../src/core/decisions/answers/option-names.ts"),
  "src/core/rules/commands.ts": () => import("../../src/core/rules/commands.ts"),
  "src/base/hidden-characters.ts": () => import("../../src/base/hidden-characters.ts"),
  "src/discord/text/agent-text.ts": async () => {
    const [{ agentText }, { openMarkdown }] = [
      await import("../../src/discord/text/agent-text.ts"),
      await import("../../src/discord/text/markdown.ts"),
    ];
    return agentText("> > > ```\n> > > code\n> > > ```", openMarkdown());
  },
  "packages/discord-sandbox/src/rest/multipart.ts": async () => {
    const { readMultipart } = await import("../../packages/discord-sandbox/src/rest/multipart.ts");
    return readMultipart(
      Buffer.from('--x\r\ncontent-disposition: form-data; name="a"; filename="b"\r\n\r\nc\r\n--x--\r\n'),
      "x",
    );
  },
  "packages/discord-sandbox/src/page/text/cells.ts": () =>
    import("../../packages/discord-sandbox/src/page/text/cells.ts"),
  "packages/discord-sandbox/src/page/composer/commands.ts": async () => {
    const { readTyped } = await import("../../packages/discord-sandbox/src/page/composer/commands.ts");
    const option = { type: 3, name: "이름_a-b", description: "" };
    const command = { id: "1", application_id: "1", version: "1", name: "a", description: "", options: [option] };
    return readTyped(
      [{ command, application: { id: "1", name: "a" }, path: ["a"], title: "/a", description: "", options: [option] }],
      "/a 이름_a-b:x",
    );
  },
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe("regular expressions", () => {
  test("in the source take at most two and a half times the work for twice the input", { timeout: 300_000 }, () => {
    const written = src.flatMap(({ path, patterns }) =>
      patterns.map((pattern) => ({ place: `${path}:${pattern.line}`, ...pattern })),
    );
    expect(written.length).toBeGreaterThan(250);
    const once = new Map(written.map((one) => [`/${one.source}/${one.flags}`, one]));
    expect([...once.values()].flatMap((one) => told(one.place, one))).toEqual([]);
  });

  test.each(Object.entries(made))("that %s makes from texts do so too", { timeout: 300_000 }, async (path, make) => {
    const seen = await patternsMadeBy(make);
    expect(seen.length).toBeGreaterThanOrEqual(src.find((file) => file.path === path)?.patternsMade.length ?? Infinity);
    expect(seen.flatMap((regex) => told(path, regex))).toEqual([]);
  });

  test("are made from texts nowhere else", () => {
    const places = src.filter(({ patternsMade }) => patternsMade.length > 0).map(({ path }) => path);
    expect(places.toSorted()).toEqual(Object.keys(made).toSorted());
  });
});

describe("the measure", () => {
  test.each([
    // What stood in the way of a whole daemon: a table's second line of 130,000 blanks.
    /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/,
    /=+$/,
    /\s+$/,
    /(?:^|\s+)#.*$/,
    /^(a+)+$/,
    /^(?:a|a)*$/,
    /^\s*objectformat\s*=/im,
    /(\d+(?:\.\d+)?)(ms|[dhms])/gi,
    /^(~{3,})([^`]*)$/,
    /\/reactions\/.*$/,
    /^(.*?),(.*?),(.*?)x$/,
    /(a+)b\1c/,
    /<!--.*?-->/gs,
    /(?<!\d)\w*\d+$/,
  ])("finds that %s grows", (regex) => {
    expect(hostileTo(regex)).not.toBeNull();
  });

  test.each([
    /\s+/g,
    /^\s*(\w+)\s*$/,
    /(?<!=)=+$/,
    /"(?:[^"\\]|\\.)*"/y,
    /^[A-Za-z0-9][\w.-]{0,63}$/,
    /(?<=\p{L})\p{M}+/gu,
    /\b(?:one|two)\b/i,
    /[\p{L}--[a-z]]+/gv,
  ])("lets %s pass", (regex) => {
    expect(hostileTo(regex)).toBeNull();
  });
});

function told(place: string, regex: Pick<RegExp, "source" | "flags">): string[] {
  const input = hostileTo(regex);
  return input === null
    ? []
    : [`${place} /${regex.source}/${regex.flags} grows on [before, again and again, after] ${input}`];
}

/** Every expression that is made from a text while this runs, on modules that are loaded anew. */
async function patternsMadeBy(make: () => Promise<unknown>): Promise<RegExp[]> {
  const seen: RegExp[] = [];
  const watched = new Proxy(RegExp, {
    construct(target, given: [string, string?]) {
      const regex = new target(...given);
      seen.push(regex);
      return regex;
    },
  });
  vi.resetModules();
  vi.stubGlobal("RegExp", watched);
  await make();
  vi.unstubAllGlobals();
  return [...new Map(seen.map((regex) => [String(regex), regex])).values()];
}
