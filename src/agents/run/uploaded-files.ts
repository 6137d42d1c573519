/** The owner's files of a job, as they are when an agent is to be given them. */
import { basename } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import type { UploadedFile } from "../../core/jobs/run.ts";
import { changedUpload } from "../../host/files/uploaded.ts";

/** @throws BellhopError E_ATTACHMENT_CHANGED */
export async function requireUnchanged(files: readonly UploadedFile[]): Promise<void> {
  const changed = await changedUpload(files);
  if (changed !== undefined)
    throw new BellhopError("E_ATTACHMENT_CHANGED", { name: basename(changed.path).replace(/^\d+-/, "") });
}
