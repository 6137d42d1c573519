/**
 * Every button, select and modal that exists, by its action: the owner's press has its effect, and a press by anybody
 * else has none, tells nothing and is answered by the one sentence that only they see. A new action has no row here and
 * does not compile.
 */
import { createHash } from "node:crypto";
import { archiveMark } from "../../../src/core/sessions/archives.ts";
import { describe, expect, test } from "vitest";
import { forgetMark } from "../../../src/discord/interactions/commands/forget.ts";
import { stopMark } from "../../../src/discord/views/stop-offer.ts";
import { changedMark } from "../../../src/discord/views/changed-notice.ts";
import { dispatch } from "../../../src/discord/connection.ts";
import { packPlaces } from "../../../src/discord/views/custom-id.ts";
import type { Action } from "../../../src/discord/views/custom-id.ts";
import { draftMark } from "../../../src/discord/views/wait-notice.ts";
import type { CommandScene } from "../interactions/scene.ts";
import { STAYS, CHANNEL, T1, today } from "../interactions/scene.ts";
import { OWNER } from "./intake-scene.ts";
import {
  actors,
  budgeted,
  changed,
  full,
  interactionOf,
  limit,
  login,
  onBudget,
  owner,
  terminal,
  type Actor,
} from "./stranger-scene.ts";
import { part } from "../../fakes/part.ts";
import type { Listener } from "../../../src/discord/intake/listener.ts";
import type { Direct } from "../../../src/discord/intake/direct-messages.ts";
import type { Intake } from "../../../src/discord/intake/intake.ts";
import type { BotPosts } from "../../../src/discord/bot-posts.ts";
// The pages of a request need it at once.
import "../../../src/discord/text/markdown.ts";
import {
  DEC,
  session,
  failed,
  crashed,
  waiting,
  withoutModel,
  spokenTo,
  closed,
  forwarded,
  claude,
  offering,
  panelled,
  asked,
  permission,
  job,
  hook,
  byJob,
  byHook,
  LONG,
  granted,
  markOf,
  ruled,
  unheard,
  AT,
  LEFT,
  archived,
  many,
  form,
  under,
  on,
  locked,
  shownWord,
} from "./stranger-presses.ts";

/** Where it stands, as people call it, and a scene in which a press means something. */
interface Row {
  name: string;
  make(): Promise<CommandScene>;
  id(scene: CommandScene): string;
  /** It is a select, and these are chosen. */
  values?: string[];
  /** Below an answer that only the presser sees. */
  alone?: true;
  /** The modal is filled in with this. */
  words?: string | ((scene: CommandScene) => string);
  /** It stands in a text channel, not in a thread. */
  outside?: true;
}

