/** A tmux server of a test's own whose windows write down every byte they are given. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { which } from "../../../src/host/processes/which.ts";
import { openTmux, type Pane, type Tmux, type WindowRequest } from "../../../src/host/terminal/tmux.ts";
import { inFolder } from "../../flows/world.ts";

export interface Recorder {
  tmux: Tmux;
  folder: string;
  /** A window whose program writes what it is given to a file of this name. `by`: another view of the same server. */
  open(name: string, more?: Partial<WindowRequest>, by?: Tmux): Promise<Pane>;
  /** The same server, as another part of a daemon, or another program, sees it. */
  again(): Tmux;
  /** The bytes so far, once there are as many. */
  recorded(name: string, bytes: number): Promise<Buffer>;
}

/** Raw, because a terminal in its usual mode takes some bytes for itself. */
const RECORD = 'stty raw -echo; printf "\\033[?2004hready"; exec cat > "$FILE"';

/** Skips the test where there is no tmux. */
export function openRecorder({ skip }: TestContext): Recorder {
  const file = which("tmux", process.env["PATH"]);
  if (file === null) return skip("tmux is missing");
  const folder = mkdtempSync(join(tmpdir(), "bellhop-tmux-"));
  const records = join(folder, "records");
  mkdirSync(records);
  const again = (): Tmux =>
    openTmux({
      file,
      env: { PATH: "/usr/bin:/bin", HOME: folder, LANG: "C.UTF-8" },
      service: {},
      socket: join(folder, "socket"),
    });
  const tmux = again();
  onTestFinished(async () => {
    for (const pane of await tmux.panes()) await tmux.close(pane);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    tmux,
    folder,
    again,
    async open(name, more = {}, by = tmux) {
      const pane = await by.open({
        session: "test",
        name,
        cwd: folder,
        argv: ["/bin/sh", "-c", RECORD],
        env: { FILE: join(records, name) },
        ...more,
      });
      await inFolder(records, () => readable(join(records, name)) !== null);
      return pane;
    },
    async recorded(name, bytes) {
      await inFolder(records, () => (readable(join(records, name))?.length ?? 0) >= bytes);
      return readable(join(records, name)) ?? Buffer.alloc(0);
    },
  };
}

function readable(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
