/** How an error is told: its values as they are, and with what else is known of an agent that did not start. */
import { expect, test } from "vitest";
import { explained, sentence } from "../../../src/discord/views/error-sentence.ts";

test("a value that the sentence shows as code is drawn as it is, but cannot end the code; any other is plain text", () => {
  const told = sentence("en", "E_AGENT_LOGIN", { tool: "my_*agent*", login: "/opt/a_b/c-d `x`\nlogin" });
  expect(told).toContain("my\\_\\*agent\\*");
  expect(told).toContain("Type `/opt/a_b/c-d ˋxˋ login` in a terminal there");
});

test.each(["en", "ko", "ja", "zh-TW"] as const)("an agent that did not start has its reason and the command that installs it: %s", (locale) => {
  const reason = "it speaks version 2 of the protocol, not 1";
  const lines = explained(locale, "E_AGENT_START_FAILED", { tool: "acp", reason, install: "npm install x" });
  expect(lines).toEqual([expect.stringMatching(/ `E_AGENT_START_FAILED`$/), expect.stringContaining(reason), expect.stringMatching(/`npm install x`$/)]);
  expect(explained(locale, "E_AGENT_START_FAILED", { tool: "acp", reason, install: "-" })).toEqual(lines.slice(0, 2));
});

test("a reason that the sentence says is not said again", () => {
  expect(explained("en", "E_CLI_EXIT_NONZERO", { tool: "acp", reason: "it exited with code 9" })).toEqual([expect.stringContaining("it exited with code 9")]);
});
