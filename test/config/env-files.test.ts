/** Which `.env` files are read, and which are not. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { valuesUnread, readEnvFiles, unreadEnvFile, type EnvPlaces } from "../../src/config/env-files.ts";

interface Scene extends EnvPlaces {
  home: string;
  write(path: string, text: string): string;
}

function scene(): Scene {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-env-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const folder of ["checkout", "repository", ".config/bellhop"])
    mkdirSync(join(home, folder), { recursive: true });
  return {
    home,
    env: { HOME: home },
    cwd: join(home, "repository"),
    checkout: join(home, "checkout"),
    write(path, text) {
      writeFileSync(join(home, path), text);
      return join(home, path);
    },
  };
}

const paths = (at: EnvPlaces): string[] => readEnvFiles(at).map(({ path }) => path);

test("the working directory's own file is not read, whatever it says", () => {
  const { write, ...at } = scene();
  write("repository/.env", "STATE_DIR=x\n");
  expect(paths(at)).toEqual([]);
});

test("the checkout's is read when Bellhop is started there, before the one in the configuration directory", () => {
  const { write, home, ...at } = scene();
  const [own, users] = [write("checkout/.env", "A=1\n"), write(".config/bellhop/.env", "A=2\n")];
  expect(paths(at)).toEqual([users]);
  expect(paths({ ...at, cwd: at.checkout })).toEqual([own, users]);
  symlinkSync(at.checkout, join(home, "link"));
  expect(paths({ ...at, cwd: join(home, "link") })).toEqual([own, users]);
});

test("XDG_CONFIG_HOME says where the configuration directory is, unless it is relative", () => {
  const { write, home, ...at } = scene();
  mkdirSync(join(home, "xdg", "bellhop"), { recursive: true });
  const [users, xdg] = [write(".config/bellhop/.env", ""), write("xdg/bellhop/.env", "")];
  expect(paths({ ...at, env: { HOME: home, XDG_CONFIG_HOME: join(home, "xdg") } })).toEqual([xdg]);
  expect(paths({ ...at, env: { HOME: home, XDG_CONFIG_HOME: "xdg" } })).toEqual([users]);
});

test("one that the owner names is read instead of all others, and has to be there", () => {
  const { write, home, ...at } = scene();
  write(".config/bellhop/.env", "");
  const named = write("repository/.env", "A=1\n");
  for (const path of [named, ".env", "../repository/.env", "~/repository/.env"])
    expect(paths({ ...at, named: path })).toEqual([named]);
  expect(() => readEnvFiles({ ...at, named: "nowhere" })).toThrow("E_CONFIG_INVALID");
  expect(() => readEnvFiles({ ...at, named: home })).toThrow("E_CONFIG_INVALID");
});

test("an unread file is one that lies here and is none of those that were read", () => {
  const { write, ...at } = scene();
  expect(unreadEnvFile(at, [])).toBeUndefined();
  const here = write("repository/.env", "STATE_DIR=x\n");
  expect(unreadEnvFile(at, [])?.path).toBe(here);
  expect(unreadEnvFile(at, readEnvFiles({ ...at, named: ".env" }))).toBeUndefined();
});

test("it leaves unsaid only what nothing else says; the token's three names are one thing", () => {
  const { write, home, ...at } = scene();
  write("repository/.env", "STATE_DIR=x\nDISCORD_TOKEN=t\n");
  const [unread] = readEnvFiles({ ...at, named: ".env" });
  if (unread === undefined) throw new Error("not read");
  expect(valuesUnread(unread, {}, [])).toEqual({ token: "DISCORD_TOKEN", stateDir: "STATE_DIR" });
  expect(valuesUnread(unread, { DISCORD_TOKEN_FILE: "/t", STATE_DIR: " " }, [])).toEqual({ stateDir: "STATE_DIR" });
  write(".config/bellhop/.env", "DISCORD_BOT_TOKEN=t\nSTATE_DIR=/s\n");
  expect(valuesUnread(unread, {}, readEnvFiles({ ...at, env: { HOME: home } }))).toEqual({});
});
