/**
 * The machine's processes, all asleep. The test's own process stands in for Claude, and it is running whenever it is
 * looked at.
 */
import { systemProcessTable, type ProcessTable } from "../../../src/host/processes/process-table.ts";

export function restingTable(): ProcessTable {
  const table = systemProcessTable();
  const read: ProcessTable["read"] = (pid) => {
    const row = table.read(pid);
    return row && { ...row, state: "S" };
  };
  return { ...table, read };
}
