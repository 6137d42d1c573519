/** How an error is told: its values as they are, and with what else is known of an agent that did not start. */
import { describe, expect, test } from "vitest";
import { theirWords, type ErrorDetails, type ReasonKey } from "../../../src/base/errors.ts";
import { reasonWords } from "../../../src/base/words/reasons/en.ts";
import { say } from "../../../src/base/words/say.ts";
import { explainError, sentence } from "../../../src/discord/views/message.ts";

test("a value that the sentence shows as code is drawn as it is, but cannot end the code; any other is plain text", () => {
  const told = sentence("en", "E_AGENT_LOGIN", { tool: "my_*agent*", login: "/opt/a_b/c-d `x`\nlogin" });
  expect(told).toContain("my\\_\\*agent\\*");
  expect(told).toContain("Type `/opt/a_b/c-d ˋxˋ login` in a terminal there");
});

test("a reason that an agent gave is in quotation marks, and stays as it is", () => {
  const details = { tool: "acp", reason: theirWords("no {room} left.") };
  expect(sentence("en", "E_CLI_EXIT_NONZERO", details)).toMatch(/^acp stopped: “no \{room\} left”\. /);
  expect(sentence("ja", "E_CLI_EXIT_NONZERO", details)).toMatch(/^acp が停止しました: 「no \{room\} left」。/);
  expect(explainError("zh-TW", "E_USAGE_LIMIT", details).at(-1)).toBe("原因：「no {room} left」");
});

test("an errno is drawn as code, as its sentence has it", () => {
  expect(sentence("ko", "E_CONFIG_WRITE", { path: "/x", reason: theirWords("EACCES") })).toContain("(`EACCES`)");
});

/** What fills the braces of every reason. */
const values = {
  command: "x",
  exit_code: 9,
  signal: "SIGX",
  lines: 2,
  version: "2",
  ours: 1,
  seconds: 30,
  mode: "auto",
  close_code: 1006,
  address: "gateway",
  rights: "View Channel",
};

describe.each(["en", "ko", "ja", "zh-TW"] as const)("in %s", (locale) => {
  test("every reason of ours is a part of the sentence, or a line below it, in that language", () => {
    for (const because of Object.keys(reasonWords) as ReasonKey[]) {
      const ours = say(locale, because, values);
      expect(ours).not.toMatch(/[{}]/);
      expect(sentence(locale, "E_WORKTREE_FAILED", { path: "/w", because, ...values })).toContain(ours);
      expect(explainError(locale, "E_AGENT_START_FAILED", { because, ...values }).at(-1)).toBe(
        say(locale, "end_why", { reason: ours }),
      );
    }
  });

  test("an agent that did not start has its reason and the command that installs it", () => {
    const details = { tool: "acp", because: "why_version", version: "2", ours: 1 } as const;
    const lines = explainError(locale, "E_AGENT_START_FAILED", { ...details, install: "npm install x" });
    expect(lines).toEqual([
      expect.stringMatching(/ `E_AGENT_START_FAILED`$/),
      expect.stringContaining(say(locale, "why_version", details)),
      expect.stringMatching(/`npm install x`$/),
    ]);
    expect(explainError(locale, "E_AGENT_START_FAILED", { ...details, install: "-" })).toEqual(lines.slice(0, 2));
  });

  test("a reason of a later version is left out, and one in the words of an earlier version is quoted", () => {
    const later = { tool: "acp", because: "why_of_tomorrow" } as unknown as ErrorDetails;
    expect(explainError(locale, "E_AGENT_START_FAILED", later)).toHaveLength(1);
    const earlier = JSON.parse('{"tool":"acp","reason":"it exited with code 9","exit_code":9}') as ErrorDetails;
    expect(explainError(locale, "E_CLI_EXIT_NONZERO", earlier)).toEqual([
      expect.stringContaining(say(locale, "quoted", { words: "it exited with code 9" })),
    ]);
  });
});

test("a reason that the sentence says is not said again", () => {
  expect(explainError("en", "E_CLI_EXIT_NONZERO", { tool: "acp", because: "why_exit_code", exit_code: 9 })).toEqual([
    "acp stopped: it ended with exit code 9. Fix the cause, then press Retry. `E_CLI_EXIT_NONZERO`",
  ]);
});
