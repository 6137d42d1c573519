/**
 * The gateway connection against the strict local Discord: whatever happens to the socket, every event arrives once, in
 * order.
 */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { GatewayIntentBits } from "discord-api-types/v10";
import { systemClock, type Clock } from "../../../../src/base/clock.ts";
import type { GatewayFile, IdentifyDelay } from "../../../../src/discord/api/gateway/gateway-file.ts";
import { Gateway } from "../../../../src/discord/api/gateway/gateway.ts";
import type { GatewaySession } from "../../../../src/discord/api/gateway/handshake.ts";
import { startSandbox, type GatewayFaultKind, type Sandbox } from "discord-sandbox";
import { botContext } from "../../../fakes/bot-context.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";

const INTENTS = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.MessageContent;

/** Keeps nothing: every IDENTIFY may go at once. */
const forgetful: GatewayFile = {
  session: null,
  wait: () => null,
  spend: async () => undefined,
  lasted: () => undefined,
  saveSession: () => undefined,
  close: async () => undefined,
};

interface Heard {
  sandbox: Sandbox;
  gateway: Gateway;
  /** `live` (begun anew), `resumed`, or a message's content, in the order they came. */
  events: string[];
  /** Resolves when so many events of this name have come. */
  came(name: string, times?: number): Promise<void>;
  write(content: string): Promise<unknown>;
}

interface Setting {
  heartbeatMs?: number;
  token?: string;
  memory?: GatewayFile;
  clock?: Clock;
  sinceBoot?: () => number;
}

async function listening({
  heartbeatMs = 41_250,
  token = "",
  memory = forgetful,
  clock = systemClock,
  sinceBoot = () => clock.monotonic(),
}: Setting = {}): Promise<Heard> {
  const sandbox = await startSandbox({ heartbeatMs });
  const events: string[] = [];
  const waiters = new Set<() => void>();
  const note = (event: string): void => {
    events.push(event);
    for (const ask of waiters) ask();
  };
  const gateway = new Gateway(botContext({ api: sandbox.api, clock }), {
    token: token || sandbox.botToken,
    intents: INTENTS,
    info: async () => {
      const headers = { authorization: `Bot ${sandbox.botToken}` };
      return (await (await fetch(`${sandbox.api}/v10/gateway/bot`, { headers })).json()) as Awaited<
        ReturnType<ConstructorParameters<typeof Gateway>[1]["info"]>
      >;
    },
    memory,
    sinceBoot,
    // Without chance: each wait is a hundredth of its longest.
    random: () => 0.01,
    onLive: (resumed) => note(resumed ? "resumed" : "live"),
    dispatch: (t, d) => t === "MESSAGE_CREATE" && note((d as { content: string }).content),
  });
  onTestFinished(async () => {
    gateway.close();
    await sandbox.close();
  });
  return {
    sandbox,
    gateway,
    events,
    came: (name, times = 1) =>
      new Promise((resolve) => {
        const ask = (): void => {
          if (events.filter((event) => event === name).length < times) return;
          waiters.delete(ask);
          resolve();
        };
        waiters.add(ask);
        ask();
      }),
    write: (content) => sandbox.channel(sandbox.channelId).user(sandbox.owner.id).send(content),
  };
}

describe("a broken connection", () => {
  const faults: [string, GatewayFaultKind, "resumed" | "live"][] = [
    ["cut", { kind: "cut" }, "resumed"],
    ["told to reconnect", { kind: "reconnect" }, "resumed"],
    ["told that its session is invalid but may resume", { kind: "invalidate", resumable: true }, "resumed"],
    ["told that its session is gone", { kind: "invalidate", resumable: false }, "live"],
    ["closed with 1000", { kind: "close", code: 1000 }, "live"],
    ["closed with 1001", { kind: "close", code: 1001 }, "live"],
    ["closed with 4000", { kind: "close", code: 4000 }, "resumed"],
    ["closed with 4007", { kind: "close", code: 4007 }, "live"],
    ["closed with 4008", { kind: "close", code: 4008 }, "resumed"],
    ["closed with 4009", { kind: "close", code: 4009 }, "live"],
  ];

  test.each(faults)("that was %s is made again, and what is written then is accepted", async (_what, fault, how) => {
    const { sandbox, events, came, write } = await listening();
    await came("live");
    await write("before");
    await came("before");
    sandbox.faults.gateway(fault);
    await came(how, how === "live" ? 2 : 1);
    await write("after");
    await came("after");
    expect(events.filter((event) => event === "before" || event === "after")).toEqual(["before", "after"]);
  });

  test("that is open but silent is noticed by its unanswered heartbeat, and what was missed is replayed in order", async () => {
    const { sandbox, events, came, write } = await listening({ heartbeatMs: 300 });
    await came("live");
    const silence = sandbox.faults.gateway({ kind: "silence" });
    for (const word of ["one", "two", "three"]) await write(word);
    await came("resumed");
    await came("three");
    silence.lift();
    expect(events.filter((event) => event !== "live" && event !== "resumed")).toEqual(["one", "two", "three"]);
  });

  test("whose heartbeats are not acknowledged is given up and resumed", async () => {
    const { sandbox, came } = await listening({ heartbeatMs: 300 });
    await came("live");
    sandbox.faults.gateway({ kind: "miss_acks", times: 3 });
    await came("resumed");
  });

  test("whose resume is refused begins anew", async () => {
    const { sandbox, came, write } = await listening();
    await came("live");
    sandbox.faults.gateway({ kind: "refuse_resume", times: 1 });
    sandbox.faults.gateway({ kind: "cut" });
    await came("live", 2);
    await write("after");
    await came("after");
  });

  test("that cannot be made again is tried after pauses that double up to a minute", async () => {
    const clock = createFakeClock();
    const tried: number[] = [];
    const info = async (): Promise<never> => {
      tried.push(clock.monotonic());
      throw new Error("nobody is there");
    };
    const gateway = new Gateway(botContext({ api: "http://127.0.0.1:1", clock }), {
      token: "t",
      intents: INTENTS,
      info,
      memory: forgetful,
      sinceBoot: () => clock.monotonic(),
      random: () => 1,
      onLive: () => undefined,
      dispatch: () => undefined,
    });
    onTestFinished(() => gateway.close());
    await clock.until(() => tried.length === 9);
    expect(tried.slice(1).map((at, before) => (at - (tried[before] ?? 0)) / 1000)).toEqual([
      0, 2, 4, 8, 16, 32, 60, 60,
    ]);
  });
});

