/** Repeating: the prompt, the files that came with it, and what was said earlier in the session. */
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Act } from "../act.ts";

export const echo: Act = {
  name: "echo",
  description: "Repeats your words, and names the files you sent",
  hint: "TEXT",
  perform: ({ turn, rest, prompt }) => turn.say(`${rest}${filesText(prompt)}` || "There is nothing to repeat."),
};

/** For a prompt that names no act. */
export const parrot: Act = {
  name: "",
  description: "",
  perform: ({ turn, rest, prompt }) =>
    turn.stream(
      `You said: ${rest}${filesText(prompt)}\n\nI am a demo agent and only repeat this. Write \`help\` to see what else I can do.`,
    ),
};

export const history: Act = {
  name: "history",
  description: "Lists what you wrote in this session before",
  async perform({ turn, earlier }) {
    const yours = earlier.filter(({ by }) => by === "user");
    const lines = yours.map(({ text }, at) => `${at + 1}. ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`);
    await turn.say(
      lines.length === 0 ? "This is your first message in this session." : `You wrote before:\n${lines.join("\n")}`,
    );
  },
};

function filesText(prompt: readonly ContentBlock[]): string {
  const names = prompt.flatMap(nameOf);
  return names.length === 0 ? "" : `\n\nWith it came: ${names.join(", ")}`;
}

function nameOf(block: ContentBlock): string[] {
  switch (block.type) {
    case "image":
      return [`an image (${block.mimeType}, ${Buffer.from(block.data, "base64").length} bytes)`];
    case "audio":
      return [`a recording (${block.mimeType})`];
    case "resource_link":
      return [block.name];
    case "resource":
      return [block.resource.uri];
    case "text":
      return [];
  }
}
