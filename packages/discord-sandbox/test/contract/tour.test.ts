/**
 * A tour of everything the local Discord serves, under the eyes of Discord's own contract: each route it has is
 * asked rightly at least once, each event it can send a bot is heard, and nothing on the way differs from Discord.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditLogRoutes } from "../../src/rest/routes/audit-log.ts";
import { channelRoutes } from "../../src/rest/routes/channels.ts";
import { commandRoutes } from "../../src/rest/routes/commands.ts";
import { interactionRoutes } from "../../src/rest/routes/interactions.ts";
import { messageRoutes } from "../../src/rest/routes/messages.ts";
import { peopleRoutes } from "../../src/rest/routes/people.ts";
import { reactionRoutes } from "../../src/rest/routes/reactions.ts";
import { threadRoutes } from "../../src/rest/routes/threads.ts";
import { openScene, type Scene } from "../refusals/scene.ts";
import type { Answer, BareGateway, Heard } from "../wire.ts";
import { allIntents } from "../wire.ts";

let scene: Scene;
let gateway: BareGateway;
beforeAll(async () => {
  scene = await openScene({}, true);
  scene.sandbox.setBotPermissions(8n);
  gateway = await scene.gateway();
  await gateway.identify(scene.sandbox.botToken, allIntents);
  await gateway.event("GUILD_CREATE");
});
afterAll(() => scene.close());

/** Asks, and wants exactly this status back. */
async function want(
  status: number,
  method: string,
  path: string,
  body?: unknown,
  more?: Parameters<Scene["bot"]>[3],
): Promise<Answer> {
  gateway.send({ op: 1, d: null });
  const answer = await scene.bot(method, path, body, more);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(status);
  return answer;
}

const idOf = (answer: Answer): string => String(answer.body["id"]);
const messages = (channel = scene.channel): string => `/channels/${channel}/messages`;
const embed = {
  title: "t",
  description: "d",
  url: "https://example.com",
  color: 5,
  timestamp: "2026-08-01T10:00:00.000Z",
  footer: { text: "f", icon_url: "https://example.com/i.png" },
  image: { url: "https://example.com/i.png" },
  thumbnail: { url: "https://example.com/i.png" },
  author: { name: "a", url: "https://example.com" },
  fields: [{ name: "n", value: "v", inline: true }],
};
const buttons = [1, 2, 3, 4].map((style) => ({ type: 2, style, label: `style ${style}`, custom_id: `b${style}` }));
const link = { type: 2, style: 5, label: "go", url: "https://example.com", emoji: { name: "🔔" } };
const textSelect = {
  type: 3,
  custom_id: "text",
  placeholder: "choose",
  min_values: 0,
  max_values: 2,
  options: [
    { label: "A", value: "a", description: "d", default: true },
    { label: "B", value: "b" },
  ],
};
const selects = [5, 6, 7, 8].map((type) => ({ type: 1, components: [{ type, custom_id: `s${type}` }] }));
const layout = [
  {
    type: 17,
    accent_color: 5,
    components: [
      { type: 10, content: "# heading" },
      { type: 14, divider: true, spacing: 2 },
      {
        type: 9,
        components: [{ type: 10, content: "beside" }],
        accessory: { type: 2, style: 1, label: "x", custom_id: "acc" },
      },
      { type: 1, components: [{ ...textSelect, custom_id: "inner" }] },
    ],
  },
  { type: 12, items: [{ media: { url: "https://example.com/i.png" }, description: "d" }] },
  {
    type: 9,
    components: [{ type: 10, content: "beside" }],
    accessory: { type: 11, media: { url: "https://example.com/i.png" } },
  },
];

