/** Commands in what we say are Discord's mentions of them, and nothing in an agent's text is. */
import { expect, test } from "vitest";
import { withCommands } from "../../../src/discord/views/command-mentions.ts";
import { agentBody, systemBody } from "../../../src/discord/views/message.ts";

const ids = new Map([
  ["queue", "7"],
  ["agent model", "8"],
]);

test("a command of ours that stands as code is a mention, in the text and in what the embed says", () => {
  const body = {
    ...systemBody({ title: "`/queue`", description: "See `/agent model`." }),
    content: "`/queue` shows it",
  };
  expect(withCommands(body, ids)).toMatchObject({
    content: "</queue:7> shows it",
    embeds: [{ title: "`/queue`", description: "See </agent model:8>." }],
  });
});

test.each(["`/agent`", "`/queue now`", "`/etc`", "/queue", "`x /queue`", "``/queue"])("%s is none", (content) => {
  expect(withCommands({ content, embeds: [] }, ids).content).toBe(content);
});

test("an agent's text stays as it is, and so does all where no id is known", () => {
  expect(withCommands(agentBody("try `/queue`"), ids).content).toBe("try `/queue`");
  expect(withCommands(systemBody({ description: "`/queue`" }), new Map()).embeds).toEqual([
    { description: "`/queue`" },
  ]);
});
