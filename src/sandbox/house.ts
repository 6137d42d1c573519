/**
 * Puts the sandbox's parts together over one world: what each needs of the others is handed over here.
 */
import { basename, dirname, join } from "node:path";
import { systemClock, type Clock } from "../base/clock.ts";
import { AttachmentStore } from "./attachments.ts";
import { Buckets } from "./buckets.ts";
import { isThread } from "./channels.ts";
import { Faults } from "./faults.ts";
import { GatewayFaults } from "./gateway-faults.ts";
import { Identifies } from "./identifies.ts";
import { Interactions } from "./interactions.ts";
import { limits } from "./limits.ts";
import { remember } from "./messages.ts";
import { discordTime, type Exchange, type Realm } from "./realm.ts";
import type { SandboxOptions } from "./sandbox.ts";
import { Sessions } from "./sessions.ts";
import { Snowflakes } from "./snowflakes.ts";
import { readWorld, Store } from "./store.ts";
import { scheduleArchive } from "./threads.ts";
import { Timers } from "./timers.ts";
import { Waiting } from "./waiting.ts";
import { newWorld, type World } from "./world.ts";

export interface House {
  realm: Realm;
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
export function build(options: SandboxOptions, origin: string): House {
  const clock = options.clock ?? systemClock;
  const { world, ids } = openWorld(options, clock);
  const waiting = new Waiting();
  const requests: Exchange[] = [];
  const store = options.file === undefined ? null : new Store(options.file, () => world);
  const sessions: Sessions = new Sessions(
    () => realm,
    (payload, session) => options.observe?.dispatch?.({ ...payload, to: session.isBot ? "bot" : "user" }),
  );
  const identifies = new Identifies(() => realm, {
    maxConcurrency: options.maxConcurrency ?? 16,
    ...(options.identifyTotal === undefined ? {} : { total: options.identifyTotal }),
  });
  const gatewayFaults = new GatewayFaults(() => realm, () => sessions);
  const faults = new Faults((kind, fault) => gatewayFaults.start(kind, fault));
  const realm: Realm = {
    world,
    clock,
    ids,
    timers: new Timers(clock),
    origin,
    gatewayUrl: origin.replace(/^http/, "ws"),
    attachments: new AttachmentStore({ clock, key: world.signingKey, origin, dir: attachmentsDir(options.file) }),
    interactions: new Interactions(() => realm, (applicationId) => sessions.of(applicationId)),
    violations: [],
    ephemerals: new Map(),
    blocked: null,
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
      if (realm.violations.length >= limits.requestsKept) realm.violations.shift();
      realm.violations.push({ kind, code, message, at: clock.now(), ...(exchange === undefined ? {} : { exchange }) });
      waiting.changed();
    },
  };
  wakeWorld(realm);
  store?.now();
  const record = (exchange: Exchange) => {
    requests.push(exchange);
    if (requests.length > limits.requestsKept) requests.shift();
    options.observe?.exchange?.(exchange);
    waiting.changed();
  };
  return { realm, sessions, identifies, faults, gatewayFaults, buckets: new Buckets(clock, options.buckets), waiting, requests, store, record };
}

function openWorld(options: SandboxOptions, clock: Clock): { world: World; ids: Snowflakes } {
  const kept = options.file === undefined ? null : readWorld(options.file);
  const ids = new Snowflakes(clock, kept?.lastId);
  return { world: kept ?? newWorld(ids, discordTime(clock.now())), ids };
}

/** A world read back: clocks of inactivity run again, nonces are known again. */
function wakeWorld(realm: Realm): void {
  for (const channel of Object.values(realm.world.channels)) if (isThread(channel)) scheduleArchive(realm, channel);
  for (const messages of Object.values(realm.world.messages)) for (const message of messages.slice(-200)) remember(realm, message);
}

function attachmentsDir(file: string | undefined): string | null {
  return file === undefined ? null : join(dirname(file), `${basename(file)}.attachments`);
}
