/**
 * What the model answers, whatever API it is asked by: the newest text of the user that holds a directive decides.
 * After a tool's result the answer is `AFTER_TOOL` and the beginning of that result.
 *
 * echo:TEXT  fetch:{json} (asks the user, then reads the file that the answer names)  tool:bash:COMMAND
 * call:TOOL:{json}  calls:[{"name","input"}] (all at once)  ask:  plan:  think:TEXT  slow:N[:MS]  halves:N (lines, the
 * second half of them when the test lets it go)  error:STATUS[:once]  hang: full:bash:COMMAND (as tool:, and the model
 * says that its context is full) limit:SECONDS (the account's usage limit, lifting then)  cut:N (the connection ends
 * after N pieces)  hist: (the texts of the turns before)  long:CHARS  table:  view: (opens the first file that the
 * prompt names)
 */
export interface Turn {
  role: "user" | "assistant" | "system";
  text?: string;
  /** What a tool answered, as text. */
  toolResult?: string;
}

/** A request of any API, as far as the script reads it. */
export interface Asked {
  turns: Turn[];
  /** Names of the tools the model may call. */
  tools: string[];
}

export interface Reply {
  thought?: string;
  /** The text, in the pieces it is streamed in. */
  pieces?: string[];
  /** Milliseconds after each piece. */
  everyMs?: number;
  /** What the second half of the pieces waits for. */
  until?: Promise<void>;
  calls?: { name: string; input: Record<string, unknown> }[];
  /** An HTTP status instead of an answer. */
  status?: number;
  /** What the error says. */
  words?: string;
  /** The error is a usage limit that lifts then: seconds since the epoch. */
  resetsAt?: number;
  /** Never answers. */
  hang?: true;
  /** Says that the model was sent more than it takes. */
  full?: true;
  /** Ends the connection in the middle of the text. */
  cut?: true;
}

const DIRECTIVE =
  /(?:^|\s)(echo|fetch|tool|calls|call|ask|plan|think|slow|halves|error|limit|hang|cut|hist|long|full|table|view):([\s\S]*)$/;
