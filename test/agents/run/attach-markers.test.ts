/** Markers are cut however the text is cut, and nothing else is. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Markers } from "../../../src/agents/run/run-recorder.ts";

function cut(...pieces: string[]): [string, string[]] {
  const markers = new Markers("/state/outputs/1");
  const all = [...pieces.map((piece) => markers.cut(piece)), markers.end()];
  return [all.map(({ text }) => text).join(""), all.flatMap(({ names }) => names)];
}

test.each<[string, string, string[]]>([
  ["a [DISCORD_ATTACH: b.png] c", "a  c", ["b.png"]],
  ["[DISCORD_ATTACH:x][DISCORD_ATTACH: y/z ]", "", ["x", "y/z"]],
  ["[link](a) [DISCORD_ATTACH", "[link](a) [DISCORD_ATTACH", []],
  ["[DISCORD_ATTACH: never\nclosed]", "[DISCORD_ATTACH: never\nclosed]", []],
  [`[DISCORD_ATTACH: ${"x".repeat(500)}]`, `[DISCORD_ATTACH: ${"x".repeat(500)}]`, []],
  ["[[DISCORD_ATTACH: a]]", "[]", ["a"]],
  ["/state/outputs/1/chart.png", "", ["chart.png"]],
  ["\n `/state/outputs/1/sub/Chart 2.JPEG`\n", "", ["sub/Chart 2.JPEG"]],
  ["/state/outputs/1/report.txt", "/state/outputs/1/report.txt", []],
  ["/state/outputs/12/chart.png", "/state/outputs/12/chart.png", []],
  ["/state/outputs/1/chart.png is there", "/state/outputs/1/chart.png is there", []],
  ["see /state/outputs/1/chart.png", "see /state/outputs/1/chart.png", []],
  ["/state/outputs/1/a.png\n/state/outputs/1/b.png", "/state/outputs/1/a.png\n/state/outputs/1/b.png", []],
  ["/state/out", "/state/out", []],
])("%j", (source, text, names) => {
  expect(cut(source)).toEqual([text, names]);
  fc.assert(
    fc.property(fc.array(fc.nat(source.length), { maxLength: 6 }), (places) => {
      const at = [0, ...places.toSorted((a, b) => a - b), source.length];
      expect(cut(...at.slice(1).map((end, index) => source.slice(at[index], end)))).toEqual([text, names]);
    }),
  );
});
