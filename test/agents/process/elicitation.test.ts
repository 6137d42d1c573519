/** A form as questions for the owner, and his answers as its content. */
import { describe, expect, test } from "vitest";
import { elicitationOf, formOf } from "../../../src/agents/process/elicitation.ts";

const form = (properties: Record<string, unknown>, required: string[] = [], message = "Please fill in") =>
  formOf({ mode: "form", message, requestedSchema: { type: "object", properties, required } });
const colour = {
  type: "string",
  title: "Colour",
  oneOf: [
    { const: "r", title: "Red" },
    { const: "b", title: "Blue" },
  ],
};
const toppings = {
  type: "array",
  title: "Toppings",
  items: { type: "string", enum: ["Cheese", "Cheese, much", "Basil"] },
};

describe("a form", () => {
  test("asks every field; those that it does not require may be skipped, and its words stand above them", () => {
    const made = form({ colour, note: { type: "string", title: "Note", description: "Anything else?" } }, ["colour"]);
    expect(made?.message).toBe("Please fill in");
    expect(made?.questions).toEqual([
      {
        question: "Colour",
        header: "",
        multiple: false,
        words: false,
        options: [
          { label: "Red", description: "" },
          { label: "Blue", description: "" },
        ],
      },
      { question: "Anything else?", header: "Note", multiple: false, words: true, options: [], optional: true },
    ]);
    expect(made?.read({ Colour: "Blue", "Anything else?": "" })).toEqual({ colour: "b" });
    expect(made?.read({ Colour: "Blue", "Anything else?": "no" })).toEqual({ colour: "b", note: "no" });
    expect(made?.read({ Colour: "", "Anything else?": "no" })).toBeNull();
  });

  test("of one field asks with its own words", () => {
    expect(form({ colour }, ["colour"], "Which colour?")).toMatchObject({
      message: "",
      questions: [{ question: "Which colour?", header: "Colour" }],
    });
  });

  test("of Claude has one question for a choice and the field for own words beside it, and it is not skipped", () => {
    const made = form(
      { question_0: colour, question_0_custom: { type: "string", title: "Other" } },
      [],
      "Which colour?",
    );
    expect(made?.questions).toHaveLength(1);
    expect(made?.questions[0]).toMatchObject({ words: true });
    expect(made?.questions[0]?.optional).toBeUndefined();
    expect(made?.read({ "Which colour?": "Red" })).toEqual({ question_0: "r" });
    expect(made?.read({ "Which colour?": "Green" })).toEqual({ question_0_custom: "Green" });
    expect(form({ size_custom: { type: "string" }, size: colour })?.questions).toHaveLength(2);
  });

  test("reads several labels whatever commas they have", () => {
    const made = form({ toppings }, ["toppings"], "Which?");
    expect(made?.read({ "Which?": "Cheese, Cheese, much" })).toEqual({ toppings: ["Cheese", "Cheese, much"] });
    expect(made?.read({ "Which?": "Cheese, much" })).toEqual({ toppings: ["Cheese, much"] });
    expect(made?.read({ "Which?": "Cheese, much, Basil" })).toEqual({ toppings: ["Cheese, much", "Basil"] });
    expect(made?.read({ "Which?": "Ham" })).toBeNull();
    const many = Array.from({ length: 100 }, () => "a");
    const alike = form({ toppings: { type: "array", items: { type: "string", enum: many } } }, ["toppings"], "Which?");
    expect(alike?.read({ "Which?": `${many.join(", ")}, b` })).toBeNull();
  });

  test("tells choices with the same title apart by their values", () => {
    const made = form(
      {
        plan: {
          type: "string",
          oneOf: [
            { const: "keep", title: "OK" },
            { const: "delete", title: "OK" },
            { const: "ask", title: "Ask" },
          ],
        },
      },
      ["plan"],
      "Which?",
    );
    expect(made?.questions[0]?.options.map(({ label }) => label)).toEqual(["OK (keep)", "OK (delete)", "Ask"]);
    expect(made?.read({ "Which?": "OK (delete)" })).toEqual({ plan: "delete" });
    const alike = form(
      {
        plan: {
          type: "string",
          oneOf: [
            { const: "keep", title: "OK" },
            { const: "delete", title: "OK" },
            { const: "ask", title: "OK (keep)" },
          ],
        },
      },
      ["plan"],
      "Which?",
    );
    expect(alike?.questions[0]?.options.map(({ label }) => label)).toEqual([
      "OK (keep)",
      "OK (delete)",
      "OK (keep) (2)",
    ]);
    expect(alike?.read({ "Which?": "OK (keep) (2)" })).toEqual({ plan: "ask" });
  });

  test("keeps the answers to fields apart whatever their names are", () => {
    const made = form({
      one: { type: "string", title: "Name" },
      two: { type: "string", title: "Name" },
      three: { type: "string", title: "Name (2)" },
    });
    const asked = made?.questions.map(({ question }) => question) ?? [];
    expect(asked.slice(0, 2)).toEqual(["Name", "Name (2)"]);
    expect(made?.read(Object.fromEntries(asked.map((question, at) => [question, `${at}`])))).toEqual({
      one: "0",
      two: "1",
      three: "2",
    });
    const named = form(
      JSON.parse('{ "__proto__": { "type": "string" }, "constructor": { "type": "integer" } }') as Record<
        string,
        unknown
      >,
    );
    expect(named?.read({ constructor: "", ["__proto__"]: "kept" })).toEqual(JSON.parse('{ "__proto__": "kept" }'));
    expect(named?.read({ ["__proto__"]: "kept" })).toEqual(JSON.parse('{ "__proto__": "kept" }'));
  });

  test.each([
    [{ type: "integer", minimum: 1, maximum: 9 }, { integer: true, minimum: 1, maximum: 9 }, "3", 3],
    [{ type: "integer", minimum: 1 }, { integer: true, minimum: 1 }, "0", null],
    [{ type: "integer", maximum: null }, { integer: true }, "1.5", null],
    [{ type: "number" }, { integer: false }, "1.5", 1.5],
    [{ type: "number", maximum: 2 }, { integer: false, maximum: 2 }, "1e9", null],
  ])("asks for a number, with its bounds: %o", (schema, wanted, answer, value) => {
    const made = form({ count: { title: "How many?", ...schema } }, ["count"], "");
    expect(made?.questions[0]).toMatchObject({ question: "How many?", wanted: { is: "number", ...wanted } });
    expect(made?.read({ "How many?": answer })).toEqual(value === null ? null : { count: value });
  });

  test.each([
    [
      { type: "string", minLength: 2, maxLength: 8, pattern: "^a", format: "date" },
      { is: "text", minimum: 2, maximum: 8, pattern: "^a", format: "date" },
    ],
    [{ type: "string", minLength: 0, maxLength: null, pattern: null, format: null }, undefined],
    [{ type: "string", format: "colour" }, undefined],
    [{ type: "string", minLength: 5, enum: ["a", "b"] }, undefined],
    [
      { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b", "c"] } },
      { is: "choice", minimum: 1, maximum: 2 },
    ],
    [{ type: "array", minItems: 0, items: { type: "string", enum: ["a", "b", "c"] } }, undefined],
  ])("says what an answer has to be: %o", (schema, wanted) => {
    expect(form({ it: schema })?.questions[0]?.wanted).toEqual(wanted);
  });

  test.each([
    [
      { type: "string", default: " shop " },
      { places: [], words: "shop" },
    ],
    [{ type: "string", default: "shop", maxLength: 2 }, undefined],
    [{ type: "string", default: "" }, undefined],
    [{ type: "string", default: null }, undefined],
    [
      { ...colour, default: "b" },
      { places: [1], words: null },
    ],
    [{ ...colour, default: "Blue" }, undefined],
    [
      { ...toppings, default: ["Basil", "Cheese"] },
      { places: [0, 2], words: null },
    ],
    [{ ...toppings, default: ["Basil", "Basil"] }, undefined],
    [{ ...toppings, default: ["Basil", "Ham"] }, undefined],
    [{ ...toppings, default: [] }, undefined],
    [{ ...toppings, default: ["Basil", "Cheese"], maxItems: 1 }, undefined],
    [
      { type: "boolean", default: false },
      { places: [1], words: null },
    ],
    [{ type: "boolean", default: "false" }, undefined],
    [
      { type: "integer", default: 0 },
      { places: [], words: "0" },
    ],
    [{ type: "integer", default: 1.5 }, undefined],
  ])("offers its default where that is an answer: %o", (schema, preset) => {
    expect(form({ it: schema })?.questions[0]?.preset).toEqual(preset);
  });

  test("of one field says its message, and what it and the form are about, each once", () => {
    const made = formOf({
      mode: "form",
      message: "Which city?",
      requestedSchema: {
        title: "Which city?",
        description: "For the parcel.",
        properties: { city: { type: "string", title: "City", description: "With its country." } },
      },
    });
    expect(made).toMatchObject({
      message: "",
      questions: [{ question: "Which city?\n\nFor the parcel.\n\nWith its country.", header: "City" }],
    });
  });

  test("asks yes or no", () => {
    const made = form({ gift: { type: "boolean", title: "A gift?" } }, ["gift"], "");
    expect(made?.questions[0]).toMatchObject({
      type: "boolean",
      words: false,
      options: [{ label: "true" }, { label: "false" }],
    });
    expect(made?.read({ "A gift?": "false" })).toEqual({ gift: false });
  });

  test("with the same text twice tells the questions apart", () => {
    expect(
      form({ a: { type: "string", title: "Name" }, b: { type: "string", title: "Name" } })?.questions.map(
        ({ question }) => question,
      ),
    ).toEqual(["Name", "Name (2)"]);
  });

  test.each([
    ["another mode", { mode: "url", url: "https://x.example" }],
    ["no field", { mode: "form", requestedSchema: { type: "object", properties: {} } }],
    ["an unknown type", { mode: "form", requestedSchema: { properties: { a: { type: "object" } } } }],
    [
      "more fields than can be asked",
      {
        mode: "form",
        requestedSchema: {
          properties: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`f${at}`, { type: "string" }])),
        },
      },
    ],
  ])("cannot be asked with %s", (_what, params) => {
    expect(formOf(params)).toBeNull();
  });
});

