/**
 * An ended answer is made into messages once, however often its thread is looked at, and anew where anything of it
 * differs.
 */
import { expect, test } from "vitest";
import { openMarkdown } from "../../../../src/discord/text/markdown.ts";
import { wholeAnswer, type AnswerRendering, type AnswerSegment } from "../../../../src/discord/views/jobs/answer.ts";
import { job, message, Scene, T1 } from "../../../core/scene.ts";

const scene = new Scene().withSessions(T1);
scene.hear(T1, message(1), "do it");
scene.finish(job(1));
const answered = scene.state.jobs[job(1)]!;
const text = "A sentence of the answer.\n\n".repeat(1_000);
const md = openMarkdown((_ms, work) => work());
const rendering: AnswerRendering = {
  config: { long_answers: "file", max_file_bytes: 1e7 },
  markdown: md,
  locale: "en",
};
/** Another text each time, which says the same: so is it when it is read from its file again. */
const again = (): string => Buffer.from(text).toString();

/** The messages, and how often it was asked where Markdown divides. */
function looked(of: Partial<AnswerRendering> = {}, said = again(), segment?: AnswerSegment) {
  let times = 0;
  const markdown = { ...md, breakPoints: (part: string) => ((times += 1), md.breakPoints(part)) };
  const parts = wholeAnswer(answered, { text: said, left: 0 }, { ...rendering, ...of, markdown }, segment);
  return { times, parts };
}

test("it is made once", () => {
  const first = looked();
  const second = looked();
  expect(first.parts).toHaveLength(6);
  expect(first.times).toBeGreaterThan(0);
  expect(second.times).toBe(0);
  expect(second.parts).toEqual(first.parts);
});

test.each<[string, () => ReturnType<typeof looked>]>([
  ["another text", () => looked({}, `${text}More of it.`)],
  ["another beginning", () => looked({}, again(), { from: 27, first: 1 })],
  ["another way with long ones", () => looked({ config: { long_answers: "split", max_file_bytes: 1e7 } })],
  ["another limit for files", () => looked({ config: { long_answers: "file", max_file_bytes: 1 } })],
  ["another language", () => looked({ locale: "ko" })],
])("with %s it is made anew", (_what, change) => {
  const before = looked().parts;
  const { times, parts } = change();
  expect(times).toBeGreaterThan(0);
  expect(parts).not.toEqual(before);
});
