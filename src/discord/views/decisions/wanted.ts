/** What an answer has to be, in words, and what the agent offers as one. */
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import type { Question } from "../../../core/decisions/decision.ts";
import type { TextFormat, AnswerFormat } from "../../../core/decisions/answers/wanted.ts";
import { code } from "../message.ts";
import { answerText } from "./controls.ts";

/** Characters of a pattern and of a default answer that are shown. */
const PATTERN_CHARS = 200;
const PRESET_CHARS = 300;

const FORMATS = {
  email: "wanted_email",
  uri: "wanted_uri",
  date: "wanted_date",
  "date-time": "wanted_date_time",
} as const satisfies Record<TextFormat, WordKey>;

/** One line for each of both; none where any answer counts and none is offered. */
export function wantedLines(question: Question, locale: Locale): string[] {
  const { wanted, preset } = question;
  const lines = [
    wanted === undefined ? "" : wantedText(wanted, locale),
    preset === undefined ? "" : say(locale, "wanted_preset", { value: answerText(question, preset, PRESET_CHARS) }),
  ];
  return lines.filter((line) => line !== "").map((line) => `-# ${line}`);
}

/** `Whole number · 1 to 9` */
export function wantedText(wanted: AnswerFormat, locale: Locale): string {
  const range = rangeOf(wanted, locale);
  switch (wanted.is) {
    case "number":
      return [say(locale, wanted.integer ? "wanted_integer" : "wanted_number"), ...range].join(" · ");
    case "choice":
      return range.map((one) => say(locale, "wanted_options", { range: one })).join("");
    case "text": {
      const { format, pattern } = wanted;
      const length = range.map((one) => say(locale, "wanted_characters", { range: one }));
      return [
        ...(format === undefined ? [] : [say(locale, FORMATS[format])]),
        ...length,
        ...(pattern === undefined ? [] : [say(locale, "wanted_pattern", { pattern: code(pattern, PATTERN_CHARS) })]),
      ].join(" · ");
    }
  }
}

function rangeOf({ minimum, maximum }: AnswerFormat, locale: Locale): string[] {
  if (minimum === undefined && maximum === undefined) return [];
  if (minimum === maximum) return [String(minimum)];
  const key = minimum === undefined ? "wanted_most" : maximum === undefined ? "wanted_least" : "wanted_between";
  return [say(locale, key, { minimum: minimum ?? "", maximum: maximum ?? "" })];
}
