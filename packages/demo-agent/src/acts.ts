/**
 * What the agent can do, by the first word of a prompt. A prompt that begins with none of these words is echoed, with a
 * hint at the others.
 */
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { ask } from "./acts/ask.ts";
import { echo, history, parrot } from "./acts/echo.ts";
import { fail, stream, wait } from "./acts/pace.ts";
import { plan } from "./acts/plan.ts";
import { write } from "./acts/write.ts";
import type { Act } from "./act.ts";

const acts: readonly Act[] = [echo, stream, plan, ask, write, history, wait, fail];

const help: Act = {
  name: "help",
  description: "Says what this agent can do",
  async perform({ turn }) {
    const lines = commands.map(
      ({ name, hint, description }) => `- \`${[name, hint].filter(Boolean).join(" ")}\`: ${description}`,
    );
    await turn.say(`I am a demo agent. I use no model and no network.\n${lines.join("\n")}`);
  },
};

/** As the client may complete them. */
export const commands: readonly Pick<Act, "name" | "description" | "hint">[] = [...acts, help];

/** What a client tells an agent before its user's words: lines in brackets, each with an empty line after it. */
const NOTES = /^(?:\[[^\n]*\]\n\n)+/;

/** The act that a prompt asks for, and the prompt's text after its first word. */
export function actFor(prompt: readonly ContentBlock[]): { act: Act; rest: string; whole: string } {
  const whole = prompt
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")
    .replace(NOTES, "");
  const [, word = "", rest = ""] = /^\s*\/?(\w+)(?:\s+([^]*))?$/.exec(whole) ?? [];
  const act = [...acts, help].find(({ name }) => name === word.toLowerCase());
  return act ? { act, rest, whole } : { act: parrot, rest: whole, whole };
}
