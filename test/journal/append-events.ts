/**
 * A process that opens the journal in the directory it is given and appends events until it is done or the disk
 * refuses; prints each acknowledged number, and exits with the code of the failure. For tests with real faults.
 */
import { systemClock } from "../../src/base/clock.ts";
import { nodeDisk } from "../../src/base/disk.ts";
import { codeOf, errors } from "../../src/base/errors.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { draft } from "./sample-state.ts";

const [dir = "", count = "0"] = process.argv.slice(2);
try {
  const journal = await openJournal({
    dir,
    disk: nodeDisk,
    clock: systemClock,
    canRead: () => true,
    restore: () => undefined,
    apply: () => undefined,
    segmentBytes: 4000,
  });
  for (let id = journal.last.seq + 1; id <= Number(count); id += 1) {
    const { seq } = await journal.append([draft(id)]);
    process.stdout.write(`${seq}\n`);
  }
  await journal.close();
} catch (error) {
  process.stdout.write(`${codeOf(error)}\n`);
  process.exitCode = errors[codeOf(error)].exit ?? 1;
}
