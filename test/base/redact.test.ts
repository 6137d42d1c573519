import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/base/redact.ts";
import { withoutMarkdown } from "../../src/base/text.ts";

const secret = 'MTk4.Cl2FMQ/+"\\x&y=z';
const coded: [string, string][] = [
  ["as it is", secret],
  ["URL-encoded", encodeURIComponent(secret)],
  ["URL-encoded in small letters", encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
  ["inside JSON", JSON.stringify({ a: secret })],
  ["escaped for Markdown", withoutMarkdown(secret)],
  ["in base64", Buffer.from(secret).toString("base64")],
  ["in base64 after one byte", Buffer.from(`a${secret}b`).toString("base64")],
  ["in base64 after two bytes", Buffer.from(`ab${secret}`).toString("base64")],
  ["URL-encoded but for slashes", encodeURIComponent(secret).replaceAll("%2F", "/")],
  ["URL-encoded as a whole address", encodeURI(secret)],
  ["URL-encoded before a host", "MTk4.Cl2FMQ%2F+%22%5Cx&y%3Dz"],
  ["in base64 for URLs", Buffer.from(`Bot ${secret}`).toString("base64url")],
];

function inPieces(redactor: Redactor, bytes: Buffer, cuts: readonly number[]): string {
  const stream = redactor.stream();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const parts = ends.map((end, i) => stream.write(bytes.subarray(i === 0 ? 0 : ends[i - 1], end)));
  return Buffer.concat([...parts, stream.flush()]).toString();
}

it.each([[[]], [[secret]]])("half of a character becomes what a file keeps of it, with secrets %j", (secrets) => {
  const text = `a\ud83d b\ude00 c😀`;
  expect(new Redactor(secrets).redactText(text)).toBe(Buffer.from(text).toString());
});

describe("a secret", () => {
  it.each(coded)("is not shown %s", (_, text) => {
    const redactor = new Redactor([secret]);
    const shown = redactor.redactText(`before ${text} after`);
    expect(shown).toContain("[redacted]");
    for (let at = 0; at + 12 <= text.length; at += 1) {
      const piece = text.slice(at, at + 12);
      if (!'{"a":"'.includes(piece[0]!)) expect(shown).not.toContain(piece);
    }
  });

  it.each(coded)("is not shown %s, wherever a stream cuts it", (_, text) => {
    const redactor = new Redactor([secret]);
    const bytes = Buffer.from(`before ${text} after ${text}`);
    const whole = redactor.redactText(bytes.toString());
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(inPieces(redactor, bytes, [cut])).toBe(whole);
    expect(inPieces(redactor, bytes, Array.from(bytes.keys()))).toBe(whole);
  });

  const long = `sk-ant-api03-${"Abcdefghij0123456789_-".repeat(4)}`;
  const ends = ["\n", "\r\n", String.raw`\n`, String.raw`\r\n`];
  it.each([64, 76].flatMap((columns) => ends.map((end) => [columns, end] as const)))(
    "is not shown in base64 in lines of %i that end in %j, wherever it begins and a stream cuts it",
    (columns, end) => {
      const redactor = new Redactor([long]);
      for (let before = 0; before < columns; before += 19) {
        const bytes = Buffer.from(
          `key: ${Buffer.from("x".repeat(before) + long + "after".repeat(9))
            .toString("base64")
            .replace(new RegExp(`(.{${columns}})`, "g"), `$1${end}`)}.`,
        );
        const whole = redactor.redactText(bytes.toString());
        const left = Buffer.from(whole.replaceAll(end, "").replace(/^key: |\[redacted\].*$/gs, ""), "base64");
        expect([
          whole.match(/\[redacted\]/g)?.length,
          whole.endsWith("."),
          left.toString().replace(/^x*/, "").length < 2,
        ]).toEqual([1, true, true]);
        expect(redactor.bytes(bytes).toString()).toBe(whole);
        for (let cut = 0; cut <= bytes.length; cut += 1) expect(inPieces(redactor, bytes, [cut])).toBe(whole);
        expect(inPieces(redactor, bytes, Array.from(bytes.keys()))).toBe(whole);
      }
    },
  );

  it.each([40, 64, 76].flatMap((columns) => [...ends, "\n  ", "\\n\t"].map((end) => [columns, end] as const)))(
    "is not shown in lines of %i with %j between them, wherever it begins and a stream cuts it",
    (columns, end) => {
      const redactor = new Redactor([long]);
      for (let before = 0; before < columns; before += 7) {
        const bytes = Buffer.from(
          `${"x".repeat(before)}${long}z`.replace(new RegExp(`(.{${columns}})`, "g"), `$1${end}`),
        );
        const whole = redactor.redactText(bytes.toString());
        expect(whole.replaceAll(end, "")).toBe(`${"x".repeat(before)}[redacted]z`);
        expect(redactor.bytes(bytes).toString()).toBe(whole);
        for (let cut = 0; cut <= bytes.length; cut += 1) expect(inPieces(redactor, bytes, [cut])).toBe(whole);
        expect(inPieces(redactor, bytes, Array.from(bytes.keys()))).toBe(whole);
      }
    },
  );

  it("of several lines is not shown line by line either", () => {
    const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq0123\nhkiG9w0BAQEFAASC4567\n-----END KEY-----";
    const redactor = new Redactor([key]);
    expect(redactor.redactText(key)).toBe("[redacted]");
    expect(redactor.redactText(JSON.stringify(key))).toBe('"[redacted]"');
    expect(redactor.redactText("x: hkiG9w0BAQEFAASC4567")).toBe("x: [redacted]");
  });

  it("that is the beginning of another one does not give the other's end away", () => {
    const redactor = new Redactor(["aaaaaaaa", "aaaaaaaabbbb"]);
    expect(redactor.redactText("aaaaaaaabbbb")).toBe("[redacted]");
    for (let cut = 0; cut <= 12; cut += 1)
      expect(inPieces(redactor, Buffer.from("aaaaaaaabbbb"), [cut])).not.toContain("bb");
  });

  it("that begins within another one is removed to its end, in texts and in bytes", () => {
    const redactor = new Redactor(["abcdefgh12345678", "12345678ijklmnop", "mnopqrstuvwx"]);
    const text = "a abcdefgh12345678ijklmnopqrstuvwx z";
    expect(redactor.redactText(text)).toBe("a [redacted] z");
    expect(redactor.bytes(Buffer.from(text)).toString()).toBe("a [redacted] z");
    for (let cut = 0; cut <= text.length; cut += 1)
      expect(inPieces(redactor, Buffer.from(text), [cut])).toMatch(/^a (?:\[redacted\])+ z$/);
  });

  it("whose end could begin another one is hidden to its end", () => {
    const redactor = new Redactor(["abcdefgh12", "12345678"]);
    for (let cut = 0; cut <= 12; cut += 1)
      expect(inPieces(redactor, Buffer.from("abcdefgh12zz"), [cut])).toBe("[redacted]zz");
  });

  it("repeated without end is given on redacted as it comes, not held in memory", () => {
    const stream = new Redactor(["aaaaaaaaa"]).stream();
    for (let i = 0; i < 100; i += 1) {
      const given = stream.write(Buffer.alloc(1000, "a"));
      expect(given.length).toBeGreaterThan(0);
      expect(given.toString()).not.toContain("aaaaaaaaa");
    }
    expect(stream.flush().length).toBeLessThan(50);
  });

  it("too short to be one is left alone, and no secret changes nothing", () => {
    expect(new Redactor(["the", ""]).redactText("the end")).toBe("the end");
    const bytes = Buffer.from([0xff, 0xfe, 0, 10]);
    expect(new Redactor([]).stream().write(bytes)).toEqual(bytes);
  });
});

describe("a redacted stream", () => {
  it("gives everything that is no secret on, in order, for any text and any cuts", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constant("secret-value"), fc.constant("secret-va"))),
        fc.array(fc.nat()),
        (parts, cuts) => {
          const redactor = new Redactor(["secret-value"]);
          const text = parts.join("").toWellFormed();
          expect(inPieces(redactor, Buffer.from(text), cuts)).toBe(redactor.redactText(text));
        },
      ),
    );
  });

  it("looks for a secret that was told after it began", () => {
    const redactor = new Redactor(["secret-value"]);
    const stream = redactor.stream();
    const before = stream.write(Buffer.from("a later-told one, "));
    redactor.add(["later-told"]);
    const after = stream.write(Buffer.from("later-told and secret-value"));
    expect(Buffer.concat([before, after, stream.flush()]).toString()).toBe(
      "a later-told one, [redacted] and [redacted]",
    );
    expect(redactor.redactText("later-told")).toBe("[redacted]");
  });
});

