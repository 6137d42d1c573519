/** `--env-file`: every verb with settings takes it, wherever it stands; a client takes none. */
import { expect, test } from "vitest";
import { bellhop } from "../../src/cli/bellhop.ts";
import { takeEnvFile } from "../../src/cli/options.ts";

test.each<[string[], ReturnType<typeof takeEnvFile>]>([
  [["--json"], { argv: ["--json"] }],
  [["verify", "--env-file", "a b", "--json"], { argv: ["verify", "--json"], envFile: "a b" }],
  [["--env-file=x=y"], { argv: [], envFile: "x=y" }],
  [["--env-file", "a", "--env-file=b"], { argv: [], envFile: "b" }],
  [["--", "--env-file", "a"], { argv: ["--", "--env-file", "a"] }],
])("%j", (argv, taken) => {
  expect(takeEnvFile(argv)).toEqual(taken);
});

async function called(...argv: string[]): Promise<{ code: number; err: string }> {
  let err = "";
  const code = await bellhop(argv, {
    stdout: { write: () => true },
    stderr: { write: (text) => (err += text) },
    env: { HOME: "/nonexistent", LANG: "C" },
  });
  return { code, err };
}

test("without a path it is a wrong call, and a file that is not there is named", async () => {
  for (const argv of [["--env-file"], ["--env-file="]])
    expect(await called("status", ...argv)).toMatchObject({
      code: 64,
      err: expect.stringContaining("--env-file") as string,
    });
  expect(await called("status", "--env-file", "/nowhere/.env")).toMatchObject({
    code: 78,
    err: expect.stringContaining('found "/nowhere/.env"') as string,
  });
});

test("a client has no such option: it is started in the repositories that agents work in", async () => {
  for (const verb of ["mcp", "watch"]) expect((await called(verb, "--env-file", "/nowhere/.env")).code).toBe(64);
});
