/**
 * What an agent, or a server of its tools, elicits of the owner: a form, as questions and his answers as the form's
 * content, or a page that he is to open, as one question with its address. A field that the form does not require may
 * be skipped, and is left out of the content then.
 */
import { entryOf } from "../../base/entry.ts";
import {
  fitsConstraint,
  FORMATS,
  numberIn,
  type NumberWanted,
  type TextWanted,
  type AnswerFormat,
} from "../../core/decisions/answers/wanted.ts";
import type { Option } from "../../core/decisions/decision.ts";
import type { Reply } from "../contract/driver.ts";
import type { QuestionAsked } from "../contract/updates.ts";
import { type Fields, fieldsOf, inner, records, text } from "./fields.ts";

/** Something elicited, ready to be asked. */
export interface Elicitation {
  /** The question but for its id. */
  asked: Omit<QuestionAsked, "id">;
  /** The result for a reply; null: it is to be asked once more. */
  resultFor(reply: Reply): Fields | null;
}

/**
 * Null for what cannot be asked. `params` are spelled as in the Agent Client Protocol; `propertyOrder`: the fields'
 * names in their order, where that is not the schema's.
 */
export function elicitationOf(params: Fields): Elicitation | null {
  if (params["mode"] === "url") return pageOf(params);
  const form = formOf(params);
  if (form === null) return null;
  const { message, questions } = form;
  return {
    asked: { kind: "question", questions, form: true, ...(message !== "" && { more: { message } }) },
    resultFor: (reply) => resultOf(reply, (answers) => ({ content: form.read(answers) })),
  };
}

/** @param read what is accepted with the answers; a null in it: they do not fit */
function resultOf(
  reply: Reply,
  read: (answers: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>,
): Fields | null {
  if (reply.kind === "declined") return { action: reply.how };
  if (reply.kind === "again") return null;
  const accepted = reply.kind === "answers" ? read(reply.answers) : null;
  return accepted === null || Object.values(accepted).includes(null)
    ? { action: "cancel" }
    : { action: "accept", ...accepted };
}

/** The address has to be shown whole in one prompt. */
const URL_CHARS = 2_000;

/** Null for an address that no browser opens, or a longer one. */
function pageOf(params: Fields): Elicitation | null {
  const told = text(params["url"]);
  const url = told.length <= URL_CHARS && URL.canParse(told) ? new URL(told) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || url.href.length > URL_CHARS)
    return null;
  const question = said(text(params["message"])) || url.host;
  const options = [{ label: "done", description: "" }];
  return {
    asked: {
      kind: "question",
      questions: [{ question, header: "", multiple: false, words: false, options, type: "page", url: url.href }],
      form: true,
    },
    resultFor: (reply) => resultOf(reply, (answers) => (entryOf(answers, question) === "done" ? {} : { none: null })),
  };
}

export interface Form {
  /** What the agent says above several fields; empty: nothing. */
  message: string;
  questions: QuestionAsked["questions"];
  /**
   * The content that answers the form, keyed by the fields' names; null if an answer does not fit.
   * @param answers keyed by the question's text: labels joined by `, `, the owner's own words, or empty where he
   * skipped it
   */
  read(answers: Readonly<Record<string, string>>): Record<string, FormValue> | null;
}

export type FormValue = string | number | boolean | string[];

interface Field {
  question: FormQuestion;
  /** What each option stands for. */
  values?: readonly FormValue[];
  /** Never called with an empty answer. */
  read(answer: string): Record<string, FormValue> | null;
}

/** More cannot be asked in one prompt. */
const MOST_FIELDS = 20;

