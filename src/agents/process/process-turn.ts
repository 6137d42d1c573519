/**
 * One turn of an agent that has one process per turn, from its start until its last process is gone. Updates are
 * pulled: a slow reader makes the agent wait, a reader that stops ends it. The dialect interprets the agent's lines;
 * this class guarantees exactly one, truthful end.
 */
import type { Child } from "../../host/processes/child.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { Prompt, Reply, Turn } from "../contract/agent.ts";
import type { Opening } from "../contract/driver.ts";
import type { TurnEnded, Update } from "../contract/updates.ts";
import type { Beginning, Dialect, ProcessSetting, Translation } from "./dialect.ts";
import { jsonLine } from "./fields.ts";
import { Reading } from "./reading.ts";
import { startProcess } from "./start.ts";
import { LineSplitter } from "../../host/processes/pipes.ts";

export class ProcessTurn implements Turn {
  readonly process: Promise<ProcessIdentity | null>;
  readonly updates: AsyncGenerator<Update, void>;
  readonly over: Promise<void>;
  readonly #prompt: Prompt;
  readonly #setting: ProcessSetting;
  readonly #translation: Translation;
  readonly #reading: Reading;
  readonly #stderrEvents: StderrEvents | null;
  readonly #child: Child | TurnEnded;
  readonly #bornAt: number;
  #stopped = false;
  #ended = false;

  constructor(dialect: Dialect, opening: Opening, prompt: Prompt, setting: ProcessSetting) {
    this.#bornAt = setting.clock.monotonic();
    this.#prompt = prompt;
    this.#setting = setting;
    const translation = dialect.translation({ key: opening.key, counters: prompt.counters }, setting.clock.now);
    this.#translation = translation;
    this.#reading = new Reading(dialect, translation, prompt.log);
    this.#stderrEvents = translation.overhear ? new StderrEvents((line) => translation.overhear?.(line) ?? []) : null;
    const child = this.#start(dialect, opening);
    this.#child = child;
    this.process = Promise.resolve("kind" in child ? null : child.identity);
    this.over = "kind" in child ? Promise.resolve() : child.gone;
    this.updates = this.#listen(child);
  }

  heardAt(): number {
    return "kind" in this.#child ? this.#bornAt : this.#child.heardAt();
  }

  async answer(id: string, reply: Reply): Promise<boolean> {
    const child = this.#child;
    if ("kind" in child || this.#ended || this.#stopped) return false;
    const lines = this.#translation.answer?.(id, reply) ?? [];
    if (lines.length > 0) this.#prompt.log.note(`answered ${id}: ${reply.kind}`);
    const taken = await Promise.all(lines.map((line) => child.input?.write(jsonLine(line)) ?? false));
    return taken.length > 0 && taken.every(Boolean);
  }

  async cancel(): Promise<void> {
    this.#stopped = true;
    if (!("kind" in this.#child)) await this.#child.stop();
  }

  #start(dialect: Dialect, opening: Opening): Child | TurnEnded {
    const { log, text } = this.#prompt;
    let beginning: Beginning | null = null;
    const onStderr = (chunk: Buffer): void => {
      log.stderr(chunk);
      this.#stderrEvents?.push(chunk);
    };
    const child = startProcess(
      { program: dialect, opening, setting: this.#setting, log, onStdout: (chunk) => log.stdout(chunk), onStderr },
      () => {
        const begun = dialect.begin(opening, text);
        if (!("kind" in begun)) beginning = begun;
        return begun;
      },
    );
    const { input, conversation } = (beginning as Beginning | null) ?? { input: "", conversation: true };
    if ("kind" in child) return child;
    if (input !== "") void child.input?.write(input);
    if (!conversation) child.input?.end();
    return child;
  }

  async *#listen(child: Child | TurnEnded): AsyncGenerator<Update, void> {
    if ("kind" in child) return yield child;
    try {
      for await (const line of this.#stderrEvents?.among(child.lines) ?? child.lines) {
        if (Array.isArray(line)) {
          const heard = this.#overheard(line);
          this.#ended = heard.at(-1)?.kind === "end";
          if (this.#ended) void child.stop();
          yield* heard;
          if (!this.#ended) continue;
          return;
        }
        const { updates, replies, end } = this.#reading.take(line);
        for (const reply of replies) void child.input?.write(jsonLine(reply));
        yield* updates;
        if (end === null) continue;
        this.#ended = true;
        child.finish(end.abandon ? 0 : this.#setting.lingerMs);
        return yield this.#reading.settled(end, this.#stopped);
      }
      // The last lines of stderr may come after the end of stdout; all have arrived once the process is gone.
      await child.gone;
      const last = this.#overheard(this.#stderrEvents?.rest() ?? []);
      this.#ended = true;
      yield* last;
      if (last.at(-1)?.kind !== "end")
        yield this.#reading.unsettled(await child.exit, child.stderrTail(), this.#stopped);
    } finally {
      this.#reading.noteDrift();
      // The reader stopped, so nobody needs this answer any more.
      if (!this.#ended) void child.stop();
    }
  }

  /** The updates from stderr up to an end, if there is one; those after it are dropped. */
  #overheard(updates: Update[]): Update[] {
    const end = updates.find((update) => update.kind === "end");
    return end === undefined
      ? updates
      : [...updates.slice(0, updates.indexOf(end)), this.#reading.settled(end, this.#stopped)];
  }
}

const LINE_CAP_BYTES = 64 * 1024;
const MOST_WAITING = 50;

/**
 * Reports what an agent writes to stderr among its lines as soon as it arrives, because the next line may be a minute
 * away. No line is lost because of that, and only the first few remarks are kept while nobody reads them.
 */
class StderrEvents {
  readonly #hear: (line: string) => Update[];
  readonly #splitter = new LineSplitter(LINE_CAP_BYTES);
  #waiting: Update[] = [];
  #bell = Promise.withResolvers<void>();

  /** @param hear the updates that a line of stderr means */
  constructor(hear: (line: string) => Update[]) {
    this.#hear = hear;
  }

  push(chunk: Buffer): void {
    for (const line of this.#splitter.push(chunk)) {
      if (!("bytes" in line)) continue;
      this.#waiting.push(...this.#hear(line.bytes.toString()));
      const dropped = this.#waiting.splice(MOST_WAITING);
      this.#waiting.push(...dropped.filter(({ kind }) => kind === "end"));
    }
    if (this.#waiting.length > 0) this.#bell.resolve();
  }

  /** The updates not yet reported, including those of an unfinished last line of stderr. */
  rest(): Update[] {
    const last = this.#splitter.end().flatMap((line) => ("bytes" in line ? this.#hear(line.bytes.toString()) : []));
    return [...this.#waiting.splice(0), ...last];
  }

  /**
   * The lines, with the updates from stderr between them; ends with the lines, once all pending updates are reported.
   */
  async *among<L>(lines: AsyncIterableIterator<L>): AsyncGenerator<L | Update[], void> {
    let got: IteratorResult<L> | null = null;
    const ask = (): void =>
      void lines.next().then((result) => {
        got = result;
        this.#bell.resolve();
      });
    try {
      ask();
      for (;;) {
        await this.#bell.promise;
        // A new promise each time: racing one long-lived promise would keep every race in memory.
        this.#bell = Promise.withResolvers();
        if (this.#waiting.length > 0) yield this.#waiting.splice(0);
        const line = got as IteratorResult<L> | null;
        if (line === null) continue;
        if (line.done) return;
        got = null;
        yield line.value;
        ask();
      }
    } finally {
      void lines.return?.();
    }
  }
}
