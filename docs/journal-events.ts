/**
 * The events as lists for `docs/journal-format.md`: what their payloads hold is read from the types, what they mean
 * stands here. One that is not here does not compile.
 */
import type { Event } from "../src/core/slices.ts";
import { EventTypes } from "./event-types.ts";

const PART = /(<!-- events: [^>]*-->\n)[\s\S]*?(<!-- \/events -->)/;

const meanings: Readonly<Record<Event["type"], string>> = {
  FormatRaised: "once, by the first version whose events older ones would misread: they refuse the journal",
  OwnerKnown:
    "who is obeyed; `discovered`: the owner of the daemon's application, as Discord told it first; only a configured one replaces him",
  Locked:
    "nothing starts and nothing is allowed from here on; what runs is ended, what is asked is void, and grants end. `by`: `/lock`, or `bellhop lock`",
  Unlocked:
    "by the owner's word (`set`), or one that `bellhop unlock` had shown. Messages up to `through`, the interaction that brought the word, are never taken. `SessionParked` before it: what waits from before goes on when the owner says so",
  WordRefused: "the `wrong`th wrong word in a row; no other is taken until `closed_until`. The word is not kept",
  MessageKeptOut: "it was written or heard while it was locked, or was written before, and becomes nothing",
  ProjectCreated: "`unsaved`: by a command, and not yet in config.json",
  ProjectUpdated: "config.json changed it",
  ProjectRemoved: "from config.json",
  ProjectSaved: "config.json has these now",
  ProjectSwitched: "commands that name no project mean it",
  ProjectSeen:
    "by its owner: the directory's real path, and the digest of its agents' configuration (`configurations/<digest>.json`; absent: nobody looked yet). `allowed`: what Claude wrote down that it may always do there. For a thread's own directory `project_name` is the project's name, `#` and the thread's id",
  RulesAllowed: "Claude wrote down these, in place of the earlier ones, where this job runs; `project_name` as above",
  SessionRequested:
    "`/start`, before its thread is made. `agent`: `/agent start`; `window`: Start on the control panel; `adoption`: for the owner's own Claude with this conversation; `adapter_state`, `checkout`: `/resume` of this conversation, and where it was. `on_message`: the owner's message on which its thread is made, its first prompt. `request_id`: the interaction's",
  StartReadied: "the agent of `/agent start` is open, so the thread may be made",
  SessionRequestDropped: "no agent or thread could be made",
  SessionCreated:
    "with its thread. `kind`: the owner made it, or it is its project's channel. Messages up to `since` are not for it. `on_message`: its thread stands on a message of the owner's, its first prompt. `window`: as by `WindowRequested`",
  ToolChanged:
    "from the next job on. Each tool keeps its key, and a wait for the other's limit ends; `carried`: the conversation goes along, and the limit stays",
  SessionNamed: "by its first message's first words, once; later as its thread is renamed",
  SessionClosed:
    "nothing starts until it is reopened; its agent ends, what was allowed for the session is over, conversation and queue stay. `silent`: no sign of life",
  SessionReopened: "it is open again",
  SessionForgotten:
    "by its owner: it is closed, and the words of the lines before this one do not count any more. Then they are blanked",
  ForgettingDone: "they are, and its files are gone",
  ModelChosen: "by the owner",
  EffortChosen: "by the owner",
  ConversationWanted: "by the owner, before the next job's prompt: `new`, or `compacted`",
  ModelSettled: "the agent does not offer it; none is chosen",
  ModeSet:
    "the agent's mode, unless it began in it and is known. Set by Bellhop, by itself, by the project's arguments, or with `/agent mode`; `job_id`: the job or outside turn meanwhile",
  ThreadSettingsChosen: "config.json is to hold its tool and model",
  ThreadSettingsRefused: "that could not be written; said once",
  ThreadSettingsSaved: "it holds these. `parked`: the other tool's model that it held",
  TerminalStateImported: "threads taken over from an earlier bridge for tmux, once",
  BackgroundNoted: "what the agent does in the background (empty: nothing), told after a kill of the daemon",
  AgentTold: "by the agent of itself, as far as it changed",
  ChannelRead: "its watermark: messages up to this id were heard",
  ThreadLost: "Discord takes nothing more there; posts go to `place`",
  ThreadFound: "it is there again",
  MessageRefused:
    "it became no job, or not all of it; its writer is owed this sentence, known by `subject` (else the message's id). After `E_SESSION_CLOSED` the thread keeps it until it becomes a job",
  MessagePointed:
    "it settled none of the open `decisions`. `bare`: only yes, no, a number or the like; `stop`: only stop; `which`: may answer several; `unseen`: a yes to what was not wholly shown; `no_yes`: to what can only be refused; `open`: no answer, so the next job; `settled`: too late; `nothing`: none is open; `sent`: to the agent, after all. `words`: if short",
  ForwardHeld: "forwarded by the owner: it waits for what it is for, and goes to a job as one of its `quotes`",
  ForwardDropped: "by its button, or its message was deleted; `crowded`: too many wait",
  ChannelOpened: "messages above `since` are heard without a session. No `guild_id`: direct messages",
  MessageNoted:
    "changed after its job began, or (`code`) into what is not taken, or deleted while its job waited; its writer is owed this sentence",
  JobEnqueued:
    "`attempt` 1: a message; else a retry, or taken up where it was cut off (`continue`). `first`: before the others. No `mode`: `prompt`",
  JobStarted: "before its agent starts. `after_crash_of`: the agent is told that this job was cut off",
  JobProgress:
    "learnt of its run, or of an outside turn's. `prompt_id`: the agent's own name for it; `steers`: the agent can be spoken to. Empty `adapter_state`: the conversation is lost. `denied`: a tool not allowed. `checkout`, `checkout_end`: the directory before and after; `late`: the agent worked already, so `changes` may lack the first; `unmeasured`: finding them took too long; `beside`: threads whose agents worked there at the same time. `access`: it may only read, unless its own configuration allows more. `left_out`: the first line of output refused as too long or too deep. `ended_early`: before all was said. `compacted`: the conversation is shorter now, in tokens; `renewed`: it is a new one. `warned`: it left the mode in which it asks and was set back, or nobody knows whether it asks. `said`: until it was cut off. `used`: what its agent has told so far of what it uses, where a budget counts that; its end has all. `attachment`: a file to send, `results/<job_id>.file-<place>`, or why not. `gone`: its process; the thread is free. `changes` and `said` may follow its end",
  JobEdited: "with its message, while it waited or before it is tried again",
  JobMoved: "to the front of its queue",
  JobPutBack: "it had done nothing and waits again, first",
  JobCancelRequested: "it, or this outside turn, is to be stopped; while it is being sent: dropped by the agent",
  JobCompleted: "its answer is in `results/<job_id>.md`; after a kill in between, at the next start",
  JobFailed:
    "without an answer. `reason` in `error_details`: others' words (in old lines also Bellhop's), `because`: Bellhop's",
  JobCancelled:
    "by the owner, with its message, with the queue, by its agent (also if absent), or because its message was an `answer`, or one that was not understood (`unclear`)",
  JobMarkedUnknownAfterCrash: "it ran, or was being sent, when the daemon died. `hold`: the queue waits for the owner",
  JobSent: "the agent took it up in the turn `into`, whose answer is its answer",
  QueueResumed: "by the owner, after this job's crash",
  QueueStale: "at a start: look up what waits before it runs",
  QueueChecked: "that was done",
  SessionParked: "the thread starts nothing until this is over",
  SessionUnparked:
    "its time came; or the owner said so, saw what changed and goes on (`seen`) or begins a new conversation (`fresh`), has the draft cleared or drops the job; or the window takes text (`terminal`)",
  LimitLifted: "it is over; the owner is asked whether to continue",
  BudgetChosen:
    "by the owner, for the session: by unit, and what was raised ends. `null`: as config.json says; without an amount: none",
  BudgetRaised: "by the owner, where it was used up: the session's, or the day's for that day",
  BudgetStopped:
    "the owner stopped here: nothing goes on in this session until he says so, and what runs in it is to be stopped",
  BudgetNoted:
    "what the end of this job, or outside turn, says: how much of a budget is used, or that one does not count it",
  JobSendRequested:
    "to the running job or outside turn `into`, before the text leaves; it is first in its queue and fixed. `JobStarted` next: the agent began a turn with it; `JobCancelled`: taken back, surely not given to the agent",
  JobSendFailed: "the agent was not given it; it waits again, first, and its writer is owed this sentence",
  OutsideTurnBegan:
    "not by a message in Discord: `background` work reports, or `prompt` was typed at the terminal. The queue waits. `began_at`: heard of later",
  OutsideTurnEnded: "its answer is `results/<turn_id>.md`. `unknown`: the daemon ended meanwhile",
  WindowRequested: "without a prompt; until it opens, is refused, or the session closes or changes its tool",
  WindowRefused: "said once. No `code`: a job is to open it",
  WindowOpened:
    "the session's Claude runs there, in Bellhop's tmux server or the owner's. `adopted`: only the owner ends it; `claude_session`: its conversation",
  WindowClosed:
    "Claude ended, or Bellhop ended it (`stopped`, with its thread, or to go on elsewhere); it disappeared while no daemon ran, or was given back",
  WindowCleared: "at the terminal; the tool's next window begins a new conversation",
  AdoptionOffered:
    "of a Claude in the owner's own tmux; again when more is known of it, or its process is another. The last 200 are kept",
  AdoptionSettled: "it went into this thread, was ignored, or was `gone` before",
  WorktreeMade: "the session works only here, also again",
  WorktreeRemoved: "with its thread; the branch stays, the next job makes it again",
  WorktreeLost: "it disappeared; nothing runs in the session any more",
  WorktreeSeen: "this configuration of its agents counts as seen",
  WorktreeOrphaned: "a name of ours without a session; told once",
  ThreadArchived:
    "while it had a window or worktree. `surely`: by the owner, says the audit log, or else too early for Discord's own archiving; `by`: somebody else, says the log",
  ArchiveAsked: "may this end or be removed?",
  ArchiveAgreed: "to what was shown",
  ArchiveDone: "put away; the branch stays",
  ThreadReopened: "before that; nothing is removed",
  DecisionAsked:
    "only the owner may settle it. `form`: an agent's, may be declined; its last question asks whether to send it.",
  DecisionPlaced: "its thread; no message below `since` can be its answer",
  DecisionPageSeen: "the owner was shown this page",
  QuestionAnswered: "the one at this place, from 0; its message is handled",
  DecisionAnswered:
    "its message is handled. `grant`: by an earlier yes for the session; `rule`: by the rule `rule_id`, else that one was made with it; `revocable`: pressed while the asker was away, so it can be taken back; `declined`: the form was, and `answers` are empty",
  AnswerTakenBack: "it is open again",
  AnswerStands: "it is being handed over, or its ten seconds are over",
  DecisionReasked: "the words were not understood",
  DecisionAborted: "not understood for the third time",
  DecisionReminded: "`after_snooze`: put off until now",
  DecisionKeptOpen: "what was typed asks for time, or back",
  DecisionSnoozed: "no reminder until then",
  DecisionRefreshed: "a daemon began: earlier presses were lost",
  DecisionLapsed: "its time ran out; nothing is allowed",
  DecisionDisconnected: "the asker is away; it can be answered. After an answer: its hook did not confirm it",
  DecisionReconnected:
    "the asker is back, or one more asks. `lapses_at`: when the last stops waiting; absent: as before",
  DecisionNoticed: "the asker began again and knows of it, but does not wait",
  DecisionVoided:
    "nobody hears an answer. `no_place`: see `refused`; `terminal`: settled there, with `outcome` and what was `said` if known; `too_long`: see `excess`; `untold`: its hook is gone, nothing is allowed, its dialog may still stand. It may follow a late answer, an expiry, or such a line without `outcome`",
  DecisionHandedOver:
    "its agent asks on, in the next turn or (`hook`) the tool's dialog. Without `asker` the turn that asked has ended, with it this one took over, in either order. Void if none has by the next turn's end",
  AnswerDelivered:
    "the asker has it, or the end without one; of an open one: that its time is over, though an answer in time may still be found",
  GrantRevoked: "what that decision allowed for the session",
  RuleAdded:
    "by pressing it at the prompt of a permission, which it answers. It ends with `RuleRemoved`, its project or its session forgotten; one that allows also with a lock or 30 days without use",
  RuleRemoved: "",
  InboxReceived:
    "written where no session is, and no answer: for agents to read, and handled. The owner's reply to `reply_to` is the answer once that is known to ask. `offered`: he is asked whether it opens a session",
  InboxRead: "by an agent; `channel_id`: it is the first to read what is written there",
  InboxCleared: "taken out. Beyond 1,000, read and then oldest ones leave without a line",
  InboxEdited: "by its writer; unread again",
  AgentPostNoted:
    "a notice or report, before it leaves and (`message_id`) when it stands; `request`: the same for each repetition. The last 500 are kept",
  PostRecorded:
    "which message shows this part of a job, thread, message or greeting; without `message_id` none does. `is` names what it says: another name means an edit, other words do not; absent in old lines until a restart. `upto`: the answer continues below another post, so much stands here and above. A decision's `page:2`, … counts as `DecisionPageSeen`, unless (`partly`) a notice stands there",
};

