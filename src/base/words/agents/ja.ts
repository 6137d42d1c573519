/** What is said of sessions and their living agents, in Japanese: the same keys and the same braces as `en.ts` beside it. */
import type { agentWords as english } from "./en.ts";

export const agentWords: Record<keyof typeof english, string> = {
  session_reopen: "開き直して送信",
  session_reopened: "セッションを開き直し、メッセージをキューに入れました。",
  session_reopened_only: "セッションを開き直しました。元のメッセージが見つからないため、もう一度書いてください。",
  session_is_open: "セッションはすでに開いています。メッセージをもう一度書いてください。",
};