const rows: Record<Action, [Row, ...Row[]]> = {
  retry: [
    { name: "Retry of a job that failed", make: failed, id: on(`retry:${today(1)}`) },
    { name: "Retry after a crash", make: crashed, id: on(`retry:${today(1)}`) },
  ],
  continue: [{ name: "Continue after a crash", make: crashed, id: on(`continue:${today(1)}`) }],
  discard: [{ name: "Discard after a crash", make: crashed, id: on(`discard:${today(1)}`) }],
  show_diff: [{ name: "Show changes", make: failed, id: on(`diff:${today(1)}`) }],
  resume_thread: [
    { name: "Continue at a usage limit", make: waiting(limit), id: on(`unpark:${today(1)}`) },
    { name: "Try now at a window that is in use", make: waiting(terminal), id: on(`unpark:${today(1)}`) },
  ],
  accept_changes: [
    {
      name: "Go on with what has changed",
      make: waiting(changed),
      id: on(`accept:${today(1)}:${changedMark(changed)}`),
    },
  ],
  new_conversation: [
    { name: "New conversation where one is full", make: waiting(full), id: on(`s-fresh:${today(1)}`) },
  ],
  confirm_conversation: [{ name: "a new conversation at the desk", make: session(1), id: () => `s-sure:${T1}:new` }],
  choose_model: [
    { name: "Choose a model", make: withoutModel(true), id: on(`m-choose:${today(1)}`) },
    { name: "Choose a model where none is known", make: withoutModel(false), id: on(`m-choose:${today(1)}`) },
    { name: "the modal that names a model", make: withoutModel(false), id: on(`m-choose:${today(1)}`), words: "m" },
  ],
  pick_model: [
    {
      name: "the select of models",
      make: withoutModel(true),
      id: on(`m-pick:${today(1)}`),
      values: ["large"],
      alone: true,
    },
  ],
  other_tool: [{ name: "Other tool", make: waiting(login), id: on(`t-other:${today(1)}`) }],
  pick_tool: [
    { name: "the select of tools", make: waiting(login), id: on(`t-pick:${today(1)}`), values: ["codex"], alone: true },
  ],
  compact_full: [{ name: "Compact where one is full", make: waiting(full), id: on(`compact:${today(1)}`) }],
  go_on_with_budget: [{ name: "Go on at a budget", make: budgeted, id: onBudget("b-on") }],
  raise_budget: [
    { name: "Raise to…", make: budgeted, id: onBudget("b-raise") },
    { name: "the modal of Raise to…", make: budgeted, id: onBudget("b-raise"), words: "$9" },
  ],
  stop_at_budget: [{ name: "Stop here at a budget", make: budgeted, id: onBudget("b-stop") }],
  drop_waiting: [{ name: "Drop the waiting ones", make: waiting(full), id: on(`drop-all:${today(1)}`) }],
  start_fresh: [
    {
      name: "a new conversation with what has changed",
      make: waiting(changed),
      id: on(`fresh:${today(1)}:${changedMark(changed)}`),
    },
  ],
  drop_job: [{ name: "Drop of a job that waits", make: waiting(changed), id: on(`drop:${today(1)}`) }],
  clear_draft: [
    { name: "Clear the draft", make: waiting(terminal), id: on(`t-clear:${today(1)}:${draftMark(terminal)}`) },
  ],
  cancel_queued: [{ name: "Cancel in the queue", make: session(3), id: on(`q-cancel:${today(2)}`) }],
  move_to_front: [{ name: "Move first in the queue", make: session(3), id: on(`q-first:${today(3)}`) }],
  send_queued: [
    { name: "Send now on the running job's card", make: spokenTo(2), id: on(`q-send:${today(2)}`) },
    { name: "Send now on the entry that was picked", make: spokenTo(3), id: on(`q-send:${today(3)}`), alone: true },
  ],
  pick_queued: [{ name: "the select of the queue", make: session(3), id: on(`q-pick:${T1}`), values: [today(2)] }],
  clear_queue: [{ name: "Clear of a short queue", make: session(3), id: on(`q-clear:${T1}`) }],
  queue_page: [{ name: "a page of the queue", make: session(40), id: on(`q-page:${T1}:2`) }],
  confirm_clear_queue: [
    { name: "Clear of a long queue, confirmed", make: session(6), id: on(`q-sure:${T1}:${today(6)}`), alone: true },
  ],
  pending_page: [{ name: "a page of what waits for the owner", make: byJob, id: on("p-page:1"), alone: true }],
  take_back_answer: [
    {
      name: "the select that takes a grant back",
      make: granted,
      id: on("p-back:1"),
      values: [
        createHash("sha256")
          .update(JSON.stringify([T1, DEC]))
          .digest("hex")
          .slice(0, 40),
      ],
      alone: true,
    },
  ],
  open_session: [{ name: "Open a session here", make: session(0), id: on("s-open:app"), outside: true }],
  open_on_message: [
    {
      name: "a project under a message that no agent gets",
      make: session(0),
      id: on("s-on:300000000000000001:app"),
      outside: true,
    },
  ],
  more_projects: [{ name: "More projects", make: session(0), id: on("s-more:300000000000000001"), outside: true }],
  pick_project: [
    {
      name: "the select of all projects",
      make: session(0),
      id: on("s-pick:1"),
      values: ["s-on:300000000000000001:app"],
      outside: true,
      alone: true,
    },
  ],
  reopen_session: [{ name: "Reopen and send", make: closed, id: on(`s-reopen:${T1}:300000000000000001`) }],
  send_held: [{ name: "Send it as a message", make: session(1), id: on(`send-held:${T1}:300000000000000001`) }],
  send_forward: [{ name: "Send as quoted text", make: forwarded, id: on(`f-send:${T1}:300000000000000001`) }],
  drop_forward: [{ name: "Drop of a forward", make: forwarded, id: on(`f-drop:${T1}:300000000000000001`) }],
  forget_session: [
    {
      name: "Forget it",
      make: session(0),
      id: (scene) => `s-forget:${T1}:${forgetMark(scene.engine.state, T1, STAYS)}`,
      alone: true,
    },
  ],
  stop_for: [
    {
      name: "Stop the job under a typed stop",
      make: session(2),
      id: (scene) => `stop-for:${today(2)}:${stopMark(scene.engine.state, T1)}`,
    },
  ],
  finish_job: [{ name: "Take it as finished", make: session(1), id: on(`finish:${today(1)}`) }],
  stop_job: [{ name: "Stop the job", make: session(1), id: on(`stop:${today(1)}`) }],
  adopt_claude: [{ name: "Adopt", make: claude(), id: on("ad-take:c1") }],
  ignore_claude: [{ name: "Ignore of a Claude that was offered", make: claude(), id: on("ad-leave:c1") }],
  release_claude: [{ name: "Release", make: claude(T1), id: on(`ad-back:${T1}`) }],
  remove_worktree: [
    {
      name: "what deletes an archived thread's worktree",
      make: archived,
      id: on(`w-remove:${T1}:${archiveMark({ at: AT, left: LEFT })}`),
    },
  ],
  start_windows: [{ name: "Start on the panel", make: panelled(false), id: on("w-start:app"), outside: true }],
  stop_windows: [{ name: "Stop on the panel", make: panelled(true), id: on("w-stop:app"), outside: true }],
  pick_window_project: [
    { name: "the panel's select", make: panelled(true), id: on("w-pick:1"), values: ["w-stop:app"], outside: true },
  ],
  pick_agent_setting: [
    { name: "the select of /agent stop", make: session(1), id: on("a-pick:stop:-"), values: [T1], alone: true },
    { name: "the select of /agent kill", make: session(1), id: on("a-pick:kill:-"), values: [T1], alone: true },
    { name: "the select of /agent status", make: session(1), id: on("a-pick:status:-"), values: [T1], alone: true },
    { name: "the select of /agent model", make: offering, id: on("a-pick:model:large"), values: [T1], alone: true },
    { name: "the select of /agent mode", make: offering, id: on("a-pick:mode:plan"), values: [T1], alone: true },
    { name: "the select of /agent usage", make: session(1), id: on("a-pick:usage:-"), values: [T1], alone: true },
  ],
  unlock: [{ name: "the modal of /unlock", make: locked, id: on("unlock"), words: shownWord, outside: true }],
  choose_option: [
    { name: "an option of a question", make: asked(), id: under("option", 1) },
    { name: "Allow once", make: byJob, id: under("option", 0) },
    { name: "Allow for this session", make: byJob, id: under("option", 1) },
    { name: "Deny", make: byJob, id: under("option", 2) },
    { name: "Allow once of a hook's request", make: byHook, id: under("option", 0) },
    { name: "Deny of a hook's request", make: byHook, id: under("option", 2) },
    { name: "an option of a form", make: form, id: under("option", 1) },
  ],
  ask_for_words: [
    { name: "Other … of a question", make: asked(), id: under("words") },
    { name: "the modal of a question", make: asked(), id: under("words"), words: "neither" },
    { name: "the modal of a form", make: form, id: under("words"), words: "neither" },
  ],
  select_option: [{ name: "the select of a question", make: asked(), id: under("select"), values: ["1"] }],
  show_page: [
    { name: "a page of what would run", make: permission(job, LONG), id: under("page", 2) },
    { name: "a page of what a hook's request would run", make: permission(hook, LONG), id: under("page", 2) },
  ],
  show_options: [{ name: "a page of the options", make: asked(), id: under("pick", 1) }],
  confirm_options: [
    { name: "Done with several options", make: many, id: under("done", packPlaces([0, 1])), alone: true },
  ],
  snooze_decision: [{ name: "Later", make: asked(), id: under("snooze", "1h") }],
  take_back_decision: [{ name: "Take back", make: unheard, id: under("back") }],
  offer_rules: [
    { name: "Always allow…", make: byJob, id: under("rules") },
    { name: "Never allow…", make: byJob, id: under("rules", "deny"), alone: true },
  ],
  make_rule: [
    {
      name: "a rule that allows",
      make: byJob,
      id: (scene) => under("rule", `at.${markOf(scene)}`)(scene),
      alone: true,
    },
    {
      name: "a rule that denies",
      make: byJob,
      id: (scene) => under("rule", `dp.${markOf(scene)}`)(scene),
      alone: true,
    },
  ],
  rules_page: [{ name: "a page of the rules", make: ruled, id: on("r-page:1"), alone: true }],
  remove_rule: [
    { name: "the select that removes a rule", make: ruled, id: on("r-back:1"), values: ["rule_1"], alone: true },
  ],
  decline_decision: [
    { name: "Decline of a form", make: form, id: under("decline", "decline") },
    { name: "Cancel of a form", make: form, id: under("decline", "cancel") },
  ],
};

