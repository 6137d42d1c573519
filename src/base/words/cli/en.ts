/**
 * The command line in English: what each verb is for, how it is called, and what it prints. Part of the English
 * catalogue, and so of the list of keys; the other three carry the same keys and the same braces.
 */
export const cliWords = {
  "cli.status": "shows whether the daemon is running, its jobs and what is waiting",
  "cli.logs": "prints the log, or that of one job",
  "cli.lock": "stops everything until /unlock, or sets the word for it",
  "cli.unlock": "shows a word that opens a locked Bellhop",
  "cli.lock.usage":
    "Usage: bellhop lock [--set-word] [--sandbox]\n\nEnds every agent's turn at once; nothing starts and nothing is allowed until\nsomebody opens it with /unlock in Discord and a word, also after a restart.\n\n--set-word  sets your word for /unlock, from the terminal or the first line of\n            standard input, for when you are not at the machine. It locks nothing.",
  "cli.unlock.usage":
    "Usage: bellhop unlock [--sandbox]\n\nShows a word to type into /unlock in Discord while Bellhop is locked. It is good\nfor one use within ten minutes; a new one replaces it.",
  "cli.lock.done":
    "Bellhop is locked. {ended} {ended|turn was|turns were} stopped; nothing starts until /unlock. bellhop unlock shows a word for it.",
  "cli.lock.already": "Bellhop is already locked, since {since}.",
  "cli.lock.type": "Your word for /unlock",
  "cli.lock.again": "The same word again",
  "cli.lock.length": "The word has to have {least} to {most} characters.",
  "cli.lock.differ": "These are two different words, so none was set.",
  "cli.lock.word_set":
    "The word is set: it opens a locked Bellhop with /unlock in Discord. Capitals do not matter, and nobody can read it back.",
  "cli.unlock.word": "{word}\n\nType this into /unlock in Discord. It is good once, for {minutes} minutes.",
  "cli.status.locked":
    "Locked since {since}: nothing starts and nothing is allowed until /unlock. bellhop unlock shows a word for it.",
  "cli.tail": "shows a job while it runs",
  "cli.forget": "removes all that was said in a session from this machine",
  "cli.mcp": "serves the tools an agent uses to ask you on Discord (MCP)",
  "cli.service": "makes the system start Bellhop and keep it running",
  "cli.hooks": "connects Claude Code in your own terminals to Bellhop",
  "cli.hook": "what Claude Code's hooks call where there is no curl",
  "cli.backup": "copies everything Bellhop keeps to one file, and back",
  "cli.help_verb": "bellhop <verb> --help describes a verb.",
  "cli.wrong.option": "Unknown option: {option}.",
  "cli.wrong.value": "The option {option} cannot be used like that.",
  "cli.wrong.word": "Unexpected argument: {word}.",
  "cli.wrong.missing": "An argument is missing.",
  "cli.wrong.number": "{option} takes a whole number from {min} to {max}, not {found}.",
  "cli.wrong.verb": "Unknown verb: {verb}.",

  "cli.unread": "{path} names STATE_DIR, but Bellhop does not read that file. If it is yours, add --env-file {path}.",
  "cli.start.usage":
    "Usage: bellhop start [--port N] [--json] [--env-file PATH]\n\nRuns the daemon until it is stopped (Ctrl-C, or a signal). When it accepts\nmessages it prints one line; --json makes that an object. Without a bot token it\nis `bellhop sandbox`, and --port chooses the port of its page.\n`bellhop service install` runs it without a terminal. --env-file reads the\nsettings in that file instead of the usual .env; the other verbs take it too.",
  "cli.start.port_unused": "--port has no effect: there is a bot token, and the page belongs to `bellhop sandbox`.",
  "cli.start.unsafe_folder":
    "Compiled code is not kept between starts, so Bellhop starts more slowly: {path} is not a folder of yours. Remove it, and Bellhop makes its own.",
  "cli.sandbox.usage":
    "Usage: bellhop sandbox [--port N] [--json]\n\nRuns the daemon with its own local Discord and prints the link to its page.\n--port chooses the port; otherwise it is 4000, or a free one.",
  "cli.backup.usage":
    "Usage: bellhop backup [FILE] [--overwrite]\n       bellhop backup --restore FILE\n\nCopies sessions, queues, answers, files and config.json to FILE, a .tar.gz that\nonly you can read; the daemon may keep running. Without FILE it gets a name with\nthe time, in this directory. --overwrite replaces a file that is there.\n\n--restore puts such a copy into the state directory, which must be empty or\nmissing, after checking all of it.",
  "cli.journal.usage":
    "Usage: bellhop journal verify|repair|export [--sandbox] [--json]\n\nverify  says whether the journal is intact\nrepair  cuts off what is damaged, keeps the original; no daemon may be running\nexport  prints the events, one JSON object per line\n\n--sandbox means the sandbox's journal, which is also taken where there is no\nother.",
  "cli.status.usage":
    "Usage: bellhop status [--sandbox] [--json]\n\nShows whether the daemon is running, its connection to Discord, which jobs run,\nwhich threads have jobs waiting and why, and the latest failures it logged. If\nno daemon runs, it says so and exits with 69. --sandbox asks the sandbox's\ndaemon; that one is also asked when no other daemon runs.",
  "cli.logs.usage":
    "Usage: bellhop logs [job] [-n N] [--sandbox] [--json]\n\nPrints the last N lines (100) of the log, or of what one job's agent wrote.\n--json prints the log's lines as JSON, as they are in the file, with stack\ntraces. No daemon needs to run.",
  "cli.tail.usage":
    "Usage: bellhop tail [job|thread] [--sandbox] [--json]\n\nShows what a job says and does while it runs, and exits when the job has ended:\nwith 0 if it succeeded, otherwise with 1. A thread means the job that runs in\nit, or the next one, or the last one; without an argument the job that runs.\nIt only listens: Ctrl-C stops nothing else. If the daemon restarts, it waits.",
  "cli.forget.usage":
    "Usage: bellhop forget --thread ID [--sandbox] [--json]\n\nRemoves what was said in a session (prompts, answers, questions, results, files,\nlogs) from this machine, and says what stays. ID is that of its thread. This\ncannot be undone. Nothing may run, wait or be asked in the session. The daemon\ndoes it, so one has to run.",
  "cli.mcp.usage":
    "Usage: bellhop mcp\n\nServes MCP on standard input and output, for an agent that starts it by its\n.mcp.json: ask the owner, notify, report, pending questions, inbox. It takes\nDISCORD_BOT_TOKEN, DISCORD_CHANNEL_ID, PROJECT_NAME and PENDING_DIR from its\nenvironment, never from .env, and starts a daemon if none is running. Also:\ndiscord-mcp.",
  "cli.service.usage":
    "Usage: bellhop service install|remove|print\n\ninstall  has systemd (Linux) or launchd (macOS) start Bellhop for you, now and\n         from now on, with the settings of this shell and of your .env. Run it\n         again after an update, or to change a setting.\nremove   stops that. State, logs and settings stay.\nprint    shows what install would write, and writes nothing.",
  "cli.hooks.usage":
    "Usage: bellhop hooks install|remove|print [--sandbox]\n\ninstall  adds Bellhop's hooks to Claude Code's settings.json, keeps everything\n         else in it, and keeps a copy of what was there. Your status line is\n         shown as before. Run it again after a change of permission_tools.\nremove   puts back what was there before, byte for byte.\nprint    shows the hooks and the status line, to add them by hand, and writes\n         nothing.\n\n--sandbox means the sandbox's daemon; so does install while only that one runs.\nremove removes the hooks of both.",
  "cli.hook.usage":
    "Usage: bellhop hook SECONDS ORIGIN TMUX\n\nHands a hook of Claude Code from standard input to the daemon. The hooks' own\ncommand runs it; it is not meant to be run by hand.",

  "cli.status.runs": "Bellhop {version} is running (process {pid}), since {since} ({span}).",
  "cli.status.mute":
    "A Bellhop (process {pid}) holds {dir} but does not respond. It may be starting or stopping. If this lasts, its log may say why: `bellhop logs`. End it with `kill -9 {pid}` and start it again; what was running is then shown as interrupted.",
  "cli.status.clients":
    "Discord: this daemon serves agents' questions and has no bot of its own.\n`bellhop start` replaces it.",
  "cli.status.no_gateway": "Discord: not connected yet.",
  "cli.status.next_try": "Next try in {span}: {why}.",
  "cli.status.no_rest": "Requests to Discord are not getting through; {waiting} are waiting.",
  "cli.status.server_live": "Server {server}: connected.",
  "cli.status.server_not_live": "Server {server} ({guild}): not connected ({phase}), trying again.",
  "cli.status.server_failed": "Server {server}: not served. {why}",
  "cli.status.live": "Discord: connected, last heard {span} ago.",
  "cli.status.not_live": "Discord: not connected ({phase}), trying again; last heard {span} ago.",
  "cli.status.unwell": "Its connection is not recovering as it should. If this lasts, restart it.",
  "cli.status.state": "State: {dir}",
  "cli.status.logs": "Logs:  {dir}",
  "cli.status.agents": "Agents: {agents}",
  "cli.status.agent_missing": "{tool} not found",
  "cli.status.living_working": "{tool} in {thread} is working, open for {span}, {memory}",
  "cli.status.living_idle": "{tool} in {thread} is idle, open for {span}, {memory}",
  "cli.status.living_background": "{count} in the background",
  "cli.status.jobs": "Jobs: {running} running (at most {max}), {pending} waiting.",
  "cli.status.disk_full": "The disk is full: nothing new starts until there is room.",
  "cli.status.running": "running {job} for {span}",
  "cli.status.asks": "waiting for your answer; `/pending` in Discord shows it",
  "cli.status.outside": "working outside a job for {span}",
  "cli.status.pending": "{count} waiting",
  "cli.status.parked_crash": "waiting for your choice about {job}, which a crash cut off",
  "cli.status.parked_limit": "waiting until {until}: {job} reached its usage limit",
  "cli.status.parked_lifted": "waiting for you to continue: {job} reached its usage limit",
  "cli.status.parked_budget": "waiting for you: a budget is used up, with {job}",
  "cli.status.parked_changed": "waiting for your choice about {job}: something has changed since you last saw it",
  "cli.status.last_error": "last: {job}, {code}",
  "cli.status.quiet": "Idle sessions: {count}.",
  "cli.status.more": "{count} more {count|is|are} not shown; --json shows all.",
  "cli.status.failures": "Latest failures:",

  // States of a job, of the connection to Discord, and of a request.
  "cli.state.queued": "queued",
  "cli.state.running": "running",
  "cli.state.success": "success",
  "cli.state.failed": "failed",
  "cli.state.cancelled": "cancelled",
  "cli.state.unknown_after_crash": "interrupted by a crash",
  "cli.state.sent_into": "sent into a running answer",
  "cli.state.down": "down",
  "cli.state.greeting": "waiting for Discord",
  "cli.state.identifying": "logging in",
  "cli.state.resuming": "resuming",
  "cli.state.live": "connected, but silent",
  "cli.state.unavailable": "no answer",
  "cli.state.timed_out": "timed out",
  "cli.state.limited": "too many requests",
  "cli.state.rejected": "rejected",
  "cli.state.no_access": "no access",

  "cli.logs.none": "There is no log yet: {file}",

  "cli.tail.job": "{job}, {tool}, thread {thread}: {state}",
  "cli.tail.waits": "It is waiting for its turn.",
  "cli.tail.denied": "{tool} was not allowed: {reason}",
  "cli.tail.lost": "The daemon is gone. Waiting for it to come back; Ctrl-C stops waiting.",
  "cli.tail.back": "The daemon is back.",
  "cli.tail.ended": "{job}: {state}",
  "cli.tail.ended_error": "{job}: {state}, {code}: {says}",
  "cli.tail.nothing": "No job is running. Name a job or a thread; `bellhop status` shows them.",
  "cli.tail.several": "Several jobs are running. Name one: {jobs}",

  "cli.mcp.started": "No daemon was running for {dir}; one was started (process {pid}).",
  "cli.mcp.stepped_back": "Another daemon was started first and is used instead; the new one has stopped.",
  "cli.mcp.lost": "The daemon is gone. Waiting for it to come back; your questions stay open.",
  "cli.mcp.back": "The daemon is back.",

  "cli.service.wrote": "Written: {path}",
  "cli.service.upgraded": "Updated: {path}",
  "cli.service.same": "Unchanged: {path}",
  "cli.service.settings": "Settings given to the service, readable only by you: {names}",
  "cli.service.token": "The bot token is in its own file: {path}",
  "cli.service.omitted": "{name} has a value that this file cannot hold, so it was left out.",
  "cli.service.started": "It is starting. To see how it is doing: bellhop status",
  "cli.service.running": "It is already running. To apply the changes, when its jobs may be interrupted: {command}",
  "cli.service.other":
    "Another Bellhop (process {pid}) is using {dir}, so it was not started. Stop that one, then run: {command}",
  "cli.service.linger": "It runs while you are logged in. To keep it running always: {command}",
  "cli.service.lingers": "It runs whether you are logged in or not.",
  "cli.service.by_hand": "{program} did not answer ({reason}). Run this where it works: {command}",
  "cli.service.removed": "Stopped and removed: {path}",
  "cli.service.nothing": "There is no service to remove: {path} does not exist.",
  "cli.service.kept": "Not changed: {path}",
  "cli.service.why.system":
    "neither systemd nor launchd is running here. Have your system's own supervisor run: bellhop start",
  "cli.service.why.home":
    "{home} does not belong to the current user. Run it without sudo, as the user whose agents it should start.",
  "cli.service.why.write": "{path} cannot be written ({reason}).",
  "cli.service.why.cache":
    "{path} is in npm's cache, which is cleared from time to time. Install Bellhop first: npm install -g bellhop",
  "cli.service.why.path": "{path} contains a character that a unit file cannot hold. Install Bellhop somewhere else.",

  "cli.hooks.installed": "Bellhop's hooks are in {path}.",
  "cli.hooks.before": "What was there before: {path}",
  "cli.hooks.restart": "They take effect in each Claude that is started from now on; restart one that is already open.",
  "cli.hooks.same": "Unchanged: {path} already has Bellhop's hooks.",
  "cli.hooks.restored": "{path} is again what it was before, byte for byte.",
  "cli.hooks.deleted": "{path} was removed: there was none before.",
  "cli.hooks.taken": "Bellhop's hooks were removed from {path}. Other changes made there since are kept.",
  "cli.hooks.none": "There are no hooks of Bellhop in {path}.",
  "cli.hooks.why.json": "it is not valid JSON; look at line {line}. Fix it, and run this again.",
  "cli.hooks.why.form":
    "its hooks or its status line are in a form that is not Claude Code's. Fix it, or add what `bellhop hooks print` shows by hand.",
  "cli.hooks.why.text": "it is not a UTF-8 text.",
  "cli.hooks.why.file": "it is not a file, or it is too large.",
  "cli.hooks.why.foreign": "it belongs to another user.",
  "cli.hooks.why.link": "it is a link to {reason}, which does not exist.",
  "cli.hooks.why.readonly": "it is read-only. Add what `bellhop hooks print` shows where it is made.",
  "cli.hooks.why.read": "it cannot be read ({reason}).",
  "cli.hooks.why.write": "it cannot be written ({reason}). Add what `bellhop hooks print` shows where it is made.",
  "cli.hooks.why.changing": "another program keeps changing it. Run this again.",

  "cli.backup.done":
    "{file} has the journal up to event {events}, with {files} {files|file|files} in {kilobytes} kB. Keep it private: it holds what you and your agents wrote.",
  "cli.backup.left_out": "Left out, because it is a link or not a regular file: {path}",
  "cli.backup.also":
    "What else the other machine needs: the bot token and the settings in {config}, the agents and their logins, and the projects in the same directories.",
  "cli.backup.then":
    "There, run `bellhop backup --restore` with this file. Stop this Bellhop first, for good: two with one token would both answer.",
  "cli.backup.restored": "{dir} has the backup: the journal up to event {events}, {files} {files|file|files}.",
  "cli.backup.next":
    "Next: put the bot token and the settings in {config}, install the agents and log in to them, check with `bellhop doctor`, then run `bellhop start`. The old Bellhop must not run any more: two with one token would both answer.",
  "cli.backup.why.exists": "it exists already. Choose another name, or add --overwrite.",
  "cli.backup.why.inside": "it would be in the state directory, and be lost with it. Choose another place.",
  "cli.backup.why.not_empty":
    "the state directory is not empty. Move its content away, or set STATE_DIR to an empty directory.",
  "cli.backup.why.archive": "it is damaged, or not a .tar.gz.",
  "cli.backup.why.entry": "it holds {name}, which `bellhop backup` never writes.",
  "cli.backup.why.no_journal": "it holds no journal.",
  "cli.backup.why.damaged": "its journal is damaged at event {seq} (“{found}”).",
  "cli.backup.why.unreadable": "it cannot be read.",
  "cli.backup.why.full": "the disk is full. Free up space, then run this again.",
  "cli.backup.why.system": "the system refused ({reason}).",
} as const;
