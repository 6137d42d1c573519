/** What is said to the owner in his direct messages with the bot; the English sentences, and with them the keys. */
export const earWords = {
  direct_nothing: "Nothing is open that this could answer. To give an agent something to do, write in the thread of its session; `/start` in a channel of the server opens one.",
  direct_which: "This may answer more than one of what is open, so it answered none: {decisions}. Write it in the thread of the one you mean.",
  direct_unseen: "This would allow what has not been shown to you whole, so nothing was allowed: {decisions}. Look at all of it there first.",
  direct_open: "This answers nothing of what is open: {decisions}. Write one of the options, or press its button there.",
  direct_settled: "What this answers was settled before; nothing was changed.",
  file_why_session: "only what is written in the thread of a session can bring files",
};
