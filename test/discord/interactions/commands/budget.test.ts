/** `/budget` where an agent tells nothing, and in each language. */
import { expect, test } from "vitest";
import { locales } from "../../../../src/base/words/say.ts";
import { CommandScene, T1, today } from "../scene.ts";

const here = { channel: { id: T1, type: 11 } };

test("in a session of a Claude in a terminal it says that no budget counts it", async () => {
  const scene = await new CommandScene().withSession(1);
  const session = scene.engine.state.sessions[T1];
  if (session) session.tool = "tmux";
  expect(await scene.slash("budget", { limit: "5 USD" }, here)).toContain(
    "A Claude in a terminal tells neither costs nor tokens, so no budget counts it.",
  );
});

test("what is used beyond what is set is said, and what is taken away again", async () => {
  const scene = await new CommandScene().withSession(1);
  const amounts = { tokens: 1_200 };
  await scene.slash("budget", { limit: "5k tokens" }, here);
  await scene.engine.submit({ type: "progress", job_id: today(1), progress: { kind: "used", amounts } });
  expect(await scene.slash("budget", {}, here)).toBe("💰 This session: 1,200 tokens of 5,000 tokens (24%).");
  expect(await scene.slash("budget", { limit: "1000 tokens" }, here)).toContain("As much is used already");
  expect(await scene.slash("budget", { limit: "default" }, here)).toContain("config.json says again");
  expect(await scene.slash("budget", {}, here)).toContain("There is no budget");
});

test.each(locales)("in %s every brace is filled", async (locale) => {
  const scene = await new CommandScene().withSession(1);
  for (const limit of ["5 USD", "1k tokens", "off", "default", "0", "x"])
    expect(await scene.slash("budget", { limit }, { ...here, locale })).not.toMatch(/\{\w+[}|]/);
});
