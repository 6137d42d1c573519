/**
 * What is pressed under a decision. A press is acknowledged first; then it means exactly what stood there: the decision,
 * the question, the option, and, where something would be done, the very bytes whose digest the journal keeps, read
 * from their file and compared once more. The first answer counts; whatever comes later is told so and changes nothing.
 */
import { ComponentType, MessageFlags, TextInputStyle, type APIMessageComponentInteraction, type APIModalSubmitInteraction } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { excerpt } from "../../base/text.ts";
import { say, type Locale, type WordKey } from "../../base/words/say.ts";
import { allows, isOpen, nextQuestion, type Answer as Given, type Decision, type DecisionKind } from "../../core/decision.ts";
import { exhibit } from "../../core/exhibit.ts";
import { digestOf } from "../../host/decision-files.ts";
import { meantBy, readPress, unpacked, type Pressed } from "../decision-id.ts";
import { PAGE_OPTIONS } from "../decision-controls.ts";
import { pageBody } from "../decision-pages.ts";
import { pickBody } from "../decision-pick.ts";
import { settledBody } from "../decision-settled.ts";
import { acknowledge, ask, failureText, refuse, type Reply } from "./reply.ts";
import type { Answer, CommandRoom } from "./room.ts";

/** Discord's limits for a window. */
const TITLE_CHARS = 45;
const WORDS_CHARS = 4000;
const FIELD = "words";
/** Title and label of the window that asks for words. */
const WINDOWS = {
  question: ["modal_answer", "modal_words"],
  permission: ["decision_deny", "modal_why"],
  plan: ["decision_reject", "modal_feedback"],
} as const satisfies Record<DecisionKind, readonly [WordKey, WordKey]>;

/** Whether this press is one of these. */
export function isDecision(customId: string): boolean {
  return readPress(customId) !== null;
}

