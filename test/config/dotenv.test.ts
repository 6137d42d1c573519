import { expect, test } from "vitest";
import { parseDotenv } from "../../src/config/env-files.ts";

const values = (text: string): Record<string, string> => Object.fromEntries(parseDotenv(text).values);

test("a value is what is after the sign, without space and comment", () => {
  expect(values("A=1\n  B = two words \nexport C=3 # why\nD=a#b\nE=\nF=# nothing")).toEqual({
    A: "1",
    B: "two words",
    C: "3",
    D: "a#b",
    E: "",
    F: "",
  });
});

test("quotes hold what is between them; only double ones know escapes", () => {
  expect(values(`A='a # "b" \\n'\nB="x\\n\\"y\\" # z" # c\nC=["p","q"]`)).toEqual({
    A: 'a # "b" \\n',
    B: 'x\n"y" # z',
    C: '["p","q"]',
  });
});

test("a byte order mark and carriage returns are no part of names or values", () => {
  expect(values("\uFEFFA=1\r\nB=2\r\n")).toEqual({ A: "1", B: "2" });
});

test("the last of two lines counts", () => {
  expect(values("A=1\nA=2")).toEqual({ A: "2" });
});

test("a line of another form is told by its number and not read", () => {
  expect(parseDotenv('A=1\nnonsense\nB="open\n1C=2\n\n# fine')).toEqual({
    values: new Map([["A", "1"]]),
    strange: [2, 3, 4],
  });
});
