/** Whether there is room for what must be written before it counts. */
import { statfs } from "node:fs/promises";
import type { Finding } from "../base/finding.ts";

const MEGABYTE = 1024 * 1024;
const TOO_LITTLE = 50;
const LITTLE = 500;

/** @param free the free bytes where the directory is; null if unknown */
export async function checkDisk(
  dir: string,
  free: (dir: string) => Promise<number | null> = freeBytes,
): Promise<Finding[]> {
  const bytes = await free(dir);
  if (bytes === null) return [];
  const megabytes = Math.floor(bytes / MEGABYTE);
  const args = { dir, megabytes };
  if (megabytes >= LITTLE) return [{ check: "disk", verdict: "good", says: "doctor.disk", args }];
  return [
    {
      check: "disk",
      verdict: megabytes < TOO_LITTLE ? "bad" : "warn",
      says: "doctor.disk.full",
      args,
      mend: { says: "doctor.disk.mend" },
    },
  ];
}

async function freeBytes(dir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  } catch {
    return null;
  }
}
