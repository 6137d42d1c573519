/**
 * What is said of projects, of what stands in their directories, and of sessions to be: the English sentences, and with
 * them the keys.
 */
export const projectWords = {
  panel_title: "Control panel",
  panel_running: "running",
  panel_stopped: "stopped",
  panel_adopted: "yours",
  panel_worktrees: "Worktrees",
  panel_none: "No project runs Claude at a terminal. Add {tool} to the {key} of a project in config.json.",
  panel_more: "… and {count} more",
  panel_start: "▶ Start {project}",
  panel_stop: "🛑 Stop {project}",
  panel_pick: "Start or stop a project ({first}–{last})",
  panel_started: "{project} runs in {thread}.",
  panel_asks:
    "Nothing was started: {project} has changed since you last saw it, or a job is waiting. Write in {thread}, and you will be asked there.",
  window_unopened: "This session's window was not opened. {why} The next message here tries again.",
  panel_ended: "{project}: windows ended: {count}.",
  panel_waits: "Messages still waiting: {count}. They continue in a new window; `/queue` cancels them.",
  E_STATE_DIRECTORY:
    "{path} contains Bellhop's state directory or is inside it. Choose another directory for the project.",
  wait_changed_title: "Several things have changed since you last saw them",
  wait_changed: "Nothing was run. Your answer counts for exactly what is shown here.",
  wait_changed_newer: "This no longer applies: a newer message below asks instead.",
  wait_changed_long:
    "Part of this is too long to be shown in full, so it can't be accepted. Shorten it on the machine, then send your message again.",
  button_accept: "Go on",
  wait_place_title: "This project's directory has moved",
  wait_place: "The path of {project} now leads to a different directory.",
  wait_place_was: "Before: {path}",
  wait_place_is: "Now: {path}",
  wait_configuration_title: "This project's agent configuration has changed",
  wait_configuration:
    "These files of {project} can run code without asking you. If you did not change them, an agent or somebody else did:",
  wait_configuration_file: "The whole change is in the attached file. Read it before you choose.",
  wait_configuration_lost:
    "The change can't be shown any more. Press *{button}* and send your message again; Bellhop then reads the files again.",
  configuration_unknown: "Bellhop no longer knows the earlier contents, so it shows the files in full.",
  configuration_new: "{name} (new)",
  configuration_gone: "{name} (removed)",
  configuration_changed: "{name} (changed)",
  configuration_not_shown:
    "{bytes} bytes, {digest}; not shown because it is not text or is too long. Look at it on the machine.",
  configuration_hidden: "(not shown)",
  configuration_special: "neither a file nor a folder",
  configuration_unreadable: "cannot be read ({code})",
  configuration_beyond:
    "over the limit: {count} more {count|file|files}, from {first} on, {count|is|are} known only by size and time. Bellhop still notices every change there, but cannot show it. Look at it on the machine.",
  configuration_endless:
    "more than {most} files and folders: Bellhop cannot look at all of them, so nothing runs here until there are fewer.",
  rules_allowed_title: "Claude may do more without asking",
  rules_allowed:
    "Claude may now do this in {project} without asking. Claude writes these rules to {file} when somebody chooses “always allow” at the terminal. If that was not you, remove them there:",
  rules_allowed_file:
    "Claude may now do more in {project} without asking: {count} new {count|rule|rules}, listed in the attached file. Claude writes these rules to {file} when somebody chooses “always allow” at the terminal. If that was not you, remove them there.",
  "cli.status.parked_locked": "waiting for you since before the lock: {job}",
  "cli.status.parked_stuck": "waiting for you: the next message would fail for the same cause as {job}",
  "cli.status.parked_terminal": "{job} is waiting for the terminal",
  E_AGENT_LOGIN:
    "{tool} isn't logged in on the machine where Bellhop runs. Type `{login}` in a terminal there, then try again.",
  agent_login_own:
    "{tool} isn't logged in on the machine where Bellhop runs. Log in there with the agent's own program, then try again.",
  agent_login_refused:
    "{tool} is logged in with an account that may not use it. An administrator of its organization can lift that; then try again. Or type `{login}` in a terminal on Bellhop's machine and log in with another account.",
  agent_login_refused_own:
    "{tool} is logged in with an account that may not use it. An administrator of its organization can lift that; then try again, or log in with another account.",
  agent_login_ways:
    "{tool} isn't logged in on the machine where Bellhop runs. Log in there with the agent's own program, then try again. It offers: {ways}",
  agent_logged_out: "{tool} isn't logged in. To log in, type in a terminal on Bellhop's machine:",
  retry_unknown:
    "There is no job {job}, or it is too old: Bellhop keeps the last 50 jobs of a thread. Send what you want as a new message.",
  retry_before: "{job} was already run again, as {by}. See what becomes of that one.",
  retry_not_ended: "{job} hasn't ended yet. Cancel it first, or wait until it ends.",
  retry_went_well: "{job} succeeded, so there's nothing to retry. Send what you want as a new message.",
  retry_was_cancelled: "{job} was cancelled, so it can't be retried. Send what you want as a new message.",
  retry_was_sent:
    "{job} was sent into another job's answer, so it has no answer of its own to retry. Send what you want as a new message.",
  card_reads: "{tool} could only read here",
  card_reads_refused: "Something that {tool} tried was refused, because it can only read here.",
  card_looked_late:
    "What it changed at its very beginning may be missing here: Bellhop was still looking through the project then.",
  card_unmeasured:
    "What it changed is not shown: looking through this repository takes too long. In its directory, `git status` and `git log` show it.",
  card_beside:
    "These changes are from this session and from {threads}, which worked in this directory at the same time.",
  card_apart:
    'To give each new thread a git worktree of its own, set `"isolation": "worktree"` for the project in `config.json`. This thread stays where it began.',
  card_pictures:
    "With more than {side} pixels a side and no smaller copy, this was sent as it is: {names}. Too many such pictures can end a conversation.",
  access_asks: "{tool} asks you before it changes anything.",
  access_edits: "{tool} may change files here without asking.",
  access_reads: "{tool} can only read here, unless its own configuration allows more.",
  access_writing:
    "To let it write, give the project these arguments, in `args_json` of `/project create` or as `default_args` in `config.json`: {args}",
  hello_open: "Open a session here",
  hint_open: "Open a session in {project}",
  offer_inbox: "No agent has seen this message yet. Which project should it start a session in?",
  offer_read: "An agent has read this message. To start a session with it all the same, choose the project.",
  offer_channel: "No agent reads this channel. Which project should your message start a session in?",
  offer_thread:
    "No agent reads this thread. Which project should it be a session of? Your message is the first prompt.",
  offer_more: "More…",
  offer_pick: "Choose a project",
  offer_opened: "Opened in **{project}**: {thread}",
  offer_no_project:
    "No agent has seen this message yet, because there is no project. Add a directory on Bellhop's machine as a project, and you can choose it here:",
  start_rights:
    "The bot lacks these rights in {channel}: {rights}. Grant them in the channel's settings under Permissions, then try again.",
  right_view: "View Channel",
  right_send: "Send Messages",
  right_threads: "Create Public Threads",
  right_in_threads: "Send Messages in Threads",
  right_embed: "Embed Links",
  right_history: "Read Message History",
};
