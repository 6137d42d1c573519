/**
 * Writes a file of the project, after the user allowed exactly that. Only inside the project, never through a link, and
 * not if the file changed while the user was asked.
 */
import { lstat, open, readFile, realpath, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Act } from "../act.ts";

const LARGEST_BYTES = 256 * 1024;

export const write: Act = {
  name: "write",
  description: "Writes a file of the project, once you allow it",
  hint: "FILE TEXT",
  async perform({ turn, rest }) {
    const [, name = "", text = ""] = /^(\S+)(?:\s+([^]*))?$/.exec(rest) ?? [];
    const place = await placeFor(turn.cwd, name);
    if ("refused" in place) return turn.say(place.refused);
    const { file, before } = place;
    const newText = text === "" ? "" : `${text}\n`;
    const rawInput = { path: file, content: newText };
    const diff = { type: "diff", path: file, oldText: before, newText } as const;
    const title = `Write ${name}`;
    const tool = await turn.tool({
      name: "write",
      title,
      kind: "edit",
      rawInput,
      locations: [{ path: file }],
      content: [diff],
    });
    const allowed = await turn.allows("write", {
      toolCallId: tool.id,
      name: "write",
      title,
      kind: "edit",
      status: "pending",
      rawInput,
      locations: [{ path: file }],
      content: [diff],
    });
    const why = allowed ? await replace(turn.cwd, name, { before, newText }) : "You did not allow it.";
    await tool.end(why === null, why === null ? [diff] : [{ type: "content", content: { type: "text", text: why } }]);
    await turn.say(why === null ? `I wrote ${name}.` : `I did not write ${name}. ${why}`);
  },
};

type Place = { file: string; before: string | null } | { refused: string };

async function placeFor(cwd: string, name: string): Promise<Place> {
  if (name === "") return { refused: "Tell me which file: `write FILE TEXT`." };
  const file = path.resolve(cwd, name);
  const inside = path.relative(cwd, file);
  if (inside === "" || inside.split(path.sep).includes("..") || path.isAbsolute(inside))
    return { refused: `${name} is not in the project.` };
  if (inside.split(path.sep).some((part) => part.toLowerCase() === ".git"))
    return { refused: "I do not write into .git." };
  const folder = await realpath(path.dirname(file)).catch(() => null);
  if (folder === null) return { refused: `${path.dirname(inside)} is not there.` };
  if (folder !== path.join(await realpath(cwd), path.dirname(inside)))
    return { refused: `${name} leads out of the project.` };
  const found = await lstat(file).catch(() => null);
  if (found === null) return { file, before: null };
  if (!found.isFile()) return { refused: `${name} is not a plain file.` };
  if (found.size > LARGEST_BYTES) return { refused: `${name} is too large for a demo.` };
  return { file, before: await readFile(file, "utf8") };
}

/** Returns why it was not written; null where it was. */
async function replace(
  cwd: string,
  name: string,
  { before, newText }: { before: string | null; newText: string },
): Promise<string | null> {
  const place = await placeFor(cwd, name);
  if ("refused" in place) return place.refused;
  if (place.before !== before) return "It changed meanwhile.";
  const fresh = `${place.file}.${process.pid}.new`;
  try {
    // Fails where a file of that name is already there, whoever put it there.
    const handle = await open(fresh, "wx", 0o644);
    await handle.writeFile(newText).finally(() => handle.close());
    await rename(fresh, place.file);
    return null;
  } catch (error) {
    await rm(fresh, { force: true });
    return `It cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}
