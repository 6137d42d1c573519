/** Of a picture that is too large for its agent, the prompt names the copy and the original, and the copy is given. */
import { expect, test } from "vitest";
import { filesOf, givenOf, ownersWords, promptOf } from "../../../src/agents/run/prompt.ts";
import type { LargePicture } from "../../../src/core/jobs/pictures.ts";
import type { Job } from "../../../src/core/jobs/job.ts";
import { newRun, type Quote, type Run, type UploadedFile } from "../../../src/core/jobs/run.ts";

const copy = { path: "/u/1-2000px-a.png", sha256: "0b", width: 2000, height: 1500 };
const at = (path: string, large?: LargePicture): UploadedFile => ({ path, sha256: "0a", ...(large && { large }) });
const copied = at("/u/1-a.png", { width: 4000, height: 3000, copy });
const whole = at("/u/2-b.png", { width: 3000, height: 4000, copy: null });
const notes = at("/u/3-notes.txt");
const job = (tool: string): Job => ({ prompt: "look", tool }) as Job;

function given(run: Run, tool: string): { prompt: string; checked: string[]; given: string[] } {
  const files = filesOf(run, true, tool);
  return {
    prompt: promptOf(job(tool), run, { resumes: true }),
    checked: files.map(({ path, sha256 }) => `${path} ${sha256}`),
    given: givenOf(files, tool).map(({ path }) => path),
  };
}

test.each(["codex", "gemini", "gemini-acp", "opencode", "an agent of the owner's"])(
  "%s is told of both, and both must be what arrived",
  (tool) => {
    expect(given(newRun([copied, whole, notes]), tool)).toEqual({
      prompt: [
        "look\n\n[Files that came with this message, on this machine:]",
        "- /u/1-2000px-a.png (2000 × 1500 pixels: a copy to look at of /u/1-a.png, which has 4000 × 3000)",
        "- /u/2-b.png (3000 × 4000 pixels, and there is no smaller copy: too many such pictures end a conversation)",
        "- /u/3-notes.txt",
      ].join("\n"),
      checked: ["/u/1-a.png 0a", "/u/1-2000px-a.png 0b", "/u/2-b.png 0a", "/u/3-notes.txt 0a"],
      given: ["/u/1-2000px-a.png", "/u/2-b.png", "/u/3-notes.txt"],
    });
  },
);

test.each(["claude", "tmux", "claude-agent-acp", "codex-acp"])(
  "%s makes pictures smaller by itself and is given the original",
  (tool) => {
    expect(given(newRun([copied, whole]), tool)).toEqual({
      prompt: "look\n\n[Files that came with this message, on this machine:]\n- /u/1-a.png\n- /u/2-b.png",
      checked: ["/u/1-a.png 0a", "/u/2-b.png 0a"],
      given: ["/u/1-a.png", "/u/2-b.png"],
    });
  },
);

test("a picture of the message that is pointed at has its copy too, and the owner's words are his alone", () => {
  const quote = {
    how: "reply",
    mark: "quoted_0123456789ab",
    whose: "owner",
    at: null,
    text: "",
    left_out: 0,
    named: [],
  };
  const run = newRun([], "prompt", [{ ...quote, message_id: "1", author: null, files: [copied] } as unknown as Quote]);
  const codex = given(run, "codex");
  expect(codex.prompt).toContain(
    "[Its files:]\n- /u/1-2000px-a.png (2000 × 1500 pixels: a copy to look at of /u/1-a.png",
  );
  expect(codex.given).toEqual(["/u/1-2000px-a.png"]);
  expect(ownersWords(codex.prompt)).toBe("look");
});
