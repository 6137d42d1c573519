/**
 * A small server of tools for agents, over stdio. Its tool `elicit` asks the user what the call names, a form or a page
 * of `forms.mjs`, and answers with what it was told.
 */
import { createInterface } from "node:readline";
import { forms } from "./agents/forms.mjs";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map();
let count = 0;

function elicit(name) {
  const id = `e${(count += 1)}`;
  send({ id, method: "elicitation/create", params: forms[name] });
  return new Promise((resolve) => void waiting.set(id, resolve));
}

const tool = {
  name: "elicit",
  description: "Asks the user.",
  inputSchema: { type: "object", properties: { form: { type: "string" } }, required: ["form"] },
};

const requests = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shop", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": async ({ arguments: { form } }) => ({
    content: [{ type: "text", text: JSON.stringify(await elicit(form)) }],
  }),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { error });
  if (id === undefined) return;
  const answer = await requests[method]?.(params);
  send(answer === undefined ? { id, error: { code: -32_601, message: `no ${method}` } } : { id, result: answer });
});
