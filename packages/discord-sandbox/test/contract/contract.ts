/**
 * Discord's contract, as a judge that sits in on a test: it is given every request, answer and gateway payload
 * that passed, and says which of them Discord would not have sent or taken. It only takes notes while the test
 * runs; the judging is done when it is asked, so it does not disturb the timing of what it watches.
 */
import { readDescription } from "./description.ts";
import { type Finding, sayFinding, told, wrong } from "./finding.ts";
import { gatewayCheck, typeSchemas, type Payload } from "./gateway.ts";
import { restChecks, type RestChecks } from "./rest.ts";
import { router, type Route } from "./routes.ts";
import type { UploadedFile } from "./rules/message.ts";
import { documentedFindings } from "./rules/of.ts";

/** A request and its answer, as the server saw them. */
export interface WatchedExchange {
  operationId: string | null;
  method: string;
  path: string;
  query: unknown;
  requestBody: unknown;
  files: readonly UploadedFile[];
  status: number;
  responseBody: unknown;
  auth: "bot" | "user" | "interaction" | "none";
  /** Whether a fault answered: then the request may not even have been read. */
  injected?: boolean;
}

/** A payload the server sent over a gateway, and to whom. */
export interface WatchedDispatch extends Payload {
  to: "bot" | "user";
}

export interface Contract {
  /** Handed to the server, which calls these for all that passes. */
  observe: { exchange(exchange: WatchedExchange): void; dispatch(dispatch: WatchedDispatch): void };
  /** One line for each kind of breach so far: who, which operation, where in the body, found and expected. */
  readonly breaches: string[];
  /** @throws with all breaches, where there is one. */
  assertClean(): void;
}

export interface ContractOptions {
  /**
   * For tests that send wrong requests on purpose: a wrong request that was refused (4xx) is then no breach.
   * One that was accepted always is.
   */
  refusals?: boolean;
}

/**
 * Sits in on one test. Where Discord's own description is missing only the documented rules and the gateway are judged.
 */
export function contract({ refusals = false }: ContractOptions = {}): Contract {
  const judge = (tools ??= makeTools());
  const notes: string[] = [];
  const lines: string[] = [];
  const judgeAll = (): string[] => {
    for (const note of notes.splice(0)) lines.push(...judgeNote(JSON.parse(note) as Note, judge, refusals));
    return counted(lines);
  };
  return {
    observe: {
      exchange: (exchange) =>
        void notes.push(
          JSON.stringify({ exchange: { ...exchange, query: plainQuery(exchange.query) } } satisfies Note),
        ),
      dispatch: (dispatch) => void notes.push(JSON.stringify({ dispatch } satisfies Note)),
    },
    get breaches() {
      return judgeAll();
    },
    assertClean() {
      const breaches = judgeAll();
      if (breaches.length > 0) throw new Error(`Discord's contract was broken:\n  ${breaches.join("\n  ")}`);
    },
  };
}

type Note = { exchange: WatchedExchange } | { dispatch: WatchedDispatch };

interface Tools {
  find: ((method: string, path: string) => Route | undefined) | undefined;
  rest: RestChecks | undefined;
  gateway: (payload: Payload) => Finding[];
}

/** Compiled validators are kept for the process: they are the costly part. */
let tools: Tools | undefined;

/** Made while the test file loads, where no test's clock runs. */
typeSchemas();

function makeTools(): Tools {
  const description = readDescription();
  if (description === undefined) return { find: undefined, rest: undefined, gateway: gatewayCheck() };
  return { find: router(description), rest: restChecks(description), gateway: gatewayCheck() };
}

function judgeNote(note: Note, judge: Tools, refusals: boolean): string[] {
  if ("exchange" in note) return judgeExchange(note.exchange, judge, refusals);
  const { to, ...payload } = note.dispatch;
  if (to !== "bot") return [];
  return judge
    .gateway(payload)
    .map(
      (finding) =>
        `gateway to bot, ${payload.op === 0 ? String(payload.t) : `op ${payload.op}`}: ${sayFinding(finding)}`,
    );
}

function judgeExchange(exchange: WatchedExchange, { find, rest }: Tools, refusals: boolean): string[] {
  const route = find?.(exchange.method, exchange.path);
  const name = `${exchange.method} ${exchange.path} (${route?.operation.operationId ?? exchange.operationId ?? "no operation"})`;
  const lines = (side: string, findings: Finding[]): string[] =>
    findings.map((finding) => `${side}, ${name}: ${sayFinding(finding)}`);
  const refused = exchange.status >= 400 && exchange.status < 500;
  if (find !== undefined && route === undefined)
    return refused && refusals ? [] : lines(`request of ${exchange.auth}`, routeless(exchange));
  const operationId = route?.operation.operationId ?? exchange.operationId ?? "";
  const unread = exchange.injected === true && exchange.requestBody === null;
  const asked = unread || (refused && refusals) ? [] : requestFindings(exchange, operationId, route, rest);
  const verdict = refused ? "refused" : "not refused";
  return [
    ...lines(`request of ${exchange.auth}, ${verdict} (${exchange.status})`, asked),
    ...(route === undefined ? [] : lines("answer of the server", answerFindings(exchange, route, rest))),
  ];
}

/** A bot has no business outside Discord's API; a user's client has routes of its own, and so has the page. */
function routeless(exchange: WatchedExchange): Finding[] {
  if (exchange.auth !== "bot" && exchange.auth !== "interaction") return [];
  return [told("", `${exchange.method} ${exchange.path}`, "an operation of Discord's API")];
}

function requestFindings(
  exchange: WatchedExchange,
  operationId: string,
  route: Route | undefined,
  rest: RestChecks | undefined,
): Finding[] {
  const documented = documentedFindings(operationId, exchange.requestBody, exchange.files);
  if (route === undefined || rest === undefined) return documented;
  const query = exchange.query as Record<string, unknown>;
  return [...rest.parameters(route, query), ...rest.request(route, exchange.requestBody), ...documented];
}

function answerFindings(exchange: WatchedExchange, route: Route, rest: RestChecks | undefined): Finding[] {
  const { operationId } = route.operation;
  const misnamed = exchange.operationId !== null && exchange.operationId !== operationId;
  return [
    ...(misnamed ? [wrong("(operation)", exchange.operationId, operationId)] : []),
    ...(rest?.answer(route, exchange.status, exchange.responseBody) ?? []),
  ];
}

function plainQuery(query: unknown): Record<string, unknown> {
  if (query instanceof URLSearchParams) {
    return Object.fromEntries(
      [...new Set(query.keys())].map((key) => [key, query.getAll(key).length > 1 ? query.getAll(key) : query.get(key)]),
    );
  }
  return typeof query === "object" && query !== null ? { ...query } : {};
}

/** Each breach once, with how often it happened; ids and tokens in paths do not make it another one. */
function counted(lines: readonly string[]): string[] {
  const counts = new Map<string, { line: string; count: number }>();
  for (const line of lines) {
    const key = line.replaceAll(/[0-9]{15,}/g, "#");
    const seen = counts.get(key);
    if (seen === undefined) counts.set(key, { line, count: 1 });
    else seen.count += 1;
  }
  return [...counts.values()].map(({ line, count }) => (count === 1 ? line : `${line} (${count} times)`));
}
