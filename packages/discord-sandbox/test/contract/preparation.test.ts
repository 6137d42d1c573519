/**
 * Discord's schemas are rewritten before they are used, so that errors can be read. The rewriting may change
 * what is said about a body but never the verdict: here both are asked about the same many bodies.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDescription } from "./description.ts";
import { ajv2020 } from "./formats.ts";
import { prepare, type Schema } from "./schema.ts";
import { button, choice, message, row, thread } from "./honest.ts";

const description = readDescription();

const asked = {
  content: "x",
  embeds: [{ title: "t", fields: [{ name: "n", value: "v" }] }],
  nonce: "n",
  message_reference: { message_id: "1" },
  components: [
    { type: 1, components: [button, { type: 3, custom_id: "s", options: [choice("a")] }] },
    {
      type: 17,
      components: [
        { type: 10, content: "t" },
        { type: 9, components: [{ type: 10, content: "u" }], accessory: button },
      ],
    },
  ],
};

const answered = {
  ...message,
  id: "1",
  nonce: 5,
  components: [{ type: 1, id: 1, components: [{ ...button, id: 2, disabled: false }] }],
  thread: { ...thread },
  stickers: [],
};

const callback = {
  type: 9,
  data: {
    custom_id: "m",
    title: "T",
    components: [
      { type: 18, label: "L", component: { type: 21, custom_id: "r", options: [choice("a"), choice("b")] } },
    ],
  },
};

const cases: [law: string, schema: string, body: unknown][] = [
  ["of a message that is sent", "MessageCreateRequest", asked],
  ["of a row of buttons", "MessageCreateRequest", { flags: 1 << 15, ...row(button) }],
  ["of a message that is answered", "MessageResponse", answered],
  ["of a thread", "ThreadResponse", thread],
  ["of a modal", "ModalInteractionCallbackRequest", callback],
];

describe.skipIf(description === undefined)("preparing a schema changes no verdict", () => {
  test.each(cases)("%s", (_law, name, body) => {
    const plain = validator(name, (components) => components);
    const prepared = validator(
      name,
      (components) => prepare(components, { base: "discord.json", closed: false, lookUp }) as Schema,
    );
    const verdicts = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(changes, (change) => {
        const changed = change.reduce(apply, body);
        const verdict = plain(changed);
        verdicts[verdict ? "right" : "wrong"] += 1;
        return prepared(changed) === verdict;
      }),
      { numRuns: 500 },
    );
    expect(verdicts.right, "bodies that are right").toBeGreaterThan(20);
    expect(verdicts.wrong, "bodies that are wrong").toBeGreaterThan(20);
  });
});

function lookUp(reference: string): Schema {
  const name = reference.replace("#/components/schemas/", "");
  return description?.components.schemas[name] ?? {};
}

function validator(name: string, ready: (components: Schema) => Schema): (body: unknown) => boolean {
  const ajv = ajv2020();
  ajv.addSchema({ $id: "discord.json", components: ready({ schemas: description?.components.schemas ?? {} }) });
  const validate = ajv.compile({ $ref: `discord.json#/components/schemas/${name}` });
  return (body) => validate(body) === true;
}

interface Change {
  place: number;
  kind: "set" | "drop" | "add";
  value: unknown;
}

const value = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, 1, 2, 3, 5, 10, 17, 99, 1.5, -1, "", "1", "x", [], {}),
  fc.constantFrom<unknown>(
    button,
    { type: 10, content: "t" },
    { type: 3, custom_id: "s", options: [] },
    "x".repeat(101),
    [1, 1],
    ["1"],
  ),
);

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({ place: fc.nat(200), kind: fc.constantFrom("set", "drop", "add"), value }),
  { minLength: 0, maxLength: 2 },
);

/** The body with one place of it changed; which one is counted round. */
function apply(body: unknown, { place, kind, value: fresh }: Change): unknown {
  const copy = structuredClone(body);
  const places = placesOf(copy);
  const chosen = places[place % Math.max(places.length, 1)];
  if (chosen === undefined) return copy;
  const holder = chosen.holder as Record<string, unknown>;
  if (kind === "drop") delete holder[chosen.key];
  else holder[kind === "add" ? "unforeseen" : chosen.key] = structuredClone(fresh);
  return JSON.parse(JSON.stringify(copy)) as unknown;
}

function placesOf(node: unknown): { holder: object; key: string }[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, child]) => [{ holder: node, key }, ...placesOf(child)]);
}