describe("in a value", () => {
  const redactor = new Redactor([secret]);

  it("every text is clean, names of fields included, and what holds none stays the very same", () => {
    const clean = { a: ["x", 1, null, { b: true }], c: undefined };
    expect(redactor.value(clean)).toBe(clean);
    const given = { a: [secret, { [`key ${secret}`]: `in ${secret}` }], n: 1, bytes: Buffer.from(secret) };
    expect(redactor.value(given)).toEqual({
      a: ["[redacted]", { "key [redacted]": "in [redacted]" }],
      n: 1,
      bytes: given.bytes,
    });
    expect(given.a[0]).toBe(secret);
    expect(redactor.value(secret)).toBe("[redacted]");
    expect(new Redactor([]).value(given)).toBe(given);
  });

  it("half of a character stays as it is: it may be what is to run", () => {
    expect(redactor.value({ a: "\ud800" })).toEqual({ a: "\ud800" });
  });

  it("a field called __proto__ is a field", () => {
    const given = JSON.parse(`{"__proto__":${JSON.stringify(secret)}}`) as object;
    expect(JSON.stringify(redactor.value(given))).toBe('{"__proto__":"[redacted]"}');
  });
});

it("bytes that are no text come back as they were but for the secret", () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0x00, 0xd8]), Buffer.from(secret), Buffer.from([0x80, 0xfe])]);
  expect(new Redactor([secret]).bytes(bytes)).toEqual(
    Buffer.concat([Buffer.from([0xff, 0x00, 0xd8]), Buffer.from("[redacted]"), Buffer.from([0x80, 0xfe])]),
  );
});

describe("an excerpt that ends within a secret", () => {
  const redactor = new Redactor([secret]);
  it.each(coded)("shows nothing of it (%s)", (_, text) => {
    for (let end = 5; end < text.length; end += 1) {
      for (const close of ["", '"', "`)"]) {
        const shown = redactor.redactText(`curl -H ${text.slice(0, end)}…${close}`);
        if (secret.startsWith(text.slice(0, end))) expect(shown).toBe(`curl -H [redacted]…${close}`);
      }
    }
  });

  it("loses nothing else, and only at its end", () => {
    for (const text of ["curl -H a…", `${secret.slice(0, 3)}…`, `${secret.slice(0, 8)} … and more`, "…"])
      expect(redactor.redactText(text)).toBe(text);
  });
});

it("a fingerprint tells texts apart, gives none away, and is another in each process", () => {
  const [one, other] = [new Redactor([]), new Redactor([])];
  expect(one.fingerprint("a")).toMatch(/^[0-9a-f]{64}$/);
  expect(one.fingerprint("a")).toBe(one.fingerprint("a"));
  expect(one.fingerprint("a")).not.toBe(one.fingerprint("b"));
  expect(one.fingerprint("a")).not.toBe(other.fingerprint("a"));
});
