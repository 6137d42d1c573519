/**
 * Presses under a decision. A press is acknowledged first; then it means exactly what was posted there: the decision,
 * the question, the option, and for an approval the very bytes whose digest is in the journal, read from their file and
 * compared again. The first answer counts; a later one is refused with a message.
 */
import {
  ComponentType,
  TextInputStyle,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
} from "discord-api-types/v10";
import { BellhopError } from "../../../base/errors.ts";
import { newRuleId } from "../../../base/ids.ts";
import { inSlices } from "../../../base/slices.ts";
import { excerpt } from "../../../base/text.ts";
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import {
  botOf,
  isInTime,
  isOpen,
  nextQuestion,
  type Answer as Given,
  type Decision,
  type DecisionKind,
} from "../../../core/decisions/decision.ts";
import { fitsConstraint } from "../../../core/decisions/answers/wanted.ts";
import { allows, isSeen } from "../../../core/decisions/may-answer.ts";
import { layOut } from "../../../core/decisions/review-text.ts";
import { offersFor, type RuleOffer } from "../../../core/rules/judge.ts";
import { askedBytes } from "../../../host/files/kept-files.ts";
import {
  type ActionFields,
  meantBy,
  PRESET,
  pressedBy,
  unpackPlaces,
  type DecisionAction,
  type Pressed,
} from "../../views/custom-id.ts";
import {
  PAGE_OPTIONS,
  snoozeControls,
  type OptionSelection,
  clock,
  isSnooze,
  snoozedUntil,
  type SnoozeChoice,
} from "../../views/decisions/controls.ts";
import { pageBody } from "../../views/decisions/pages.ts";
import { pickBody } from "../../views/decisions/question.ts";
import { choiceOf, coverMark, covers, effectSigns, isShownWhole, offersBody } from "../../views/decisions/rules.ts";
import { wantedText } from "../../views/decisions/wanted.ts";
import { settledBody } from "../../views/decisions/settled.ts";
import {
  acknowledge,
  openModal,
  failureText,
  refuse,
  replyPrivately,
  type Handler,
  type Handlers,
  type Press,
  typedIn,
  WORDS_FIELD,
} from "../reply.ts";
import type { CommandContext } from "../command.ts";

/** Discord's limits for a modal. */
const TITLE_CHARS = 45;
const WORDS_CHARS = 4000;
/** Title and label of the modal that asks for words. */
const WINDOWS = {
  question: ["modal_answer", "modal_words"],
  permission: ["decision_deny", "modal_why"],
  plan: ["decision_reject", "modal_feedback"],
} as const satisfies Record<DecisionKind, readonly [WordKey, WordKey]>;

/** What each press under an open decision does; that of `words` is answered with a modal. */
export const decisionButtons: Handlers<Exclude<DecisionAction, "ask_for_words">> = {
  choose_option: onOpen((press, decision) =>
    done(press, decision, { places: [Number(press.pressed.detail)], words: null }),
  ),
  show_page: onOpen((press, decision) => turn(press, decision, Number(press.pressed.detail))),
  select_option: onOpen((press, decision) => select(press, decision)),
  show_options: onOpen((press, decision) => pick(press, decision, choiceIn(press.pressed.detail))),
  confirm_options: onOpen((press, decision) => done(press, decision, chosenIn(press.pressed, decision))),
  snooze_decision: onOpen((press, decision) => later(press, decision)),
  decline_decision: onOpen((press, decision) => decline(press, decision)),
  take_back_decision: on(takeBack),
  offer_rules: onOpen((press, decision) => offerRules(press, decision)),
  make_rule: onOpen((press, decision) => makeRule(press, decision)),
};