/** What the shapes in them mean, by name. */
const shapes: Readonly<Record<string, string>> = {
  ProjectConfig: "as in config.json",
  Checkout: "real path, branch, commit, digest of the differences from it",
  SavedSettings: "",
  AgentFacts:
    "as last told. `name`: what it calls itself; `context`: tokens; `limits`: percent, and milliseconds since 1970; `pid`: in a window",
  Offered: "`unsure`: the agent may not ask in this mode",
  CommandOffered: "",
  Cost: "`currency`: ISO 4217",
  UploadedFile: "`path`: absolute; `sha256`: as it arrived; `large`: a picture with more than 2,000 pixels a side",
  LargePicture: "`copy`: a smaller one beside it, if one was made",
  PictureCopy: "",
  Quote:
    "a message that the prompt's points at; `mark`: before and after it in the prompt; `text`: its beginning, `left_out` characters more; `named`: files that were not fetched",
  Changes: "`patch`: digest of `results/<job_id>.patch`",
  Usage: "where told; also `cost_usd` (any currency), `conversation_input`, `_cached`, `_output`, `_cost_…`",
  Wait: "`again`: reached again after a job continued by itself, so the owner is asked; `untimed`: its agent has not said a usable time; `changed`: at least one of the three, `digest` of all that is shown; `place`: real paths; `configuration`: digests, `shown` of the difference, `configurations/<shown>.diff`; `reason`: why nothing can be typed; `attach`: the command that shows the window; `screen`: what it shows; `budget`: `unit`: `tokens` or a currency, `more`: by which it is raised, `asks`: here, `stopped`: until its owner goes on",
  BudgetNote: "`used` of `limit`, at 80 % of it and more; `uncounted`: its agent does not tell this unit, but `tells`",
  ArchiveLeftovers:
    "`busy`: something ran; `files`: uncommitted, if known; `commits`: only on its branch; `mark`: digest of both; `failed`: why git did not remove it",
  Asker:
    "`subagent`, `agent_id`: which of its own; `mcp`: its client's variables, the thread it named; `dialog`: also in the terminal; `before`: before a tool, without a dialog yet; `screen`: read there, `request_id` is its digest and `pid` Claude's, else the hook's",
  Question:
    "`many`: several may be chosen; `words`: own words count; `optional`: may be skipped; `wanted`: of the answer; `preset`: offered by the agent; `url`: the page to open",
  Option: "",
  AnswerFormat: "bounds of the number, the characters, or how many are chosen",
  Answer: "`places`: of options, from 0; `words`: own",
  Subject:
    "digest of `decisions/<decision_id>.json`, the exact bytes, synced before. `exact`: secrets are marks there, and this is a keyed fingerprint of what would run, for the daemon that asked; `pages`: to show all; `grant_until`: the end of a yes for the session; `described`: by the agent, not the tool's input; the reason of a no goes with its next prompt; `mixed`: words that mix scripts; `act`: what its headline says; `no_yes`: can only be refused; `cwd`: where its command starts, null if that is not sure; `rules`: a rule can be made of it",
  Act: "`object`, `where`: on one line, shortened; `where` of a move is its target, of `use` the server",
  MixedWord: "`letters`: not of most letters' script",
  RuleScope: "",
  Cover:
    "what a rule is about. `exact`: the bytes of this digest, where its command starts; `command`: these words, where it starts, and the request's other fields; `path`: files below this folder of `root`; `tool`: one of an MCP server's, with this digest of the server's definition",
  CommandWord: "`open`: another one may stand here",
  Excess: "too much of this; `sha256` is that of nothing",
  Upto: "",
};

