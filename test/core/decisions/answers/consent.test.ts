/**
 * What a message says to a permission or a plan: a table in four languages, and that the reading gives a yes only to
 * these words.
 */
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { catalogues, say, type Locale } from "../../../../src/base/words/say.ts";
import { bareWord } from "../../../../src/core/decisions/answers/consent.ts";
import { permissions } from "../../answers/permissions.ts";
import { RUNS } from "../../history.ts";

const rows = Object.entries(permissions).flatMap(([says, texts]) => texts.map((text) => [text, says] as const));

describe.each(Object.keys(catalogues) as Locale[])("what is typed under a prompt whose buttons are in %s", (locale) => {
  const permission = {
    yes: say(locale, "decision_allow_once"),
    no: say(locale, "decision_deny"),
    other: [say(locale, "decision_allow_session")],
  };
  const plan = { yes: say(locale, "decision_approve"), no: say(locale, "decision_reject"), other: [] };

  test.each(rows)("%j says %s", (text, says) => {
    for (const labels of [permission, plan]) expect(bareWord(text, labels)).toBe(says === "work" ? null : says);
  });

  test("the options' own words name them, but none is chosen for the session by words", () => {
    expect(
      [permission.yes, permission.no, plan.yes, plan.no].map((text, index) =>
        bareWord(text, index < 2 ? permission : plan),
      ),
    ).toEqual(["yes", "no", "yes", "no"]);
    expect(permission.other.map((text) => bareWord(text, permission))).toEqual(["other"]);
  });
});

const LABELS = { yes: "Allow once", no: "Deny", other: ["Allow for this session"] };

test("whatever is put before, behind or into a clear yes makes it something else, unless it is polite, empty or another yes", () => {
  const strange = fc.oneof(
    fc.constantFrom(
      "not",
      "but",
      "if",
      "never",
      "don't",
      "unless",
      "when",
      "after",
      "안",
      "말고",
      "しない",
      "不",
      "别",
      "and rm -rf",
      "?",
    ),
    fc.string({ minLength: 3 }).filter((text) => /\p{L}{3}/u.test(text)),
  );
  const yes = fc.constantFrom(...permissions.yes);
  fc.assert(
    fc.property(yes, strange, fc.boolean(), (text, more, before) => {
      const both = before ? `${more} ${text}` : `${text} ${more}`;
      if (bareWord(more, LABELS) !== "yes" && !/please|pls|plz|thanks|thank you|now/i.test(more))
        expect(bareWord(both, LABELS)).not.toBe("yes");
    }),
    RUNS,
  );
});

test("no text of any kind makes it throw or last", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc
          .constantFrom("yes ", "no, ", "네 ", "해 줘", "🎉")
          .chain((one) => fc.nat(5000).map((count) => one.repeat(count))),
      ),
      (text) => void bareWord(text, LABELS),
    ),
    RUNS,
  );
});
