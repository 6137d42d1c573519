/** What is said of sessions and their living agents, in Korean: the same keys and the same braces as `en.ts` beside it. */
import type { agentWords as english } from "./en.ts";

export const agentWords: Record<keyof typeof english, string> = {
  session_reopen: "다시 열고 보내기",
  session_reopened: "세션을 다시 열었고, 메시지를 대기열에 넣었습니다.",
  session_reopened_only: "세션을 다시 열었습니다. 메시지가 남아 있지 않으니 다시 적으세요.",
  session_is_open: "세션이 이미 열려 있습니다. 메시지를 다시 적으세요.",
};
