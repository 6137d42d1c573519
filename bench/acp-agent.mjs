/**
 * The smallest agent that speaks ACP. To a prompt with "stream" its answer comes in 400 pieces, fifty a second, a
 * paragraph to ten of them; with "die" it is killed after half of them. To "words N" its answer comes in N words, one
 * every 1.5 seconds, each written down with its time when it leaves.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const note = (kind, more = "") =>
  appendFileSync(
    process.env.CLAUDE_CODE_BENCH_LOG,
    `${kind} ${(performance.timeOrigin + performance.now()) / 1000}${more}\n`,
  );
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const say = (text) =>
  send({
    method: "session/update",
    params: {
      sessionId: "bench",
      update: { sessionUpdate: "agent_message_chunk", messageId: "one", content: { type: "text", text } },
    },
  });

async function answer(prompt) {
  note("run");
  const [, words] = /words (\d+)/.exec(prompt) ?? [];
  for (let word = 1; word <= Number(words ?? 0); word += 1) {
    note("said", ` word-${word}.`);
    say(`word-${word}. `);
    await setTimeout(1_500);
  }
  for (let piece = 1; prompt.includes("stream") && piece <= 400; piece += 1) {
    say(`piece ${piece} of what I have to say, ${piece % 10 === 0 ? "and so on.\n\n" : ""}`);
    if (prompt.includes("die") && piece === 200) process.kill(process.pid, "SIGKILL");
    await setTimeout(20);
  }
  note("last");
}

const answers = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: "acp-demo-agent", version: "0.1.0" },
    agentCapabilities: { loadSession: true },
  }),
  "session/new": () => ({ sessionId: "bench" }),
  "session/load": () => ({}),
  async "session/prompt"({ prompt }) {
    await answer(prompt.map(({ text }) => text).join(""));
    return { stopReason: "end_turn" };
  },
};

if (process.argv.includes("--version")) {
  console.log("0.1.0");
} else {
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined) send({ id, result: await answers[method]?.(params) });
  });
}
