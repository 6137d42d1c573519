/**
 * Light syntax colouring for fenced code: one scanner for comments, strings, numbers and key words, good
 * enough to read by, and never a character added or lost. Unknown languages and very long code stay plain.
 */
export interface Token {
  kind: "plain" | "comment" | "string" | "number" | "keyword" | "name" | "added" | "removed" | "meta";
  text: string;
}

const MAX_LENGTH = 30_000;

type Family = { line: string; block?: boolean; quotes: string; words: string };

const JS =
  "abstract as async await break case catch class const continue debugger default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let new null of override private protected public readonly return satisfies set static super switch this throw true try type typeof undefined unknown var void while with yield string number boolean never";
const PYTHON =
  "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield print";
const C_LIKE =
  "alignas auto bool break case catch char class const constexpr continue default defer delete do double else enum explicit export extern false final float fn for func fun go goto if impl import in inline int interface let long loop match mod mut namespace new nil null nullptr operator override package private protected pub public range register return self short signed sizeof static struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using val var virtual void volatile where while async await move ref dyn crate extends implements instanceof chan select map string i32 u32 i64 u64 usize f64 str";
const SHELL =
  "if then else elif fi for while until do done case esac in function return local export set unset source alias exit echo cd test sudo npm npx node git grep sed awk cat ls mkdir rm cp mv chmod curl";
const SQL =
  "select from where and or not insert into values update set delete create table index view drop alter add column primary key foreign references join left right inner outer on as order by group having limit offset union all distinct null is in like between case when then else end begin commit rollback";

const families: Record<string, Family> = {
  js: { line: "//", block: true, quotes: "\"'`", words: JS },
  python: { line: "#", quotes: "\"'", words: PYTHON },
  c: { line: "//", block: true, quotes: "\"'`", words: C_LIKE },
  shell: { line: "#", quotes: "\"'", words: SHELL },
  sql: { line: "--", block: true, quotes: "'\"", words: SQL },
  json: { line: "//", quotes: '"', words: "true false null" },
  yaml: { line: "#", quotes: "\"'", words: "true false null yes no" },
  css: { line: "\0", block: true, quotes: "\"'", words: "important media supports import from to not and or" },
};

const aliases: Record<string, string> = {
  js: "js",
  javascript: "js",
  jsx: "js",
  ts: "js",
  typescript: "js",
  tsx: "js",
  mjs: "js",
  cjs: "js",
  mts: "js",
  py: "python",
  python: "python",
  rb: "python",
  ruby: "python",
  c: "c",
  h: "c",
  cpp: "c",
  "c++": "c",
  cs: "c",
  csharp: "c",
  "c#": "c",
  java: "c",
  kotlin: "c",
  kt: "c",
  swift: "c",
  go: "c",
  golang: "c",
  rust: "c",
  rs: "c",
  zig: "c",
  php: "c",
  dart: "c",
  scala: "c",
  sh: "shell",
  bash: "shell",
  zsh: "shell",
  shell: "shell",
  console: "shell",
  dockerfile: "shell",
  makefile: "shell",
  fish: "shell",
  sql: "sql",
  json: "json",
  json5: "json",
  jsonc: "json",
  yaml: "yaml",
  yml: "yaml",
  toml: "yaml",
  ini: "yaml",
  css: "css",
  scss: "css",
};

/** The tokens of the code, whose texts joined are the code again. */
export function highlight(code: string, language: string): Token[] {
  if (code.length > MAX_LENGTH) return [{ kind: "plain", text: code }];
  if (language === "diff" || language === "patch") return diff(code);
  const family = families[aliases[language] ?? ""];
  return family ? scan(code, family, language === "sql") : [{ kind: "plain", text: code }];
}

function diff(code: string): Token[] {
  return code.split(/(?<=\n)/).map((text) => {
    if (/^(?:\+\+\+|---|@@|diff |index )/.test(text)) return { kind: "meta", text };
    if (text.startsWith("+")) return { kind: "added", text };
    return text.startsWith("-") ? { kind: "removed", text } : { kind: "plain", text };
  });
}

function scan(code: string, family: Family, anyCase: boolean): Token[] {
  const words = new Set(family.words.split(" "));
  const isKeyword = (word: string): boolean => words.has(anyCase ? word.toLowerCase() : word);
  const tokens: Token[] = [];
  let plain = "";
  let at = 0;
  while (at < code.length) {
    const token = next(code, at, family, isKeyword);
    if (token.kind === "plain") plain += token.text;
    else {
      if (plain) tokens.push({ kind: "plain", text: plain });
      plain = "";
      tokens.push(token);
    }
    at += token.text.length;
  }
  if (plain) tokens.push({ kind: "plain", text: plain });
  return tokens;
}

function next(code: string, at: number, family: Family, isKeyword: (word: string) => boolean): Token {
  const char = code[at] ?? "";
  if (code.startsWith(family.line, at)) return { kind: "comment", text: until(code, at, "\n") };
  if (family.block && code.startsWith("/*", at)) {
    const end = code.indexOf("*/", at + 2);
    return { kind: "comment", text: end < 0 ? code.slice(at) : code.slice(at, end + 2) };
  }
  if (family.quotes.includes(char)) return quoted(code, at, char);
  const word = /^[A-Za-z_$][\w$]*/.exec(code.slice(at, at + 128))?.[0];
  if (word) {
    if (isKeyword(word)) return { kind: "keyword", text: word };
    return { kind: code[at + word.length] === "(" ? "name" : "plain", text: word };
  }
  const number = /^\d[\w.]*/.exec(code.slice(at, at + 64))?.[0];
  return number ? { kind: "number", text: number } : { kind: "plain", text: char };
}

function quoted(code: string, at: number, quote: string): Token {
  for (let i = at + 1; i < code.length; i += 1) {
    if (code[i] === "\\") i += 1;
    else if (code[i] === quote) return { kind: "string", text: code.slice(at, i + 1) };
    else if (code[i] === "\n" && quote !== "`") break;
  }
  return { kind: "plain", text: quote };
}

function until(code: string, at: number, stop: string): string {
  const end = code.indexOf(stop, at);
  return end < 0 ? code.slice(at) : code.slice(at, end);
}
