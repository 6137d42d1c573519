/** No words allow what the law of consent does not let them allow; a core without one of its rules is found out. */
import { describe, expect, test } from "vitest";
import { decideAndEvolve } from "../../../src/core/decider.ts";
import { emptyState } from "../../../src/core/state.ts";
import { mutant, type Edit } from "../../mutant.ts";
import { RUNS } from "../history.ts";
import { checkConsent, checkDeadline, type Core } from "./consent-law.ts";

test("over random histories of prompts, posts and words, nothing is allowed or refused that the owner did not mean", () => {
  checkConsent({ decideAndEvolve, emptyState }, RUNS.numRuns * 5);
});

test("an answer counts by when it was written, in Discord's time, and not by when it is heard", () => {
  checkDeadline({ decideAndEvolve, emptyState }, RUNS.numRuns);
});

const ANSWERING = "core/decisions/answering.ts";

const cases: (Edit & { without: string })[] = [
  {
    without: "the reply rule",
    file: ANSWERING,
    find: "    const isNo =",
    put: '    if (bare === "yes" && only !== undefined && more.length === 0 && isOpen(only)) return given(only, message, yesTo(only), true);\n    const isNo =',
  },
  {
    without: "the rule that a reply is to the prompt",
    file: ANSWERING,
    find: "return part === PROMPT_PART || PAGE_PART.test(part);",
    put: 'return part !== "";',
  },
  {
    without: "the only-one rule",
    file: ANSWERING,
    find: "only !== undefined && more.length === 0 && isOpen(only)",
    put: "only !== undefined && isOpen(only)",
  },
  {
    without: "the rule that a no comes after its prompt",
    file: ANSWERING,
    find: " && isOpen(only) && wasShown(state, only, message)",
    put: " && isOpen(only)",
  },
  {
    without: "the no-job rule",
    file: ANSWERING,
    find: "if (bare !== null) return toMany(",
    put: 'if (bare === "no") return toMany(',
  },
  {
    without: "the clear word",
    file: ANSWERING,
    find: 'if (bare !== "yes" && bare !== "no") return stays([decision], message, pointerFor(bare));',
    put: 'if (bare === "other") bare = "yes";',
  },
  {
    without: "the whole shown where the yes is written",
    file: ANSWERING,
    find: "prompts.length > 0 && prompts.every(({ channel_id }) => channel_id === channelId)",
    put: 'prompts.length > 0 && channelId !== ""',
  },
  {
    without: "the pages seen",
    file: "core/decisions/may-answer.ts",
    find: "mayBeAllowed(decision) && isSeen(decision) &&",
    put: "mayBeAllowed(decision) &&",
  },
  {
    without: "the once",
    file: "core/decisions/may-answer.ts",
    find: "PLAN.approve : PERMISSION.once]",
    put: "PLAN.approve : PERMISSION.session]",
  },
  {
    without: "the digest",
    file: "core/decisions/may-answer.ts",
    find: "saw.sha256 !== (decision.subject?.sha256 ?? null)",
    put: 'saw.sha256 === ""',
  },
];

describe("a core without one of its rules is found out:", () => {
  const load = (edit: Edit): Promise<Core> => mutant(edit, ["core/decider.ts", "core/state.ts"]);

  test.for(cases)("without $without", async ({ file, find, put }) => {
    const broken = await load({ file, find, put });
    expect(() => checkConsent(broken, 3000, 7)).toThrow();
  });

  test("without the deadline", async () => {
    const broken = await load({
      file: "core/decisions/decision.ts",
      find: "isBy(snowflakeTime(id), lapses_at)",
      put: 'id !== ""',
    });
    expect(() => checkDeadline(broken, 300)).toThrow();
  });

  test("the copy is not, unchanged", async () => {
    const copy = await load({
      file: ANSWERING,
      find: "export interface Answering {",
      put: "export interface Answering { ",
    });
    expect(copy.decideAndEvolve).not.toBe(decideAndEvolve);
    checkConsent(copy, 300, 7);
    checkDeadline(copy, 300);
  });
});
