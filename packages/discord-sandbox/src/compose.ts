/**
 * Puts the sandbox's parts together over one world: what each needs of the others is handed over here.
 */
import { basename, dirname, join } from "node:path";
import { systemClock, type Clock } from "./clock.ts";
import { AttachmentStore } from "./state/attachments.ts";
import { Buckets } from "./rest/rate-limits.ts";
import { isThread } from "./state/channels.ts";
import { Faults } from "./faults/faults.ts";
import { GatewayFaults } from "./faults/gateway-faults.ts";
import { Identifies } from "./gateway/identifies.ts";
import { Interactions } from "./interactions/interactions.ts";
import { limits } from "./limits.ts";
import { remember } from "./messages/messages.ts";
import { discordTime, type Exchange, type Context } from "./context.ts";
import type { SandboxOptions } from "./sandbox.ts";
import { Sessions } from "./gateway/sessions.ts";
import { Snowflakes } from "./state/snowflakes.ts";
import { readWorld, Store } from "./state/world-file.ts";
import { scheduleArchive } from "./state/threads.ts";
import { Timers } from "./timers.ts";
import { Waiting } from "./actors/waiting.ts";
import { newWorld, type World } from "./state/world.ts";

export interface Parts {
  context: Context;
  sessions: Sessions;
  identifies: Identifies;
  faults: Faults;
  gatewayFaults: GatewayFaults;
  buckets: Buckets;
  waiting: Waiting;
  requests: Exchange[];
  store: Store | null;
  record(exchange: Exchange): void;
}

/** `origin`: `http://127.0.0.1:PORT`, where the server already listens. */
export function build(options: SandboxOptions, origin: string): Parts {
  const clock = options.clock ?? systemClock;
  const { world, ids } = openWorld(options, clock);
  const waiting = new Waiting();
  const requests: Exchange[] = [];
  const store = options.file === undefined ? null : new Store(options.file, () => world);
  const sessions: Sessions = new Sessions(
    () => context,
    (payload, session) => options.observe?.dispatch?.({ ...payload, to: session.isBot ? "bot" : "user" }),
  );
  const identifies = new Identifies(() => context, {
    maxConcurrency: options.maxConcurrency ?? 16,
    ...(options.identifyTotal === undefined ? {} : { total: options.identifyTotal }),
  });
  const gatewayFaults = new GatewayFaults(
    () => context,
    () => sessions,
  );
  const faults = new Faults((kind, fault) => gatewayFaults.start(kind, fault));
  const context: Context = {
    world,
    clock,
    ids,
    timers: new Timers(clock),
    origin,
    gatewayUrl: origin.replace(/^http/, "ws"),
    gatewayNamed: (place) => gatewayFaults.elsewhere(place) ?? context.gatewayUrl,
    attachments: new AttachmentStore({ clock, key: world.signingKey, origin, dir: attachmentsDir(options.file) }),
    interactions: new Interactions(
      () => context,
      (applicationId) => sessions.of(applicationId),
    ),
    violations: [],
    notifications: [],
    ephemerals: new Map(),
    blocked: null,
    auditHeldFrom: null,
    nonces: new Map(),
    commandCreates: new Map(),
    typing: [],
    identifyLimit: (userId) => identifies.limit(userId),
    session(id, userId) {
      const found = sessions.get(id);
      return found?.userId === userId ? found : undefined;
    },
    dispatch: (event) => sessions.dispatch(event),
    changed() {
      world.lastId = ids.last;
      store?.soon();
      waiting.changed();
    },
    violation(kind, code, message, exchange) {
      if (context.violations.length >= limits.requestsKept) context.violations.shift();
      context.violations.push({
        kind,
        code,
        message,
        at: clock.now(),
        ...(exchange === undefined ? {} : { exchange }),
      });
      waiting.changed();
    },
  };
  wakeWorld(context);
  store?.now();
  const record = (exchange: Exchange) => {
    requests.push(exchange);
    if (requests.length > limits.requestsKept) requests.shift();
    options.observe?.exchange?.(exchange);
    waiting.changed();
  };
  return {
    context,
    sessions,
    identifies,
    faults,
    gatewayFaults,
    buckets: new Buckets(clock, options.buckets),
    waiting,
    requests,
    store,
    record,
  };
}

function openWorld(options: SandboxOptions, clock: Clock): { world: World; ids: Snowflakes } {
  const kept = options.file === undefined ? null : readWorld(options.file);
  const ids = new Snowflakes(clock, kept?.lastId, options.beside === undefined ? 0 : 1);
  return {
    world:
      kept ??
      newWorld(
        ids,
        discordTime(clock.now()),
        options.names ?? { guild: "Sandbox", bot: "bot" },
        options.beside?.owner.id,
      ),
    ids,
  };
}

/** A world read back: clocks of inactivity run again, nonces are known again. */
function wakeWorld(context: Context): void {
  for (const channel of Object.values(context.world.channels)) if (isThread(channel)) scheduleArchive(context, channel);
  for (const messages of Object.values(context.world.messages))
    for (const message of messages.slice(-200)) remember(context, message);
}

function attachmentsDir(file: string | undefined): string | null {
  return file === undefined ? null : join(dirname(file), `${basename(file)}.attachments`);
}
