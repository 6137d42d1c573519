/** What is said of sessions and their living agents, in Chinese: the same keys and the same braces as `en.ts` beside it. */
import type { agentWords as english } from "./en.ts";

export const agentWords: Record<keyof typeof english, string> = {
  session_reopen: "重新開啟並送出",
  session_reopened: "工作階段已重新開啟，訊息已排入佇列。",
  session_reopened_only: "工作階段已重新開啟。原本的訊息已不存在，請再寫一次。",
  session_is_open: "工作階段已經是開啟的。請再寫一次訊息。",
};
