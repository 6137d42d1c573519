/**
 * What may happen to decisions in a random history: agents and MCP clients ask, prompts are shown, the owner presses
 * and types, in time and too late, to the point and beside it; time runs out, clients come and go, and what was
 * settled is delivered.
 */
import { throws } from "node:assert/strict";
import { isOpen, type Decision } from "../../../src/core/decisions/decision.ts";
import type { RecordedEvent } from "../../../src/core/state.ts";
import { message, SHA, type Scene } from "../scene.ts";

export const DECIDING = [
  "waiting",
  "planning",
  "asking",
  "mcp_asks",
  "placed",
  "shown",
  "paged",
  "decided",
  "typed",
  "replied",
  "lapsed",
  "disconnected",
  "reminded",
  "snoozed",
  "voided",
  "delivered",
  "revoked",
] as const;

export const ASKED_THREADS = ["100000000000000050", "100000000000000060"];
export const DIRECT = "100000000000000070";
/** Two tools' bytes, so that a grant for one is none for the other. */
const SHAS = [SHA, "1".repeat(64)];
const LAPSES_AT = "2026-02-27T14:00:00.000Z";

const TEXTS = [
  "A",
  "yes",
  "no",
  "allow",
  "deny",
  "allow for this session",
  "approve",
  "both",
  "A or B",
  "not A",
  "let me think",
  "...",
  "do as you like with it",
  "yes, but only after lunch",
  "허용",
  "却下",
  "B",
  " ",
];

/** @param live a job that runs, if there is one */
export function deciding(
  scene: Scene,
  kind: (typeof DECIDING)[number],
  picked: number,
  live: string,
  sessions: readonly string[],
): RecordedEvent[] {
  const all = Object.values(scene.state.decisions);
  const open = all.filter((one) => isOpen(one));
  const any = all[picked % Math.max(1, all.length)];
  const one = open[picked % Math.max(1, open.length)] ?? any;
  switch (kind) {
    case "waiting":
    case "planning":
    case "asking":
      return shownToo(scene, jobAsks(scene, kind, picked, live), picked);
    case "mcp_asks": {
      const id = `app_${picked}`;
      const asked = scene.question(
        id,
        [`which ${picked % 4}?`, "and?"].slice(0, 1 + (picked % 2)),
        picked % 3 === 0 ? LAPSES_AT : null,
      );
      if (asked.length === 0 || picked % 4 === 0) return asked;
      return shownToo(
        scene,
        [...asked, ...scene.place(id, ASKED_THREADS[picked % 2] ?? "", message(picked % 40))],
        picked,
      );
    }
    case "placed":
      return all
        .filter(({ thread_id }) => thread_id === null)
        .slice(0, 1)
        .flatMap(({ decision_id }) => scene.place(decision_id, ASKED_THREADS[picked % 2] ?? "", message(picked % 40)));
    case "typed":
    case "replied":
      return typed(scene, picked, kind === "replied", sessions);
    case "revoked":
      return Object.entries(scene.state.grants)
        .slice(0, 1)
        .flatMap(([thread_id, [grant]]) =>
          grant ? scene.do({ type: "revoke_grant", thread_id, decision_id: grant.decision_id }) : [],
        );
    default:
      return one === undefined
        ? []
        : settling(scene, kind, picked, kind === "delivered" || picked % 5 === 0 ? (any ?? one) : one);
  }
}

/** Mostly a prompt stands there soon. */
function shownToo(scene: Scene, happened: RecordedEvent[], picked: number): RecordedEvent[] {
  const asked = happened.find((event) => event.type === "DecisionAsked");
  if (!asked || picked % 5 === 0) return happened;
  return [...happened, ...scene.show(asked.payload.decision_id, promptMessage(scene, picked))];
}

/** Discord gives an id once, so no two prompts share one, and none has that of what the owner typed. */
function promptMessage({ events }: Scene, picked: number): string {
  const taken = new Set(
    events.flatMap(({ type, payload }) => (type === "PostRecorded" ? (payload.message_id ?? []) : [])),
  );
  let number = 100 + 2 * (picked % 50);
  while (taken.has(message(number))) number += 2;
  return message(number);
}

