/**
 * A prompt as the protocol's blocks: the words, and each file that came with them as a link, or as an image where the
 * agent takes images. The words name the files too, for an agent that reads no links.
 */
import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import type { Fields } from "../process/fields.ts";

const IMAGES: ReadonlyMap<string, string> = new Map([[".png", "image/png"], [".jpg", "image/jpeg"], [".jpeg", "image/jpeg"], [".gif", "image/gif"], [".webp", "image/webp"]]);
/** Models take no larger ones. */
const LARGEST_IMAGE = 5 * 1024 * 1024;

/** Never rejects: a file that cannot be read stays a link. @param files absolute */
export async function blocksOf(text: string, files: readonly string[], takesImages: boolean): Promise<Fields[]> {
  return [{ type: "text", text }, ...(await Promise.all(files.map(async (file) => (takesImages ? await imageOf(file) : null) ?? linkTo(file))))];
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

function linkTo(file: string): Fields {
  return { type: "resource_link", uri: pathToFileURL(file).href, name: basename(file) };
}
