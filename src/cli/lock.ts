/**
 * `bellhop lock` and `bellhop unlock`: the lock in a shell on the machine, and a word for `/unlock` in Discord, so that
 * it takes both to open it. `bellhop lock --set-word` sets a word for an owner who is not at the machine.
 */
import { text } from "node:stream/consumers";
import { nodeDisk } from "../base/disk.ts";
import { say, type WordArgs, type WordKey } from "../base/words/say.ts";
import { LONGEST_WORD, saveUnlockWord, SHORTEST_WORD, SHOWN_MS, unlockWordIn } from "../engine/unlock-words.ts";
import { prepareStateDirectory } from "../journal/state-directory.ts";
import { asTyped, localeOf, type Io } from "./io.ts";
import { readOptions, WrongCall } from "./options.ts";
import { callDaemon, places } from "./start/daemons.ts";
import { localTime } from "./terminal/time.ts";

const LENGTHS = { least: SHORTEST_WORD, most: LONGEST_WORD };

/** @param argv `[--set-word] [--sandbox]` @throws E_NO_DAEMON, E_LINK_REFUSED */
export async function lock(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, { sandbox: { type: "boolean" }, "set-word": { type: "boolean" } });
  const { sandbox = false } = values;
  if (values["set-word"]) return setWord(io, sandbox);
  const answer = (await callOnce(io, sandbox, "lock")) as { since: string; ended: number; was_locked: boolean };
  const args = { since: localTime(answer.since), ended: answer.ended };
  tell(io, answer.was_locked ? "cli.lock.already" : "cli.lock.done", args);
  return 0;
}

/** @param argv `[--sandbox]` @throws E_NOT_LOCKED, E_WORD_CLOSED, E_NO_DAEMON, E_LINK_REFUSED */
export async function unlock(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, { sandbox: { type: "boolean" } });
  const { word } = (await callOnce(io, values.sandbox ?? false, "unlock")) as { word: string };
  tell(io, "cli.unlock.word", { word, minutes: SHOWN_MS / 60_000 });
  return 0;
}

async function callOnce(io: Io, sandbox: boolean, method: "lock" | "unlock"): Promise<unknown> {
  const caller = await callDaemon(io, sandbox);
  try {
    return await caller.call(method, {});
  } finally {
    caller.close();
  }
}

async function setWord(io: Io, sandbox: boolean): Promise<number> {
  const dir = places(io, sandbox)[0]?.stateDir ?? "";
  const word = await readWord(io);
  if (!isFit(word)) throw new WrongCall("cli.lock.length", LENGTHS);
  await prepareStateDirectory(dir);
  await saveUnlockWord(nodeDisk, dir, word);
  tell(io, "cli.lock.word_set");
  return 0;
}

/** Typed twice where somebody types it; else the first line of the input. @throws WrongCall if the two differ */
async function readWord(io: Io): Promise<string> {
  if (process.stdin.isTTY !== true) return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? "";
  const { terminalPrompts } = await import("./init/terminal.ts");
  const locale = localeOf(io.env);
  const { secret } = terminalPrompts({ locale, write: (line) => io.stdout.write(line), yes: false });
  const ask = (key: "cli.lock.type" | "cli.lock.again"): Promise<string> =>
    secret({ message: say(locale, key), option: "--set-word" }, (typed) =>
      isFit(typed) ? undefined : say(locale, "cli.lock.length", LENGTHS),
    );
  const word = await ask("cli.lock.type");
  if (unlockWordIn(await ask("cli.lock.again")) !== unlockWordIn(word)) throw new WrongCall("cli.lock.differ");
  return word;
}

function isFit(word: string): boolean {
  const { length } = unlockWordIn(word);
  return length >= SHORTEST_WORD && length <= LONGEST_WORD;
}

function tell(io: Io, key: WordKey, args: WordArgs = {}): void {
  io.stdout.write(`${asTyped(io, say(localeOf(io.env), key, args))}\n`);
}
