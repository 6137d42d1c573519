/** The journal, read from the first event to the last, and whether its directory is private. */
import { chmod } from "node:fs/promises";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf, nodeDisk } from "../base/disk.ts";
import { failed, type Finding } from "../base/finding.ts";
import { BellhopError, theirWords } from "../base/errors.ts";
import { lockHolder } from "./lock.ts";
import { checkStateDirectory } from "./state-directory.ts";
import { verifyJournal } from "./verify.ts";

export async function checkJournal(dir: string): Promise<Finding[]> {
  const refused = refusal(dir);
  if (refused !== undefined) return [failed("state", refused)];
  if (!existsSync(dir)) return [{ check: "journal", verdict: "idle", says: "doctor.state.none", args: { dir } }];
  try {
    await checkStateDirectory(dir);
  } catch (error) {
    const open = error instanceof BellhopError && String(error.details["found"]).startsWith("mode");
    return [{ ...failed("state", error), ...(open && { fix: () => chmod(dir, 0o700) }) }];
  }
  try {
    let report = await verifyJournal(nodeDisk, dir);
    // A daemon may close a segment between two reads; real damage is found again.
    if (!report.ok && lockHolder(dir) !== undefined) report = await verifyJournal(nodeDisk, dir);
    const { damage, snapshot, covered, events, bytes, files } = report;
    if (report.ok)
      return [{ check: "journal", verdict: "good", says: "cli.journal.whole", args: { events, bytes, files } }];
    const mend = { says: "doctor.journal.mend" as const };
    if (damage !== undefined)
      return [
        {
          check: "journal",
          verdict: covered ? "warn" : "bad",
          says: "cli.journal.damaged",
          args: { ...damage, events },
          ...(!covered && { mend }),
        },
      ];
    return [
      {
        check: "journal",
        verdict: "bad",
        says: `cli.journal.snapshot.${snapshot.kind}`,
        args: { seq: snapshot.seq ?? 0, found: snapshot.found ?? "" },
        mend,
      },
    ];
  } catch (error) {
    return [failed("journal", error)];
  }
}

/** Why nothing can be written there, or the directory not be made. */
function refusal(dir: string): BellhopError | undefined {
  let path = dir;
  while (!existsSync(path)) path = dirname(path);
  try {
    // The dot refuses a file where a directory must be.
    accessSync(`${path}/.`, constants.W_OK);
    return undefined;
  } catch (error) {
    return new BellhopError("E_PATH_REFUSED", { path, reason: theirWords(errnoOf(error)) });
  }
}