function jobAsks(scene: Scene, kind: "waiting" | "planning" | "asking", picked: number, live: string): RecordedEvent[] {
  const id = `dec_${live}_${kind}_${picked % 3}`;
  const pages = picked % 4 === 0 ? 2 : 1;
  if (kind === "planning") return scene.plan(live, id, pages);
  if (kind === "waiting") {
    const sha256 = SHAS[picked % 2] ?? SHA;
    const subject = {
      tool: "Bash",
      title: "ls",
      sha256,
      pages,
      grant_until: new Date(scene.now + 60_000).toISOString(),
    };
    return scene.ask(live, id, pages, { subject });
  }
  const thread_id = scene.state.jobs[live]?.thread_id ?? "none";
  return scene.question(id, ["which?", "and?"].slice(0, 1 + (picked % 2)), null, {
    thread_id,
    asker: { by: "job", job_id: live, request_id: id },
  });
}

function settling(
  scene: Scene,
  kind: Exclude<(typeof DECIDING)[number], "waiting">,
  picked: number,
  one: Decision,
): RecordedEvent[] {
  const { decision_id } = one;
  switch (kind) {
    case "shown":
      return scene.show(decision_id, promptMessage(scene, picked));
    case "paged":
      return scene.do({ type: "see_page", decision_id, page: picked % 5 === 0 ? 3 : 2 });
    case "decided":
      return press(scene, one, picked);
    case "lapsed":
      return scene.do({
        type: "lapse",
        decision_id,
        lapses_at: picked % 4 === 0 ? "2026-02-28T00:00:00.000Z" : LAPSES_AT,
      });
    case "disconnected":
      return scene.do({ type: picked % 3 === 0 ? "reconnect" : "disconnect", decision_id });
    case "reminded":
      return scene.do({
        type: "remind",
        decision_id,
        step: one.reminders.length + (picked % 3),
        by: picked % 2 === 0 ? "mention" : "direct",
        ...(picked % 4 < 2 && isOpen(one) && one.meanwhile.snooze && { snoozed_until: one.meanwhile.snooze.until }),
      });
    case "snoozed":
      return scene.do({
        type: "snooze",
        decision_id,
        until: new Date(scene.now + 60_000 * (1 + (picked % 90))).toISOString(),
      });
    case "voided":
      return scene.do({ type: "void", decision_id, why: "withdrawn" });
    case "delivered":
      return scene.do({ type: "answer_delivered", decision_id });
    default:
      return [];
  }
}

/** What cannot be pressed is refused, and then nothing happened. */
function press(scene: Scene, { decision_id, subject, questions }: Decision, picked: number): RecordedEvent[] {
  const question = picked % 7 === 0 ? 1 : 0;
  const places = picked % 11 === 0 ? [7] : [picked % Math.max(1, questions[0]?.options.length ?? 1)];
  const sha256 = picked % 13 === 0 ? "f".repeat(64) : (subject?.sha256 ?? null);
  const command = { type: "answer", decision_id, question, answer: { places, words: null }, sha256 } as const;
  try {
    return scene.do(command);
  } catch (error) {
    throws(
      () => {
        throw error;
      },
      { code: "E_DECISION_CLOSED" },
    );
    return [];
  }
}

function typed(scene: Scene, picked: number, isReply: boolean, sessions: readonly string[]): RecordedEvent[] {
  const opened = scene.do({
    type: "open_channel",
    channel_id: DIRECT,
    guild_id: null,
    bot_id: "4",
    kind: "direct",
    since: message(0),
  });
  const places = [...sessions, ...ASKED_THREADS, DIRECT];
  const asked = Object.values(scene.state.decisions).find((one) => isOpen(one))?.thread_id;
  const place = (picked % 3 > 0 ? asked : undefined) ?? places[picked % places.length] ?? DIRECT;
  const prompts = Object.values(scene.state.decisions).flatMap(({ shown }) => shown.first ?? []);
  const reply_to = isReply ? (prompts[picked % Math.max(1, prompts.length)] ?? null) : null;
  const text = TEXTS[Math.floor(picked / 7) % TEXTS.length] ?? "A";
  const heard = {
    type: "hear",
    thread_id: place,
    discord_message_id: message(101 + 2 * (picked % 100)),
    prompt: text,
    reply_to,
  } as const;
  return [...opened, ...scene.do({ ...heard, files: [], refused_files: [] })];
}
