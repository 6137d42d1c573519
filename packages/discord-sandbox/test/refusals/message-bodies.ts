/**
 * Wrong message bodies, one for each documented limit: what is wrong, and where Discord says so. The same
 * table is sent as a new message, as an edit and as an interaction's answer.
 */
export interface WrongBody {
  law: string;
  body: Record<string, unknown>;
  /** The field the refusal names, dotted; empty where the code alone says it. */
  at: string;
  /** Discord's code; 50035 with `errors` where none is given. */
  code?: number;
}

export const long = (length: number): string => "x".repeat(length);
export const button = (custom_id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 2,
  style: 1,
  label: "Yes",
  custom_id,
  ...more,
});
export const choice = (value: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  label: value,
  value,
  ...more,
});
export const rowOf = (...components: unknown[]): unknown => ({ type: 1, components });
const withRow = (...components: unknown[]): Record<string, unknown> => ({
  content: "x",
  components: [rowOf(...components)],
});
const select = (more: Record<string, unknown>): Record<string, unknown> => ({
  type: 3,
  custom_id: "s",
  options: [choice("a"), choice("b")],
  ...more,
});
const embed = (more: Record<string, unknown>): Record<string, unknown> => ({ embeds: [more] });
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const wrongTexts: readonly WrongBody[] = [
  { law: "content is at most 2000 characters", body: { content: long(2001) }, at: "content" },
  { law: "content is text", body: { content: { a: 1 } }, at: "content" },
  { law: "a nonce is at most 25 characters", body: { content: "x", nonce: long(26) }, at: "nonce" },
  {
    law: "mentions are parsed or listed, not both",
    body: { content: "x", allowed_mentions: { parse: ["users"], users: ["1"] } },
    at: "allowed_mentions",
  },
  {
    law: "only users, roles and everyone are parsed",
    body: { content: "x", allowed_mentions: { parse: ["channels"] } },
    at: "allowed_mentions.parse.0",
  },
  {
    law: "at most 100 users are listed",
    body: { content: "x", allowed_mentions: { users: many(101, String) } },
    at: "allowed_mentions.users",
  },
];

export const wrongEmbeds: readonly WrongBody[] = [
  { law: "a message has at most 10 embeds", body: { embeds: many(11, () => ({ title: "t" })) }, at: "embeds" },
  { law: "an embed's title is at most 256", body: embed({ title: long(257) }), at: "embeds.0.title" },
  { law: "its description at most 4096", body: embed({ description: long(4097) }), at: "embeds.0.description" },
  {
    law: "it has at most 25 fields",
    body: embed({ fields: many(26, () => ({ name: "n", value: "v" })) }),
    at: "embeds.0.fields",
  },
  {
    law: "a field's name is at most 256",
    body: embed({ fields: [{ name: long(257), value: "v" }] }),
    at: "embeds.0.fields.0.name",
  },
  {
    law: "a field's value is at most 1024",
    body: embed({ fields: [{ name: "n", value: long(1025) }] }),
    at: "embeds.0.fields.0.value",
  },
  { law: "a field has a name", body: embed({ fields: [{ value: "v" }] }), at: "embeds.0.fields.0.name" },
  { law: "a field has a value", body: embed({ fields: [{ name: "n", value: "" }] }), at: "embeds.0.fields.0.value" },
  { law: "a footer is at most 2048", body: embed({ footer: { text: long(2049) } }), at: "embeds.0.footer.text" },
  { law: "an author's name is at most 256", body: embed({ author: { name: long(257) } }), at: "embeds.0.author.name" },
  { law: "a colour is at most 0xffffff", body: embed({ title: "t", color: 0x1000000 }), at: "embeds.0.color" },
  { law: "a timestamp is ISO 8601", body: embed({ title: "t", timestamp: "yesterday" }), at: "embeds.0.timestamp" },
  { law: "a link is a URL", body: embed({ title: "t", url: "not one" }), at: "embeds.0.url" },
  { law: "and one of the web's", body: embed({ title: "t", url: "javascript:alert(1)" }), at: "embeds.0.url" },
  { law: "an embed says something", body: embed({}), at: "embeds.0.description" },
  {
    law: "all embeds have at most 6000 characters",
    body: { embeds: [{ description: long(3000) }, { description: long(3000), footer: { text: "x" } }] },
    at: "embeds",
  },
  {
    law: "fields and authors count towards the 6000",
    body: {
      embeds: [
        {
          description: long(4096),
          author: { name: long(256) },
          fields: many(2, () => ({ name: long(200), value: long(625) })),
        },
      ],
    },
    at: "embeds",
  },
];

