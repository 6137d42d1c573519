/** The REST client with scripted answers: what each answer of Discord's, or of something in its place, means. */
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { failureKind, routeOf } from "../../../src/discord/api/transport.ts";
import { openRest, type Rest } from "../../../src/discord/api/rest.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { noSecrets } from "../../fakes/no-secrets.ts";

interface Sent {
  at: number;
  url: string;
  init: RequestInit;
}

type Answer = Response | Error | "never";

interface Bench {
  clock: FakeClock;
  rest: Rest;
  sent: Sent[];
  unauthorized: number;
}

/** Answers in the order given; the last one again and again. */
function bench(...answers: (() => Answer)[]): Bench {
  const clock = createFakeClock();
  const made: Bench = {
    clock,
    sent: [],
    unauthorized: 0,
    rest: openRest({
      redactor: noSecrets,
      token: "Bot secret",
      api: "https://discord.test/api/",
      clock,
      log: silentLog,
      random: () => 0.5,
      onUnauthorized: () => (made.unauthorized += 1),
      fetch(url, init) {
        made.sent.push({ at: clock.monotonic(), url, init });
        const answer = (answers.length > 1 ? answers.shift() : answers[0])?.() ?? json(200, {});
        if (answer === "never") return aborted(init.signal);
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    }),
  };
  return made;
}

function aborted(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
}

const CHANNEL = "100000000000000001";
const get = (rest: Rest, path: `/${string}` = `/channels/${CHANNEL}`): Promise<unknown> =>
  rest.call({ method: "GET", path, priority: "result" });

async function kindOf(promise: Promise<unknown>): Promise<string | null> {
  return promise.then(
    () => "ok",
    (error) => failureKind(error),
  );
}

describe("what is sent", () => {
  test("goes to version 10 with the token once, as the JSON that was given", async () => {
    const { rest, sent } = bench(() => json(200, { id: "1" }));
    const body = { content: "hi", allowed_mentions: { parse: [] } };
    const answer = await rest.call({ method: "POST", path: `/channels/${CHANNEL}/messages`, body, priority: "result" });
    expect(answer).toEqual({ id: "1" });
    expect(sent[0]?.url).toBe(`https://discord.test/api/v10/channels/${CHANNEL}/messages`);
    expect(new Headers(sent[0]?.init.headers).get("authorization")).toBe("Bot secret");
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual(body);
  });

  test("files go as a form beside their JSON", async () => {
    const { rest, sent } = bench(() => json(200, {}));
    const files = [
      { name: "a.md", bytes: Buffer.from("# A") },
      { name: 'b "quoted"; é.bin', bytes: Buffer.from([0, 13, 10, 45, 45, 255]) },
    ];
    await rest.call({
      method: "POST",
      path: `/channels/${CHANNEL}/messages`,
      body: { content: "" },
      files,
      priority: "result",
    });
    const form = await new Response(Buffer.concat([sent[0]?.init.body ?? []].flat() as Buffer[]), {
      headers: sent[0]?.init.headers ?? {},
    }).formData();
    expect(form.get("payload_json")).toBe('{"content":""}');
    expect(await (form.get("files[0]") as File).text()).toBe("# A");
    const second = form.get("files[1]") as File;
    expect([second.name, ...new Uint8Array(await second.arrayBuffer())]).toEqual([
      files[1]?.name,
      0,
      13,
      10,
      45,
      45,
      255,
    ]);
  });

  test("an interaction's callback goes at once, without the token, past whatever waits", async () => {
    const { rest, sent, clock } = bench(
      () => json(429, { retry_after: 600, global: true }, { "x-ratelimit-global": "true" }),
      () => new Response(null, { status: 204 }),
    );
    void get(rest).catch(() => undefined);
    await clock.settle();
    await rest.respond({ method: "POST", path: "/interactions/1/token/callback", body: { type: 5 } });
    expect(sent).toHaveLength(2);
    expect(new Headers(sent[1]?.init.headers).has("authorization")).toBe(false);
  });

  test("a callback whose answer was lost is sent once more, and done before counts as done", async () => {
    const { rest, sent } = bench(
      () => new Error("socket hang up"),
      () => json(400, { code: 40060, message: "already acknowledged" }),
    );
    await rest.respond({ method: "POST", path: "/interactions/1/token/callback", body: { type: 5 } });
    expect(sent).toHaveLength(2);
  });
});

describe("what an answer means", () => {
  test("each refusal has its kind, and its code", async () => {
    const kinds = {
      10003: "channel_gone",
      10008: "message_gone",
      30046: "too_old",
      50001: "no_access",
      50008: "no_access",
      50013: "no_access",
      50083: "archived",
      160005: "locked",
      50035: "rejected",
      200000: "rejected",
    };
    for (const [code, kind] of Object.entries(kinds)) {
      const { rest } = bench(() => json(400, { code: Number(code), message: "no" }));
      const error: unknown = await get(rest).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ kind, code: Number(code), status: 400 });
    }
  });

  test("a page, a redirect, half an answer or none is no connection: it is asked again until Discord answers", async () => {
    const troubles: (() => Answer)[] = [
      () =>
        new Response("<html>Sign in to the Wi-Fi</html>", { status: 200, headers: { "content-type": "text/html" } }),
      () => new Response("<html>Forbidden</html>", { status: 403 }),
      () => new Response(null, { status: 302, headers: { location: "http://portal.test/" } }),
      () => new Response('{"id":', { status: 200 }),
      () => new Response("upstream", { status: 502 }),
      () => new TypeError("fetch failed", { cause: new Error("getaddrinfo ENOTFOUND") }),
    ];
    for (const trouble of troubles) {
      const { rest, clock, sent } = bench(trouble, trouble, () => json(200, { id: "1" }));
      const answer = get(rest);
      await clock.advance(60_000);
      expect(await answer).toEqual({ id: "1" });
      expect(sent).toHaveLength(3);
    }
  });

  test("an answer that does not come is given up after fifteen seconds and asked for again; a big file has longer", async () => {
    for (const [bytes, patience] of [
      [0, 15_000],
      [5_000_000, 115_000],
    ] as const) {
      const { rest, clock, sent } = bench(
        () => "never",
        () => json(200, { id: "1" }),
      );
      const files = bytes === 0 ? [] : [{ name: "a", bytes: new Uint8Array(bytes) }];
      const answer = rest.call({
        method: "POST",
        path: `/channels/${CHANNEL}/messages`,
        body: {},
        files,
        priority: "result",
        repeatMs: 600_000,
      });
      await clock.advance(patience - 1);
      expect(rest.status.connected).toBeNull();
      await clock.advance(60_000);
      expect(await answer).toEqual({ id: "1" });
      expect(sent[1]?.at).toBeGreaterThanOrEqual(patience);
    }
  });

  test("a limit said in words and not as a 429 is waited for all the same", async () => {
    const { rest, clock, sent } = bench(
      () => json(400, { code: 20028, message: "write limit", retry_after: 12.5 }),
      () => json(200, {}),
    );
    const answer = get(rest);
    await clock.advance(12_499);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await answer;
  });

  test("a write limit that does not say how long is waited for too, and is no refusal", async () => {
    const { rest, clock, sent } = bench(
      () => json(400, { code: 20016, message: "slow mode" }),
      () => json(200, {}),
    );
    const answer = get(rest);
    await clock.advance(4_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await answer;
  });

  test("too many edits of an old message is a refusal, though it comes as a 429", async () => {
    const { rest, sent } = bench(() =>
      json(429, { code: 30046, message: "too old", retry_after: 5 }, { "retry-after": "5" }),
    );
    expect(await kindOf(get(rest))).toBe("too_old");
    expect(sent).toHaveLength(1);
  });

  test("the body's own retry_after is obeyed to the millisecond, not the rounded header", async () => {
    const { rest, clock, sent } = bench(
      () => json(429, { retry_after: 0.337, global: false }, { "retry-after": "1" }),
      () => json(200, {}),
    );
    const answer = get(rest);
    await clock.advance(336);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await answer;
    expect(sent[1]?.at).toBe(337);
  });

  test("a 401 ends everything at once; an interaction that has run out ends nothing", async () => {
    const made = bench(
      () => json(401, { code: 50027, message: "Invalid Webhook Token" }),
      () => json(401, { code: 0, message: "401: Unauthorized" }),
    );
    const { rest, sent, clock } = made;
    expect(
      await kindOf(rest.respond({ method: "PATCH", path: "/webhooks/1/token/messages/@original", body: {} })),
    ).toBe("rejected");
    expect(made.unauthorized).toBe(0);
    const waiting = [kindOf(get(rest)), kindOf(get(rest)), kindOf(get(rest))];
    expect(await Promise.all(waiting)).toEqual(["unauthorized", "unauthorized", "unauthorized"]);
    expect(await kindOf(get(rest))).toBe("unauthorized");
    await clock.advance(60_000);
    expect([sent.length, made.unauthorized]).toEqual([2, 1]);
  });

  test("closing ends a request that hangs after two seconds, and nobody waits for ever", async () => {
    const { rest, clock } = bench(() => "never");
    const hanging = kindOf(get(rest));
    const closing = rest.close();
    await clock.advance(2000);
    await closing;
    expect(await hanging).toBe("closed");
  });
});

