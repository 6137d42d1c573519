/** The machine's processes, of which none computes: a test that asks is one itself. */
import { systemProcessTable, type ProcessTable } from "../../../src/host/processes/process-table.ts";

export function restingTable(): ProcessTable {
  const table = systemProcessTable();
  const read: ProcessTable["read"] = (pid) => {
    const row = table.read(pid);
    return row && { ...row, state: "S" };
  };
  return { ...table, read };
}
