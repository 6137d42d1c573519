/** An answer is put together from its pieces in Claude's order, whatever order they come in, and never twice. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerParts } from "../../../src/agents/tmux/turn.ts";

type Piece = { message_id: string; index: number; final: boolean; delta: string };
const pieces = (id: string, ...deltas: string[]): Piece[] =>
  deltas.map((delta, index) => ({ message_id: id, index, final: index === deltas.length - 1, delta }));

test("two messages are two paragraphs, and the last one is not said again at the end", () => {
  const parts = new AnswerParts();
  const said = [...pieces("a", "Running ", "it."), ...pieces("b", "Done.")].map((piece) => parts.add(piece)).join("");
  expect(said + parts.missingPart("Done.")).toBe("Running it.\n\nDone.");
  expect(parts.isComplete("Done.")).toBe(true);
});

test.each([
  ["nothing was displayed", [], "Done.", "Done."],
  ["only its beginning was", [{ message_id: "a", index: 0, final: false, delta: "Do" }], "Done.", "Done."],
  ["only the message before was", pieces("a", "Running it."), "Done.", "Running it.\n\nDone."],
  ["it says nothing at its end", pieces("a", "Running it."), "", "Running it."],
])("what is missing comes with the end, where %s", (_, shown, last, answer) => {
  const parts = new AnswerParts();
  const said = shown.map((piece) => parts.add(piece)).join("");
  expect(said + parts.missingPart(last)).toBe(answer);
});

test("what was said before a restart is not said again", () => {
  const all = new AnswerParts("Running it.\n\nDone.");
  expect(all.missingPart("Done.")).toBe("");
  const half = new AnswerParts("Running it.");
  expect(half.missingPart("Done.")).toBe("\n\nDone.");
});

test.each([
  ["nothing of it was kept", "", "One\nTwo\nThree\nFour"],
  ["its beginning was", "One\n", "One\nTwo\nThree\nFour"],
  ["all that was displayed was", "One\nTwo\n", "One\nTwo\nThree\nFour"],
  ["what was said before it was too", "Running it.\n\nOne\n", "Running it.\n\nOne\nTwo\nThree\nFour"],
  ["only what was said before it was", "Running it.", "Running it.\n\nOne\nTwo\nThree\nFour"],
])("a last message that is heard only from its middle on is said once, where %s", (_, before, answer) => {
  const parts = new AnswerParts(before);
  const said = pieces("a", "One\n", "Two\n", "Three\n", "Four")
    .slice(2)
    .map((piece) => parts.add(piece))
    .join("");
  expect(before + said + parts.missingPart("One\nTwo\nThree\nFour")).toBe(answer);
});

test("what is heard of a message from its middle on does not hold up the next one, and is said before it", () => {
  const parts = new AnswerParts("");
  const heard = [...pieces("a", "Run", "ning ", "it.").slice(1), ...pieces("b", "Done.")];
  expect(heard.map((piece) => parts.add(piece))).toEqual(["", "", "ning it.\n\nDone."]);
  expect(parts.missingPart("Done.")).toBe("");
});

test("a message of which only the middle is heard is not taken for another that ends the turn", () => {
  const parts = new AnswerParts("");
  parts.add({ message_id: "a", index: 1, final: true, delta: "it." });
  expect(parts.missingPart("Done.")).toBe("it.\n\nDone.");
});

test("pieces of one message in any order, some of them twice, are that message", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      (deltas, chance) => {
        const all = pieces("a", ...deltas);
        const order = [...all, ...all.slice(0, 2)]
          .map((piece) => ({ piece, at: chance.next().value }))
          .sort((a, b) => a.at - b.at);
        const parts = new AnswerParts();
        expect(order.map(({ piece }) => parts.add(piece)).join("")).toBe(deltas.join(""));
      },
    ),
  );
});
