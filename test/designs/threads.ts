/** Design B, threads: what it asks for, and the tests that show it. */
import type { Design } from "./design.ts";

export const threads: Design = {
  letter: "B",
  title: "threads",
  about: "A thread is a session of Claude Code, Codex or Gemini CLI; its messages are jobs, done one after the other.",
  chapters: {
    "1 What Discord and the agents can do": [
      {
        at: "1.1",
        needs: "Interactions arrive over the gateway",
        shown: ["flows/acceptance/02-start.test.ts > 2. /start makes a thread and a session that can be used"],
      },
      {
        at: "1.1",
        needs: "A command is answered within 3 s, deferred if it takes longer",
        shown: [
          "flows/commands.test.ts > a command is acknowledged while Discord is slow with what it asks for, and answered when that is done",
          "discord/interactions/commands.test.ts > every interaction > is acknowledged before anything is looked at or written, and answered by editing that",
        ],
      },
      {
        at: "1.1",
        needs: "An interaction's token lasts 15 minutes",
        shown: [
          "discord/interactions/commands.test.ts > every interaction > is answered in the channel, once, when its token is over",
        ],
      },
      {
        at: "1.1",
        needs: "The global limit does not bind what answers an interaction",
        shown: [
          "discord/api/request-scheduler.test.ts > limits > the global limit does not hold up what answers an interaction; a ban of our address holds up everything",
        ],
      },
      {
        at: "1.1",
        needs: "Rate limit headers are obeyed, a 429 by its `retry_after`",
        shown: [
          "discord/api/request-scheduler.test.ts > limits > a 429 is obeyed to the millisecond, its bucket's or everybody's",
          "discord/api/request-scheduler.test.ts > limits > whatever is asked and however the network delays, no 429 is of our own making",
          "discord/api/rest.test.ts > what an answer means > the body's own retry_after is obeyed to the millisecond, not the rounded header",
        ],
      },
      {
        at: "1.1",
        needs: "Archived and locked threads are handled",
        shown: [
          "flows/faults/d16-d17-places.test.ts > D16: an archived thread is opened for an answer; a locked one leaves it in the channel, and unlocked has the next",
        ],
      },
      {
        at: "1.2",
        needs: "Only threads that are sessions are listened to",
        shown: ["discord/intake/listener.test.ts > a message > in a thread nobody opened a session in has no effect"],
      },
      {
        at: "1.2",
        needs: "Messages wait in a queue on a personal machine",
        shown: [
          "flows/burst.test.ts > twenty messages in one burst start exactly one agent; the other nineteen wait in the order in which Discord has them",
        ],
      },
      {
        at: "1.3",
        needs: "Claude: headless, `stream-json`, its `session_id`",
        shown: [
          "agents/claude/claude.agent.ts > claude > answers a new prompt, streamed, with its session key and its usage",
        ],
      },
      {
        at: "1.3",
        needs: "Claude: `-r` continues a conversation",
        shown: [
          "agents/claude/claude.agent.ts > claude > continues where a session was: the model sees the earlier turns",
        ],
      },
      {
        at: "1.3",
        needs: "Codex: `exec --json`, its `thread_id`",
        shown: ["agents/codex/codex.agent.ts > codex > answers a new prompt, with its session key and its usage"],
      },
      {
        at: "1.3",
        needs: "Codex: `exec resume` continues a conversation",
        shown: [
          "agents/codex/codex.agent.ts > codex > continues where a session was, the model sees the earlier turns, and each run has its own usage",
        ],
      },
      {
        at: "1.3",
        needs: "Gemini: headless `stream-json`, `init.session_id`; `--resume` continues",
        shown: [
          "agents/gemini/gemini.agent.ts > gemini > answers a new prompt, streamed, with its session key and its usage, and continues where that session was",
        ],
      },
      {
        at: "1.3",
        needs: "Gemini: `json` gives one object with `session_id`, `response`, `stats`",
        shown: ["agents/gemini/gemini.agent.ts > gemini > in json gives the same, at its end"],
      },
      {
        at: "1.3",
        needs: "Gemini: `--list-sessions` lists what can be continued",
        ruled: "`/resume` reads what each agent has kept, without starting it",
        shown: [
          "agents/process/stored.test.ts > Gemini's: by the path beside its chats",
          "flows/resume.test.ts > it is offered, its thread is named after it, and the first message there resumes it, after a restart too",
        ],
      },
      {
        at: "1.3",
        needs: "Gemini: stdout may contain lines that are not JSON",
        shown: [
          "agents/gemini/translate.test.ts > a true stream > with words between its lines is the same as without",
        ],
      },
    ],
    "2 Decisions of the architecture": [
      {
        at: "2.1",
        needs: "Bot and agents on one machine, no relay",
        shown: [
          "agents/first-run.agent.ts > from nothing to an answered message > a newcomer registers a project, opens a session, and sees the real agent's answer grow and end",
        ],
      },
      {
        at: "2.2",
        needs: "One permanent gateway connection",
        shown: [
          "discord/api/gateway/gateway.test.ts > a broken connection > that was %s is made again, and what is written then is accepted",
          "flows/network.test.ts > the gateway cut in mid-stream loses neither the answer nor what is written meanwhile",
        ],
      },
      {
        at: "2.2",
        needs: "One process per message: spawn, stream, exit",
        ruled:
          "Claude stays alive between jobs; with `idle_agents` 0, and for Codex and Gemini, it is one process per job",
        shown: [
          "flows/living.test.ts > with idle_agents 0 each job has its own process, which is gone with it",
          "flows/living.test.ts > the next message needs no new process, and the conversation goes on",
        ],
      },
      {
        at: "2.3",
        needs: "The thread's id is the session's key",
        shown: [
          "discord/threads/session-starts.test.ts > a wanted session gets a message, a thread on it, and the session's id is the thread's",
        ],
      },
      {
        at: "2.3",
        needs: "A project is a template: path, tools, default tool, arguments",
        shown: [
          "config/config-file.test.ts > config.json > in its documented form is read without a warning",
          "agents/claude/arguments.test.ts > the argv > has the granted folders, the session to continue from, the project's own arguments, and never a prompt",
        ],
      },
      {
        at: "2.3",
        needs: "One project has many sessions, each with its own key",
        shown: [
          "flows/acceptance/04-threads-side-by-side.test.ts > 4. Two threads of one project run at the same time, and a third waits until one of them is done",
          "flows/acceptance/12-event-replay.test.ts > 12. With the snapshot deleted, the events alone rebuild the same state",
        ],
      },
      {
        at: "2.3",
        needs: "`/session open` leads back to the session's own thread and moves nothing",
        shown: [
          "flows/acceptance/10-session-open.test.ts > 10. /session open opens an archived thread again, and its conversation continues there",
        ],
      },
    ],
    "3 Reliable without a database": [
      {
        at: "3.1",
        needs: "`config.json`, `snapshot.json`, `events.ndjson` in the state directory",
        shown: [
          "flows/acceptance/12-event-replay.test.ts > 12. With the snapshot deleted, the events alone rebuild the same state",
          "engine/config-projects.test.ts > what a command made is in the file, once the catalogue is closed, and not unsaved any more; every name is kept, and the next start takes it",
        ],
      },
      {
        at: "3.2",
        needs: "An event is appended and synced first",
        shown: [
          "engine/engine.test.ts > a change > is seen by nobody before it is durable, and by keepers after",
          "journal/power-loss.test.ts > what was acknowledged survives … power cuts",
        ],
      },
      {
        at: "3.2",
        needs: "Snapshots by number of events and by time, with an atomic rename",
        shown: [
          "journal/journal.test.ts > snapshots come after fifty events or five seconds, and never twice within five seconds",
          "base/disk.test.ts > an atomic write replaces the content, private, and leaves nothing beside it",
        ],
      },
      {
        at: "3.2",
        needs: "A start reads the snapshot and replays the events after it",
        shown: [
          "journal/journal.test.ts > replayed twice, and from a snapshot at any place, the state is the same to the byte",
        ],
      },
      {
        at: "3.3",
        needs: "A message is queued exactly once",
        shown: [
          "core/histories.test.ts > R16: events redelivered one to five times and reordered in a window of fifty make as many jobs as there are messages",
          "flows/order.test.ts > a redelivered message is not a second job",
        ],
      },
      {
        at: "3.3",
        needs: "One job at a time per thread, in order",
        shown: [
          "core/invariants.test.ts > I2: one thread runs one job at a time, and the next when the last one's process is gone",
          "core/invariants.test.ts > I2: a thread's jobs start in the order written, but for what the owner moved, what was put back, and what a crash cut off",
        ],
      },
      {
        at: "3.3",
        needs: "A job that was running in a crash is `unknown_after_crash` and not rerun",
        shown: [
          "core/invariants.test.ts > I5: what a crash cut off is never run again: it stays as it is, and another attempt is a new job of the owner's choice",
          "flows/crash.test.ts > a running job becomes unknown, says so in its thread, and its agent is not left running",
        ],
      },
      {
        at: "3.3",
        needs: "The owner reruns it with `/retry`",
        shown: [
          "flows/crash.test.ts > Retry runs the same prompt again, tells the agent it was interrupted, and the queue continues after it",
          "core/jobs/queue.test.ts > Retry runs what was interrupted again, before what waits, and says that it was interrupted",
        ],
      },
    ],
    "4 Going on with a conversation": [
      {
        at: "4.1",
        needs: "A session keeps its tool and that tool's key",
        shown: [
          "core/sessions/session.test.ts > the session's key is kept under its tool's own name for it, and is what the next job resumes by",
        ],
      },
      {
        at: "4.2",
        needs: "The keys are `session_id`, `thread_id`, `session_id`",
        shown: [
          "flows/state-files.test.ts > each agent's key is kept under its own name for it: session_id, thread_id, session_id",
        ],
      },
      {
        at: "4.3",
        needs: "Claude's command, new and with `-r`",
        ruled: "the prompt is passed on stdin, and permissions are asked for",
        shown: [
          "agents/claude/arguments.test.ts > the argv > has the granted folders, the session to continue from, the project's own arguments, and never a prompt",
        ],
      },
      {
        at: "4.3",
        needs: "Claude is resumed by `-r` only, never by `--session-id`",
        shown: ["agents/claude/arguments.test.ts > default_args > are refused as %s: %j"],
      },
      {
        at: "4.3",
        needs: "Codex's command, new and with `resume`",
        ruled: "the prompt is passed on stdin",
        shown: [
          "agents/codex/arguments.test.ts > the argv > has the project's own arguments, then an option of ours, then the conversation, and never a prompt",
        ],
      },
      {
        at: "4.3",
        needs: "Gemini's command, new and with `--resume`",
        ruled: "the prompt is passed on stdin",
        shown: [
          "agents/gemini/arguments.test.ts > the argv > has the form of the answer, the granted folders, the session to continue from, the project's own arguments, and never a prompt",
        ],
      },
      {
        at: "4.3",
        needs: "Gemini: `init` first, then the answer's `session_id`",
        shown: [
          "agents/gemini/translate.test.ts > a session key > of init goes before any that is named later",
          "agents/gemini/translate.test.ts > a true stream > of json is the same answer with the same key, whatever is printed around it",
        ],
      },
      {
        at: "4.3",
        needs: "No key: failed with `E_ADAPTER_SESSION_KEY_MISSING`, no guess",
        shown: [
          "agents/process/broken-streams.test.ts > $tool > that never names its session: E_ADAPTER_SESSION_KEY_MISSING",
        ],
      },
      {
        at: "4.3",
        needs: "Only lines that look like JSON objects are parsed, the others are logged",
        shown: [
          "flows/acceptance/08-gemini-among-other-lines.test.ts > 8. Lines that are no JSON, put among Gemini's, do not stop its stream from being read, and are kept in the job's log",
        ],
      },
      {
        at: "4.4",
        needs: "Takes prompt, directory, a key to resume, and stream or json",
        shown: [
          "agents/gemini/arguments.test.ts > the argv > has the form of the answer, the granted folders, the session to continue from, the project's own arguments, and never a prompt",
          "agents/gemini/gemini.agent.ts > gemini > in json gives the same, at its end",
        ],
      },
      {
        at: "4.4",
        needs: "Stdout is read line by line",
        shown: [
          "host/processes/pipes.test.ts > lines > are the same however the bytes were cut into chunks, invalid UTF-8 and NUL included",
        ],
      },
      {
        at: "4.4",
        needs: "A line from `{` to `}` is tried as JSON, any other is a diagnostic",
        shown: [
          "flows/acceptance/08-gemini-among-other-lines.test.ts > 8. Lines that are no JSON, put among Gemini's, do not stop its stream from being read, and are kept in the job's log",
        ],
      },
      {
        at: "4.4",
        needs: "`init` sets the session's key",
        shown: ["agents/gemini/translate.test.ts > a session key > of init goes before any that is named later"],
      },
      {
        at: "4.4",
        needs: "`message` of the assistant adds to the answer",
        shown: ["agents/gemini/translate.test.ts > a true stream > of %s is one answer, its deltas exactly its result"],
      },
      {
        at: "4.4",
        needs: "`result` with `success` is a success, any other a failure",
        shown: [
          "agents/gemini/translate.test.ts > a true stream > of a model's failure (%s) is a failure with its status, and %s is no usage limit",
        ],
      },
      {
        at: "4.4",
        needs: "An exit code other than 0 is a failure",
        shown: [
          "agents/gemini/run.test.ts > a true stream with its exit code > of %s has one end, and it is the honest one",
        ],
      },
      {
        at: "4.4",
        needs: "Exit 0 without a result is a failure",
        shown: [
          "agents/process/broken-streams.test.ts > $tool > that ends before its result: E_ADAPTER_MISSING_RESULT",
        ],
      },
      {
        at: "4.4",
        needs: "At most one automatic retry, for temporary errors only",
        shown: [
          "agents/run/runner.test.ts > a failure that passes by itself > is tried once more as the same job, in the conversation as it was, and then told if it fails again",
          "agents/run/runner.test.ts > a failure that passes by itself > is not tried again where %s",
        ],
      },
      {
        at: "4.4",
        needs: "After that, the owner retries by hand",
        shown: ["flows/acceptance/07-retry.test.ts > 7. /retry makes a new job of a failed one, and that succeeds"],
      },
    ],
    "5 Commands, status, owner": [
      {
        at: "5.1",
        needs: "Configured from Discord, with nine commands",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
        ],
      },
      {
        at: "5.1",
        needs: "Limits are constants, not commands",
        ruled: "they are settings in `config.json`, with these defaults",
        shown: ["config/config-file.test.ts > config.json > has the documented defaults where it says nothing"],
      },
      {
        at: "5.2",
        needs: "`/status`: project, tool, session key, state, queue, last job, resume, retry hint",
        shown: [
          "flows/acceptance/11-status.test.ts > 11. /status has every field, each as the snapshot has it: before the first job, after a good one, after a failed one, and after a crash with jobs waiting",
        ],
      },
      {
        at: "5.3",
        needs: "`DISCORD_OWNER_ID` is required",
        ruled: "without it the application's owner, as Discord tells, which the log says",
        shown: [
          "flows/mcp/notices.test.ts > with a token and a channel alone it is the application's owner who is obeyed, in the channel's guild, and the log says so",
        ],
      },
      {
        at: "5.3",
        needs: "Only the owner's commands and messages count",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
          "discord/intake/strangers.test.ts > whatever comes in > 10,000 times: it is the owner's only if Discord's own ids say so, and nothing makes it throw",
        ],
      },
      {
        at: "5.3",
        needs: "No roles and no channel lists",
        shown: [
          "flows/strangers.test.ts > under an open question a stranger with every right changes nothing, whatever they do, and the owner's answer counts",
        ],
      },
    ],
    "6 Queue and run": [
      {
        needs: "A message is checked for duplicates",
        shown: ["core/jobs/job.test.ts > a redelivered message is not a second job"],
      },
      {
        needs: "`JobEnqueued` is written",
        shown: [
          "core/jobs/job.test.ts > a message becomes a job that starts at once where nothing is in its way",
          "core/invariants.test.ts > I6: every job accepted waits, runs or has ended, in exactly one place where its owner finds it",
        ],
      },
      {
        needs: "A worker starts if the thread has none",
        shown: [
          "flows/burst.test.ts > twenty messages in one burst start exactly one agent; the other nineteen wait in the order in which Discord has them",
        ],
      },
      {
        needs: "Progress is one message with throttled edits",
        shown: [
          "discord/delivery/live-stream.test.ts > streaming > a thousand tokens in ten seconds are a few edits, and the last words stand",
          "discord/views/thread.test.ts > a job that runs > wants a card and nothing else until something is said",
        ],
      },
      {
        needs: "`JobCompleted` or `JobFailed` is written, and the key is kept",
        shown: [
          "core/jobs/job.test.ts > how a job ended stays with it: answer, failure, cancellation",
          "flows/order.test.ts > three messages run in order, one at a time, and resume one conversation",
        ],
      },
      {
        needs: "The next job is taken; the worker ends when the queue is empty",
        shown: [
          "core/jobs/job.test.ts > the next job starts when the last one's process is gone, not when its answer is there",
        ],
      },
    ],
    "7 Running it": [
      {
        at: "7.1",
        needs: "Node.js 22, TypeScript, `discord.js`, `pnpm`",
        ruled: "npm, and a REST and gateway client of its own, held against Discord's description",
        shown: [
          "packages/discord-sandbox/test/contract/bites.test.ts > what Discord's own description forbids is reported > %s",
          "package.test.ts > the launcher > says what to do on a Node that is too old, in one line and with failure",
        ],
      },
      {
        at: "7.1",
        needs: "Runs under systemd, pm2 or launchd",
        shown: [
          "cli/unit.test.ts > install > writes unit, settings and token, each readable by its owner alone, starts it, and says how to let it linger",
          "cli/unit.test.ts > launchd > gets an agent that a parser reads back, with nothing secret in it",
          "flows/supervised.test.ts > systemd hears that it is ready, that it is alive and that it stops; its agents are told nothing of systemd",
        ],
      },
      {
        at: "7.1",
        needs: "Versions are pinned",
        ruled: "by npm's lock file; agents of other versions are used, and reported as untried",
        shown: [
          "package.test.ts > the lock > pins exact versions, and denies every install script by name",
          "agents/claude/run.test.ts > the probe > finds the agent, its version, and whether it was tried",
        ],
      },
      {
        at: "7.2",
        needs: "The intents Guilds, GuildMessages, MessageContent",
        shown: [
          "flows/refused-start.test.ts > intents that are not switched on stop the start, without another try",
          "flows/faults/d06-no-content.test.ts > D6: a message that comes without its words is no job, and its writer is told which switch brings them",
        ],
      },
      {
        at: "7.2",
        needs: "The bot's seven permissions",
        shown: [
          "docs.test.ts > the invitation asks for exactly the permissions the README names",
          "flows/refused-places.test.ts > a permission that the bot lacks is named as Discord names it, for a question, a notice and in a thread",
        ],
      },
      {
        at: "7.2",
        needs: "Commands are registered in one guild",
        shown: [
          "flows/commands.test.ts > the commands are written to the guild once; a restart that finds them there writes nothing",
          "flows/refused-places.test.ts > slash commands that Discord refuses are told with the scope that the bot lacks, and registered once it has it",
        ],
      },
      {
        at: "7.3",
        needs: "No relay service",
        shown: [
          "agents/first-run.agent.ts > from nothing to an answered message > a newcomer registers a project, opens a session, and sees the real agent's answer grow and end",
        ],
      },
    ],
    "8 Risks": [
      {
        at: "8.1",
        needs: "Each agent's events are validated",
        shown: [
          "agents/claude/translate.test.ts > a line nobody foresaw > is counted and changes nothing",
          "agents/codex/translate.test.ts > a line nobody foresaw > is counted, and changes nothing",
          "agents/gemini/translate.test.ts > a line of any form never throws, and never gives a key of an odd form",
        ],
      },
      {
        at: "8.1",
        needs: "Formats and versions are checked at start",
        shown: [
          "agents/claude/run.test.ts > the probe > finds the agent, its version, and whether it was tried",
          "flows/doctor.test.ts > a healthy installation is all green, in words too",
        ],
      },
      {
        at: "8.2",
        needs: "A bucket per route, backoff with jitter",
        shown: [
          "discord/api/request-scheduler.test.ts > limits > what left before its bucket had a name is counted in it when another channel's answer has told the name",
          "discord/api/request-scheduler.test.ts > no connection > what got no answer goes again until it gets one, with growing pauses",
        ],
      },
      {
        at: "8.2",
        needs: "Edits are throttled",
        shown: [
          "discord/delivery/sync-posts.test.ts > growing messages > no message is edited oftener than the interval, and the last body stands",
        ],
      },
      {
        at: "8.3",
        needs: "A job that was running in a crash is unknown and not rerun",
        shown: [
          "flows/failpoints.test.ts > killed at every %s, nothing is lost and nothing is done twice",
          "flows/storm.test.ts > after kills at any request each message is answered or told once, and no thread is named twice (seed …)",
        ],
      },
      {
        at: "8.4",
        needs: "Each thread has its own key; `latest` is never used",
        shown: [
          "agents/gemini/arguments.test.ts > default_args > because %s, %j may not",
          "agents/process/stored.test.ts > a record that calls its conversation %j is none: its program would take another one",
        ],
      },
      {
        at: "8.5",
        needs: "Gemini's other lines go to a log and stop no job",
        shown: [
          "flows/acceptance/08-gemini-among-other-lines.test.ts > 8. Lines that are no JSON, put among Gemini's, do not stop its stream from being read, and are kept in the job's log",
        ],
      },
    ],
    "9 What was tried": [
      {
        needs: "`codex exec --json` tells `thread.started` with `thread_id`",
        shown: ["agents/codex/codex.agent.ts > codex > answers a new prompt, with its session key and its usage"],
      },
      {
        needs: "`codex exec resume` continues in the same context",
        shown: [
          "agents/codex/codex.agent.ts > codex > continues where a session was, the model sees the earlier turns, and each run has its own usage",
        ],
      },
      {
        needs: "`claude -p` with `stream-json` tells `session_id`",
        shown: ["agents/claude/translate.test.ts > a true stream > of %s is one answer, its deltas exactly its result"],
      },
      {
        needs: "`claude -r` continues",
        shown: [
          "agents/claude/claude.agent.ts > claude > continues where a session was: the model sees the earlier turns",
        ],
      },
      {
        needs: "`gemini --resume` continues by id",
        shown: [
          "agents/gemini/gemini.agent.ts > gemini > answers a new prompt, streamed, with its session key and its usage, and continues where that session was",
        ],
      },
      {
        needs: "`gemini --resume latest` exists",
        ruled: "never used, and refused as an argument",
        shown: ["agents/gemini/arguments.test.ts > default_args > because %s, %j may not"],
      },
      {
        needs: "`gemini --output-format json` is one object",
        shown: ["agents/gemini/gemini.agent.ts > gemini > in json gives the same, at its end"],
      },
      {
        needs: "Gemini prints lines that are not JSON",
        shown: [
          "agents/gemini/translate.test.ts > a true stream > with words between its lines is the same as without",
        ],
      },
    ],
    "10 Files": [
      {
        at: "10.1",
        needs: "`config.json` of this form",
        shown: [
          "config/config-file.test.ts > config.json > in its documented form is read without a warning",
          "docs.test.ts > the schema of config.json > takes the design's example, and a file that leaves everything to the defaults",
        ],
      },
      {
        at: "10.1",
        needs: "A project's name is `[a-z0-9-_]{1,40}`",
        shown: [
          "config/config-file.test.ts > what is wrong in config.json stops the start and is said with its place > %s",
          "discord/interactions/bad-input.test.ts > %j is no project's name",
        ],
      },
      {
        at: "10.1",
        needs: "The path is absolute",
        shown: [
          "config/config-file.test.ts > what is wrong in config.json stops the start and is said with its place > %s",
          "core/projects/project.test.ts > %s is refused, and nothing happens",
        ],
      },
      {
        at: "10.1",
        needs: "The path exists when the bot starts",
        ruled: "a project whose path is gone is reported as unavailable, the rest starts",
        shown: [
          "flows/refused-start.test.ts > a project whose path is gone does not stop the start; its job says so",
          "config/availability.test.ts > a project is unavailable exactly when its path is no directory now",
        ],
      },
      {
        at: "10.1",
        needs: "`default_tool` is one of `enabled_tools`",
        shown: [
          "config/config-file.test.ts > what is wrong in config.json stops the start and is said with its place > %s",
        ],
      },
      {
        at: "10.1",
        needs: "`default_args` are lists of strings",
        shown: [
          "config/config-file.test.ts > what is wrong in config.json stops the start and is said with its place > %s",
          "discord/interactions/bad-input.test.ts > args_json that is %s is refused, with how it is written",
        ],
      },
      {
        at: "10.1",
        needs: "Agents are spawned with an argv, without a shell",
        shown: ["host/processes/child.test.ts > a child > gets its argv as it is: nothing is read by a shell"],
      },
      {
        at: "10.2",
        needs: "`snapshot.json`: every key of a session",
        shown: [
          "core/sessions/session.test.ts > a session is wanted first, and opened when its thread is there",
          "flows/acceptance/11-status.test.ts > 11. /status has every field, each as the snapshot has it: before the first job, after a good one, after a failed one, and after a crash with jobs waiting",
        ],
      },
      {
        at: "10.2",
        needs: "`snapshot.json`: every key of a job",
        shown: [
          "flows/state-files.test.ts > the snapshot has every key of a session and of a job, and knows each message that was heard",
        ],
      },
      {
        at: "10.2",
        needs: "`snapshot.json`: `dedupe`, by thread and message",
        ruled: "a watermark per channel, and the messages above it",
        shown: [
          "core/jobs/queue.test.ts > a watermark only rises, and takes the ids it has passed with it",
          "flows/state-files.test.ts > the snapshot has every key of a session and of a job, and knows each message that was heard",
        ],
      },
      {
        at: "10.2",
        needs: "Jobs are called `job_YYYYMMDD_NNNN`",
        shown: [
          "core/jobs/job.test.ts > a clock that is set back gives no job's number a second time",
          "flows/acceptance/07-retry.test.ts > 7. /retry makes a new job of a failed one, and that succeeds",
        ],
      },
      {
        at: "10.3",
        needs: "One event per line, with `seq`, `ts`, `type`, `payload`",
        ruled: "with a checksum as the last field",
        shown: ["journal/format.test.ts > a line is the envelope of the specification, its crc over what is before it"],
      },
      {
        at: "10.3",
        needs: "The ten types of events",
        shown: [
          "flows/state-files.test.ts > the events have the design's envelope and types, each with the next number",
          "core/journal-lines.test.ts > every event type there is has a line in the fixture; a new one needs a line of its own",
        ],
      },
      {
        at: "10.3",
        needs: "Only events and the newest snapshot are trusted",
        shown: [
          "journal/damage.test.ts > a snapshot that is cut, flipped, missing or old is rebuilt or refused",
          "core/histories.test.ts > R12: the recorded events alone make the same state, and the state hangs on none of them",
        ],
      },
      {
        at: "10.3",
        needs: "A gap in `seq` stops the start",
        shown: [
          "journal/journal.test.ts > a segment that is gone is a gap, and refused",
          "journal/damage.test.ts > lines swapped, doubled, left out or put in from an older file are refused",
          "flows/refused-start.test.ts > a damaged journal refuses the start and names the byte and the event",
        ],
      },
    ],
    "11 Commands in full": [
      {
        at: "11.1",
        needs: "`/project create`: its five parameters",
        ruled: "without tools the installed agents, without a default the first of them",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
          "discord/interactions/commands.test.ts > /project create > registers what was typed, and says so",
        ],
      },
      {
        at: "11.1",
        needs: "Name, path and default tool are checked",
        shown: ["discord/interactions/commands.test.ts > /project create > %s is refused in one sentence"],
      },
      {
        at: "11.1",
        needs: "`ProjectCreated`, and a summary in reply",
        shown: [
          "discord/interactions/commands.test.ts > /project create > registers what was typed, and says so",
          "core/projects/project.test.ts > a new project gets the next number and waits to be saved",
        ],
      },
      {
        at: "11.1",
        needs: "Fails with `E_PROJECT_EXISTS`, `E_INVALID_PATH`, `E_INVALID_TOOLSET`",
        shown: [
          "core/projects/project.test.ts > %s is refused, and nothing happens",
          "discord/interactions/commands.test.ts > /project create > a name that is taken is refused",
        ],
      },
      {
        at: "11.2",
        needs: "`/project list`: name, default tool, path, tools",
        shown: [
          "discord/interactions/commands.test.ts > /project list > shows number, name, default tool, path and tools, and which directory is gone",
        ],
      },
      {
        at: "11.3",
        needs: "`/project status`: its five fields, in this form",
        shown: [
          "discord/interactions/projects.test.ts > /project status > says the design's six lines, never translated",
          "discord/interactions/projects.test.ts > /project status > counts what failed within a day, and names the last error however old",
        ],
      },
      {
        at: "11.4",
        needs: "`/start` in a text channel, not in a thread",
        ruled: "the project may be left out when there is one, or an active one",
        shown: [
          "flows/acceptance/02-start.test.ts > 2. /start is refused inside a thread, and for a project that there is not",
          "discord/interactions/commands.test.ts > /start > is not for the inside of a thread, and says where to go",
        ],
      },
      {
        at: "11.4",
        needs: "It makes a thread, `SessionCreated`, project and default tool",
        shown: ["flows/acceptance/02-start.test.ts > 2. /start makes a thread and a session that can be used"],
      },
      {
        at: "11.4",
        needs: "It answers with the thread and the session's id",
        shown: ["flows/acceptance/02-start.test.ts > 2. /start makes a thread and a session that can be used"],
      },
      {
        at: "11.5",
        needs: "`/session list`: at most 20, the last active first",
        shown: [
          "discord/interactions/sessions.test.ts > /session list > shows twenty at most, within Discord's limits",
          "discord/interactions/sessions.test.ts > /session list > shows project, state, last use, id and link, the last used first",
        ],
      },
      {
        at: "11.5",
        needs: "Its five fields",
        shown: [
          "discord/interactions/sessions.test.ts > /session list > shows project, state, last use, id and link, the last used first",
        ],
      },
      {
        at: "11.5",
        needs: "Filtered by project if one is named",
        shown: [
          "discord/interactions/sessions.test.ts > /session list > shows one project's alone, and says where there are none",
        ],
      },
      {
        at: "11.6",
        needs: "`/session open` unarchives the thread and links to it",
        shown: [
          "flows/acceptance/10-session-open.test.ts > 10. /session open opens an archived thread again, and its conversation continues there",
          "discord/interactions/sessions.test.ts > /session open > opens an archived thread again",
        ],
      },
      {
        at: "11.6",
        needs: "No session is moved to another thread",
        shown: [
          "discord/interactions/sessions.test.ts > /session open > leads to a thread that is open, and changes nothing",
        ],
      },
      {
        at: "11.6",
        needs: "Fails with `E_SESSION_NOT_FOUND`, `E_THREAD_ACCESS_FAILED`",
        shown: [
          "discord/interactions/sessions.test.ts > /session open > %j is no session, and Discord is not asked",
          "discord/interactions/sessions.test.ts > /session open > says that a thread was deleted",
          "discord/interactions/sessions.test.ts > /session open > says what to check where Discord refuses: %s, %s",
        ],
      },
      {
        at: "11.7",
        needs: "`/status`: the nine lines, exactly",
        shown: [
          "flows/acceptance/11-status.test.ts > 11. /status has every field, each as the snapshot has it: before the first job, after a good one, after a failed one, and after a crash with jobs waiting",
          "discord/interactions/commands.test.ts > /status > says B's nine lines, never translated, for the owner's eyes",
        ],
      },
      {
        at: "11.7",
        needs: "`E_NOT_IN_MANAGED_THREAD` elsewhere",
        shown: ["discord/interactions/commands.test.ts > /status > is for the thread of a session only"],
      },
      {
        at: "11.8",
        needs: "`/tool` accepts only the project's tools",
        shown: [
          "discord/interactions/sessions.test.ts > /tool > that the project does not allow is refused, with those it does",
        ],
      },
      {
        at: "11.8",
        needs: "`ToolChanged`; the queue stays",
        shown: [
          "flows/acceptance/05-tool.test.ts > 5. /tool counts for new jobs only: the running one keeps its tool, and the queue stays",
        ],
      },
      {
        at: "11.8",
        needs: "The running job keeps its tool",
        shown: [
          "flows/acceptance/05-tool.test.ts > 5. /tool counts for new jobs only: the running one keeps its tool, and the queue stays",
        ],
      },
      {
        at: "11.9",
        needs: "`/retry` only for failed and unknown jobs",
        ruled: "while no retry of it is waiting, running or has succeeded",
        shown: [
          "discord/interactions/sessions.test.ts > /retry > a job that is retried already, that ended well, that runs, or that nobody knows is not",
          "core/jobs/job.test.ts > a job that is %s is not retried",
          "flows/retrying.test.ts > a job whose retry failed or was cancelled is run again, and never twice at once",
        ],
      },
      {
        at: "11.9",
        needs: "A new job with the next attempt number",
        shown: ["flows/acceptance/07-retry.test.ts > 7. /retry makes a new job of a failed one, and that succeeds"],
      },
      {
        at: "11.9",
        needs: "Fails with `E_JOB_NOT_RETRYABLE`",
        shown: ["flows/acceptance/07-retry.test.ts > 7. /retry makes a new job of a failed one, and that succeeds"],
      },
    ],
    "12 States and order": [
      {
        at: "12.1",
        needs: "A job: queued, running, then success, failed or unknown",
        ruled: "also `cancelled` and `sent_into`",
        shown: [
          "core/invariants.test.ts > I1: a job starts at most once, and once more only where it was put back having run no tool; it ends once, and is over then",
        ],
      },
      {
        at: "12.1",
        needs: "An ended job is never changed; a retry is a new job",
        shown: [
          "core/jobs/job.test.ts > a second end of a job changes nothing, and neither does progress of one that is over",
          "core/jobs/job.test.ts > a retry is a new job, after those that wait, and there is one of it",
        ],
      },
      {
        at: "12.2",
        needs: "A session's state is derived in this order",
        shown: ["core/sessions/session.test.ts > a session's state is derived in the documented order"],
      },
      {
        at: "12.3",
        needs: "Strictly in order, one at a time, in each thread",
        shown: [
          "flows/acceptance/03-three-messages-in-order.test.ts > 3. Three messages written one after the other in a thread are done first in, first out, and answered in that order",
        ],
      },
      {
        at: "12.3",
        needs: "At most two run at once",
        ruled: "a setting, 2 by default",
        shown: [
          "core/jobs/queue.test.ts > no more run at once than the owner allows, and none fewer",
          "flows/acceptance/04-threads-side-by-side.test.ts > 4. Two threads of one project run at the same time, and a third waits until one of them is done",
        ],
      },
      {
        at: "12.3",
        needs: "One message is one job",
        shown: [
          "core/invariants.test.ts > I3: a message is accepted once per thread, in any order and however often it comes, and no edit begins a job",
        ],
      },
    ],
    "13 Constants": [
      {
        needs: "`CLI_TIMEOUT_SEC` 900",
        ruled: "900 s without output; the clock stops while the owner is asked",
        shown: [
          "config/config-file.test.ts > config.json > has the documented defaults where it says nothing",
          "flows/order.test.ts > an agent that says nothing for the limit is stopped with E_CLI_TIMEOUT, and the next message runs",
          "agents/run/asking/asking-ends.test.ts > time > in which the owner is asked does not count as the agent's silence, which begins anew after it",
        ],
      },
      {
        needs: "`MAX_QUEUE_PER_SESSION` 20",
        shown: [
          "config/config-file.test.ts > config.json > has the documented defaults where it says nothing",
          "flows/order.test.ts > a full queue refuses the next message live, says so, and loses none of those before it",
        ],
      },
      {
        needs: "`GLOBAL_MAX_RUNNING` 2",
        shown: [
          "config/config-file.test.ts > config.json > has the documented defaults where it says nothing",
          "core/histories.test.ts > nothing starts beyond the limit, a waiting decision holds no slot, and a free slot is never left to a thread that may run",
        ],
      },
      {
        needs: "`STATUS_EDIT_MIN_INTERVAL_MS` 1200",
        ruled: "the last edit may come sooner",
        shown: [
          "config/config-file.test.ts > config.json > has the documented defaults where it says nothing",
          "discord/delivery/sync-posts.test.ts > growing messages > no message is edited oftener than the interval, and the last body stands",
          "discord/delivery/sync-posts.test.ts > growing messages > the end is shown at once, not at the next interval",
        ],
      },
      {
        needs: "`SNAPSHOT_EVERY_EVENTS` 50 and `SNAPSHOT_EVERY_SECONDS` 5",
        ruled: "at most one in five seconds",
        shown: [
          "journal/journal.test.ts > snapshots come after fifty events or five seconds, and never twice within five seconds",
        ],
      },
      {
        needs: "`MAX_RESULT_EXCERPT_CHARS` 400",
        ruled: "the full answer is also kept in a file",
        shown: [
          "config/config-file.test.ts > config.json > has the documented defaults where it says nothing",
          "flows/state-files.test.ts > an answer of a thousand characters is whole in its file, and begins with its first 400 in the journal",
        ],
      },
      {
        needs: "A full queue refuses with `E_QUEUE_FULL`",
        shown: [
          "core/jobs/job.test.ts > a full thread refuses the next message, and other threads do not mind",
          "flows/order.test.ts > a full queue refuses the next message live, says so, and loses none of those before it",
        ],
      },
      {
        needs: "A timeout is `failed(E_CLI_TIMEOUT)`",
        shown: [
          "flows/order.test.ts > an agent that says nothing for the limit is stopped with E_CLI_TIMEOUT, and the next message runs",
        ],
      },
    ],
    "14 Errors and logs": [
      {
        at: "14.1",
        needs: "The seventeen codes",
        shown: [
          "architecture.test.ts > the errors > hold every code the specification names",
          "architecture.test.ts > the errors > that the code uses all stand in the table",
        ],
      },
      {
        at: "14.1",
        needs: "`E_OWNER_ONLY`",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "14.1",
        needs: "`E_NOT_IN_MANAGED_THREAD`",
        shown: ["discord/interactions/sessions.test.ts > /%s is for a session's thread"],
      },
      {
        at: "14.1",
        needs: "`E_PROJECT_NOT_FOUND`",
        shown: [
          "flows/acceptance/02-start.test.ts > 2. /start is refused inside a thread, and for a project that there is not",
        ],
      },
      {
        at: "14.1",
        needs: "`E_PROJECT_EXISTS`",
        shown: ["discord/interactions/commands.test.ts > /project create > a name that is taken is refused"],
      },
      {
        at: "14.1",
        needs: "`E_INVALID_PATH`",
        shown: [
          "flows/commands.test.ts > a directory is registered where it really is; one that vanishes costs its jobs nothing but a retry",
        ],
      },
      {
        at: "14.1",
        needs: "`E_INVALID_TOOLSET`",
        shown: [
          "core/projects/project.test.ts > %s is refused, and nothing happens",
          "discord/interactions/commands.test.ts > /project create > %s is refused in one sentence",
        ],
      },
      {
        at: "14.1",
        needs: "`E_TOOL_NOT_ENABLED`",
        shown: [
          "flows/acceptance/05-tool.test.ts > 5. /tool counts for new jobs only: the running one keeps its tool, and the queue stays",
        ],
      },
      {
        at: "14.1",
        needs: "`E_SESSION_NOT_FOUND`",
        shown: [
          "flows/acceptance/10-session-open.test.ts > 10. /session open opens an archived thread again, and its conversation continues there",
        ],
      },
      {
        at: "14.1",
        needs: "`E_THREAD_ACCESS_FAILED`",
        shown: [
          "discord/interactions/sessions.test.ts > /session open > says that a thread was deleted",
          "discord/threads/session-starts.test.ts > what Discord refuses (%s) is dropped, and the caller is told",
          "flows/refused-places.test.ts > a permission that the bot lacks is named as Discord names it, for a question, a notice and in a thread",
        ],
      },
      {
        at: "14.1",
        needs: "`E_QUEUE_FULL`",
        shown: [
          "flows/order.test.ts > a full queue refuses the next message live, says so, and loses none of those before it",
        ],
      },
      {
        at: "14.1",
        needs: "`E_JOB_NOT_RETRYABLE`",
        shown: ["flows/acceptance/07-retry.test.ts > 7. /retry makes a new job of a failed one, and that succeeds"],
      },
      {
        at: "14.1",
        needs: "`E_CLI_TIMEOUT`",
        shown: ["flows/acceptance/07-retry.test.ts > 7. /retry makes a new job of a failed one, and that succeeds"],
      },
      {
        at: "14.1",
        needs: "`E_CLI_EXIT_NONZERO`",
        shown: [
          "agents/claude/claude.agent.ts > claude > fails when the model does (%i), with the status",
          "agents/claude/run.test.ts > an agent that fails > by %s before its result",
        ],
      },
      {
        at: "14.1",
        needs: "`E_ADAPTER_PARSE`",
        shown: ["agents/process/broken-streams.test.ts > $tool > whose result is torn: E_ADAPTER_PARSE"],
      },
      {
        at: "14.1",
        needs: "`E_ADAPTER_MISSING_RESULT`",
        shown: [
          "agents/process/broken-streams.test.ts > $tool > that ends before its result: E_ADAPTER_MISSING_RESULT",
        ],
      },
      {
        at: "14.1",
        needs: "`E_ADAPTER_SESSION_KEY_MISSING`",
        shown: [
          "agents/process/broken-streams.test.ts > $tool > that never names its session: E_ADAPTER_SESSION_KEY_MISSING",
        ],
      },
      {
        at: "14.1",
        needs: "`E_DISCORD_RATE_LIMIT`",
        shown: [
          "flows/acceptance/09-discord-429.test.ts > 9. A rate limit is waited out, and the message is brought up to date in the end",
        ],
      },
      {
        at: "14.2",
        needs: "`logs/app.ndjson`: level, code, stack",
        shown: [
          "base/log.test.ts > the log > is one JSON object a line, with level, time, module and text",
          "base/log.test.ts > the log > gives every failure its code, details and stack, and an unforeseen one E_INTERNAL",
        ],
      },
      {
        at: "14.2",
        needs: "`logs/job/<job_id>.log`: raw stdout and stderr",
        ruled: "with secrets redacted by their exact value",
        shown: [
          "host/files/job-log.test.ts > a job's log > holds what the agent wrote as it was, in a file only its owner can read",
          "flows/acceptance/08-gemini-among-other-lines.test.ts > 8. Lines that are no JSON, put among Gemini's, do not stop its stream from being read, and are kept in the job's log",
        ],
      },
      {
        at: "14.2",
        needs: "Every failure has an `error_code`",
        shown: [
          "base/log-codes.test.ts > every failure's record has a code of the table, whatever was thrown and whatever fields came along",
          "base/log-codes.test.ts > nothing is written at the level of a failure but by `failure`, which asks for what was thrown",
        ],
      },
    ],
    "15 Acceptance": [
      {
        needs: "1. Owner gating",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        needs: "2. `/start`",
        shown: [
          "flows/acceptance/02-start.test.ts > 2. /start makes a thread and a session that can be used",
          "agents/acceptance.agent.ts > with the real agents > 2. /start makes a thread with a usable session of %s, and the next message continues in it",
        ],
      },
      {
        needs: "3. Three messages in order",
        shown: [
          "flows/acceptance/03-three-messages-in-order.test.ts > 3. Three messages written one after the other in a thread are done first in, first out, and answered in that order",
          "agents/acceptance.agent.ts > with the real agents > 3. Three messages written one after the other are done first in, first out, in one conversation",
        ],
      },
      {
        needs: "4. Threads side by side",
        shown: [
          "flows/acceptance/04-threads-side-by-side.test.ts > 4. Two threads of one project run at the same time, and a third waits until one of them is done",
        ],
      },
      {
        needs: "5. `/tool`",
        shown: [
          "flows/acceptance/05-tool.test.ts > 5. /tool counts for new jobs only: the running one keeps its tool, and the queue stays",
          "agents/acceptance.agent.ts > with the real agents > 5. /tool counts for new jobs only, and going back takes the first agent's conversation up again",
        ],
      },
      {
        needs: "6. Crash",
        shown: [
          "flows/acceptance/06-crash-recovery.test.ts > 6. A daemon that is killed and started again calls the job that ran unknown_after_crash",
          "agents/acceptance.agent.ts > with the real agents > 6. A daemon that is killed in the middle calls the job unknown_after_crash, ends its agent, and continues in the same conversation when told",
        ],
      },
      {
        needs: "7. `/retry`",
        shown: [
          "flows/acceptance/07-retry.test.ts > 7. /retry makes a new job of a failed one, and that succeeds",
          "agents/acceptance.agent.ts > with the real agents > 7. /retry makes a new job of a failed one of %s, and that succeeds",
        ],
      },
      {
        needs: "8. Gemini among other lines",
        shown: [
          "flows/acceptance/08-gemini-among-other-lines.test.ts > 8. Lines that are no JSON, put among Gemini's, do not stop its stream from being read, and are kept in the job's log",
        ],
      },
      {
        needs: "9. Discord's 429",
        shown: [
          "flows/acceptance/09-discord-429.test.ts > 9. A rate limit is waited out, and the message is brought up to date in the end",
        ],
      },
      {
        needs: "10. `/session open`",
        shown: [
          "flows/acceptance/10-session-open.test.ts > 10. /session open opens an archived thread again, and its conversation continues there",
        ],
      },
      {
        needs: "11. `/status`",
        shown: [
          "flows/acceptance/11-status.test.ts > 11. /status has every field, each as the snapshot has it: before the first job, after a good one, after a failed one, and after a crash with jobs waiting",
        ],
      },
      {
        needs: "12. Replay of the events",
        shown: [
          "flows/acceptance/12-event-replay.test.ts > 12. With the snapshot deleted, the events alone rebuild the same state",
        ],
      },
    ],
    "16 Checklist": [
      {
        needs: "Parameters and codes are frozen",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
          "architecture.test.ts > the errors > hold every code the specification names",
        ],
      },
      {
        needs: "The files' structures are frozen",
        ruled: "from the first release on",
        shown: [
          "core/journal-lines.test.ts > the journal is read to the state it means, and so is a snapshot of it",
          "core/journal-lines.test.ts > the page names every field of every event in the fixture, in that event's own row",
        ],
      },
      {
        needs: "The three agents' keys are tested",
        shown: [
          "flows/state-files.test.ts > each agent's key is kept under its own name for it: session_id, thread_id, session_id",
          "agents/process/broken-streams.test.ts > $tool > that never names its session: E_ADAPTER_SESSION_KEY_MISSING",
          "flows/tools.test.ts > going back to a tool takes its own conversation up again, and the job that runs keeps the tool it began with",
        ],
      },
      {
        needs: "Queue, replay and crash can be reproduced",
        shown: [
          "core/histories.test.ts > the histories come to everything that the laws speak of: every event, starts after a return, waits beyond the limit, groups cut by a crash",
          "flows/failpoints.test.ts > killed at every %s, nothing is lost and nothing is done twice",
        ],
      },
      {
        needs: "A script starts it with the machine",
        shown: [
          "cli/unit.test.ts > the unit > is one that systemd takes without a word, whatever its paths hold",
          "cli/unit.test.ts > the unit > is started again only after ends that a restart may help",
        ],
      },
      {
        needs: "`.env.example` has every variable",
        shown: ["docs.test.ts > .env.example > names every variable of the settings once, and no other"],
      },
    ],
  },
};
