import { expect, test } from "vitest";
import { bytesOf } from "../../../src/core/decisions/review-text.ts";
import { openReviewTexts, type ReviewTexts } from "../../../src/discord/delivery/plan.ts";
import { T1, T2 } from "../../core/scene.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { asking } from "../decision-scene.ts";

const BASH = { tool: "Bash", input: { command: "ls" } };

interface Read {
  shown: ReviewTexts;
  /** Ids of the files that were read. */
  reads: string[];
  unreadable: string[];
  scene: ReturnType<typeof asking>["scene"];
}

function exhibits(file: (bytes: string) => string | null): Read {
  const { scene, bytes } = asking(BASH);
  const reads: string[] = [];
  const unreadable: string[] = [];
  const context = botContext({
    engine: {
      get state() {
        return scene.state;
      },
    },
    decisionFiles: { read: async (id) => (reads.push(id), file(bytes)) },
    log: { failure: (_text, _error, fields) => void unreadable.push(String(fields?.["subject"])) },
  });
  const shown = openReviewTexts(context);
  return { shown, reads, unreadable, scene };
}

test("what would be done is read once, for its own thread, and forgotten when it is settled", async () => {
  const { shown, reads, unreadable, scene } = exhibits((bytes) => bytes);
  expect(await shown(T2)).toEqual(new Map());
  for (let look = 0; look < 3; look += 1)
    expect(await shown(T1)).toEqual(new Map([["dec_1", [{ prose: "", text: "```bash\nls\n```" }]]]));
  expect(reads).toEqual(["dec_1"]);
  scene.press("dec_1", [2]);
  expect(await shown(T1)).toEqual(new Map());
  expect(unreadable).toEqual([]);
});

test.each([
  ["is gone", () => null],
  ["says something else", () => bytesOf({ tool: "Bash", input: { command: "ls " } })],
  [
    "cannot be read",
    () => {
      throw new Error("disk");
    },
  ],
])("nothing is shown of a file that %s, and it is said once", async (_what, file) => {
  const { shown, unreadable } = exhibits(file);
  for (let look = 0; look < 2; look += 1) expect(await shown(T1)).toEqual(new Map());
  expect(unreadable).toEqual(["dec_1"]);
});
