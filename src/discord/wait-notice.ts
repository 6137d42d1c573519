/**
 * Why a thread starts nothing, and what its owner can do about it: the agent's account is at its limit, or the
 * checkout is not the one the conversation was left in. One message a wait, with buttons for as long as it lasts.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { Checkout, Wait } from "../core/checkout.ts";
import type { State } from "../core/house.ts";
import type { Job } from "../core/job.ts";
import { code, colours, inert, smallPrint, told, type Button } from "./body.ts";
import type { Body, Owed } from "./owed.ts";

/** The part of a job's posts that tells what its thread waits for. */
export const WAIT_PART = "wait";

const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** What is owed for the thread's wait, and for those that are over. */
export function waitNotices(state: State, threadId: string, locale: Locale): Owed[] {
  const thread = state.threads[threadId];
  const session = state.sessions[threadId];
  if (!thread || !session) return [];
  const { wait } = thread;
  const here = [...thread.ended, session.running_job_id, ...session.queue].flatMap((id) => (id === null ? [] : (state.jobs[id] ?? [])));
  const over = here.filter(({ job_id }) => job_id !== wait?.job_id && state.posts[job_id]?.[WAIT_PART]?.message_id);
  const owed = over.map((job) => show(job, WAIT_PART, ended(job, locale)));
  const waits = wait === null ? undefined : state.jobs[wait.job_id];
  if (wait === null || waits === undefined) return owed;
  // Its agent had begun and gave back: what stands of that must not look as if it went on.
  const held = waits.state === "queued" && state.posts[waits.job_id]?.["card"]?.message_id ? [show(waits, "card", heldCard(waits, locale))] : [];
  return [...owed, ...held, show(waits, WAIT_PART, body(wait, waits, locale))];
}

function body(wait: Wait, job: Job, locale: Locale): Body {
  return wait.kind === "limit" ? limited(wait, job, locale) : elsewhere(wait, job, locale);
}

function limited({ until }: Extract<Wait, { kind: "limit" }>, job: Job, locale: Locale): Body {
  const seconds = Math.ceil(Date.parse(until) / 1000);
  // Discord draws these in the reader's own time zone and language.
  const args = { tool: `**${inert(job.tool, 40)}**`, at: `<t:${seconds}:f>`, in: `<t:${seconds}:R>` };
  const embed = { color: colours.waits, title: say(locale, "wait_limit_title"), description: say(locale, "wait_limit", args) };
  return told(embed, [button("unpark", "button_go_on", job, locale)]);
}

function elsewhere({ was, is }: Extract<Wait, { kind: "checkout" }>, job: Job, locale: Locale): Body {
  const lines = [
    say(locale, "wait_checkout"),
    say(locale, "wait_was", { checkout: checkoutText(was, is, locale) }),
    say(locale, "wait_is", { checkout: checkoutText(is, was, locale) }),
  ];
  return told({ color: colours.waits, title: say(locale, "wait_checkout_title"), description: lines.join("\n") }, [
    button("anyway", "button_anyway", job, locale),
    button("fresh", "button_fresh", job, locale),
    button("drop", "button_drop", job, locale),
  ]);
}

/** Its directory is named where it is what differs. */
function checkoutText({ branch, head, cwd }: Checkout, other: Checkout, locale: Locale): string {
  const where = {
    branch: branch === null ? say(locale, "checkout_no_branch") : code(branch, 100),
    commit: head === null ? say(locale, "checkout_no_commit") : code(head.slice(0, 10)),
  };
  return cwd === other.cwd ? say(locale, "checkout_here", where) : say(locale, "checkout_at", { ...where, path: code(cwd, 300) });
}

function ended(job: Job, locale: Locale): Body {
  const line = say(locale, job.state === "cancelled" ? "wait_dropped" : "wait_over");
  return { ...told({}), embeds: [], content: smallPrint(line) };
}

function heldCard(job: Job, locale: Locale): Body {
  return told({ color: colours.quiet, description: `⏸️ **${inert(job.tool, 40)}** · ${say(locale, "wait_held")}` });
}

function button(wanted: string, label: "button_go_on" | "button_anyway" | "button_fresh" | "button_drop", job: Job, locale: Locale): Button {
  return { customId: `${wanted}:${job.job_id}`, label: say(locale, label), emphasis: "plain" };
}

function show(job: Job, part: string, shown: Body): Owed {
  const { job_id: subject, thread_id, discord_message_id } = job;
  // A wait keeps no time of its own; the message's is older, and older only means that Discord is asked once more.
  const since = Number(BigInt(discord_message_id) >> 22n) + DISCORD_EPOCH_MS;
  return { subject, part, thread_id, lane: "result", want: { kind: "show", body: shown }, reply_to: null, since, live: false };
}
