/**
 * `bellhop journal verify|repair|export [--sandbox] [--json]`: reports what is in the journal and what is damaged; cuts
 * off the damaged part, keeping the original; prints the events. Exits with 0 if all is well (after a repair: now), 65
 * if the journal is damaged, 66 if there is none yet, 64 for wrong usage.
 */
import { accessSync, existsSync, readdirSync } from "node:fs";
import { isoTime, systemClock } from "../base/clock.ts";
import { errnoOf, nodeDisk } from "../base/disk.ts";
import { BellhopError, theirWords } from "../base/errors.ts";
import { jsonForTerminal, terminalLine } from "../base/terminal-text.ts";
import { say, type Locale } from "../base/words/say.ts";
import type { JournalEvent } from "../journal/format.ts";
import { lockHolder, takeLock } from "../journal/lock.ts";
import { readJournal } from "../journal/reader.ts";
import { repairJournal, type Repair, verifyJournal, type Report } from "../journal/verify.ts";
import { SNAPSHOT } from "../journal/writer.ts";
import { asTyped, localeOf, type Io, type Tell } from "./io.ts";
import { readOptions, WrongCall } from "./options.ts";
import { places } from "./start/daemons.ts";

const OK = 0;
const DAMAGED = 65;

/**
 * @param argv what follows `bellhop journal`
 * @returns the exit code
 * @throws BellhopError E_DAEMON_RUNNING {pid, path} for a repair under a running daemon; E_JOURNAL_MISSING {path,
 * command}; E_PATH_REFUSED {path, reason}; E_JOURNAL_WRITE
 */
export async function journal(argv: readonly string[], io: Io): Promise<number> {
  const locale = localeOf(io.env);
  const { values, words } = readOptions(argv, { sandbox: { type: "boolean" }, json: { type: "boolean" } }, 1);
  const { sandbox = false, json = false } = values;
  const [verb] = words;
  if (verb === undefined) throw new WrongCall("cli.wrong.missing");
  if (verb === "verify") return verify(stateDirectory(io, sandbox), json, io, locale);
  if (verb === "repair") return repair(stateDirectory(io, sandbox), json, io, locale);
  if (verb === "export") return exportEvents(stateDirectory(io, sandbox), io, locale);
  throw new WrongCall("cli.wrong.verb", { verb: terminalLine(verb, 80) });
}

async function verify(dir: string, json: boolean, io: Io, locale: Locale): Promise<number> {
  let report = await verifyJournal(nodeDisk, dir);
  // A daemon may close a segment between two reads; real damage is found again.
  if (!report.ok && lockHolder(dir) !== undefined) report = await verifyJournal(nodeDisk, dir);
  if (json) io.stdout.write(`${jsonForTerminal(report)}\n`);
  else tellReport(report, teller(io, locale));
  return report.ok ? OK : DAMAGED;
}

async function repair(dir: string, json: boolean, io: Io, locale: Locale): Promise<number> {
  const lock = takeLock(dir);
  try {
    const done = await repairJournal(nodeDisk, dir, isoTime(systemClock.now()));
    if (json) io.stdout.write(`${jsonForTerminal(done)}\n`);
    else tellRepair(done, teller(io, locale));
    return done.after.ok ? OK : DAMAGED;
  } finally {
    lock.release();
  }
}

/** Prints the events up to the first damage, without their crc, one JSON object per line. */
async function exportEvents(dir: string, io: Io, locale: Locale): Promise<number> {
  let lines: string[] = [];
  const print = async (): Promise<void> => {
    const text = lines.join("");
    lines = [];
    if (text !== "" && io.stdout.write(text) === false) await io.stdout.drained?.();
  };
  const onEvent = ({ seq, ts, type, payload }: JournalEvent): void => {
    lines.push(`${jsonForTerminal({ seq, ts, type, payload })}\n`);
  };
  try {
    await readJournal({ disk: nodeDisk, dir, canRead: () => true, onEvent, pause: print });
    await print();
    return OK;
  } catch (error) {
    if (!(error instanceof BellhopError) || error.code !== "E_JOURNAL_CORRUPT") throw error;
    await print();
    io.stderr.write(`${asTyped(io, say(locale, "E_JOURNAL_CORRUPT", error.details))}\n`);
    return DAMAGED;
  }
}

function tellReport(report: Report, tell: Tell): void {
  const { events, forgotten, files, bytes, tail, snapshot, damage, covered, hole } = report;
  if (damage === undefined) tell("cli.journal.whole", { events, files, bytes });
  else tell("cli.journal.damaged", { ...damage, events });
  if (forgotten > 0) tell("cli.journal.forgotten", { count: forgotten });
  if (hole) tell("cli.journal.hole");
  else if (covered) tell("cli.journal.covered", { seq: snapshot.seq ?? 0 });
  if (tail.kind === "torn") tell("cli.journal.torn", { bytes: tail.bytes });
  if (tail.kind === "whole") tell("cli.journal.newline");
  tell(`cli.journal.snapshot.${snapshot.kind}`, { seq: snapshot.seq ?? 0, found: snapshot.found ?? "" });
}

function tellRepair({ before, after, cut, kept }: Repair, tell: Tell): void {
  if (before.ok || before.covered) tell("cli.journal.nothing");
  else {
    if (before.damage !== undefined) tell("cli.journal.damaged", { ...before.damage, events: before.events });
    if (cut.bytes > 0) tell("cli.journal.cut", cut);
    for (const copy of kept) tell("cli.journal.kept", { copy });
  }
  tellReport(after, tell);
}

function teller(io: Io, locale: Locale): Tell {
  return (key, args) => {
    io.stdout.write(`${asTyped(io, say(locale, key, args))}\n`);
  };
}

/** The sandbox's, if it is asked for or the only one with a journal. */
function stateDirectory(io: Io, sandbox: boolean): string {
  const dirs = places(io, sandbox).map(({ stateDir }) => stateDir);
  const dir = dirs.find(hasJournal);
  if (dir !== undefined) return dir;
  const [path = ""] = dirs;
  // What cannot be looked at may have one.
  try {
    accessSync(path);
  } catch (error) {
    const reason = errnoOf(error);
    if (reason !== "ENOENT") throw new BellhopError("E_PATH_REFUSED", { path, reason: theirWords(reason) });
  }
  throw new BellhopError("E_JOURNAL_MISSING", { path, command: `bellhop ${sandbox ? "sandbox" : "start"}` });
}

function hasJournal(dir: string): boolean {
  return existsSync(dir) && readdirSync(dir).some((name) => name === SNAPSHOT || /^events.*\.ndjson$/.test(name));
}
