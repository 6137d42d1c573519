/** No request that a bot sends to Discord, by whichever call, contains a secret. */
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { Redactor } from "../../../src/base/redact.ts";
import { openRest, type Rest } from "../../../src/discord/api/rest.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

const SECRET = "sk-ant-api03-0123456789abcdef";
const TEXT = `before ${SECRET} after`;
const CHANNEL = "100000000000000001";

const choices = { type: 8, data: { choices: [{ name: TEXT, value: TEXT }] } };
const modal = {
  type: 9,
  data: {
    custom_id: "m",
    title: TEXT,
    components: [{ type: 18, label: TEXT, component: { type: 4, custom_id: "w", style: 2, placeholder: TEXT } }],
  },
};
const message = {
  content: TEXT,
  embeds: [{ title: TEXT, description: TEXT, fields: [{ name: TEXT, value: TEXT }], footer: { text: TEXT } }],
  components: [{ type: 1, components: [{ type: 2, style: 1, label: TEXT, custom_id: "x" }] }],
};
const files = [{ name: `${SECRET}.md`, bytes: Buffer.concat([Buffer.from([0xff]), Buffer.from(TEXT)]) }];

/** Each way in which something leaves. */
const WAYS: Record<string, (rest: Rest) => Promise<unknown>> = {
  "a message": (rest) =>
    rest.call({ method: "POST", path: `/channels/${CHANNEL}/messages`, body: message, priority: "result" }),
  "an edit": (rest) =>
    rest.call({
      method: "PATCH",
      path: `/channels/${CHANNEL}/messages/${CHANNEL}`,
      body: message,
      priority: "cosmetic",
    }),
  "a message with files": (rest) =>
    rest.call({
      method: "POST",
      path: `/channels/${CHANNEL}/messages`,
      body: { ...message, attachments: [{ id: "0", filename: files[0]?.name }] },
      files,
      priority: "decision",
    }),
  "the name of a thread": (rest) =>
    rest.call({ method: "POST", path: `/channels/${CHANNEL}/threads`, body: { name: TEXT }, priority: "decision" }),
  "a command": (rest) =>
    rest.call({
      method: "PUT",
      path: `/applications/${CHANNEL}/guilds/${CHANNEL}/commands`,
      body: [{ name: "x", description: TEXT }],
      priority: "result",
    }),
  "choices for what is typed": (rest) =>
    rest.respond({ method: "POST", path: `/interactions/${CHANNEL}/token/callback`, body: choices }),
  "a window": (rest) => rest.respond({ method: "POST", path: `/interactions/${CHANNEL}/token/callback`, body: modal }),
  "an answer to a command": (rest) =>
    rest.respond({ method: "PATCH", path: `/webhooks/${CHANNEL}/token/messages/@original`, body: message, files }),
};

test.each(Object.keys(WAYS))("%s", async (way) => {
  const sent: string[] = [];
  const redactor = new Redactor([SECRET]);
  const rest = openRest({
    token: "Bot the-token-itself",
    api: "https://discord.test/api",
    clock: createFakeClock(),
    log: silentLog,
    redactor,
    random: () => 0.5,
    onUnauthorized: () => expect.unreachable(),
    async fetch(url, { body, headers }) {
      const parts =
        typeof body === "object" && body !== null
          ? await Promise.all(
              [...(await new Response(Buffer.concat(body), { headers }).formData()).values()].map(async (part) =>
                typeof part === "string"
                  ? part
                  : `${part.name} ${Buffer.from(await part.arrayBuffer()).toString("latin1")}`,
              ),
            )
          : [String(body)];
      sent.push([url, ...parts].join("\n"));
      expect(new Headers(headers).get("authorization") ?? "Bot the-token-itself").toBe("Bot the-token-itself");
      return new Response("{}", { status: 200, headers: { "content-type": "application/json" } });
    },
  });
  await WAYS[way]?.(rest);
  expect(sent).toHaveLength(1);
  expect(sent[0]).not.toContain(SECRET);
  expect(sent[0]).toContain("before [redacted] after");
  await rest.close();
});