/** Handles the modal with the words. Never throws. */
export async function decideInWords(
  interaction: APIModalSubmitInteraction,
  fields: ActionFields<"ask_for_words">,
  locale: Locale,
  context: CommandContext,
): Promise<void> {
  const pressed = pressedBy(fields);
  const reply = await acknowledge(interaction, "button", context);
  if (!reply) return;
  try {
    const words = typedIn(interaction).trim();
    const decision = openDecision(pressed, interaction, context);
    const places = /^\d+$/.test(pressed.detail) ? [Number(pressed.detail)] : [];
    const asked = decision.questions[pressed.question];
    if (asked?.wanted !== undefined && !fitsConstraint(asked.wanted, { places, words }))
      return void (await reply.ephemeral(say(locale, "again_unfit", { what: wantedText(asked.wanted, locale) })));
    // A no without a reason is still a no.
    await settle(
      decision,
      pressed.question,
      { places, words: words === "" && places.length > 0 ? null : words },
      context,
    );
  } catch (error) {
    await reply.ephemeral(failureText(error, locale, context));
  }
}

interface DecisionPress extends Press {
  pressed: Pressed;
}

/** An ephemeral message shows why nothing was done in place of what was pressed. */
function on(act: (press: DecisionPress) => Promise<void>): Handler<DecisionAction> {
  return async (fields, press) => {
    try {
      await act({ ...press, pressed: pressedBy(fields) });
    } catch (error) {
      await replyPrivately(press, {
        content: failureText(error, press.locale, press.context),
        embeds: [],
        components: [],
      });
    }
  };
}

function onOpen(act: (press: DecisionPress, decision: Decision) => Promise<void>): Handler<DecisionAction> {
  return on((press) => act(press, openDecision(press.pressed, press.interaction, press.context)));
}

/** One of the places of a select is the answer; of several that may be chosen, it is the choice so far. */
async function select(press: DecisionPress, decision: Decision): Promise<void> {
  const { question, detail } = press.pressed;
  const places = press.values.map(Number);
  if (decision.questions[question]?.many !== true) return done(press, decision, { places, words: null });
  const { page, chosen } = choiceIn(detail);
  const elsewhere = chosen.filter((place) => Math.floor(place / PAGE_OPTIONS) !== page);
  return pick(press, decision, { page, chosen: [...elsewhere, ...places].toSorted((one, other) => one - other) });
}

async function later(press: DecisionPress, decision: Decision): Promise<void> {
  const { detail } = press.pressed;
  if (isSnooze(detail)) return snooze(press, decision, detail);
  await replyPrivately(press, {
    content: say(press.locale, "snooze_when"),
    embeds: [],
    components: snoozeControls(decision, press.locale),
  });
}

/**
 * The decision that the press names, if it is open and its time was not over when it was pressed, asks this question,
 * and concerns what was shown.
 * @throws BellhopError E_DECISION_CLOSED
 */
function openDecision(pressed: Pressed, { id }: { id: string }, context: CommandContext): Decision {
  const decision = ownDecision(pressed, context);
  if (!decision || !isOpen(decision) || !isInTime(decision, id) || nextQuestion(decision) !== pressed.question)
    throw new BellhopError("E_DECISION_CLOSED");
  return decision;
}

function ownDecision(pressed: Pressed, { engine, botId }: CommandContext): Decision | undefined {
  const decision = meantBy(pressed, engine.state);
  return decision !== undefined && (botOf(engine.state, decision) ?? botId) === botId ? decision : undefined;
}

/** The prompt shows that it is open again; if that is no longer possible, the presser is told. */
async function takeBack(press: DecisionPress): Promise<void> {
  const { pressed, context, locale } = press;
  const decision = ownDecision(pressed, context);
  const events = decision ? await context.engine.submit({ type: "take_back", decision_id: decision.decision_id }) : [];
  if (events.length === 0)
    await replyPrivately(press, { content: say(locale, "take_back_late"), embeds: [], components: [] });
}

