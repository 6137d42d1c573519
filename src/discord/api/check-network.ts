/**
 * The way to Discord without a token: whether it answers and whether it is Discord that answers, whether this machine's
 * clock agrees with it, and whether IPv6 leads anywhere.
 */
import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { errnoOf } from "../../base/disk.ts";
import type { Finding } from "../../base/finding.ts";

export interface NetworkOptions {
  /** Base address of the REST API. */
  api: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  fetch?: typeof fetch;
  /** All addresses of a host. */
  addresses?(host: string): Promise<{ address: string; family: number }[]>;
  /** Whether a connection is made, or refused at once; false: nothing happens. */
  dial?(address: string, port: number): Promise<boolean>;
}

const PATIENCE_MS = 2_500;
const DIAL_MS = 1_500;
/** Ids and time limits are compared with Discord's clock. */
const CLOCKS_APART_MS = 30_000;

export async function checkNetwork(options: NetworkOptions): Promise<Finding[]> {
  const [answers, sixth] = await Promise.all([checkAnswer(options), checkIpv6(options)]);
  return [...answers, ...sixth];
}

async function checkAnswer({ api, env, clock, fetch: ask = fetch }: NetworkOptions): Promise<Finding[]> {
  const host = new URL(api).host;
  try {
    const response = await ask(`${api}/v10/gateway`, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: "manual" });
    const text = await response.text();
    const date = Date.parse(response.headers.get("date") ?? "");
    if (!isDiscords(text))
      return [
        {
          check: "network",
          verdict: "bad",
          says: "doctor.portal",
          args: { host, status: response.status },
          mend: { says: "doctor.portal.mend" },
        },
      ];
    return [
      { check: "network", verdict: "good", says: "doctor.network", args: { host } },
      ...clockFinding(date, clock.now()),
    ];
  } catch (error) {
    const why =
      error instanceof Error && error.name === "TimeoutError"
        ? `${PATIENCE_MS / 1000} s`
        : errnoOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
    const proxy = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].find((name) => env[name]);
    const mend =
      proxy === undefined
        ? { says: "doctor.network.mend" as const }
        : { says: "doctor.proxy.mend" as const, args: { name: proxy } };
    return [{ check: "network", verdict: "bad", says: "E_DISCORD_UNREACHABLE", args: { why }, mend }];
  }
}

function isDiscords(text: string): boolean {
  try {
    return typeof (JSON.parse(text) as { url?: unknown }).url === "string";
  } catch {
    return false;
  }
}

function clockFinding(date: number, now: number): Finding[] {
  if (Number.isNaN(date)) return [];
  const apart = Math.round(Math.abs(now - date) / 1000);
  if (apart * 1000 <= CLOCKS_APART_MS) return [{ check: "clock", verdict: "good", says: "doctor.clock" }];
  return [
    {
      check: "clock",
      verdict: "warn",
      says: "doctor.clock.apart",
      args: { seconds: apart },
      mend: { says: "doctor.clock.mend" },
    },
  ];
}

/** Only where an IPv4 address works at the same time: Node then waits for IPv6 at each new connection. */
async function checkIpv6({
  api,
  addresses = (host) => lookup(host, { all: true }),
  dial = dialOnce,
}: NetworkOptions): Promise<Finding[]> {
  const { hostname, port, protocol } = new URL(api);
  const to = Number(port || (protocol === "https:" ? 443 : 80));
  const all = await addresses(hostname.replace(/^\[|\]$/g, "")).catch(() => []);
  const [four, six] = [4, 6].map((family) => all.find((one) => one.family === family)?.address);
  if (four === undefined || six === undefined) return [];
  const [fourth, sixth] = await Promise.all([dial(four, to), dial(six, to)]);
  return fourth && !sixth
    ? [
        {
          check: "ipv6",
          verdict: "warn",
          says: "doctor.ipv6",
          args: { address: six },
          mend: { says: "doctor.ipv6.mend" },
        },
      ]
    : [];
}

function dialOnce(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: DIAL_MS });
    const end = (happened: boolean) => () => {
      socket.destroy();
      resolve(happened);
    };
    socket.once("connect", end(true)).once("error", end(true)).once("timeout", end(false));
  });
}
