/** What the scripted agents show: forms, and a page to open, by the word of the prompt that has them show one. */
const rules = {
  name: {
    type: "string",
    title: "Name",
    description: "In the address of the page.",
    minLength: 3,
    maxLength: 8,
    pattern: "^[a-z]+(-[a-z]+)*$",
    default: "shop",
  },
  mail: { type: "string", title: "Mail", format: "email" },
  day: { type: "string", title: "Day", format: "date" },
  size: {
    type: "string",
    title: "Size",
    oneOf: [
      { const: "s", title: "Small" },
      { const: "l", title: "Large" },
    ],
    default: "l",
  },
  extras: {
    type: "array",
    title: "Extras",
    items: { type: "string", enum: ["Tests", "Docs", "Types"] },
    minItems: 1,
    maxItems: 2,
    default: ["Types", "Docs"],
  },
  count: { type: "integer", title: "Count", minimum: 1, maximum: 9, default: 4 },
};

export const forms = {
  rules: {
    message: "Tell me about it.",
    requestedSchema: {
      type: "object",
      title: "A new page",
      description: "It is made at once.",
      properties: rules,
      required: ["name", "mail", "day", "size", "extras"],
    },
  },
  described: {
    message: "Which city?",
    requestedSchema: {
      type: "object",
      properties: { city: { type: "string", title: "City", description: "Where it is shipped to." } },
      required: ["city"],
    },
  },
  form: {
    message: "How many?",
    requestedSchema: {
      type: "object",
      properties: { count: { type: "integer", title: "How many?", minimum: 1, maximum: 9 } },
      required: ["count"],
    },
  },
  page: {
    mode: "url",
    message: "Log in to the shop.",
    url: "https://Shop.example:8443/login?state=a_b*c&next=%2Fcart",
    elicitationId: "login-1",
  },
  "no-page": { mode: "url", message: "Look at this.", url: "file:///etc/passwd", elicitationId: "look-1" },
  "no-form": {
    message: "How are you?",
    requestedSchema: { type: "object", properties: { mood: { type: "object" } } },
  },
};