/** Never throws. */
export async function decide(interaction: APIMessageComponentInteraction, locale: Locale, room: CommandRoom): Promise<void> {
  const pressed = readPress(interaction.data.custom_id);
  if (pressed === null) return;
  if (pressed.verb === "words") return askForWords(interaction, pressed, locale, room);
  const reply = await acknowledge(interaction, "button", room);
  if (!reply) return;
  const values = interaction.data.component_type === ComponentType.StringSelect ? interaction.data.values.map(Number) : [];
  const alone = ((interaction.message.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  const press: Press = { pressed, values, reply, alone, locale, room };
  try {
    await act(press, openDecision(pressed, room));
  } catch (error) {
    await tell(press, { content: failureText(error, locale, room), embeds: [], components: [] });
  }
}

/** The words that were asked for. Never throws. */
export async function decideInWords(interaction: APIModalSubmitInteraction, locale: Locale, room: CommandRoom): Promise<void> {
  const pressed = readPress(interaction.data.custom_id);
  if (pressed === null) return;
  const reply = await acknowledge(interaction, "button", room);
  if (!reply) return;
  try {
    const words = submitted(interaction).trim();
    const decision = openDecision(pressed, room);
    const places = pressed.detail === "" ? [] : [Number(pressed.detail)];
    // A no without a reason is a no all the same.
    await settle(decision, pressed.question, { places, words: words === "" && places.length > 0 ? null : words }, room);
  } catch (error) {
    await reply.whisper(failureText(error, locale, room));
  }
}

interface Press {
  pressed: Pressed;
  /** Places chosen in a select. */
  values: number[];
  reply: Reply;
  /** Pressed on a message that only its presser sees, which an answer may replace. */
  alone: boolean;
  locale: Locale;
  room: CommandRoom;
}

async function act(press: Press, decision: Decision): Promise<void> {
  const { pressed, values } = press;
  const { detail, question } = pressed;
  switch (pressed.verb) {
    case "option":
      return done(press, decision, { places: [Number(detail)], words: null });
    case "page":
      return turn(press, decision, Number(detail));
    case "select": {
      if (decision.questions[question]?.many !== true) return done(press, decision, { places: values, words: null });
      const [page, before] = pageAndChoice(detail);
      const elsewhere = before.filter((place) => Math.floor(place / PAGE_OPTIONS) !== page);
      return pick(press, decision, page, [...elsewhere, ...values].toSorted((one, other) => one - other));
    }
    case "pick":
      return pick(press, decision, ...pageAndChoice(detail));
    case "done":
      return done(press, decision, { places: unpacked(detail), words: null });
    case "words":
      // Was answered with a window.
      return;
  }
}

/** What the press names, if it is open, asks this, and is about what was shown with it. @throws BellhopError E_DECISION_CLOSED */
function openDecision(pressed: Pressed, { engine, botId }: CommandRoom): Decision {
  const decision = meantBy(pressed, engine.state);
  const bot = engine.state.threads[decision?.thread_id ?? ""]?.bot_id ?? botId;
  if (!decision || bot !== botId || !isOpen(decision) || nextQuestion(decision) !== pressed.question) throw new BellhopError("E_DECISION_CLOSED");
  return decision;
}

async function done(press: Press, decision: Decision, given: Given): Promise<void> {
  const { room, locale, pressed, reply, alone } = press;
  await settle(decision, pressed.question, given, room);
  // The prompt in the thread shows what was settled; what only its presser sees has done its part.
  if (!alone) return;
  const { embeds } = settledBody(room.engine.state, decision, locale, room.ownerId);
  await reply.answer(isOpen(decision) ? { content: `✅ ${say(locale, "done_answered")}`, embeds: [], components: [] } : { content: "", embeds, components: [] });
}

/** @throws BellhopError E_DECISION_CLOSED where it was settled meanwhile, or what would be done is not what was asked */
async function settle(decision: Decision, question: number, answer: Given, { engine, decisionFiles }: CommandRoom): Promise<void> {
  const { decision_id, subject } = decision;
  // A no needs no bytes: nothing is done.
  const sha256 = allows(decision, answer) ? digestOf((await decisionFiles.read(decision_id)) ?? "") : (subject?.sha256 ?? null);
  await engine.submit({ type: "answer", decision_id, question, answer, sha256 });
}

/** Shows a page, and only then counts it as seen. */
async function turn(press: Press, decision: Decision, page: number): Promise<void> {
  const { room, locale } = press;
  const { decision_id, subject } = decision;
  const bytes = await room.decisionFiles.read(decision_id);
  if (bytes === null || digestOf(bytes) !== subject?.sha256) throw new BellhopError("E_DECISION_CLOSED");
  const { pages } = exhibit(bytes);
  const { openMarkdown } = await import("../markdown.ts");
  const { content, embeds, components } = pageBody(room.engine.state, decision, pages, page, openMarkdown(), locale);
  if ((await tell(press, { content, embeds, components })) !== null) await room.engine.submit({ type: "see_page", decision_id, page });
}

async function pick(press: Press, decision: Decision, page: number, chosen: readonly number[]): Promise<void> {
  const { content, embeds, components } = pickBody(press.room.engine.state, decision, page, chosen, press.locale);
  await tell(press, { content, embeds, components });
}

/** To the presser alone, in the place of what he pressed where that was for him alone as well. */
function tell({ reply, alone }: Press, answer: Answer): ReturnType<Reply["answer"]> {
  return alone ? reply.answer(answer) : reply.whisper(answer);
}

function pageAndChoice(detail: string): [page: number, chosen: number[]] {
  const [page = "", chosen = ""] = detail.split(".");
  return [Number(page), unpacked(chosen)];
}

async function askForWords(interaction: APIMessageComponentInteraction, pressed: Pressed, locale: Locale, room: CommandRoom): Promise<void> {
  try {
    const { kind, questions } = openDecision(pressed, room);
    const [title, label] = WINDOWS[kind];
    const placeholder = excerpt((questions[pressed.question]?.question ?? "").replace(/\s+/g, " ").trim(), 100);
    const field = { type: ComponentType.TextInput as const, custom_id: FIELD, style: TextInputStyle.Paragraph, max_length: WORDS_CHARS, required: kind === "question", ...(placeholder === "" || kind !== "question" ? {} : { placeholder }) };
    const component = { type: ComponentType.Label as const, label: excerpt(say(locale, label), TITLE_CHARS), component: field };
    await ask(interaction, { custom_id: interaction.data.custom_id, title: excerpt(say(locale, title), TITLE_CHARS), components: [component] }, room);
  } catch (error) {
    await refuse(interaction, failureText(error, locale, room), room);
  }
}

function submitted({ data }: APIModalSubmitInteraction): string {
  for (const top of data.components) {
    const fields = "components" in top ? top.components : "component" in top ? [top.component] : [];
    for (const field of fields) if ("value" in field && typeof field.value === "string" && field.custom_id === FIELD) return field.value;
  }
  return "";
}

