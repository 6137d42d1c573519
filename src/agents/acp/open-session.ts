/**
 * Opens a session in a running agent: the handshake, then a new session or the one to go on with, in a mode that asks.
 * What an agent can do is read from what it declares and never tried out.
 */
import { type Fields, inner, text } from "../process/fields.ts";
import type { Opening } from "../contract/driver.ts";
import type { Connection } from "./connection.ts";
import { modelsOf, type Models } from "./models.ts";
import type { Mode } from "../../core/sessions/modes.ts";
import { namedMode } from "./arguments.ts";
import { askingModes, modesOf, setMode, type Modes } from "./modes.ts";
import { canSteer } from "./steering.ts";

export interface Session {
  id: string;
  agentName: string;
  modes: Modes | null;
  models: Models | null;
  /** Whether nobody knows in which of its modes it asks. */
  isUnknown: boolean;
  /** The modes that it may be in: those in which it asks and what the project's arguments name; of an agent that cannot be set to one, its first. */
  allowed: readonly string[];
  /** What is to be told of its mode. */
  settled: Mode | null;
  /** Whether what was said earlier is replayed, maybe still after the session is open. */
  replays: boolean;
  /** Whether it takes `session/close`. */
  closes: boolean;
  takesImages: boolean;
  /** Whether it can be spoken to while it is at a turn. */
  steers: boolean;
  /** Whether it was given a prompt by this process. */
  prompted: boolean;
}

/** Why a session could not be opened, other than by an error of the agent's. */
export class NotOpened extends Error {
  readonly why: "protocol" | "resume" | "mode";

  constructor(why: NotOpened["why"], reason: string) {
    super(reason);
    this.why = why;
  }
}

/** A request that goes on with an earlier session was refused. */
export class NotResumed extends Error {
  readonly refusal: unknown;

  constructor(refusal: unknown) {
    super("The session cannot be resumed.");
    this.refusal = refusal;
  }
}

const PROTOCOL_VERSION = 1;

export interface OpenRequest {
  connection: Connection;
  opening: Opening;
  /** Bellhop's own version. */
  version: string;
  /** Whether an agent that cannot be set to a mode that asks is used as it is. */
  asIs: boolean;
}

/** @throws NotOpened, NotResumed, or what the agent answered */
export async function openSession({ connection, opening, version, asIs }: OpenRequest): Promise<Session> {
  const hello = await connection.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "bellhop", title: "Bellhop", version },
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false, elicitation: { form: {} } },
  });
  if (hello["protocolVersion"] !== PROTOCOL_VERSION) throw new NotOpened("protocol", `it speaks version ${String(hello["protocolVersion"]).slice(0, 20)} of the protocol, not ${PROTOCOL_VERSION}`);
  const can = inner(hello, "agentCapabilities");
  const more = inner(can, "sessionCapabilities");
  const place = { cwd: opening.cwd, mcpServers: [], ...(declares(more, "additionalDirectories") && opening.folders.length > 0 && { additionalDirectories: opening.folders }) };
  const method = opening.key === null ? "session/new" : declares(more, "resume") ? "session/resume" : "session/load";
  if (method === "session/load" && can["loadSession"] !== true) throw new NotOpened("resume", "it cannot go on with an earlier conversation");
  const answer = await connection.request(method, opening.key === null ? place : { ...place, sessionId: opening.key }).catch((error: unknown) => {
    throw opening.key === null ? error : new NotResumed(error);
  });
  const id = opening.key ?? text(answer["sessionId"]);
  if (id === "") throw new NotOpened("protocol", "it opened a session without an id");
  const agentName = text(inner(hello, "agentInfo")["name"]);
  const session: Session = { id, agentName, modes: modesOf(answer), models: modelsOf(answer), isUnknown: askingModes(agentName) === null, allowed: [], settled: null, replays: method === "session/load", closes: declares(more, "close"), takesImages: inner(can, "promptCapabilities")["image"] === true, steers: canSteer(hello), prompted: false };
  await settleMode(connection, session, { opening, asIs });
  return session;
}

/**
 * Sets the session to a mode in which the agent asks before it acts, or to the one that its owner named, and reads back
 * whether it is. An agent that has no such mode stays in the first one it was ever in.
 */
async function settleMode(connection: Connection, session: Session, { opening, asIs }: Pick<OpenRequest, "opening" | "asIs">): Promise<void> {
  const { modes, agentName } = session;
  if (modes === null) return;
  const asking = askingModes(agentName) ?? [];
  const named = namedMode(opening.args);
  const kept = opening.mode?.by === "agent" ? opening.mode.mode : undefined;
  const allowed = [...(named === null ? [] : [named]), ...asking];
  const wanted = [kept, named, modes.current, ...asking].find((mode) => mode != null && allowed.includes(mode) && (mode === modes.current || modes.available.includes(mode)));
  if (wanted != null && (await isSet(connection, session, wanted))) {
    session.allowed = allowed;
    const by = wanted === kept ? "agent" : wanted === named ? "config" : "bellhop";
    if (wanted !== modes.current || by === "config") session.settled = { mode: wanted, by };
    session.modes = { ...modes, current: wanted };
    return;
  }
  const first = opening.mode?.mode ?? modes.current;
  if (!asIs && !session.isUnknown) throw new NotOpened("mode", `it starts in the mode ${JSON.stringify(modes.current.slice(0, 40))}, in which it may act without asking, and cannot be set to one that asks`);
  if (!(await isSet(connection, session, first))) throw new NotOpened("mode", `it starts in the mode ${JSON.stringify(modes.current.slice(0, 40))}, and cannot be set to the one it was in before`);
  session.allowed = [first];
  session.settled = { mode: first, by: "agent" };
  session.modes = { ...modes, current: first };
}

async function isSet(connection: Connection, { id, modes }: Session, mode: string): Promise<boolean> {
  if (modes === null || modes.current === mode) return true;
  const { method, params } = setMode(id, modes, mode);
  const answer = await connection.request(method, params).catch(() => null);
  return answer !== null && (modesOf(answer)?.current ?? mode) === mode;
}

function declares(capabilities: Fields, name: string): boolean {
  return capabilities[name] !== undefined && capabilities[name] !== null && capabilities[name] !== false;
}
