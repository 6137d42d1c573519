/**
 * A prompt as the protocol's blocks: the words, and each file that came with them as a link, as an image where the
 * agent takes images, or as its text where the agent may not open it. The words name the files too, for an agent that
 * reads no links.
 */
import { isUtf8 } from "node:buffer";
import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import type { UploadedFile } from "../../core/jobs/run.ts";
import { readUpload } from "../../host/files/uploaded.ts";
import type { Fields } from "../process/fields.ts";

const IMAGES: ReadonlyMap<string, string> = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".gif", "image/gif"],
  [".webp", "image/webp"],
]);
/** Models take no larger ones. */
const LARGEST_IMAGE = 5 * 1024 * 1024;

/** An agent can ask for what it needs of a longer text. */
const LONGEST_TEXT = 200 * 1024;

export interface Takes {
  images: boolean;
  /** It may open only what is in its project, and takes the text of other files with the prompt. */
  texts: boolean;
}

/** Never rejects: a file that cannot be read, or is not what its owner sent any more, stays a link. */
export async function blocksOf(
  text: string,
  files: readonly UploadedFile[],
  takes: Takes = { images: false, texts: false },
): Promise<Fields[]> {
  return [
    { type: "text", text },
    ...(await Promise.all(
      files.map(
        async (file) =>
          (takes.images ? await imageOf(file) : null) ?? (takes.texts ? await textOf(file) : null) ?? linkTo(file.path),
      ),
    )),
  ];
}

async function imageOf(file: UploadedFile): Promise<Fields | null> {
  const mimeType = IMAGES.get(extname(file.path).toLowerCase());
  const bytes = mimeType === undefined ? null : await readUpload(file, LARGEST_IMAGE);
  return bytes && { type: "image", mimeType, data: bytes.toString("base64"), uri: pathToFileURL(file.path).href };
}

async function textOf(file: UploadedFile): Promise<Fields | null> {
  const bytes = await readUpload(file, LONGEST_TEXT);
  if (bytes === null || !isUtf8(bytes) || bytes.includes(0)) return null;
  return {
    type: "resource",
    resource: { uri: pathToFileURL(file.path).href, mimeType: "text/plain", text: bytes.toString() },
  };
}

function linkTo(file: string): Fields {
  return { type: "resource_link", uri: pathToFileURL(file).href, name: basename(file) };
}