/** Null for a form that cannot be asked: another mode than `form`, no field, too many, or one of an unknown type. */
export function formOf(params: Fields): Form | null {
  const schema = inner(params, "requestedSchema");
  const all = inner(schema, "properties");
  const order = Array.isArray(params["propertyOrder"]) ? params["propertyOrder"] : [];
  const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  const properties = Object.entries(all).toSorted(([one], [other]) => place(one) - place(other));
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const own = new Set(
    properties.flatMap(([name]) =>
      QUESTION.test(name) && Object.hasOwn(all, name.slice(0, -OWN_WORDS.length)) ? [name] : [],
    ),
  );
  const wanted = properties.filter(([name]) => !own.has(name));
  if (params["mode"] !== "form" || wanted.length === 0 || wanted.length > MOST_FIELDS) return null;
  const message = said(text(params["message"]), text(schema["title"]), text(schema["description"]));
  const fields = wanted.map(([name, value]) => {
    const custom = own.has(name + OWN_WORDS) ? name + OWN_WORDS : null;
    const field = fieldOf(name, fieldsOf(value) ?? {}, {
      message: wanted.length === 1 ? message : "",
      own: custom,
      optional: !required.has(name) && custom === null,
    });
    return field === null
      ? null
      : { ...field, question: withPreset(field.question, fieldsOf(value)?.["default"], field.values) };
  });
  if (!fields.every((field) => field !== null)) return null;
  const named = distinct(fields);
  return {
    message: wanted.length === 1 ? "" : message,
    questions: named.map(({ question }) => question),
    read(answers) {
      const parts = named.map(({ question, read }) => {
        const answer = entryOf(answers, question.question) ?? "";
        return answer !== "" ? read(answer) : question.optional === true ? {} : null;
      });
      return parts.every((part) => part !== null)
        ? Object.fromEntries(parts.flatMap((part) => Object.entries(part)))
        : null;
    },
  };
}

/** Claude's forms have a second field beside each choice, for the owner's own words: both are one question. */
const QUESTION = /^question_\d+_custom$/;
const OWN_WORDS = "_custom";

interface FieldContext {
  /** The form's message, where the form has only this field. */
  message: string;
  /** The field that takes words which are no option of this one. */
  own: string | null;
  optional: boolean;
}

function fieldOf(name: string, schema: Fields, { message, own, optional }: FieldContext): Field | null {
  const title = text(schema["title"]) || name;
  const asked = said(message, text(schema["description"])) || title;
  const question: FormQuestion = {
    question: asked,
    header: asked === title ? "" : title,
    multiple: false,
    words: true,
    options: [],
    ...(optional && { optional }),
  };
  switch (schema["type"]) {
    case "string":
      return textField(name, schema, { question, own });
    case "array":
      return choicesOf(name, schema, { question, own });
    case "boolean":
      return yesOrNo(name, question);
    case "integer":
    case "number":
      return numberField(name, schema, question);
    default:
      return null;
  }
}

/** All that is said, each once, in paragraphs. */
function said(...texts: string[]): string {
  return [...new Set(texts.map((one) => one.trim()))].filter((one) => one !== "").join("\n\n");
}

/** With the form's default as an answer, if it is one. */
function withPreset(question: FormQuestion, value: unknown, values: readonly FormValue[] = []): FormQuestion {
  const chosen = [value].flat().map((one) => values.indexOf(one as FormValue));
  const words = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  const preset =
    values.length > 0 ? { places: chosen.toSorted((one, other) => one - other), words: null } : { places: [], words };
  const isAnswer =
    values.length > 0
      ? chosen.length > 0 && !chosen.includes(-1) && new Set(chosen).size === chosen.length
      : words !== "";
  return isAnswer && fitsConstraint(question.wanted, preset) ? { ...question, preset } : question;
}

function bounds(minimum: unknown, maximum: unknown): Pick<AnswerFormat, "minimum" | "maximum"> {
  return { ...(typeof minimum === "number" && { minimum }), ...(typeof maximum === "number" && { maximum }) };
}

/** Absent if nothing is wanted. */
function wanting(wanted: AnswerFormat): { wanted?: AnswerFormat } {
  return Object.keys(wanted).length > 1 ? { wanted } : {};
}

type FormQuestion = QuestionAsked["questions"][number];

interface FormChoice {
  value: string;
  option: Option;
}

function optionsIn(titled: unknown, plain: unknown): FormChoice[] {
  const choices = records(titled).map((one) => ({
    value: text(one["const"]),
    option: { label: text(one["title"]) || text(one["const"]), description: text(one["description"]) },
  }));
  const values = Array.isArray(plain) ? plain.filter((one) => typeof one === "string") : [];
  return choices.length > 0
    ? toldApart(choices)
    : values.map((value) => ({ value, option: { label: value, description: "" } }));
}

/** Choices with the same title are shown with their values: an answer is known by its label. */
function toldApart(choices: readonly FormChoice[]): FormChoice[] {
  const times = Map.groupBy(choices, ({ option }) => option.label);
  const labels = numbered(
    choices.map(({ value, option: { label } }) =>
      (times.get(label)?.length ?? 0) > 1 ? `${label} (${value})` : label,
    ),
  );
  return choices.map(({ value, option }, place) => ({ value, option: { ...option, label: labels[place] ?? "" } }));
}