async function done(press: DecisionPress, decision: Decision, given: Given): Promise<void> {
  const { context, locale, pressed, reply, alone } = press;
  await settle(decision, pressed.question, given, context);
  // The prompt in the thread shows the result; the ephemeral message is no longer needed.
  if (!alone) return;
  const { state } = context.engine;
  const settled = state.decisions[decision.decision_id];
  await reply.respond(
    settled === undefined || isOpen(settled)
      ? { content: `✅ ${say(locale, "done_answered")}`, embeds: [], components: [] }
      : { content: "", embeds: settledBody(state, settled, locale, context.ownerId).embeds, components: [] },
  );
}

async function decline(press: DecisionPress, { decision_id }: Decision): Promise<void> {
  const { detail } = press.pressed;
  if (detail !== "decline" && detail !== "cancel") throw new BellhopError("E_DECISION_CLOSED");
  await press.context.engine.submit({ type: "decline", decision_id, how: detail });
}

/** @throws BellhopError E_DECISION_CLOSED if it was settled meanwhile, or the request is not the one that was shown */
async function settle(
  decision: Decision,
  question: number,
  answer: Given,
  { engine, decisionFiles }: CommandContext,
): Promise<void> {
  const { decision_id, subject } = decision;
  // A no needs no bytes: nothing is done.
  if (allows(decision, answer) && (await askedBytes(decisionFiles, decision)) === null)
    throw new BellhopError("E_DECISION_CLOSED");
  const sha256 = subject?.sha256 ?? null;
  await engine.submit({ type: "answer", decision_id, question, answer, sha256 });
}

/** What rules could be made of it now, and where its agent works; none: what would run cannot be read. */
async function rulesOffered(
  { context: { decisionFiles, ruleFacts } }: DecisionPress,
  decision: Decision,
): Promise<{ offers: RuleOffer[]; root: string }> {
  const request = { ...decision, bytes: await askedBytes(decisionFiles, decision) };
  if (request.bytes === null || !isSeen(decision)) throw new BellhopError("E_DECISION_CLOSED");
  const facts = await ruleFacts(request);
  const offers = offersFor(request, facts).filter(({ cover }) => isShownWhole(cover));
  return { offers, root: facts.root ?? "" };
}

async function offerRules(press: DecisionPress, decision: Decision): Promise<void> {
  const { pressed, context, locale } = press;
  const { offers, root } = await rulesOffered(press, decision);
  const effect = pressed.detail === "deny" ? "deny" : "allow";
  const project = context.engine.state.sessions[decision.thread_id ?? ""]?.project_name ?? "";
  const { content, embeds, components } = offersBody(decision, { offers, root, effect, project }, locale);
  await replyPrivately(
    press,
    offers.length === 0
      ? { content: say(locale, "rules_no_offer"), embeds: [], components: [] }
      : { content, embeds, components },
  );
}

/** @throws BellhopError E_DECISION_CLOSED if it is not offered any more */
async function makeRule(press: DecisionPress, decision: Decision): Promise<void> {
  const { pressed, context, locale, interaction } = press;
  const { engine, clock, log } = context;
  const choice = choiceOf(pressed.detail);
  const { offers, root } = await rulesOffered(press, decision);
  const offer = offers.find(({ cover }) => coverMark(cover, root) === choice?.mark);
  if (choice === null || offer === undefined) throw new BellhopError("E_DECISION_CLOSED");
  const { effect, by } = choice;
  const { decision_id, subject } = decision;
  const rule_id = newRuleId(clock.now());
  await engine.submit({
    ...{ type: "add_rule", rule_id, effect, by, root, cover: offer.cover, decision_id },
    author_id: (interaction.member?.user ?? interaction.user)?.id ?? "",
    sha256: subject?.sha256 ?? "",
  });
  log.info("the owner has made a rule", { rule_id, decision_id, effect, family: offer.cover.family });
  const rule = covers({ cover: offer.cover, effect, title: subject?.title ?? "" }, locale);
  const said = say(locale, effect === "allow" ? "rules_made_allow" : "rules_made_deny", { rule });
  const content = `${effectSigns[effect]} ${said}\n-# ${say(locale, "rules_remove_how")}`;
  await replyPrivately(press, { content, embeds: [], components: [] });
}

