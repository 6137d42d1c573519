/**
 * A prompt as the protocol's blocks: the words, and each file that came with them as a link, as an image where the agent
 * takes images, or as its text where the agent may not open it. The words name the files too, for an agent that reads no
 * links.
 */
import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import type { Fields } from "../process/fields.ts";

const IMAGES: ReadonlyMap<string, string> = new Map([[".png", "image/png"], [".jpg", "image/jpeg"], [".jpeg", "image/jpeg"], [".gif", "image/gif"], [".webp", "image/webp"]]);
/** Models take no larger ones. */
const LARGEST_IMAGE = 5 * 1024 * 1024;

/** An agent can ask for what it needs of a longer text. */
const LONGEST_TEXT = 200 * 1024;

export interface Takes {
  images: boolean;
  /** It may open only what is in its project, and takes the text of other files with the prompt. */
  texts: boolean;
}

/** Never rejects: a file that cannot be read stays a link. @param files absolute */
export async function blocksOf(text: string, files: readonly string[], takes: Takes = { images: false, texts: false }): Promise<Fields[]> {
  return [{ type: "text", text }, ...(await Promise.all(files.map(async (file) => (takes.images ? await imageOf(file) : null) ?? (takes.texts ? await textOf(file) : null) ?? linkTo(file))))];
}

async function imageOf(file: string): Promise<Fields | null> {
  const mimeType = IMAGES.get(extname(file).toLowerCase());
  if (mimeType === undefined) return null;
  try {
    if ((await stat(file)).size > LARGEST_IMAGE) return null;
    return { type: "image", mimeType, data: (await readFile(file)).toString("base64"), uri: pathToFileURL(file).href };
  } catch {
    return null;
  }
}

async function textOf(file: string): Promise<Fields | null> {
  try {
    if ((await stat(file)).size > LONGEST_TEXT) return null;
    const bytes = await readFile(file);
    if (!isUtf8(bytes) || bytes.includes(0)) return null;
    return { type: "resource", resource: { uri: pathToFileURL(file).href, mimeType: "text/plain", text: bytes.toString() } };
  } catch {
    return null;
  }
}

function linkTo(file: string): Fields {
  return { type: "resource_link", uri: pathToFileURL(file).href, name: basename(file) };
}
