/**
 * Pictures that are larger than an agent should be given: a conversation with many of them is refused for good. Claude
 * makes them smaller by itself; for the others a copy lies beside the picture, or it is said that there is none.
 */
import type { Run, UploadedFile } from "./run.ts";

/** Pixels a side. */
export const LARGEST_SIDE = 2_000;

/** A picture with a side longer than that. */
export interface LargePicture {
  width: number;
  height: number;
  /** Null: none was made. */
  copy: PictureCopy | null;
}

/** As in `UploadedFile`. */
export interface PictureCopy {
  path: string;
  sha256: string;
  width: number;
  height: number;
}

/** Claude Code, Codex's own ACP agent, and what is built on them. */
const MAKE_THEM_SMALLER: ReadonlySet<string> = new Set(["claude", "tmux", "claude-agent-acp", "codex-acp"]);

export function makesPicturesSmaller(tool: string): boolean {
  return MAKE_THEM_SMALLER.has(tool);
}

/** All that came with the message and with those that it points at. */
export function filesWith({ files, quotes = [] }: Pick<Run, "files" | "quotes">): UploadedFile[] {
  return [...files, ...quotes.flatMap((quote) => quote.files)];
}

const NONE: readonly UploadedFile[] = [];

/** The large pictures that this tool is given as they are. */
export function uncopied(run: Run | undefined, tool: string): readonly UploadedFile[] {
  // Nearly all have none, and this is asked at each change of their thread.
  if (run === undefined || (run.files.length === 0 && run.quotes === undefined) || makesPicturesSmaller(tool))
    return NONE;
  return filesWith(run).filter(({ large }) => large?.copy === null);
}
