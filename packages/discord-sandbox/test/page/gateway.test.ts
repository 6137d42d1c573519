/** The page's gateway connection against a server that says exactly what the test tells it to. */
import { EventEmitter, once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket as Socket } from "ws";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Gateway } from "../../src/page/connection/gateway.ts";

interface Frame {
  op: number;
  d: unknown;
}

let server: WebSocketServer;
let gateway: Gateway;
let heard: [string, unknown][];
let told: EventEmitter;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  heard = [];
  told = new EventEmitter();
  const note = (event: string, data?: unknown): void => {
    heard.push([event, data]);
    told.emit(event, data);
  };
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway = new Gateway(
    { token: "t", locale: "ko-KR", address: async () => url, open: (at) => new WebSocket(at) },
    {
      dispatch: note,
      lost: () => note("lost"),
      resumed: () => note("resumed"),
      refused: () => note("refused"),
    },
  );
});

afterEach(() => {
  gateway.close();
  for (const socket of server.clients) socket.terminate();
  server.close();
});

interface Caller {
  say(frame: object): void;
  next(op?: number): Promise<Frame>;
  socket: Socket;
}

/** The next connection, greeted; its frames are kept until asked for. */
async function caller(heartbeatMs = 60_000): Promise<Caller> {
  const [socket] = (await once(server, "connection")) as [Socket];
  const frames: Frame[] = [];
  const arrived = new EventEmitter();
  socket.on("message", (data) => {
    frames.push(JSON.parse(String(data)) as Frame);
    arrived.emit("frame");
  });
  const say = (frame: object): void => socket.send(JSON.stringify(frame));
  say({ op: 10, d: { heartbeat_interval: heartbeatMs } });
  return {
    say,
    socket,
    async next(op) {
      for (;;) {
        const at = frames.findIndex((f) => op === undefined || f.op === op);
        if (at >= 0) return frames.splice(0, at + 1).at(-1) as Frame;
        await once(arrived, "frame");
      }
    },
  };
}

function ready(first: Caller): Promise<unknown> {
  const known = once(told, "READY");
  first.say({ op: 0, t: "READY", s: 1, d: { session_id: "s" } });
  return known;
}

async function live(heartbeatMs?: number): Promise<Caller> {
  const connected = caller(heartbeatMs);
  void gateway.connect();
  const first = await connected;
  await first.next(2);
  await ready(first);
  return first;
}

test("identifies with the token and the browser's locale, and hands on what it is told", async () => {
  const connected = caller();
  void gateway.connect();
  const first = await connected;
  expect((await first.next()).d).toMatchObject({ token: "t", properties: { system_locale: "ko-KR" } });
  await ready(first);
  expect(heard).toEqual([["READY", { session_id: "s" }]]);
});

test("a broken connection is resumed where it stopped, with nothing said twice", async () => {
  const first = await live();
  const message = once(told, "MESSAGE_CREATE");
  first.say({ op: 0, t: "MESSAGE_CREATE", s: 7, d: { id: "1" } });
  await message;
  const again = caller();
  first.socket.terminate();
  const second = await again;
  expect(await second.next()).toEqual({ op: 6, d: { token: "t", session_id: "s", seq: 7 } });
  const resumed = once(told, "resumed");
  second.say({ op: 0, t: "RESUMED", s: 8, d: {} });
  await resumed;
  expect(heard.map(([event]) => event)).toEqual(["READY", "MESSAGE_CREATE", "lost", "resumed"]);
});

test.each([
  ["the server asks for it (op 7)", (c: Caller) => c.say({ op: 7 }), 6],
  ["the session is paused (op 9, true)", (c: Caller) => c.say({ op: 9, d: true }), 6],
  ["the session is gone (op 9, false)", (c: Caller) => c.say({ op: 9, d: false }), 2],
  ["the session has timed out (4009)", (c: Caller) => c.socket.close(4009), 2],
  ["the server goes away (1001)", (c: Caller) => c.socket.close(1001), 2],
  ["something else (4000)", (c: Caller) => c.socket.close(4000), 6],
])("connects again when %s", async (_why, end, op) => {
  const first = await live();
  const again = caller();
  end(first);
  expect((await (await again).next()).op).toBe(op);
});

test("a server that does not acknowledge a heartbeat is left", async () => {
  const first = await live(20);
  const again = caller();
  expect(await first.next(1)).toEqual({ op: 1, d: 1 });
  expect((await (await again).next(6)).op).toBe(6);
});

test("an acknowledged heartbeat keeps the connection, and one that is asked for is sent", async () => {
  // Heartbeats go when the test says so: an answer may be on its way for longer than a short interval.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const first = await live(20);
  for (let i = 0; i < 5; i += 1) {
    vi.advanceTimersByTime(20);
    await first.next(1);
    const acknowledged = once(told, "AFTER_IT");
    first.say({ op: 11 });
    first.say({ op: 0, t: "AFTER_IT", s: 2 + i, d: {} });
    await acknowledged;
  }
  first.say({ op: 1 });
  await first.next(1);
  expect(new Set(heard.map(([event]) => event))).toEqual(new Set(["READY", "AFTER_IT"]));
});

test("a refused token is said once and not tried again", async () => {
  const connected = caller();
  void gateway.connect();
  const refused = once(told, "refused");
  (await connected).socket.close(4004);
  await refused;
  expect(heard).toEqual([["refused", undefined]]);
});
