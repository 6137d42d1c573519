/** What is said in direct messages with the bot, and in the terminal of a watcher: the English sentences, and with them the keys. */
export const earWords = {
  direct_nothing: "Nothing is open that this could answer. To give an agent something to do, write in the thread of its session; `/start` in a channel of the server opens one.",
  direct_which: "This may answer more than one of what is open, so it answered none: {decisions}. Write it in the thread of the one you mean.",
  direct_unseen: "This would allow what has not been shown to you whole, so nothing was allowed: {decisions}. Look at all of it there first.",
  direct_open: "This answers nothing of what is open: {decisions}. Write one of the options, or press its button there.",
  direct_settled: "What this answers was settled before; nothing was changed.",
  file_why_session: "only what is written in the thread of a session can bring files",
  "cli.watch": "shows what comes into the watched channels",
  "cli.watch.usage": "Usage: bellhop watch [--interval seconds] [--channel id] [--json]\n\nShows what is written in the watched channels as it comes into the inbox, from\nwhich an agent reads it: DISCORD_CHANNEL_ID, or each channel that is named by\n--channel. Below the messages one line says how things stand, anew every 10\nseconds or as often as --interval says; in tmux the pane's title does as well.\nIt starts a daemon where none runs, and Ctrl-C stops nothing but itself. Also:\ndiscord-watch.",
  "cli.watch.unread": "{unread} unread",
  "cli.watch.live": "connected",
  "cli.watch.away": "connection away, read every few seconds",
  "cli.watch.refused": "Discord does not show the channel {channel}. Check that it is a channel of the bot's server, and that the bot may see it and read its history.",
  "cli.watch.not_started": "The daemon could not be started: {why}",
  "cli.watch.wrong_channel": "{channel} is no channel. Give its id, 17 to 20 digits, as Discord's Copy Channel ID does.",
};