describe("a form of fields in an order of their own", () => {
  test("asks them in it, and those that it does not name at the end", () => {
    const properties = { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } };
    const made = formOf({ mode: "form", requestedSchema: { properties }, propertyOrder: ["c", "b"] });
    expect(made?.questions.map(({ question }) => question)).toEqual(["c", "b", "a"]);
  });
});

describe("a page", () => {
  const page = (url: unknown, message = "Log in") => elicitationOf({ mode: "url", message, url, elicitationId: "e" });

  test("is one question with its address as a browser spells it", () => {
    expect(page("https://Bank.example@evil.example/a b?`<x>")?.asked).toEqual({
      kind: "question",
      form: true,
      questions: [
        {
          question: "Log in",
          header: "",
          multiple: false,
          words: false,
          options: [{ label: "done", description: "" }],
          type: "page",
          url: "https://Bank.example@evil.example/a%20b?`%3Cx%3E",
        },
      ],
    });
    // Letters that look like others show in a host's own spelling.
    expect(page("http://аpple.com", "")?.asked.questions[0]).toMatchObject({
      question: "xn--pple-43d.com",
      url: "http://xn--pple-43d.com/",
    });
  });

  test("is accepted when its owner has seen to it, and by nothing else", () => {
    const made = page("https://shop.example/");
    expect(made?.resultFor({ kind: "answers", answers: { "Log in": "done" } })).toEqual({ action: "accept" });
    expect(made?.resultFor({ kind: "answers", answers: { "Log in": "" } })).toEqual({ action: "cancel" });
    expect(made?.resultFor({ kind: "answers", answers: {} })).toEqual({ action: "cancel" });
    expect(made?.resultFor({ kind: "deny", message: "" })).toEqual({ action: "cancel" });
    expect(made?.resultFor({ kind: "declined", how: "decline" })).toEqual({ action: "decline" });
    expect(made?.resultFor({ kind: "declined", how: "cancel" })).toEqual({ action: "cancel" });
  });

  test.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "vscode://open",
    "not an address",
    undefined,
    `https://shop.example/${"a".repeat(2_000)}`,
    // Longer as a browser spells it.
    `https://shop.example/${"é".repeat(500)}`,
  ])("with the address %j is not asked", (url) => {
    expect(page(url)).toBeNull();
  });
});
