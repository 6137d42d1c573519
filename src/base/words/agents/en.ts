/** What is said of sessions and their living agents: the English sentences, and with them the keys. */
export const agentWords = {
  session_reopen: "Reopen and send",
  session_reopened: "The session is open again, and your message is queued.",
  session_reopened_only: "The session is open again. The message is no longer there; write it again.",
  session_is_open: "The session is already open. Write your message again.",
};