export const wrongComponents: readonly WrongBody[] = [
  {
    law: "a message has at most 5 rows",
    body: { content: "x", components: many(6, (n) => rowOf(button(`b${n}`))) },
    at: "components",
  },
  {
    law: "a row has at most 5 buttons",
    body: withRow(...many(6, (n) => button(`b${n}`))),
    at: "components.0.components",
  },
  { law: "a row is not empty", body: withRow(), at: "components.0.components" },
  {
    law: "a row has one select and nothing beside it",
    body: withRow(select({}), button("b")),
    at: "components.0.components",
  },
  { law: "a button stands in a row", body: { content: "x", components: [button("b")] }, at: "components.0.type" },
  { law: "a component has a known type", body: withRow({ type: 99 }), at: "components.0.components.0.type" },
  {
    law: "a text input stands in no message",
    body: withRow({ type: 4, custom_id: "t", style: 1, label: "l" }),
    at: "components.0.components.0.type",
  },
  { law: "a custom_id is at most 100", body: withRow(button(long(101))), at: "components.0.components.0.custom_id" },
  { law: "a custom_id is not empty", body: withRow(button("")), at: "components.0.components.0.custom_id" },
  {
    law: "a custom_id is there",
    body: withRow({ type: 2, style: 1, label: "x" }),
    at: "components.0.components.0.custom_id",
  },
  {
    law: "a custom_id is used once in a message",
    body: { content: "x", components: [rowOf(button("b")), rowOf(button("b"))] },
    at: "components.1.components.0.custom_id",
  },
  {
    law: "a button's label is at most 80",
    body: withRow(button("b", { label: long(81) })),
    at: "components.0.components.0.label",
  },
  {
    law: "a button shows a label or an emoji",
    body: withRow({ type: 2, style: 1, custom_id: "b" }),
    at: "components.0.components.0",
  },
  {
    law: "a button's style is 1 to 6",
    body: withRow(button("b", { style: 7 })),
    at: "components.0.components.0.style",
  },
  {
    law: "a button's style is there",
    body: withRow({ type: 2, label: "x", custom_id: "b" }),
    at: "components.0.components.0.style",
  },
  {
    law: "a link button has a URL",
    body: withRow({ type: 2, style: 5, label: "x" }),
    at: "components.0.components.0.url",
  },
  {
    law: "of at most 512",
    body: withRow({ type: 2, style: 5, label: "x", url: `https://example.com/${long(493)}` }),
    at: "components.0.components.0.url",
  },
  {
    law: "and no custom_id",
    body: withRow({ type: 2, style: 5, label: "x", url: "https://example.com", custom_id: "b" }),
    at: "components.0.components.0.custom_id",
  },
  {
    law: "another button has no URL",
    body: withRow(button("b", { url: "https://example.com" })),
    at: "components.0.components.0.url",
  },
  {
    law: "an emoji is one",
    body: withRow(button("b", { emoji: { name: "nope" } })),
    at: "components.0.components.0.emoji.name",
  },
  {
    law: "a select has at most 25 options",
    body: withRow(select({ options: many(26, (n) => choice(`o${n}`)) })),
    at: "components.0.components.0.options",
  },
  { law: "a select has an option", body: withRow(select({ options: [] })), at: "components.0.components.0.options" },
  {
    law: "an option's label is at most 100",
    body: withRow(select({ options: [choice("a", { label: long(101) })] })),
    at: "components.0.components.0.options.0.label",
  },
  {
    law: "an option's value is at most 100",
    body: withRow(select({ options: [choice("a", { value: long(101) })] })),
    at: "components.0.components.0.options.0.value",
  },
  {
    law: "an option's description is at most 100",
    body: withRow(select({ options: [choice("a", { description: long(101) })] })),
    at: "components.0.components.0.options.0.description",
  },
  {
    law: "an option's value stands once",
    body: withRow(select({ options: [choice("a"), choice("a")] })),
    at: "components.0.components.0.options.1.value",
  },
  {
    law: "a placeholder is at most 150",
    body: withRow(select({ placeholder: long(151) })),
    at: "components.0.components.0.placeholder",
  },
  {
    law: "at most 25 may be chosen",
    body: withRow({ type: 5, custom_id: "s", max_values: 26 }),
    at: "components.0.components.0.max_values",
  },
  {
    law: "no more may be chosen than there are",
    body: withRow(select({ max_values: 3 })),
    at: "components.0.components.0.max_values",
  },
  {
    law: "the least is not over the most",
    body: withRow(select({ min_values: 2, max_values: 1 })),
    at: "components.0.components.0.max_values",
  },
  {
    law: "no more are chosen beforehand than may be",
    body: withRow(select({ options: [choice("a", { default: true }), choice("b", { default: true })] })),
    at: "components.0.components.0.options",
  },
];

