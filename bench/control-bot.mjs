/**
 * The least a bot can do for a job, as the floor of what a job costs the daemon: it writes the message to a file and
 * syncs it, reacts, starts the agent for it, one after the other in each thread, and sends its answer and a last
 * reaction. It keeps nothing else, shows nothing meanwhile, and knows no limits but that it waits when Discord says so.
 */
import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const { BELLHOP_DISCORD_API: api, CONTROL_TOKEN: token, CONTROL_OWNER: owner, CONTROL_JOURNAL: journal } = process.env;
const agent = new Agent({ keepAlive: true });
const file = await open(journal, "a", 0o600);
const last = new Map();

async function call(method, path, body) {
  for (;;) {
    const { status, json } = await ask(method, path, body);
    if (status < 300) return json;
    if (status !== 429) throw new Error(`${method} ${path}: ${status}`);
    await setTimeout(json.retry_after * 1_000);
  }
}

function ask(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bot ${token}`,
      "User-Agent": "DiscordBot (bellhop-bench, 1)",
      ...(body && { "Content-Type": "application/json" }),
    };
    const sent = request(`${api}/v10${path}`, { agent, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, json: text && JSON.parse(text) }));
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

function answerOf(prompt) {
  return new Promise((resolve) => {
    const child = spawn("claude", ["-p"], { stdio: ["pipe", "pipe", "ignore"] });
    let answer = "";
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = JSON.parse(line);
      if (said.type !== "result") return;
      answer = said.result;
      child.stdin.end();
    });
    child.once("exit", () => resolve(answer));
    child.stdin.write(
      `${JSON.stringify({ type: "user", message: { role: "user", content: [{ type: "text", text: prompt }] } })}\n`,
    );
  });
}

async function job({ id, channel_id, content }) {
  const react = (sign) =>
    call("PUT", `/channels/${channel_id}/messages/${id}/reactions/${encodeURIComponent(sign)}/@me`);
  await react("👀");
  await call("POST", `/channels/${channel_id}/messages`, { content: await answerOf(content) });
  await react("✅");
}

async function heard(message) {
  await file.write(`${JSON.stringify(message)}\n`);
  await file.datasync();
  const before = last.get(message.channel_id);
  last.set(
    message.channel_id,
    Promise.resolve(before).then(() => job(message)),
  );
}

const { url } = await call("GET", "/gateway/bot");
const socket = new WebSocket(`${url}/?v=10&encoding=json`);
let seq = null;
socket.addEventListener("message", ({ data }) => {
  const { op, t, d, s } = JSON.parse(data);
  seq = s ?? seq;
  const send = (payload) => socket.send(JSON.stringify(payload));
  if (op === 10) {
    setInterval(() => send({ op: 1, d: seq }), d.heartbeat_interval);
    // GUILDS, GUILD_MESSAGES and MESSAGE_CONTENT.
    send({
      op: 2,
      d: { token, intents: 1 | 512 | 32768, properties: { os: "linux", browser: "bench", device: "bench" } },
    });
  }
  if (t === "READY") console.log("ready");
  if (t === "MESSAGE_CREATE" && d.author.id === owner) void heard(d);
});
