import { expect, test } from "vitest";
import { nearest } from "../../src/config/config-file.ts";

const known = ["after_crash", "long_answers", "pass_env", "limits"];

test("a wrong, missing, doubled, swapped or capital letter still leads to the intended name", () => {
  for (const typo of ["aftr_crash", "after_crsah", "after_crashh", "AFTER_CRASH", "after_crush"]) {
    expect(nearest(typo, known)).toBe("after_crash");
  }
});

test("half a name leads to the whole", () => {
  expect(nearest("after", known)).toBe("after_crash");
  expect(nearest("limits_of_agents", known)).toBe("limits");
});

test("a name like none of them gets no guess", () => {
  expect(nearest("wallpaper", known)).toBeUndefined();
  expect(nearest("x", known)).toBeUndefined();
  expect(nearest("", known)).toBeUndefined();
});