const V2 = 1 << 15;
const display = (length: number): unknown => ({ type: 10, content: long(length) });
const section = (accessory: unknown): unknown => ({ type: 9, components: [display(1)], accessory });

export const wrongLayouts: readonly WrongBody[] = [
  { law: "components v2 need their flag", body: { components: [display(5)] }, at: "components.0.type" },
  {
    law: "components v2 have no content beside them",
    body: { flags: V2, content: "x", components: [display(5)] },
    at: "content",
  },
  {
    law: "components v2 have no embeds beside them",
    body: { flags: V2, embeds: [{ title: "t" }], components: [display(5)] },
    at: "embeds",
  },
  {
    law: "all text displays have at most 4000 characters",
    body: { flags: V2, components: [display(2000), { type: 17, components: [display(2001)] }] },
    at: "components",
  },
  { law: "a text display is not empty", body: { flags: V2, components: [display(0)] }, at: "components.0.content" },
  {
    law: "there are at most 40 components, nested ones counted",
    body: { flags: V2, components: [{ type: 17, components: many(40, () => display(1)) }] },
    at: "components",
  },
  {
    law: "a container stands in no container",
    body: { flags: V2, components: [{ type: 17, components: [{ type: 17, components: [display(1)] }] }] },
    at: "components.0.components.0.type",
  },
  {
    law: "a section has an accessory",
    body: { flags: V2, components: [section(undefined)] },
    at: "components.0.accessory",
  },
  {
    law: "and it is a button or a thumbnail",
    body: { flags: V2, components: [section(display(1))] },
    at: "components.0.accessory.type",
  },
  {
    law: "a gallery has at most 10 items",
    body: {
      flags: V2,
      components: [{ type: 12, items: many(11, () => ({ media: { url: "https://example.com/a.png" } })) }],
    },
    at: "components.0.items",
  },
  {
    law: "a file component shows an attachment",
    body: { flags: V2, components: [{ type: 13, file: { url: "https://example.com/a.txt" } }] },
    at: "components.0.file.url",
  },
  {
    law: "a custom_id is used once, an accessory's too",
    body: { flags: V2, components: [section(button("b")), rowOf(button("b"))] },
    at: "components.1.components.0.custom_id",
  },
];
