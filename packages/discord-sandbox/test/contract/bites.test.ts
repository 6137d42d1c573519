/**
 * The judge itself is judged: each kind of wrong must be reported, at its place, and nothing that is right may be.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { contract, type WatchedExchange } from "./contract.ts";
import { readDescription } from "./description.ts";
import {
  answered,
  button,
  choice,
  command,
  commands,
  eventMessage,
  exchange,
  heard,
  honest,
  message,
  row,
  sent,
  thread,
} from "./honest.ts";

const described = readDescription() !== undefined;

function breachesOf(...exchanges: WatchedExchange[]): string[] {
  const judge = contract();
  for (const each of exchanges) judge.observe.exchange(each);
  return judge.breaches;
}

const long = (length: number): string => "x".repeat(length);
const embed = (length: number): Record<string, unknown> => ({ description: long(length) });
const option = (name: string, more = {}): Record<string, unknown> => ({ type: 3, name, description: "d", ...more });
const modal = (...components: unknown[]): WatchedExchange =>
  answered({ type: 9, data: { custom_id: "m", title: "T", components } });
const label = (component: unknown): Record<string, unknown> => ({ type: 18, label: "L", component });
const text = (custom_id: string): Record<string, unknown> => label({ type: 4, custom_id, style: 1 });
const { edited_timestamp: _edited, ...lacking } = message;

/** Wrongs the documentation names: judged with and without the OpenAPI description. */
const documented: [law: string, wrong: WatchedExchange, at: RegExp][] = [
  [
    "content over 2000 characters",
    sent({ content: long(2001) }),
    /\/content: found 2001 characters; expected at most 2000/,
  ],
  ["embeds over 6000 characters together", sent({ embeds: [embed(3001), embed(3000)] }), /\/embeds: found 6001/],
  ["a message that says nothing", sent({ content: "  " }), /says something/],
  ["a nonce over 25 characters", sent({ content: "x", nonce: long(26) }), /\/nonce: found 26/],
  ["enforce_nonce without a nonce", sent({ content: "x", enforce_nonce: true }), /\/nonce: found nothing/],
  ["an ephemeral flag outside an interaction", sent({ content: "x", flags: 64 }), /\/flags: found 64/],
  [
    "a mention both parsed and listed",
    sent({ content: "x", allowed_mentions: { parse: ["users"], users: ["1"] } }),
    /\/allowed_mentions\/users/,
  ],
  ["a custom_id used twice", sent(row(button, button)), /\/components\/0\/components\/1\/custom_id: found "yes"/],
  ["a button without a custom_id", sent(row({ type: 2, style: 1, label: "x" })), /\/custom_id: found nothing/],
  [
    "a link button with a custom_id",
    sent(row({ type: 2, style: 5, label: "x", url: "https://example.com", custom_id: "c" })),
    /\/custom_id: found "c"/,
  ],
  ["a button that shows nothing", sent(row({ type: 2, style: 1, custom_id: "c" })), /a label or an emoji/],
  ["a row of buttons and a select", sent(row(button, { type: 5, custom_id: "s" })), /one other component alone/],
  [
    "six rows",
    sent({
      components: Array.from({ length: 6 }, (_, n) => ({ type: 1, components: [{ ...button, custom_id: `b${n}` }] })),
    }),
    /6 rows/,
  ],
  [
    "a select that wants more than it has",
    sent(row({ type: 3, custom_id: "s", max_values: 2, options: [choice("a")] })),
    /\/max_values: found 2/,
  ],
  [
    "a select with one value twice",
    sent(row({ type: 3, custom_id: "s", options: [choice("a"), choice("a")] })),
    /every value once/,
  ],
  [
    "components v2 without their flag",
    sent({ components: [{ type: 10, content: "x" }] }),
    /\/components\/0\/type: found 10/,
  ],
  [
    "components v2 beside content",
    sent({ content: "x", flags: 1 << 15, components: [{ type: 10, content: "x" }] }),
    /\/content: found "x"/,
  ],
  [
    "text displays over 4000 together",
    sent({
      flags: 1 << 15,
      components: [
        { type: 10, content: long(2500) },
        { type: 10, content: long(1501) },
      ],
    }),
    /4001 characters/,
  ],
  ["an attachment without its file", sent({ content: "x", attachments: [{ id: "0" }] }), /\/attachments\/0\/id/],
  [
    "a file in a field of another name",
    sent({ content: "x" }, { files: [{ field: "file", name: "a", size: 1 }] }),
    /files\[0\] to files\[9\]/,
  ],
  [
    "a voice message with text",
    sent(
      { content: "x", flags: 1 << 13, attachments: [{ id: "0", duration_secs: 1, waveform: "AA==" }] },
      { files: [{ field: "files[0]", name: "v.ogg", size: 1 }] },
    ),
    /50159/,
  ],
  [
    "a poll's answer over 55 characters",
    sent({ poll: { question: { text: "q" }, answers: [{ poll_media: { text: long(56) } }] } }),
    /\/poll\/answers\/0\/poll_media\/text: found 56/,
  ],
  ["a modal of six", modal(...["a", "b", "c", "d", "e", "f"].map(text)), /6 components; expected 1 to 5/],
  ["a modal's custom_id used twice", modal(text("a"), text("a")), /\/components\/1\/component\/custom_id/],
  [
    "a choice without a name",
    answered({ type: 8, data: { choices: [{ name: "", value: "v" }] } }),
    /\/data\/choices\/0\/name/,
  ],
  [
    "a choice's value over 100",
    answered({ type: 8, data: { choices: [{ name: "n", value: long(101) }] } }),
    /\/data\/choices\/0\/value: found 101/,
  ],
  ["a command's name in capitals", commands([{ ...command, name: "Start" }]), /\/0\/name: found "Start"/],
  [
    "a command's name with a space",
    commands([{ ...command, name_localizations: { ko: "시작 하기" } }]),
    /\/0\/name_localizations\/ko/,
  ],
  ["a chat command without a description", commands([{ name: "start", type: 1 }]), /\/0\/description/],
  ["a user command with one", commands([{ name: "Look", type: 2, description: "d" }]), /no description/],
  ["a command twice", commands([command, command]), /every name once/],
  [
    "sixteen message commands",
    commands(Array.from({ length: 16 }, (_, n) => ({ name: `m${n}`, type: 3 }))),
    /at most 15/,
  ],
  ["an option twice", commands([{ ...command, options: [option("a"), option("a")] }]), /every option's name once/],
  [
    "a required option after another",
    commands([{ ...command, options: [option("a"), option("b", { required: true })] }]),
    /required options before/,
  ],
  [
    "choices beside autocomplete",
    commands([{ ...command, options: [option("a", { autocomplete: true, choices: [{ name: "n", value: "v" }] })] }]),
    /none, since it autocompletes/,
  ],
  [
    "a subcommand beside an option",
    commands([{ ...command, options: [option("a"), { type: 1, name: "sub", description: "d" }] }]),
    /subcommands only, or none/,
  ],
  [
    "a command of more than 8000 characters",
    commands([
      { ...command, options: [option("a", { choices: [1, 2].map((n) => ({ name: `n${n}`, value: long(4000) })) })] },
    ]),
    /at most 8000/,
  ],
  [
    "a bulk delete of one",
    exchange({ path: "/api/v10/channels/1/messages/bulk-delete", requestBody: { messages: ["1"] }, status: 204 }),
    /2 to 100/,
  ],
];

/** Wrongs only the OpenAPI description can tell. */
const schematic: [law: string, wrong: WatchedExchange, at: RegExp][] = [
  [
    "an attachment numbered by a number",
    sent({ attachments: [{ id: 0, filename: "a.txt" }] }, { files: [{ field: "files[0]", name: "a.txt", size: 3 }] }),
    /\/attachments\/0\/id: found 0/,
  ],
  [
    "a message's id as a number",
    sent({ content: "x", message_reference: { message_id: 1 } }),
    /\/message_reference\/message_id: found 1/,
  ],
  [
    "permissions as a number",
    commands([{ ...command, default_member_permissions: 8 }]),
    /\/0\/default_member_permissions: found 8/,
  ],
  [
    "a typing error in a field's name",
    sent({ content: "x", embed: [] }),
    /\/embed: found \[\]; expected no such field/,
  ],
  [
    "a typing error deep in a component",
    sent(row({ ...button, lable: "x" })),
    /\/components\/0\/components\/0\/lable: found "x"/,
  ],
  ["a field of the wrong type", sent({ content: 5 }), /\/content: found 5; expected type string, null/],
  [
    "an unknown kind of component",
    sent({ components: [{ type: 99 }] }),
    /\/components\/0\/type: found 99; expected one of/,
  ],
  ["an unknown style of button", sent(row({ ...button, style: 9 })), /\/style: found 9; expected one of 1, 2, 3/],
  [
    "an embed's title over 256",
    sent({ embeds: [{ title: long(257) }] }),
    /\/embeds\/0\/title: found 257 characters; expected at most 256/,
  ],
  ["a snowflake that is none", sent({ content: "x", sticker_ids: ["12a"] }), /\/sticker_ids\/0: found "12a"/],
  [
    "a wrong word in the query",
    exchange({ method: "GET", query: { limits: "5" }, responseBody: [] }),
    /limits: found "5"; expected no such parameter/,
  ],
  ["a limit over 100", exchange({ method: "GET", query: { limit: "101" }, responseBody: [] }), /limit: found "101"/],
  [
    "a channel id that is a name",
    exchange({ path: "/api/v10/channels/general/messages", requestBody: { content: "x" }, responseBody: message }),
    /path\.channel_id: found "general"/,
  ],
  [
    "a body where there is none",
    exchange({ method: "DELETE", path: "/api/v10/channels/1/messages/2", requestBody: { a: 1 }, status: 204 }),
    /no body/,
  ],
  ["no body where there is one", exchange({ responseBody: message }), /expected a body/],
  ["a route Discord does not have", exchange({ path: "/api/v10/channels/1/mesages" }), /an operation of Discord's API/],
  [
    "a thread answered with 200",
    exchange({ path: "/api/v10/channels/1/threads", requestBody: { name: "t" }, responseBody: thread }),
    /answer of the server.*\(status\): found 200; expected one of 201/,
  ],
  [
    "an answer that lacks a field",
    sent({ content: "x" }, { responseBody: lacking }),
    /answer of the server.*\/edited_timestamp: found nothing/,
  ],
  [
    "an answer that lacks a field deep in it",
    sent({ content: "x" }, { responseBody: { ...message, author: { id: "1" } } }),
    /\/author\/username: found nothing/,
  ],
  [
    "a body with 204",
    exchange({ method: "DELETE", path: "/api/v10/channels/1/messages/2", status: 204, responseBody: {} }),
    /an empty body with 204/,
  ],
  [
    "an error without a code",
    exchange({ requestBody: { content: "x" }, status: 404, responseBody: { message: "no" } }),
    /\/code: found nothing/,
  ],
  [
    "a number as the code of a form's error",
    exchange({
      requestBody: { content: "x" },
      status: 400,
      responseBody: {
        code: 50035,
        message: "Invalid Form Body",
        errors: { content: { _errors: [{ code: 5, message: "m" }] } },
      },
    }),
    /\/errors\/content\/_errors/,
  ],
  [
    "a 429 that does not say how long",
    exchange({ requestBody: { content: "x" }, status: 429, responseBody: { message: "slow", global: false } }),
    /\/retry_after: found nothing/,
  ],
  [
    "an operation called by another's name",
    sent({ content: "x" }, { operationId: "update_message" }),
    /\(operation\): found "update_message"; expected create_message/,
  ],
];

describe("an honest exchange is no breach", () => {
  test.each(honest.map((each) => [`${each.method} ${each.path} → ${each.status}`, each] as const))(
    "%s",
    (_name, each) => {
      expect(breachesOf(each)).toEqual([]);
    },
  );
});

describe("what the documentation forbids is reported", () => {
  test.each(documented)("%s", (_law, wrong, at) => {
    expect(breachesOf(wrong).join("\n")).toMatch(at);
  });
});

describe.skipIf(!described)("what Discord's own description forbids is reported", () => {
  test.each(schematic)("%s", (_law, wrong, at) => {
    expect(breachesOf(wrong).join("\n")).toMatch(at);
  });

  test("one wrong field in a union is one line, not one for every form", () => {
    const lines = breachesOf(sent(row({ ...button, style: "big" })));
    expect(lines.filter((line) => line.includes("/style: found"))).toHaveLength(1);
  });

  test("a literal segment wins over a variable one", () => {
    const pins = exchange({
      method: "GET",
      path: "/api/v10/channels/1/messages/pins",
      responseBody: { items: [], has_more: false },
    });
    const original = exchange({
      method: "DELETE",
      path: "/api/v10/webhooks/1/token/messages/@original",
      status: 204,
      auth: "interaction",
    });
    expect(breachesOf(pins, original)).toEqual([]);
  });
});

describe("what the published types forbid is reported", () => {
  const said = (payload: Partial<(typeof heard)[number]>): string => {
    const judge = contract();
    judge.observe.dispatch({ op: 0, t: "MESSAGE_CREATE", s: 1, to: "bot", d: eventMessage({}), ...payload });
    return judge.breaches.join("\n");
  };

  test("nothing, of what is right", () => {
    const judge = contract();
    for (const payload of heard) judge.observe.dispatch(payload);
    expect(judge.breaches).toEqual([]);
  });

  test.each([
    [
      "a field that is missing",
      { d: eventMessage({ content: undefined }) },
      /MESSAGE_CREATE: \/d\/content: found nothing/,
    ],
    ["a field no type knows", { d: eventMessage({ emebds: [] }) }, /\/d\/emebds: found \[\]; expected no such field/],
    ["a time that is none", { d: eventMessage({ timestamp: "yesterday" }) }, /\/d\/timestamp: found "yesterday"/],
    ["a snowflake that is a number", { d: eventMessage({ id: 5 }) }, /\/d\/id: found 5/],
    ["an event nobody knows", { t: "MESSAGE_MADE" }, /\/t: found "MESSAGE_MADE"/],
    ["an event without a number", { s: null }, /\/s: found null/],
    ["an op a gateway does not send", { op: 2, t: null, s: null, d: {} }, /\/op: found 2/],
    ["a hello without a beat", { op: 10, t: null, s: null, d: {} }, /heartbeat_interval: found nothing/],
  ] as const)("%s", (_law, payload, at) => {
    expect(said(payload)).toMatch(at);
  });

  test("a sum of flags is a set of flags", () => {
    expect(said({ d: eventMessage({ flags: 68 }) })).toBe("");
  });
});

describe("the judge", () => {
  test("a wrong request that was refused is no breach where refusals are meant", () => {
    const judge = contract({ refusals: true });
    judge.observe.exchange(
      sent({ content: long(2001) }, { status: 400, responseBody: { code: 50035, message: "Invalid Form Body" } }),
    );
    expect(judge.breaches).toEqual([]);
    judge.observe.exchange(sent({ content: long(2001) }));
    expect(judge.breaches.join()).toMatch(/not refused \(200\)/);
  });

  test("what is changed after it passed is judged as it passed", () => {
    const judge = contract();
    const body = { content: "x" };
    judge.observe.exchange(sent(body));
    body.content = long(2001);
    expect(judge.breaches).toEqual([]);
  });

  test("the same breach many times is one line that says how often", () => {
    const lines = breachesOf(...[1, 2, 3].map(() => sent({ content: long(2001) })));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/\(3 times\)$/);
  });

  test("a breach ends the test that asks for a clean one", () => {
    const judge = contract();
    expect(() => judge.assertClean()).not.toThrow();
    judge.observe.exchange(sent({ content: long(2001) }));
    expect(() => judge.assertClean()).toThrow(/contract was broken.*\n.*create_message/);
  });
});

describe("where Discord's description is missing", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  test("the run says so and continues", () => {
    const said: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((line) => said.push(String(line)) > 0);
    vi.stubEnv("DISCORD_OPENAPI", "/nowhere/discord.json");
    vi.stubEnv("BELLHOP_TEST_ALL", "");
    expect(readDescription()).toBeUndefined();
    expect(said.join()).toMatch(/^SKIPPED: .*\/nowhere\/discord\.json; set DISCORD_OPENAPI/);
  });

  test("the full run does not", () => {
    vi.stubEnv("DISCORD_OPENAPI", "/nowhere/discord.json");
    vi.stubEnv("BELLHOP_TEST_ALL", "1");
    expect(() => readDescription()).toThrow(/set DISCORD_OPENAPI/);
  });
});