function textField(
  name: string,
  schema: Fields,
  { question, own }: { question: FormQuestion; own: string | null },
): Field {
  const choices = optionsIn(schema["oneOf"], schema["enum"]);
  if (choices.length > 0) return choiceOf(name, choices, { question, own });
  const format = FORMATS.find((one) => one === schema["format"]);
  const pattern = text(schema["pattern"]);
  const wanted: TextWanted = {
    is: "text",
    ...bounds(schema["minLength"] || undefined, schema["maxLength"]),
    ...(format !== undefined && { format }),
    ...(pattern !== "" && { pattern }),
  };
  return { question: { ...question, ...wanting(wanted) }, read: (answer) => ({ [name]: answer }) };
}

function choiceOf(
  name: string,
  choices: readonly FormChoice[],
  { question, own }: { question: FormQuestion; own: string | null },
): Field {
  return {
    values: choices.map(({ value }) => value),
    question: { ...question, words: own !== null, options: choices.map(({ option }) => option) },
    read(answer) {
      const chosen = choices.find(({ option }) => option.label === answer);
      if (chosen) return { [name]: chosen.value };
      return own !== null ? { [own]: answer } : null;
    },
  };
}

function choicesOf(
  name: string,
  schema: Fields,
  { question, own }: { question: FormQuestion; own: string | null },
): Field | null {
  const items = inner(schema, "items");
  const choices = optionsIn(items["anyOf"] ?? items["oneOf"], items["enum"]);
  if (choices.length === 0) return null;
  return {
    values: choices.map(({ value }) => value),
    question: {
      ...question,
      multiple: true,
      words: own !== null,
      options: choices.map(({ option }) => option),
      ...wanting({ is: "choice", ...bounds(schema["minItems"] || undefined, schema["maxItems"]) }),
    },
    read(answer) {
      const chosen = labelsIn(answer, choices);
      if (chosen !== null) return { [name]: chosen };
      return own !== null ? { [own]: answer } : null;
    },
  };
}

/** The values whose labels, joined by `, `, are the answer, whatever commas the labels contain; null if none are. */
function labelsIn(answer: string, choices: readonly FormChoice[]): string[] | null {
  const tried = new Set<string>();
  const from = (rest: string, at: number): string[] | null => {
    // A label may begin with another one: what does not lead to the end is left out.
    for (const [step, { value, option }] of choices.slice(at).entries()) {
      if (rest === option.label) return [value];
      const left = rest.startsWith(`${option.label}, `) ? rest.slice(option.label.length + 2) : null;
      const place = `${at + step + 1} ${left?.length}`;
      if (left === null || tried.has(place)) continue;
      tried.add(place);
      const others = from(left, at + step + 1);
      if (others !== null) return [value, ...others];
    }
    return null;
  };
  return from(answer, 0);
}

/** Its two options have no words in the form: they are shown in the owner's language. */
function yesOrNo(name: string, question: FormQuestion): Field {
  const options = ["true", "false"].map((label) => ({ label, description: "" }));
  return {
    values: [true, false],
    question: { ...question, words: false, options, type: "boolean" },
    read: (answer) => (answer === "true" || answer === "false" ? { [name]: answer === "true" } : null),
  };
}

function numberField(name: string, { type, minimum, maximum }: Fields, question: FormQuestion): Field {
  const wanted: NumberWanted = { is: "number", integer: type === "integer", ...bounds(minimum, maximum) };
  return {
    question: { ...question, wanted },
    read(answer) {
      const value = numberIn(answer, wanted);
      return value === null ? null : { [name]: value };
    },
  };
}

/** Two questions with the same text could not be told apart in the answers. */
function distinct(fields: readonly Field[]): Field[] {
  const questions = numbered(fields.map(({ question }) => question.question));
  return fields.map((field, place) => ({
    ...field,
    question: { ...field.question, question: questions[place] ?? "" },
  }));
}

/** Each different from those before it: the second of the same gets a 2, and so on. */
function numbered(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  const next = new Map<string, number>();
  return texts.map((one) => {
    let text = one;
    for (let times = next.get(one) ?? 2; seen.has(text); times += 1) {
      text = `${one} (${times})`;
      next.set(one, times + 1);
    }
    seen.add(text);
    return text;
  });
}
