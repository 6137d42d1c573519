/**
 * How Discord's client reads a message, as far as it matters for safety: what it takes for code, for a link that
 * hides its address, for small print. Written from its published grammar (a descendant of simple-markdown): rules
 * tried in order at every place, code first. Emphasis is left out: it never makes code of prose.
 */
export interface Piece {
  kind: "block" | "code" | "link" | "address" | "text";
  text: string;
}

const rules: [Piece["kind"] | "escape", RegExp][] = [
  ["block", /```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][^]*?)\n*```/iy],
  ["escape", /\\([^0-9A-Za-z\s])/y],
  ["address", /<https?:\/\/[^ >]+>/y],
  ["address", /https?:\/\/[^\s<]+[^<.,:;"'\]\s]/y],
  [
    "link",
    /\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?(https?:\/\/(?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['"]([\s\S]*?)['"])?\s*\)/y,
  ],
  ["code", /(`+)([\s\S]*?[^`])\1(?!`)/y],
];

export function readAsDiscord(content: string): Piece[] {
  const pieces: Piece[] = [];
  const plain = (text: string): void => {
    const last = pieces.at(-1);
    if (last?.kind === "text") last.text += text;
    else pieces.push({ kind: "text", text });
  };
  for (let at = 0; at < content.length;) {
    const hit = rules.map(([kind, rule]) => ({ kind, match: matchAt(rule, content, at) })).find(({ match }) => match);
    if (!hit?.match) {
      plain(content[at++] ?? "");
      continue;
    }
    at += hit.match[0].length;
    // What is escaped is drawn as it is and can no longer begin anything.
    if (hit.kind === "escape") plain(`\u0001${hit.match[1]}`);
    else pieces.push({ kind: hit.kind, text: hit.match[0] });
  }
  return pieces;
}

function matchAt(rule: RegExp, content: string, at: number): RegExpExecArray | null {
  rule.lastIndex = at;
  return rule.exec(content);
}