/** The page with the lists in their place. */
export function withEvents(page: string): string {
  return page.replace(PART, (_, begin: string, end: string) => `${begin}${lists()}${end}`);
}

/** Events by what all of a group have, the most first. */
const GROUPS = [
  ["Of a job", "`job_id`, `thread_id`"],
  ["Of a decision", "`decision_id`, `thread_id`?"],
  ["Of a thread", "`thread_id`"],
  ["Others", ""],
] as const;

function lists(): string {
  const types = new EventTypes();
  const payloads = [...types.payloads()];
  const groupOf = (payload: string): string | undefined => GROUPS.find(([, all]) => payload.startsWith(all))?.[0];
  const events = GROUPS.flatMap(([group, all]) => [
    `### ${group}`,
    "",
    ...(all === "" ? [] : [`Each also has ${all}.`, ""]),
    ...payloads.flatMap(([type, payload]) => {
      const own = payload.slice(all.length).replace(/^, /, "");
      return groupOf(payload) === group ? [`- \`${type}\`${both(own, meanings[type as Event["type"]])}`] : [];
    }),
    "",
  ]);
  const untold = [...types.shapes.keys()].filter((name) => shapes[name] === undefined);
  if (untold.length > 0) throw new Error(`docs/journal-events.ts does not say what these are: ${untold.join(", ")}`);
  const named = [...types.shapes].map(([name, fields]) => `- ${name}${both(fields, shapes[name] ?? "")}`);
  return [...events, "### Shapes", "", ...named, ""].join("\n");
}

function both(fields: string, meaning: string): string {
  return `${fields === "" ? "" : ` (${fields})`}${meaning === "" ? "" : `: ${meaning}`}`;
}
