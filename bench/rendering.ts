/**
 * What it costs to show an answer while it is written. Nobody else is served during a look, so what counts is the
 * longest one, and that a look does not cost more the longer the answer is. Counted in processor time, which other
 * programs on the machine do not change. `node bench/run.ts rendering` prints it.
 */
import { growingAnswer, type AnswerConfig } from "../src/discord/views/jobs/answer.ts";
import { IncrementalRendering } from "../src/discord/text/incremental-rendering.ts";
import { openMarkdown } from "../src/discord/text/markdown.ts";
import type { Figure } from "./journal.ts";

const CHARS = 200_000;
/** Two characters a millisecond, looked at every 1.2 seconds. */
const A_LOOK = 2400;
const MAX_LOOK_MS = 20;

export function rendering(): Figure[] {
  // What is measured is not the compiling of what runs for the first time.
  for (const long_answers of ["file", "split"] as const) looks(long_answers);
  return (["file", "split"] as const).map((long_answers) => {
    const times = looks(long_answers);
    const tenth = Math.floor(times.length / 10);
    const ratio = mean(times.slice(-tenth)) / mean(times.slice(tenth, 2 * tenth));
    const longest = Math.max(...times);
    return {
      name: `an answer of ${CHARS / 1000} kB while it is written, \`long_answers: ${long_answers}\``,
      reached: `a look ${mean(times).toFixed(1)} ms, the longest ${longest.toFixed(1)} ms; the last tenth to the second ${ratio.toFixed(2)}`,
      value: longest,
      bar: `the longest < ${MAX_LOOK_MS} ms, the last tenth ≤ 3 times the second`,
      holds: longest < MAX_LOOK_MS && ratio <= 3,
    };
  });
}

/** Milliseconds of each look. */
function looks(long_answers: AnswerConfig["long_answers"]): number[] {
  const text = answer();
  const incremental = new IncrementalRendering(openMarkdown());
  const times: number[] = [];
  for (let end = A_LOOK; end <= text.length; end += A_LOOK) {
    const before = process.cpuUsage();
    growingAnswer(text.slice(0, end), { long_answers, max_file_bytes: 10_000_000 }, incremental);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times;
}

function answer(): string {
  const part = (n: number): string => `## Part ${n}

Some words about \`part${n}\`, **which matters**, and [where it is said](https://example.com/parts/${n}). ${"A sentence follows another. ".repeat(12)}

- one thing, 그리고 또 하나
  - and what belongs to it

\`\`\`ts
${`const value${n} = compute(${n});\n`.repeat(12)}\`\`\`

| File | Lines | 상태 |
|:-----|------:|:----:|
${`| src/part${n}.ts | ${n * 7} | 완료 |\n`.repeat(6)}
`;
  let text = "";
  for (let n = 1; text.length < CHARS; n += 1) text += part(n);
  return text.slice(0, CHARS);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
