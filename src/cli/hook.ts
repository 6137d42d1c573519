/**
 * `bellhop hook`: what a hook's command uses where there is no curl, with the same answer. It reads the hook from
 * standard input, calls the daemon as the file `connection` in its working directory says, and prints the answer and
 * the status.
 */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { escapedJson } from "../base/terminal-text.ts";
import { SOCKET } from "../host/hooks/hook-folder.ts";
import type { Io } from "./io.ts";
import { readOptions, wholeNumber, WrongCall } from "./options.ts";

/** As curl has them: nobody answers; nothing was heard for so long. */
const NOBODY = 7;
const SILENT = 28;
const SILENCE_MS = 10_000;

/** @param argv the most seconds it may take, where the hook comes from, and `TMUX` */
export async function hook(argv: readonly string[], io: Io): Promise<number> {
  const [seconds = "", origin, tmux = ""] = readOptions(argv, {}, 3).words;
  if (origin === undefined) throw new WrongCall("cli.wrong.missing");
  const ms = wholeNumber("SECONDS", seconds, 1, 86_400) * 1000;
  const [, authorization = ""] = /^header = "Authorization: (.*)"$/m.exec(readFileSync("connection", "utf8")) ?? [];
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return new Promise((resolve) => {
    const call = request({
      socketPath: SOCKET,
      method: "POST",
      path: "/hook",
      timeout: SILENCE_MS,
      signal: AbortSignal.timeout(ms),
      headers: { authorization, "bellhop-hook": origin, "bellhop-tmux": latin(tmux) },
    });
    call.once("timeout", () => (resolve(SILENT), call.destroy()));
    call.once("error", () => resolve(NOBODY));
    call.once("response", (response) => {
      const heard: Buffer[] = [];
      response.on("data", (part: Buffer) => heard.push(part));
      response.once("error", () => resolve(NOBODY));
      response.once("end", () => {
        io.stdout.write(`${escapedJson(Buffer.concat(heard).toString())}\n${response.statusCode}`);
        resolve(0);
      });
    });
    call.end(Buffer.concat(parts));
  });
}

/** A header has one byte a character; the daemon puts them together again. */
function latin(text: string): string {
  return Buffer.from(text).toString("latin1");
}