/** Shows a page, and only then counts it as seen. */
async function turn(press: DecisionPress, decision: Decision, page: number): Promise<void> {
  const { context, locale, alone } = press;
  const { decision_id } = decision;
  // The press came from the page before, so the owner sees that one, even if Discord's response has not arrived yet.
  if (alone) await context.engine.submit({ type: "see_page", decision_id, page: page - 1 });
  const bytes = await askedBytes(context.decisionFiles, decision);
  const pages = bytes === null ? null : await inSlices(layOut(bytes));
  if (pages === null) throw new BellhopError("E_DECISION_CLOSED");
  const { openMarkdown } = await import("../../text/markdown.ts");
  const { content, embeds, components } = pageBody(
    context.engine.state,
    decision,
    { pages, page },
    { markdown: openMarkdown(), locale },
  );
  if ((await replyPrivately(press, { content, embeds, components })) !== null)
    await context.engine.submit({ type: "see_page", decision_id, page });
}

async function pick(press: DecisionPress, decision: Decision, choice: OptionSelection): Promise<void> {
  const { content, embeds, components } = pickBody(press.context.engine.state, decision, choice, press.locale);
  await replyPrivately(press, { content, embeds, components });
}

async function snooze(press: DecisionPress, { decision_id }: Decision, choice: SnoozeChoice): Promise<void> {
  const { context, locale } = press;
  const until = new Date(snoozedUntil(choice, context.clock.now(), context.config().time_zone)).toISOString();
  await context.engine.submit({ type: "snooze", decision_id, until });
  await replyPrivately(press, {
    content: `💤 ${say(locale, "snooze_done", { at: clock(until, "f") })}`,
    embeds: [],
    components: [],
  });
}

/** @throws BellhopError E_DECISION_CLOSED */
function chosenIn({ question, detail }: Pressed, { questions }: Decision): Given {
  if (detail !== PRESET) return { places: unpackPlaces(detail), words: null };
  const { preset } = questions[question] ?? {};
  if (preset === undefined) throw new BellhopError("E_DECISION_CLOSED");
  return preset;
}

function choiceIn(detail: string): OptionSelection {
  const [page = "", chosen = ""] = detail.split(".");
  return { page: Number(page), chosen: unpackPlaces(chosen) };
}

/** Opens the modal that asks for words. Never throws. */
export async function askForWords(
  interaction: APIMessageComponentInteraction,
  fields: ActionFields<"ask_for_words">,
  locale: Locale,
  context: CommandContext,
): Promise<void> {
  try {
    const pressed = pressedBy(fields);
    const { kind, questions, typed } = openDecision(pressed, interaction, context);
    const { kept } = typed;
    const [title, label] = WINDOWS[kind];
    const placeholder = excerpt((questions[pressed.question]?.question ?? "").replace(/\s+/g, " ").trim(), 100);
    const begin = pressed.detail === "kept" && kept ? kept.words : (questions[pressed.question]?.preset?.words ?? "");
    const begun = begin === "" ? {} : { value: excerpt(begin, WORDS_CHARS) };
    const field = {
      type: ComponentType.TextInput as const,
      custom_id: WORDS_FIELD,
      style: TextInputStyle.Paragraph,
      max_length: WORDS_CHARS,
      required: kind === "question",
      ...(placeholder === "" || kind !== "question" ? {} : { placeholder }),
      ...begun,
    };
    const component = {
      type: ComponentType.Label as const,
      label: excerpt(say(locale, label), TITLE_CHARS),
      component: field,
    };
    await openModal(
      interaction,
      {
        custom_id: interaction.data.custom_id,
        title: excerpt(say(locale, title), TITLE_CHARS),
        components: [component],
      },
      context,
    );
  } catch (error) {
    await refuse(interaction, failureText(error, locale, context), context);
  }
}
