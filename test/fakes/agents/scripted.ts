/**
 * An agent that does what its arguments say, one after the other, so that a test can have any misbehaviour it
 * wants from a real process. Every process it starts is named on stdout as `pid N`.
 *
 * print:TEXT  bytes:HEX  giant:BYTES (one line)  ignore (SIGINT and SIGTERM)  child (same group, our pipes)
 * stray (own session, our pipes)  bare (own session, own pipes)  orphan (double fork)  many:N  env:NAME
 * echo (stdin back, until its end)  deaf (never reads stdin)  exit:CODE  stay (until killed)
 */
import { spawn } from "node:child_process";
import { writeSync } from "node:fs";

for (const step of process.argv.slice(2)) await take(step);

async function take(step: string): Promise<void> {
  const at = step.indexOf(":");
  const [verb, rest] = at < 0 ? [step, ""] : [step.slice(0, at), step.slice(at + 1)];
  switch (verb) {
    case "print":
      return say(`${rest}\n`);
    case "bytes":
      return say(Buffer.from(rest, "hex"));
    case "giant":
      return giant(Number(rest));
    case "ignore":
      for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
      return;
    case "child":
      return start(["sleep", "600"], false, "inherit");
    case "stray":
      return start(["sleep", "600"], true, "inherit");
    case "bare":
      return start(["sleep", "600"], true, "ignore");
    case "orphan":
      // The middle one ends at once, so its child belongs to nobody.
      return start(["sh", "-c", "setsid sleep 600 & echo pid $!"], false, "inherit");
    case "many":
      for (let left = Number(rest); left > 0; left -= 1) start(["sleep", "600"], left % 2 === 0, "ignore");
      return;
    case "env":
      return say(`${rest}=${process.env[rest] ?? "(none)"}\n`);
    case "echo":
      for await (const chunk of process.stdin) say(chunk as Buffer);
      return;
    case "deaf":
      return;
    case "exit":
      process.exit(Number(rest));
    // falls through: it never does
    case "stay":
      setInterval(() => {}, 60_000);
      return;
    default:
      throw new Error(`no such step: ${step}`);
  }
}

function start([file = "", ...args]: string[], detached: boolean, stdio: "inherit" | "ignore"): void {
  const child = spawn(file, args, { detached, stdio });
  child.unref();
  if (file === "sleep") say(`pid ${child.pid}\n`);
}

function giant(bytes: number): void {
  const block = Buffer.alloc(1024 * 1024, "x");
  for (let left = bytes; left > 0; left -= block.length) say(block.subarray(0, left));
  say("\n");
}

/** Written whole before the next step; a full pipe is waited for. */
function say(text: string | Buffer): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
