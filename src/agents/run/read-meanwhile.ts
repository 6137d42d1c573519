/**
 * What agents have read, by their own records, of the messages that the last daemon was sending into their turns when it
 * ended. Each such message has a name that follows from what it is, so that the next daemon can look for it.
 */
import { createHash } from "node:crypto";
import type { JobRef } from "../../core/jobs/job.ts";
import { jobOrTurn } from "../../core/jobs/job-or-turn.ts";
import { underWay, type ReadMeanwhile } from "../../core/jobs/sending.ts";
import { toolKey } from "../../core/sessions/session.ts";
import type { State } from "../../core/state.ts";
import type { Driver } from "../contract/driver.ts";

/** A UUID. A job's message is sent once into one turn. */
export function sentName({ thread_id, job_id }: JobRef, into: string): string {
  const digits = createHash("sha256").update(JSON.stringify([thread_id, job_id, into])).digest("hex");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** @param open called if there is anything to look for. Never rejects. */
export async function readMeanwhile(state: State, open: () => ReadonlyMap<string, Driver>): Promise<ReadMeanwhile[]> {
  const sent = Object.keys(state.threads).flatMap((thread_id) => underWay(state, thread_id).map((job_id) => ({ thread_id, job_id })));
  if (sent.length === 0) return [];
  const drivers = open();
  const read = sent.map(async (ref): Promise<ReadMeanwhile[]> => {
    const into = state.runs[ref.job_id]?.sent_into ?? "";
    const tool = jobOrTurn(state, into)?.tool ?? "";
    const key = toolKey(state, ref.thread_id, tool);
    const name = sentName(ref, into);
    const how = key === null ? undefined : (await drivers.get(tool)?.readBy?.(key, [name]))?.get(name);
    return how === undefined ? [] : [{ job_id: ref.job_id, how }];
  });
  return (await Promise.all(read)).flat();
}