describe("everything passes the judge:", () => {
  test("people, guild, application, gateway", async () => {
    for (const path of [
      "/users/@me",
      "/users/@me/guilds?with_counts=true",
      `/users/${scene.sandbox.owner.id}`,
      "/applications/@me",
      "/oauth2/applications/@me",
      "/gateway",
      "/gateway/bot",
    ])
      await want(200, "GET", path);
    for (const path of [
      "",
      "?with_counts=true",
      "/roles",
      "/members?limit=10",
      `/members/${scene.sandbox.owner.id}`,
      "/channels",
    ])
      await want(200, "GET", `/guilds/${scene.guild}${path}`);
  });

  test("messages, of every kind it stores", async () => {
    const plain = idOf(
      await want(200, "POST", messages(), {
        content: "plain <@1>",
        nonce: "n1",
        enforce_nonce: true,
        allowed_mentions: { parse: [] },
      }),
    );
    await want(200, "POST", messages(), { content: "a reply", message_reference: { message_id: plain } });
    await want(200, "POST", messages(), { embeds: [embed], flags: 1 << 12 });
    const rich = await want(200, "POST", messages(), {
      content: "rich",
      components: [
        { type: 1, components: [...buttons, link] },
        { type: 1, components: [textSelect] },
      ],
    });
    await want(200, "POST", messages(), { content: "selects", components: selects });
    await want(200, "POST", messages(), { flags: 1 << 15, components: layout });
    await want(200, "PATCH", `${messages()}/${plain}`, { content: "edited", embeds: [embed] });
    await want(200, "PATCH", `${messages()}/${idOf(rich)}`, { components: [] });
    await want(200, "GET", `${messages()}?limit=50`);
    await want(200, "GET", `${messages()}?around=${plain}&limit=3`);
    await want(200, "GET", `${messages()}/${plain}`);
    await want(204, "DELETE", `${messages()}/${plain}`);
    const doomed = [await scene.message("one"), await scene.message("two")];
    await want(204, "POST", `${messages()}/bulk-delete`, { messages: doomed });
    await gateway.event("MESSAGE_DELETE_BULK");
  });

  test("files", async () => {
    const files = [
      { name: "a.txt", bytes: "text" },
      { name: "i.png", bytes: "image" },
    ];
    const sent = await want(
      200,
      "POST",
      messages(),
      { content: "files", attachments: [{ id: "0", description: "d" }] },
      { files },
    );
    const [first] = sent.body["attachments"] as { id: string }[];
    await want(
      200,
      "PATCH",
      `${messages()}/${idOf(sent)}`,
      { attachments: [{ id: first?.id }, { id: "0" }] },
      { files: [{ name: "b.txt", bytes: "more" }] },
    );
    await want(
      200,
      "POST",
      messages(),
      { flags: 1 << 15, components: [{ type: 13, file: { url: "attachment://a.txt" } }] },
      { files: [{ name: "a.txt", bytes: "x" }] },
    );
  });

  test("pins, reactions, typing", async () => {
    const message = await scene.message();
    const pin = `${messages()}/pins/${message}`;
    const [thumb, bell] = ["👍", "🔔"].map(
      (emoji) => `${messages()}/${message}/reactions/${encodeURIComponent(emoji)}`,
    );
    await want(204, "PUT", pin);
    await want(200, "GET", `${messages()}/pins?limit=5`);
    await want(204, "DELETE", pin);
    for (const path of [thumb, bell]) await want(204, "PUT", `${path}/@me`);
    await want(200, "GET", `${thumb}?limit=10`);
    await want(200, "GET", `${messages()}/${message}`);
    await want(204, "DELETE", `${thumb}/@me`);
    const person = scene.sandbox.channel(scene.channel).user(scene.sandbox.owner.id);
    await person.react(message, "👍");
    await person.typing();
    await want(204, "DELETE", `${thumb}/${scene.sandbox.owner.id}`);
    await want(204, "DELETE", bell ?? "");
    await want(204, "DELETE", `${messages()}/${message}/reactions`);
    await want(204, "POST", `/channels/${scene.channel}/typing`);
    for (const event of [
      "CHANNEL_PINS_UPDATE",
      "MESSAGE_REACTION_ADD",
      "MESSAGE_REACTION_REMOVE",
      "MESSAGE_REACTION_REMOVE_ALL",
      "MESSAGE_REACTION_REMOVE_EMOJI",
      "TYPING_START",
    ])
      await gateway.event(event);
  });

  test("channels", async () => {
    const channel = idOf(
      await want(201, "POST", `/guilds/${scene.guild}/channels`, { name: "made", type: 0, topic: "t" }),
    );
    await want(200, "GET", `/channels/${channel}`);
    await want(200, "PATCH", `/channels/${channel}`, { name: "renamed", topic: "u" });
    const overwrite = `/channels/${channel}/permissions/${scene.guild}`;
    await want(204, "PUT", overwrite, { type: 0, allow: "0", deny: "2048" });
    await want(204, "DELETE", overwrite);
    await want(200, "DELETE", `/channels/${channel}`);
    const direct = idOf(await want(200, "POST", "/users/@me/channels", { recipient_id: scene.sandbox.owner.id }));
    await want(200, "POST", messages(direct), { content: "in private" });
    await want(200, "GET", `/channels/${direct}`);
    await scene.sandbox.channel(direct).user(scene.sandbox.owner.id).send("and back");
    for (const event of ["CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE"]) await gateway.event(event);
  });

  test("threads", async () => {
    const from = await scene.message();
    const hung = idOf(
      await want(201, "POST", `${messages()}/${from}/threads`, { name: "from a message", auto_archive_duration: 60 }),
    );
    const thread = idOf(await want(201, "POST", `/channels/${scene.channel}/threads`, { name: "alone", type: 11 }));
    const secret = idOf(
      await want(201, "POST", `/channels/${scene.channel}/threads`, { name: "private", type: 12, invitable: false }),
    );
    const members = `/channels/${thread}/thread-members`;
    await want(200, "POST", messages(thread), { content: "in it" });
    await want(200, "GET", messages(hung));
    await want(204, "PUT", `${members}/${scene.sandbox.owner.id}`);
    await want(200, "GET", `${members}?with_member=true`);
    await want(200, "GET", `${members}/${scene.sandbox.owner.id}`);
    await want(200, "GET", `/guilds/${scene.guild}/threads/active`);
    await want(204, "DELETE", `${members}/${scene.sandbox.owner.id}`);
    await want(204, "DELETE", `${members}/@me`);
    await want(204, "PUT", `${members}/@me`);
    for (const id of [thread, secret]) await want(200, "PATCH", `/channels/${id}`, { archived: true, locked: true });
    await want(200, "GET", `/channels/${scene.channel}/threads/archived/public?limit=10`);
    const log = await want(200, "GET", `/guilds/${scene.guild}/audit-logs?action_type=111&limit=5`);
    expect(log.body["audit_log_entries"]).toHaveLength(2);
    await want(200, "GET", `/channels/${scene.channel}/threads/archived/private?limit=10`);
    await want(200, "PATCH", `/channels/${thread}`, { archived: false, locked: false });
    await want(200, "DELETE", `/channels/${hung}`);
    await want(200, "GET", `${messages()}/${from}`);
    for (const event of ["THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "THREAD_MEMBERS_UPDATE"])
      await gateway.event(event);
  });

  test("forums", async () => {
    const made = await want(201, "POST", `/guilds/${scene.guild}/channels`, {
      name: "ideas",
      type: 15,
      available_tags: [{ name: "waiting" }, { name: "done", moderated: true, emoji_name: "✅" }],
    });
    const [forum, tags] = [idOf(made), made.body["available_tags"] as { id: string; name: string }[]];
    await want(200, "PATCH", `/channels/${forum}`, { available_tags: tags, flags: 16 });
    const post = await want(201, "POST", `/channels/${forum}/threads`, {
      name: "a post",
      message: { content: "its first words", embeds: [embed] },
      applied_tags: [tags[0]?.id],
    });
    await want(200, "GET", messages(idOf(post)));
    await want(200, "GET", messages(forum));
    await want(200, "PATCH", `/channels/${idOf(post)}`, { applied_tags: tags.map(({ id }) => id) });
    await want(200, "GET", `/channels/${forum}`);
    await want(200, "GET", `/guilds/${scene.guild}/threads/active`);
    const { id } = await scene.sandbox
      .channel(forum)
      .user(scene.sandbox.owner.id)
      .createPost("a person's", "words", { tags: [tags[1]?.id ?? ""] });
    await gateway.hear(({ t, d }) => t === "MESSAGE_CREATE" && d["id"] === id && d["channel_id"] === id);
    await want(200, "PATCH", `/channels/${id}`, { archived: true });
    await want(200, "GET", `/channels/${forum}/threads/archived/public`);
    await want(200, "DELETE", `/channels/${forum}`);
  });

  test("commands", async () => {
    for (const scope of [
      `/applications/${scene.sandbox.applicationId}/commands`,
      `/applications/${scene.sandbox.applicationId}/guilds/${scene.guild}/commands`,
    ]) {
      const made = await want(201, "POST", scope, {
        name: "made",
        type: 1,
        description: "d",
        name_localizations: { ko: "만들기" },
        default_member_permissions: "8",
      });
      await want(200, "PATCH", `${scope}/${idOf(made)}`, { description: "e" });
      await want(200, "GET", `${scope}/${idOf(made)}`);
      await want(200, "GET", `${scope}?with_localizations=true`);
      await want(204, "DELETE", `${scope}/${idOf(made)}`);
      await want(200, "PUT", scope, scope.includes("guilds") ? commands : []);
    }
  });

  test("commands used, completed, answered, followed up", async () => {
    const slash = await use((person) =>
      person.slash("group one", { text: "x", count: 3, who: scene.sandbox.owner.id, where: scene.channel }),
    );
    await slash.answer({ type: 5 });
    await slash.hook(200, "PATCH", "/messages/@original", { content: "done" });
    await slash.hook(200, "GET", "/messages/@original");
    const follow = idOf(await slash.hook(200, "POST", "?wait=true", { content: "more", flags: 64 }));
    await slash.hook(200, "PATCH", `/messages/${follow}`, { content: "less" });
    await slash.hook(200, "GET", `/messages/${follow}`);
    await slash.hook(204, "DELETE", `/messages/${follow}`);
    await slash.hook(204, "DELETE", "/messages/@original");
    const completed = await use((person) => void person.autocomplete("group one", "text", "y"));
    await completed.answer({ type: 8, data: { choices: [{ name: "yes", value: "y" }] } });
  });

  test("components pressed, chosen, shown again", async () => {
    const asked = await use((person) => person.slash("group one", { text: "x" }));
    const made = await asked.answer(
      {
        type: 4,
        data: {
          content: "choose",
          components: [{ type: 1, components: buttons }, { type: 1, components: [textSelect] }, ...selects.slice(0, 1)],
        },
      },
      200,
      "?with_response=true",
    );
    const message = String((made.body["resource"] as { message: { id: string } }).message.id);
    const pressed = await use((person) => person.clickButton(message, "b1"));
    await pressed.answer({ type: 6 });
    await pressed.hook(200, "PATCH", "/messages/@original", { content: "pressed" });
    const chosen = await use((person) => person.select(message, "text", ["b"]));
    await chosen.answer({ type: 7, data: { content: "chosen" } });
    const picked = await use((person) => person.select(message, "s5", [scene.sandbox.owner.id]));
    await picked.answer({ type: 4, data: { content: "picked", flags: 64 } }, 200, "?with_response=true");
  });

  test("modals opened and sent", async () => {
    const person = scene.sandbox.channel(scene.channel).user(scene.sandbox.owner.id);
    const inputs = [
      { type: 18, label: "Why", component: { type: 4, custom_id: "why", style: 2, required: true, max_length: 100 } },
      { type: 18, label: "Which", component: { type: 3, custom_id: "which", options: [{ label: "A", value: "a" }] } },
      {
        type: 18,
        label: "One",
        component: {
          type: 21,
          custom_id: "one",
          options: [
            { label: "A", value: "a" },
            { label: "B", value: "b" },
          ],
        },
      },
      {
        type: 18,
        label: "Some",
        component: {
          type: 22,
          custom_id: "some",
          options: [
            { label: "A", value: "a" },
            { label: "B", value: "b" },
          ],
        },
      },
    ];
    const before = interactionsHeard().length;
    const opening = person.slash("group one", { text: "x" });
    const opener = await heardAfter(before);
    await callback(opener, { type: 9, data: { custom_id: "m", title: "T", components: inputs } }, 204);
    const handle = await opening;
    const sent = await use(() =>
      person.submitModal(handle, { why: "because", which: ["a"], one: "b", some: ["a", "b"] }),
    );
    await sent.answer({ type: 4, data: { content: "thanks" } });
    await gateway.hear(({ d }) => d?.["content"] === "thanks");
  });

  test("every route the server has was asked", () => {
    const served = [
      auditLogRoutes,
      channelRoutes,
      commandRoutes,
      interactionRoutes,
      messageRoutes,
      peopleRoutes,
      reactionRoutes,
      threadRoutes,
    ].flat();
    const asked = new Set(
      scene.sandbox.requests.filter(({ auth }) => auth !== "user").map(({ operationId }) => operationId),
    );
    const missed = served.map(({ operationId }) => operationId).filter((id) => id !== null && !asked.has(id));
    expect(missed).toEqual([]);
  });
});

const commands = [
  { name: "Look at this", type: 3 },
  {
    name: "group",
    type: 1,
    description: "d",
    options: [
      {
        type: 1,
        name: "one",
        description: "d",
        options: [
          { type: 3, name: "text", description: "d", required: true, autocomplete: true },
          { type: 4, name: "count", description: "d", min_value: 1 },
          { type: 6, name: "who", description: "d" },
          { type: 7, name: "where", description: "d" },
        ],
      },
    ],
  },
];

type Person = ReturnType<ReturnType<Scene["sandbox"]["channel"]>["user"]>;

function interactionsHeard(): Heard[] {
  return gateway.heard.filter(({ t }) => t === "INTERACTION_CREATE");
}

/** The interaction the bot hears after so many. */
async function heardAfter(count: number): Promise<Heard> {
  const heard = await gateway.hear(
    ({ t, s }) => t === "INTERACTION_CREATE" && interactionsHeard().findIndex((one) => one.s === s) >= count,
  );
  return heard;
}

async function callback({ d }: Heard, body: unknown, status: number, query = ""): Promise<Answer> {
  const answer = await scene.open(
    "POST",
    `/interactions/${String(d["id"])}/${String(d["token"])}/callback${query}`,
    body,
  );
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer;
}

/** What a person does, and what the bot can then do about it. */
async function use(act: (person: Person) => unknown) {
  const count = interactionsHeard().length;
  const acting = act(scene.sandbox.channel(scene.channel).user(scene.sandbox.owner.id));
  const heard = await heardAfter(count);
  await acting;
  return {
    answer: (body: unknown, status = 204, query = "") => callback(heard, body, status, query),
    async hook(status: number, method: string, path: string, body?: unknown): Promise<Answer> {
      scene.clock.advance(6000);
      const answer = await scene.open(
        method,
        `/webhooks/${scene.sandbox.applicationId}/${String(heard.d["token"])}${path}`,
        body,
      );
      expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(status);
      return answer;
    },
  };
}
