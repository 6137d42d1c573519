/** The commands of the documents: every line of their `sh` blocks, and what is written as code within a sentence. */
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Programs whose name and arguments are a command wherever they are written as code. */
const PROGRAMS =
  /^(?:[A-Z_]+=(?:<[^>]*>|\S+) )?(?:\.ci\/run|bellhop|discord-mcp|discord-watch|git|journalctl|loginctl|node|npm|npx|rm|systemctl)(?: |$)/;
/** A name alone is a name, not a command. */
const NAME = /^[\w-]+$/;

export interface Documents {
  /** Each command as it is written, with the documents that name it. */
  commands: ReadonlyMap<string, readonly string[]>;
  /** Blocks of code that do not say what they are. */
  unnamed: string[];
}

export function readDocuments(): Documents {
  const names = [
    "README.md",
    "CONTRIBUTING.md",
    ...readdirSync(`${root}docs`)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
  ];
  const commands = new Map<string, string[]>();
  const unnamed: string[] = [];
  for (const name of names) {
    const { lines, spans, nameless } = parts(readFileSync(`${root}${name}`, "utf8"));
    for (const command of new Set([...lines, ...spans.filter((span) => PROGRAMS.test(span) && !NAME.test(span))]))
      commands.set(command, [...(commands.get(command) ?? []), name]);
    unnamed.push(...nameless.map((line) => `${name}:${line}`));
  }
  return { commands, unnamed };
}

function parts(text: string): { lines: string[]; spans: string[]; nameless: number[] } {
  const lines: string[] = [];
  const prose: string[] = [];
  const nameless: number[] = [];
  let block: string | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const [, kind] = /^ *```(\w*)$/.exec(line) ?? [];
    if (kind !== undefined) {
      if (block === null && kind === "") nameless.push(index + 1);
      block = block === null ? kind : null;
    } else if (block === null) prose.push(line);
    else if (block === "sh" && line.trim() !== "") lines.push(line.trim().replace(/ +# .*$/, ""));
  }
  // Code may go on in the next line, but not in the next paragraph.
  const spans = [...prose.join("\n").matchAll(/(?<!`)`([^`]+?)`(?!`)/g)].flatMap(([, code = ""]) =>
    code.includes("\n\n") ? [] : [code.replace(/\s+/g, " ").replaceAll("\\|", "|")],
  );
  return { lines, spans, nameless };
}
