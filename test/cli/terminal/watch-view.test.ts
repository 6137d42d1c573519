/**
 * What a watcher's terminal shows: messages stay, the line below them is renewed in place, and nothing written on
 * Discord is obeyed.
 */
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { localTime } from "../../../src/cli/terminal/time.ts";
import { WatchView } from "../../../src/cli/watch.ts";
import { bellhop } from "../../../src/cli/bellhop.ts";
import type { InboxMessage } from "../../../src/core/inbox/inbox.ts";
import type { WatchPart } from "../../../src/protocol/watch.ts";

const CHANNEL = "310000000000000001";
/** Local time. */
const AT = localTime("2026-03-01T09:30:00Z").slice(-8);

function letter(content: string, over: Partial<InboxMessage> = {}): InboxMessage {
  return {
    message_id: "320000000000000001",
    channel_id: CHANNEL,
    thread_id: null,
    author: "ada",
    author_id: "1",
    content,
    timestamp: "2026-03-01T09:30:00Z",
    read: false,
    ...over,
  };
}

function part(over: Partial<WatchPart> = {}): WatchPart {
  return {
    phase: "live",
    channels: [{ channel_id: CHANNEL, name: null, watched: true, messages: 1, unread: 1 }],
    fresh: [],
    last_message_id: null,
    ...over,
  };
}

function view(terminal: boolean, columns = 80): { show(part: WatchPart): void; end(): void; out(): string } {
  let out = "";
  const write = (text: string): unknown => (out += text);
  const made = new WatchView("en", { write, screen: terminal ? { columns, draw: write } : undefined });
  return { show: (one) => made.show(one, "12:30:05"), end: () => made.stop(), out: () => out };
}

test("in a terminal the last line is renewed in place, and messages stand above it", () => {
  const { show, end, out } = view(true);
  show(part());
  show(part({ fresh: [letter("look at the logs")] }));
  end();
  expect(out()).toBe(
    `\r\x1b[K● ${CHANNEL} (1) · 1 unread · connected · 12:30:05` +
      `\r\x1b[K${AT}  ${CHANNEL}  ada:  look at the logs\n` +
      `\r\x1b[K● ${CHANNEL} (1) · 1 unread · connected · 12:30:05\n`,
  );
});

test("elsewhere a line is written only when it says something else", () => {
  const { show, out } = view(false);
  for (const phase of ["live", "live", "down", "down", "live"]) show(part({ phase }));
  expect(
    out()
      .split("\n")
      .map((line) => line[0]),
  ).toEqual(["●", "○", "●", undefined]);
});

test("however narrow the terminal, the line that is renewed is one line", () => {
  const { show, out } = view(true, 30);
  show(
    part({
      channels: Array.from({ length: 9 }, (_, index) => ({
        channel_id: `31000000000000000${index}`,
        name: null,
        watched: true,
        messages: 0,
        unread: 0,
      })),
    }),
  );
  expect(stringWidth(out().replace("\r\x1b[K", ""))).toBeLessThan(30);
});

test("nothing that somebody wrote is carried out by the terminal, and a message is one line", () => {
  const { show, out } = view(false);
  show(part({ fresh: [letter("a\n\x1b]0;owned\x07b\x1b[2J\u202ec", { author: "m\x1b[31mallory\r\nroot" })] }));
  expect(out().split("\n")[0]).toBe(
    `${AT}  ${CHANNEL}  m⟨U+001B⟩[31mallory⟨U+000D⟩ root:  a ⟨U+001B⟩]0;owned⟨U+0007⟩b⟨U+001B⟩[2J⟨U+202E⟩c`,
  );
});

test("a channel that Discord does not show is said once, after it was asked for, and again when it is lost again", () => {
  const { show, out } = view(false);
  const shut = part({ channels: [{ channel_id: CHANNEL, name: null, watched: false, messages: 0, unread: 0 }] });
  for (const one of [shut, shut, shut, part(), shut]) show(one);
  expect(out().match(/does not show/g)).toHaveLength(2);
});

async function run(...argv: string[]): Promise<{ code: number; err: string }> {
  let err = "";
  const code = await bellhop(argv, {
    stdout: { write: () => undefined },
    stderr: { write: (text) => (err += text) },
    env: { HOME: "/nowhere" },
  });
  return { code, err };
}

test.each([
  [["--interval", "0"], /--interval/],
  [["--interval", "soon"], /--interval/],
  [["--channel", "general"], /"general" is not a channel id/],
  [["--channel", "310000000000000001,x"], /"x" is not a channel id/],
  [["here"], /here/],
])("%j is a wrong call, and is told how it is called", async (argv, says) => {
  const { code, err } = await run("watch", ...argv);
  expect([code, err]).toEqual([64, expect.stringMatching(says)]);
  expect(err).toContain("Usage: bellhop watch");
});

test("where no daemon runs and there is no token to start one with, it says which setting is missing", async () => {
  const { code, err } = await run("watch");
  expect([code, err]).toEqual([78, expect.stringContaining("DISCORD_BOT_TOKEN")]);
});

test("channels are called as on Discord, by their ids where that is not known, and nothing in a name is obeyed", () => {
  const { show, out } = view(false);
  const named = { channel_id: CHANNEL, name: "gene\x1b[2Jral", watched: true, messages: 1, unread: 1 };
  const other = { channel_id: "310000000000000009", name: null, watched: true, messages: 0, unread: 0 };
  show(
    part({ channels: [named, other], fresh: [letter("look"), letter("there", { thread_id: "330000000000000001" })] }),
  );
  expect(out()).not.toContain("\x1b");
  const [first = "", second = "", status = ""] = out().split("\n");
  expect(first).toMatch(/  #gene.*ral  ada:  look$/);
  expect(second).toMatch(/  #gene.*ral\/330000000000000001  ada:  there$/);
  expect(status).toMatch(/^● #gene.*ral \(1\), 310000000000000009 \(0\)/);
});

test("where no channel can be read it does not say that it is connected", () => {
  const { show, out } = view(false);
  show(part({ channels: [{ channel_id: CHANNEL, name: null, watched: false, messages: 0, unread: 0 }] }));
  expect(out()).toBe(`○ ${CHANNEL} (0) · 0 unread · cannot be read: Discord does not let the bot in\n`);
});
