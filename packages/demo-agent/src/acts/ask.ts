/** A form with one field of each kind; the answer repeats what was filled in. */
import { CreateElicitationResponse, type ElicitationSchema } from "@agentclientprotocol/sdk";
import type { Act } from "../act.ts";

const COLOURS = [
  { const: "red", title: "Red", description: "the warm one" },
  { const: "blue", title: "Blue", description: "the cold one" },
];

const FORM: ElicitationSchema = {
  type: "object",
  properties: {
    colour: { type: "string", title: "Which colour?", oneOf: COLOURS },
    toppings: {
      type: "array",
      title: "Which toppings?",
      items: { type: "string", enum: ["Cheese", "Olives", "Basil"] },
    },
    count: { type: "integer", title: "How many?", minimum: 1, maximum: 9 },
    gift: { type: "boolean", title: "Is it a gift?" },
    note: { type: "string", title: "Anything else?" },
  },
  required: ["colour", "count"],
};

const ONE: ElicitationSchema = {
  type: "object",
  properties: { colour: { type: "string", title: "Colour", oneOf: COLOURS } },
  required: ["colour"],
};

export const ask: Act = {
  name: "ask",
  description: "Asks you a question, or five with `ask more`",
  hint: "[more]",
  async perform({ turn, rest }) {
    if (!turn.asks) return turn.say("Your client cannot show questions.");
    const answer = await (rest.trim() === "more"
      ? turn.ask("The demo agent has five questions.", FORM)
      : turn.ask("Which colour do you like?", ONE));
    if (!CreateElicitationResponse.isAccept(answer))
      return turn.say(answer.action === "decline" ? "You declined to answer." : "You did not answer.");
    const lines = Object.entries(answer.content ?? {}).map(
      ([name, value]) => `- ${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`,
    );
    await turn.say(`You answered:\n${lines.join("\n")}`);
  },
};
