/** The thread in which a large snapshot is made, and in which the journal is blanked. */
import { parentPort, workerData } from "node:worker_threads";
import { nodeDisk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { blankSession, type Blanking } from "../journal/blanking.ts";
import { rebuildSnapshot, type Rebuild, type ThreadAnswer } from "./rebuild-snapshot.ts";

async function answer(): Promise<ThreadAnswer> {
  const wanted = workerData as Rebuild | Blanking;
  try {
    return {
      result: await ("threadId" in wanted ? blankSession(nodeDisk, wanted) : rebuildSnapshot(nodeDisk, wanted)),
    };
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    return { refused: { code: error.code, details: error.details } };
  }
}

parentPort?.postMessage(await answer());
