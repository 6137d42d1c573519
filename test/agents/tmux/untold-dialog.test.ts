/** A dialog that no hook tells of: when it counts, when its owner's own do not, and what a no presses. */
import { expect, test } from "vitest";
import { UntoldDialog, type AskingDialog, type WindowPane } from "../../../src/agents/tmux/window-pane.ts";

const LINE = "─".repeat(60);
const dialog = (words: string): string[] => [LINE, ` ${words}`, " ❯ 1. Yes", "   2. No"];
const BOX = [LINE, "❯ ", LINE, "  ? for shortcuts"];
const AT = { inTurn: true, isUnheard: false };
const TEXT = "May I?\n  1. Yes\n  2. No";

function scene() {
  const now = { lines: dialog("May I?"), isTold: false, computes: false };
  const said: (string | null)[] = [];
  const keys: string[] = [];
  const pane = {
    screen: async () => ({ lines: now.lines, dead: false, inMode: false }),
    computes: () => now.computes,
    press: async (key: string) => keys.push(key) > 0,
  };
  const asking = {
    get isTold() {
      return now.isTold;
    },
  };
  const one = new UntoldDialog(pane as unknown as WindowPane, asking as unknown as AskingDialog, (text) =>
    said.push(text),
  );
  const looks = async (times: number, at = AT): Promise<void> => {
    for (let look = 0; look < times; look += 1) await one.check(at);
  };
  return { one, now, said, keys, looks };
}

test("it counts when it has stood for a while, and its end when that was seen twice", async () => {
  const { now, said, looks } = scene();
  await looks(4);
  expect(said).toEqual([]);
  await looks(1);
  expect(said).toEqual([TEXT]);
  now.lines = BOX;
  await looks(1);
  expect(said).toHaveLength(1);
  await looks(2);
  expect(said).toEqual([TEXT, null]);
});

test("one that its hook tells of, one that changes, and what is drawn late do not count", async () => {
  const { now, said, looks } = scene();
  now.isTold = true;
  await looks(9);
  now.isTold = false;
  for (const words of ["one", "two", "three"]) {
    now.lines = dialog(words);
    await looks(3);
  }
  now.computes = true;
  await looks(9);
  expect(said).toEqual([]);
});

test("outside of a turn only one that stood there before anything was heard counts", async () => {
  const idle = scene();
  await idle.looks(30, { inTurn: false, isUnheard: false });
  expect(idle.said).toEqual([]);
  const taken = scene();
  await taken.looks(5, { inTurn: false, isUnheard: true });
  expect(taken.said).toEqual([TEXT]);
  const late = scene();
  late.now.lines = BOX;
  await late.looks(20, { inTurn: false, isUnheard: true });
  late.now.lines = dialog("/model");
  await late.looks(20, { inTurn: false, isUnheard: true });
  expect(late.said).toEqual([]);
});

test("a no presses Escape in that dialog and in no other", async () => {
  const { one, now, keys } = scene();
  const isIt = (text: string): boolean => text === TEXT;
  now.lines = dialog("May I delete it?");
  expect(await one.refuse(isIt)).toBe(false);
  now.lines = BOX;
  expect(await one.refuse(isIt)).toBe(false);
  expect(keys).toEqual([]);
  now.lines = dialog("May I?");
  expect(await one.refuse(isIt)).toBe(true);
  expect(keys).toEqual(["Escape"]);
});
