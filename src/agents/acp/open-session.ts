/**
 * Opens a session in a running agent: the handshake, then a new session or the one to go on with, in a mode that asks.
 * What an agent can do is read from what it declares and never tried out.
 */
import { type Fields, inner, text } from "../process/fields.ts";
import type { Opening } from "../contract/driver.ts";
import type { Connection } from "./connection.ts";
import { modelsOf, type Models } from "./models.ts";
import { askingModes, modesOf, setMode, type Modes } from "./modes.ts";

export interface Session {
  id: string;
  agentName: string;
  modes: Modes | null;
  models: Models | null;
  /** The modes in which it asks; null if nobody knows. */
  asking: readonly string[] | null;
  /** Whether what was said earlier is replayed, maybe still after the session is open. */
  replays: boolean;
  /** Whether it takes `session/close`. */
  closes: boolean;
  takesImages: boolean;
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
  const session: Session = { id, agentName, modes: modesOf(answer), models: modelsOf(answer), asking: askingModes(agentName), replays: method === "session/load", closes: declares(more, "close"), takesImages: inner(can, "promptCapabilities")["image"] === true, prompted: false };
  await makeAsk(connection, session, asIs);
  return session;
}

/** Sets the session to a mode in which the agent asks before it acts, and reads back whether it is. */
async function makeAsk(connection: Connection, session: Session, asIs: boolean): Promise<void> {
  const { modes, asking, id } = session;
  if (modes === null || asking === null || asking.includes(modes.current)) return;
  const mode = asking.find((one) => modes.available.includes(one));
  if (mode !== undefined) {
    const { method, params } = setMode(id, modes, mode);
    const answer = await connection.request(method, params).catch(() => null);
    const told = answer === null ? null : (modesOf(answer)?.current ?? mode);
    if (told === mode) return void (session.modes = { ...modes, current: mode });
  }
  if (!asIs) throw new NotOpened("mode", `it starts in the mode ${JSON.stringify(modes.current.slice(0, 40))}, in which it may act without asking, and cannot be set to one that asks`);
}

function declares(capabilities: Fields, name: string): boolean {
  return capabilities[name] !== undefined && capabilities[name] !== null && capabilities[name] !== false;
}