/** The gateway tells of the press. Resolves with what it did and what was sent. */
async function pressed(row: Row, actor: Actor): Promise<{ changed: boolean; sent: CommandScene["sent"] }> {
  const scene = await row.make();
  const all = (): string => JSON.stringify([scene.engine.state, scene.reopened, scene.ended, scene.events.length]);
  const before = all();
  scene.sent.length = 0;
  const custom_id = row.id(scene);
  const message = { id: "200000000000000900", channel_id: T1, flags: row.alone ? 64 : 0 };
  const component =
    row.values === undefined ? { component_type: 2, custom_id } : { component_type: 3, custom_id, values: row.values };
  const typed = typeof row.words === "function" ? row.words(scene) : row.words;
  const data =
    row.words === undefined
      ? component
      : { custom_id, components: [{ type: 18, component: { type: 4, custom_id: "words", value: typed } }] };
  const interaction = interactionOf(actor, {
    type: row.words === undefined ? 3 : 5,
    data,
    channel: row.outside ? { id: CHANNEL, type: 0 } : { id: T1, type: 11 },
    message,
  });
  const nobody = (): never => {
    throw new Error("a press is no message");
  };
  dispatch("INTERACTION_CREATE", structuredClone(interaction), {
    intake: part<Intake>({
      listener: part<Listener>({ message: nobody, edited: nobody, deleted: nobody }),
      direct: part<Direct>({ message: nobody }),
      onGatewayEvent: nobody,
    }),
    server: [],
    commandContext: { ...scene.context, ownerId: OWNER },
    posts: part<BotPosts>({ onMessagePosted: nobody, onMessagesDeleted: nobody }),
  });
  for (let turns = 0; turns < 8; turns += 1) await scene.clock.settle();
  return { changed: all() !== before, sent: scene.sent };
}

describe.each(Object.values(rows).flat())("$name", (row) => {
  test("does what it says for the owner", async () => {
    const { changed, sent } = await pressed(row, owner);
    const answers = sent.filter(({ path }) => path.startsWith("/webhooks/"));
    expect(JSON.stringify(sent)).not.toContain("E_");
    // A modal is the first response itself.
    const opened = sent.some(({ body }) => (body as { type?: number } | undefined)?.type === 9);
    expect(changed || opened || answers.length > 0).toBe(true);
  });

  test.each(Object.entries(actors))("by %s does nothing, and tells nothing", async (_name, actor) => {
    const { changed, sent } = await pressed(row, actor);
    expect(changed).toBe(false);
    expect(sent.map(({ path }) => path)).toEqual(["/interactions/500000000000000001/token/callback"]);
    expect(sent[0]?.body).toMatchObject({
      type: 4,
      data: { flags: 64, content: expect.stringContaining("E_OWNER_ONLY") as string },
    });
  });
});
