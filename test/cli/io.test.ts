import { expect, test } from "vitest";
import { asTyped } from "../../src/cli/io.ts";

const checkout = { env: { npm_package_name: "bellhop", npm_lifecycle_event: "init" } };

test.each([
  ["Run: bellhop init.", "Run: npm run init."],
  ["run `bellhop init` again", "run `npm run init` again"],
  ["bellhop init --token-file - (and paste it)", "npm run init -- --token-file - (and paste it)"],
  ["bellhop start", "npm start"],
  ["bellhop start --json", "npm start -- --json"],
  ["bellhop journal repair (it keeps", "npm run bellhop -- journal repair (it keeps"],
  ["bellhop doctor --fix", "npm run bellhop -- doctor --fix"],
  ["`bellhop init`을 다시 실행하세요", "`npm run init`을 다시 실행하세요"],
  ["/home/me/.config/bellhop/token, bellhop runs", "/home/me/.config/bellhop/token, bellhop runs"],
])("whoever runs npm in a checkout is told %j as %j", (text, told) => {
  expect(asTyped(checkout, text)).toBe(told);
});

test("everybody else is told the command: by its name, by npx, and in a package of their own", () => {
  for (const env of [
    {},
    { npm_package_name: "bellhop", npm_lifecycle_event: "npx" },
    { npm_package_name: "shop", npm_lifecycle_event: "start" },
  ])
    expect(asTyped({ env }, "Run: bellhop init.")).toBe("Run: bellhop init.");
});
