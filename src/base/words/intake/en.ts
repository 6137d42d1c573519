/**
 * What is said in direct messages with the bot, and in the terminal of a watcher: the English sentences, and with them
 * the keys.
 */
export const intakeWords = {
  direct_nothing:
    "No open question matches this. To give an agent work, write in the thread of its session; `/start` in a channel of the server starts one.",
  direct_which:
    "This could answer more than one open request, so it answered none: {decisions}. Answer in the thread of the one you mean.",
  direct_no_yes:
    "Nothing was allowed: this cannot be allowed here; its prompt says why. It can only be refused: {decisions}",
  direct_unseen: "Nothing was allowed, because not everything is shown here. Look at it and answer there: {decisions}",
  direct_open:
    "This does not answer any open request: {decisions}. Write one of the options, or press its button there.",
  direct_settled: "This was already settled; nothing was changed.",
  file_why_option: "files are only accepted with an answer in your own words",
  file_why_session: "files are only accepted in the thread of a session, or as the answer to an open question",
  with_forward: "with the forwarded message",
  forward_held:
    "Somebody else wrote this, so nothing runs by itself. It goes to the agent as quoted text with your next message within a minute, or with a reply to it.",
  forward_send: "Send as quoted text",
  forward_sent: "This went to the agent as quoted text.",
  forward_dropped: "This was dropped.",
  forward_crowded: "This was dropped, because {limit} newer forwarded messages wait here. Forward it again to send it.",
  forward_nowhere:
    "Forwarded messages go to an agent only from the thread of its session. Forward it there; `/start` opens a session.",
  "cli.watch": "shows new messages in the watched channels",
  "cli.watch.usage":
    "Usage: bellhop watch [--interval seconds] [--channel id] [--json]\n\nShows messages in the watched channels as they arrive in the inbox, where an\nagent reads them: DISCORD_CHANNEL_ID, or each channel named by --channel. A line\nbelow the messages shows the current state, refreshed every 10 seconds or as\noften as --interval says; in tmux the pane's title shows it too. It starts a\ndaemon if none is running. Ctrl-C stops only this program. Also: discord-watch.",
  "cli.watch.unread": "{unread} unread",
  "cli.watch.unreadable": "cannot be read: Discord does not let the bot in",
  "cli.watch.live": "connected",
  "cli.watch.away": "connection lost, reading every few seconds",
  "cli.watch.refused":
    "Discord does not show the channel {channel}. Check that it is a channel of the bot's server, and that the bot can see it and read its history.",
  "cli.watch.not_started": "The daemon could not be started: {why}",
  "cli.watch.wrong_channel":
    "{channel} is not a channel id. Give its id, 17 to 20 digits, as Discord's Copy Channel ID does.",
};