const PIECE_CHARS = 40;
/** What every conversation begins with is of no interest to a test of its turns. */
const SENDING = /^\[Note from Bellhop, which runs you, not from the user: to send [^\n]*\n\n/;

export class Script {
  /** `error:STATUS:once` directives that had their error. */
  readonly #had = new Set<string>();
  readonly #half = Promise.withResolvers<void>();

  /** The second halves may come. */
  letGo(): void {
    this.#half.resolve();
  }

  reply(asked: Asked): Reply {
    const at = asked.turns.findLastIndex((turn) => turn.role === "user" && DIRECTIVE.test(turn.text ?? ""));
    const found = DIRECTIVE.exec(asked.turns[at]?.text ?? "");
    if (!found) return say("ok");
    const result = asked.turns.slice(at + 1).findLast((turn) => turn.toolResult !== undefined);
    const named = found[1] === "fetch" && /\/\S+\/uploads\/[\w./-]+/.exec(result?.toolResult ?? "")?.[0];
    if (named) return { ...say("Reading it."), calls: [{ name: "Read", input: { file_path: named } }] };
    if (result) return say(`AFTER_TOOL ${result.toolResult!.slice(0, 300)}`);
    const [whole, directive = "", rest = ""] = found;
    if (directive === "halves") return { pieces: chunks(Number(rest), "\n"), until: this.#half.promise };
    return directive === "error" ? this.#fail(whole, rest) : obey(directive, rest, asked, asked.turns.slice(0, at));
  }

  #fail(whole: string, rest: string): Reply {
    // Read from the front: an agent that asks for a title quotes the prompt, and text of its own follows.
    const [, status, once] = /^\s*(\d{3})(:once)?/.exec(rest) ?? [];
    if (status === undefined) throw new Error(`no status after error: in ${JSON.stringify(whole)}`);
    if (once === undefined) return { status: Number(status) };
    if (this.#had.has(whole)) return say("recovered");
    this.#had.add(whole);
    return { status: Number(status) };
  }
}

function obey(directive: string, rest: string, asked: Asked, before: Turn[]): Reply {
  const word = rest.trim();
  switch (directive) {
    case "echo":
      return say(rest);
    case "hist":
      return say(
        `HISTORY ${JSON.stringify(before.flatMap(({ role, text }) => (text && role !== "system" ? `${role}:${text.replace(SENDING, "")}` : [])))}`,
      );
    case "think":
      return { thought: `Let me think about ${word}`, ...say(`thought: ${word}`) };
    case "slow": {
      const [count, ms] = word.split(/[:\s]/);
      return { pieces: chunks(Number(count)), everyMs: Number(ms ?? 300) };
    }
    case "cut":
      return { pieces: chunks(Number(word)), everyMs: 20, cut: true };
    case "full":
      return { ...useTool("tool", word, asked), full: true };
    case "limit":
      return { status: 429, resetsAt: Math.round(Date.now() / 1000) + Number(word) };
    case "hang":
      return { hang: true };
    case "long":
      return say("lorem ipsum dolor ".repeat(Math.ceil(Number(word) / 18)).slice(0, Number(word)));
    case "table":
      return say("| Tool | OK |\n|------|:--:|\n| node | yes |\n\nAfter the table.\n\n```js\nconsole.log(1);\n```\n");
    default:
      return useTool(directive, word, asked);
  }
}

/** The tools of each kind under the names the agents have for them. */
const kinds: Record<string, string[]> = {
  tool: ["Bash", "run_shell_command", "exec_command", "shell", "bash"],
  ask: ["AskUserQuestion", "ask_user", "question"],
  plan: ["ExitPlanMode", "exit_plan_mode"],
  view: ["Read", "view_image", "read_file"],
};

function useTool(directive: string, word: string, asked: Asked): Reply {
  if (directive === "fetch")
    return {
      ...say("I need to ask."),
      calls: [{ name: "AskUserQuestion", input: JSON.parse(word) as Record<string, unknown> }],
    };
  if (directive === "calls")
    return { ...say("Calling several"), calls: JSON.parse(word.split("\n")[0] ?? "") as NonNullable<Reply["calls"]> };
  if (directive === "call") {
    const [, name = "", json] = /^([^:]*)(?::(.*))?/.exec(word) ?? [];
    return { ...say(`Calling ${name}`), calls: [{ name, input: JSON.parse(json ?? "{}") as Record<string, unknown> }] };
  }
  const name = kinds[directive]?.find((one) => asked.tools.includes(one));
  if (name === undefined) return say(`NO_${directive.toUpperCase()}_TOOL in ${asked.tools.join(",")}`);
  const inputs: Record<string, Record<string, unknown>> = {
    tool: { command: word.replace(/^bash:/, ""), description: "scripted command" },
    view: { [name === "view_image" ? "path" : "file_path"]: /\n- (\/\S+)/.exec(word)?.[1] ?? "" },
    plan: { plan: "# Plan\n1. Do A\n2. Do B\n" },
    ask: {
      questions: [
        {
          question: "Which colour?",
          header: "Colour",
          multiSelect: false,
          options: [
            { label: "Red", description: "the warm one" },
            { label: "Blue", description: "the cold one" },
          ],
        },
      ],
    },
  };
  const lead: Record<string, string> = { tool: "Running a command.", plan: "Here is my plan.", ask: "I need to ask." };
  return { ...say(lead[directive] ?? ""), calls: [{ name, input: inputs[directive] ?? {} }] };
}

function chunks(count: number, end = " "): string[] {
  return Array.from({ length: count }, (_, index) => `chunk${index + 1}${end}`);
}

function say(text: string): { pieces: string[] } {
  return {
    pieces: Array.from({ length: Math.ceil(text.length / PIECE_CHARS) }, (_, i) =>
      text.slice(i * PIECE_CHARS, (i + 1) * PIECE_CHARS),
    ),
  };
}
