/**
 * `bellhop forget --thread ID [--sandbox] [--json]`: the daemon removes all that was said in a session from this
 * machine. Exits with 69 if there is no daemon, 66 if it has no such session, 75 if something is still going on there.
 */
import { jsonForTerminal } from "../base/terminal-text.ts";
import { sayWhatStays } from "../base/what-stays.ts";
import { say } from "../base/words/say.ts";
import type { Forgotten } from "../engine/forgetting.ts";
import { localeOf, print, type Io } from "./io.ts";
import { readOptions, WrongCall } from "./options.ts";
import { callDaemon } from "./start/daemons.ts";

export async function forget(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    thread: { type: "string" },
    sandbox: { type: "boolean" },
    json: { type: "boolean" },
  });
  const { thread, sandbox = false, json = false } = values;
  if (thread === undefined) throw new WrongCall("cli.wrong.missing");
  const caller = await callDaemon(io, sandbox);
  try {
    // From our own daemon over our own socket; a daemon of another version is refused before this.
    const forgotten = (await caller.call("forget", { thread })) as Forgotten;
    const locale = localeOf(io.env);
    if (json) io.stdout.write(`${jsonForTerminal(forgotten)}\n`);
    else
      print(io, [
        say(locale, "forget_done", { count: forgotten.events }),
        ...sayWhatStays(locale, forgotten.stays).map((line) => `- ${line}`),
      ]);
    return 0;
  } finally {
    caller.close();
  }
}
