/**
 * Why something failed, where Bellhop itself says so: parts of English sentences, in lower case and without a full
 * stop.
 */
export const reasonWords = {
  // Agents.
  why_nothing_said: "it gave no reason",
  why_not_in_path: "`{command}` is not in PATH",
  why_no_program: "`{command}` does not exist, or is not a program",
  why_exit_code: "it ended with exit code {exit_code}",
  why_signal: "it was ended by {signal}",
  why_cancelled_itself: "it cancelled the turn itself",
  why_lines_unread: "unreadable lines: {lines}",
  why_answer_unknown: "its answer has an unknown format",
  why_answer_cut: "its answer was cut off",
  why_key_refused: "what is stored as its session is not a session id",
  why_other_conversation: "it started another conversation",

  // Agents that speak ACP.
  why_version: "it speaks version {version} of the protocol, not {ours}",
  why_no_session: "it did not open a session within {seconds} s",
  why_no_session_id: "it opened a session without an id",
  why_no_resume: "it cannot continue an earlier conversation",
  why_mode_loose:
    "it starts in the mode `{mode}`, in which it may act without asking, and cannot be set to one that asks",
  why_mode_kept: "it starts in the mode `{mode}`, and cannot be set to the one it was in before",

  // Claude's window.
  why_window_closed: "its window was closed",
  why_window_gone: "its window is gone",
  why_window_left: "it was closed in its window",

  // The disk.
  why_disk_full: "the disk is full",
  why_no_more_files: "no more files can be opened, so the limit of open files has to be raised",

  // Worktrees.
  why_moved: "it is not where it was made",
  why_link: "a symbolic link stands there",
  why_no_directory: "the directory cannot be made",
  why_git_code: "`{command}` ended with exit code {exit_code}",
  why_git_late: "`{command}` took too long or could not be started",
  why_git_nothing: "git reported success but made no worktree",

  // A daemon that a client has started.
  why_killed: "it was killed",
  why_no_calls: "it did not accept calls within {seconds} {seconds|second|seconds}",

  // The connection to Discord.
  why_identity: "asking Discord for the bot's identity",
  why_rights: "the bot lacks these permissions there: {rights}",
  why_account_refused:
    "the account, or its organization, may not use this. An administrator of the organization can lift that",
  why_message_gone: "the message was deleted",
  why_too_many_threads: "the server has as many active threads as Discord allows, so some have to be archived first",
  why_connecting: "connecting",
  why_asked: "Discord asked for a new connection",
  why_invalid_session: "the session is invalid",
  why_no_heartbeat: "the last heartbeat was not answered",
  why_disconnected: "the connection was closed ({close_code})",
  why_no_greeting: "Discord did not answer the connection",
  why_nothing_received: "nothing was received while connecting",
  why_asleep: "the machine was asleep",
  why_nothing_since_sleep: "nothing received since the machine woke up",
  why_no_events: "it answered but sent no events",
  why_gateway_address: "the address given for the gateway, {address}, is not Discord's",
  why_identify_day: "too few IDENTIFYs are left today",
  why_identify_restarts: "started again and again without lasting",
  why_identify_short_sessions: "no session lasts",
  why_identify_pace: "Discord wants 5 s between two IDENTIFYs",
  why_message_sticker: "this is only a sticker",
  why_message_poll: "this is only a poll",
  why_message_blank: "this message has no words",
};
