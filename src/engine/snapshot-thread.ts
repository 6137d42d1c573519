/** The thread in which a large snapshot is made. */
import { parentPort, workerData } from "node:worker_threads";
import { nodeDisk } from "../base/disk.ts";
import { rebuildSnapshot, type Rebuild } from "./rebuild-snapshot.ts";

parentPort?.postMessage(await rebuildSnapshot(nodeDisk, workerData as Rebuild));