test("a route is its method and path without ids, counted by channel, guild or webhook", () => {
  expect(routeOf("PATCH", `/channels/${CHANNEL}/messages/100000000000000002`)).toEqual({
    name: "PATCH /channels/:id/messages/:id",
    major: CHANNEL,
  });
  expect(routeOf("GET", `/channels/${CHANNEL}/messages?after=1&limit=100`)).toEqual({
    name: "GET /channels/:id/messages",
    major: CHANNEL,
  });
  expect(routeOf("PATCH", "/webhooks/100000000000000003/abc.def/messages/@original").major).toBe(
    "100000000000000003/abc.def",
  );
  const react = (method: "PUT" | "DELETE", emoji: string) =>
    routeOf(method, `/channels/${CHANNEL}/messages/100000000000000002/reactions/${emoji}/@me`);
  expect(react("PUT", "%E2%9C%85")).toEqual(react("DELETE", "%E2%8F%B3"));
});

test("what may have been done although its answer was lost is not said to be undone, however many 429s follow", async () => {
  const limited = (): Response => json(429, { message: "slow down", retry_after: 1, global: false });
  for (const [first, kind] of [
    [limited, "limited"],
    [() => new Error("reset"), "unavailable"],
  ] as const) {
    const { clock, rest, sent } = bench(first, limited);
    const end = kindOf(
      rest.call({
        method: "POST",
        path: `/channels/${CHANNEL}/messages`,
        body: {},
        priority: "result",
        repeatMs: 100_000,
        limitTries: 5,
      }),
    );
    await clock.until(() => sent.length === (kind === "limited" ? 5 : 6));
    expect(await end).toBe(kind);
  }
});
