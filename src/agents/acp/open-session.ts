/**
 * Opens a session in a running agent: the handshake, then a new session or the one to go on with, in a mode that asks.
 * What an agent can do is read from what it declares and never tried out.
 */
import type { ErrorDetails, ReasonKey } from "../../base/errors.ts";
import { type Fields, inner, text } from "../process/fields.ts";
import type { Opening } from "../contract/driver.ts";
import type { Takes } from "./blocks.ts";
import type { AcpConnection } from "./connection.ts";
import { effortsOf, namedMode, modelsOf, modesOf, type SessionChoices, SessionMode } from "./session-mode.ts";
import { canSteer, marksEnds } from "./turn.ts";

export interface AcpSession extends SessionChoices {
  mode: SessionMode;
  /** Whether what was said earlier is replayed, maybe still after the session is open. */
  replays: boolean;
  /** Whether it takes `session/close`. */
  closes: boolean;
  takes: Takes;
  /** Whether it can be spoken to while it is at a turn. */
  steers: boolean;
  /** Whether it says when a turn is over that it began by itself. */
  marksEnds: boolean;
  /** Whether it was given a prompt by this process. */
  prompted: boolean;
}

/** Why a session could not be opened, other than by an error of the agent's. */
export class SessionOpenError extends Error {
  readonly why: "protocol" | "resume" | "mode";

  readonly details: ErrorDetails;

  constructor(why: SessionOpenError["why"], details: ErrorDetails & { because: ReasonKey }) {
    super(details.because);
    this.why = why;
    this.details = details;
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
  connection: AcpConnection;
  opening: Opening;
  /** Bellhop's own version. */
  version: string;
  /** Whether an agent that cannot be set to a mode that asks is used as it is. */
  asIs: boolean;
  /** Told what the agent says of itself, before its session is open. */
  greeted(hello: Fields): void;
}

/** @throws SessionOpenError, NotResumed, or what the agent answered */
export async function openSession({ connection, opening, version, asIs, greeted }: OpenRequest): Promise<AcpSession> {
  const hello = await connection.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "bellhop", title: "Bellhop", version },
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {}, url: {} },
    },
  });
  greeted(hello);
  if (hello["protocolVersion"] !== PROTOCOL_VERSION)
    throw new SessionOpenError("protocol", {
      because: "why_version",
      version: String(hello["protocolVersion"]).slice(0, 20),
      ours: PROTOCOL_VERSION,
    });
  const can = inner(hello, "agentCapabilities");
  const more = inner(can, "sessionCapabilities");
  const place = {
    cwd: opening.cwd,
    mcpServers: [],
    ...(declares(more, "additionalDirectories") &&
      opening.folders.length > 0 && { additionalDirectories: opening.folders }),
  };
  const method = opening.key === null ? "session/new" : declares(more, "resume") ? "session/resume" : "session/load";
  if (method === "session/load" && can["loadSession"] !== true)
    throw new SessionOpenError("resume", { because: "why_no_resume" });
  const answer = await connection
    .request(method, opening.key === null ? place : { ...place, sessionId: opening.key })
    .catch((error: unknown) => {
      throw opening.key === null ? error : new NotResumed(error);
    });
  const id = opening.key ?? text(answer["sessionId"]);
  if (id === "") throw new SessionOpenError("protocol", { because: "why_no_session_id" });
  const agentName = text(inner(hello, "agentInfo")["name"]);
  const mode = new SessionMode({
    sessionId: id,
    agentName,
    modes: modesOf(answer),
    named: namedMode(opening.args),
    request: (of, params) => connection.request(of, params),
  });
  const unusable = await mode.setInitialMode(opening.mode, asIs);
  if (unusable !== null) throw new SessionOpenError("mode", unusable);
  return {
    id,
    mode,
    models: modelsOf(answer),
    efforts: effortsOf(answer),
    replays: method === "session/load",
    closes: declares(more, "close"),
    takes: takesIn(can),
    steers: canSteer(hello),
    marksEnds: marksEnds(agentName),
    prompted: false,
  };
}

/** An agent that is granted no folder beside its project's asks before it opens a file there. */
function takesIn(can: Fields): Takes {
  const prompt = inner(can, "promptCapabilities");
  return {
    images: prompt["image"] === true,
    texts: prompt["embeddedContext"] === true && !declares(inner(can, "sessionCapabilities"), "additionalDirectories"),
  };
}

function declares(capabilities: Fields, name: string): boolean {
  return capabilities[name] !== undefined && capabilities[name] !== null && capabilities[name] !== false;
}