describe("a refusal for good", () => {
  test("of the token stops everything, with one try", async () => {
    const { sandbox, gateway } = await listening({ token: "not.the.token" });
    expect(await gateway.refused).toMatchObject({ code: "E_TOKEN_REFUSED", details: { close_code: 4004 } });
    expect(sandbox.connections()).toEqual([]);
  });

  test("of the intents stops everything, though a session was there before", async () => {
    const { sandbox, gateway, came } = await listening();
    await came("live");
    sandbox.setIntents({ messageContent: false });
    sandbox.faults.gateway({ kind: "invalidate", resumable: false });
    expect(await gateway.refused).toMatchObject({ code: "E_INTENT_REFUSED", details: { close_code: 4014 } });
  });
});

describe("what is kept of a connection", () => {
  /** A memory that is looked into. */
  function watched(
    session: GatewaySession | null = null,
  ): GatewayFile & { kept: (GatewaySession | null)[]; spent: number; waits: { ms: number; why: IdentifyDelay }[] } {
    const memory = {
      ...forgetful,
      session,
      kept: [] as (GatewaySession | null)[],
      spent: 0,
      waits: [] as { ms: number; why: IdentifyDelay }[],
      saveSession: (next: GatewaySession | null) => void memory.kept.push(next),
      wait: () => memory.waits.shift() ?? null,
      async spend() {
        memory.spent += 1;
      },
    };
    return memory;
  }

  test("the session, as soon as there is one, and that there is none after the end", async () => {
    const memory = watched();
    const { gateway, sandbox, came } = await listening({ memory });
    await came("live");
    expect(memory.kept).toEqual([
      {
        id: sandbox.connections().find(({ isBot }) => isBot)?.sessionId,
        resumeUrl: sandbox.url.replace("http", "ws"),
        sequence: 1,
      },
    ]);
    gateway.close();
    expect([memory.kept.at(-1), memory.spent]).toEqual([null, 1]);
  });

  test("an earlier life's session that Discord has forgotten costs one IDENTIFY, also where its address is dead", async () => {
    const memory = watched({ id: "gone", resumeUrl: "ws://127.0.0.1:1", sequence: 7 });
    const { came, write } = await listening({ memory });
    await came("live");
    await write("after");
    await came("after");
    expect(memory.spent).toBe(1);
  });

  test("a resume spends nothing, and one that is refused spends one", async () => {
    const memory = watched();
    const { sandbox, came } = await listening({ memory });
    await came("live");
    sandbox.faults.gateway({ kind: "cut" });
    await came("resumed");
    expect(memory.spent).toBe(1);
    sandbox.faults.gateway({ kind: "refuse_resume", times: 1 });
    sandbox.faults.gateway({ kind: "cut" });
    await came("live", 2);
    expect(memory.spent).toBe(2);
  });

  test("an IDENTIFY that has to wait goes when it may, and nothing is left of its wait", async () => {
    const memory = watched();
    memory.waits.push({ ms: 40, why: "restarts" });
    const { gateway, came } = await listening({ memory });
    await came("live");
    expect([memory.spent, gateway.condition]).toMatchObject([
      1,
      { phase: "live", next_try_ms: null, why: null, healthy: true },
    ]);
  });
});

describe("a machine that slept", () => {
  test("longer than a heartbeat resumes at once; shorter, it asks whether anybody is there", async () => {
    let asleep = 0;
    const clock = createFakeClock();
    const { came, gateway } = await listening({ clock, sinceBoot: () => clock.monotonic() + asleep });
    await came("live");
    const heard = gateway.heardAt;
    asleep += 10_000;
    await clock.advance(5_000);
    while (gateway.heardAt === heard) await turn();
    await clock.advance(5_000);
    expect(gateway.phase).toBe("live");
    asleep += 60_000;
    await clock.advance(5_000);
    expect(gateway.condition).toMatchObject({
      phase: "down",
      why: "the machine was asleep",
      why_said: { because: "why_asleep" },
    });
    await clock.advance(1);
    await came("resumed");
  });
});
