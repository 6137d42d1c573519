/** The Korean sentences for the owner's direct messages with the bot. */
import type { earWords as en } from "./en.ts";

export const earWords: Record<keyof typeof en, string> = {
  direct_nothing: "이 말로 답할 수 있는 열린 질문이 없습니다. 에이전트에게 일을 맡기려면 해당 세션의 스레드에 쓰세요. 서버 채널에서 `/start`를 쓰면 스레드가 열립니다.",
  direct_which: "열려 있는 것 중 둘 이상에 대한 답이 될 수 있어 아무것도 답하지 않았습니다: {decisions}. 뜻하신 것의 스레드에 써 주세요.",
  direct_unseen: "아직 전부 보여 드리지 않은 것을 허용하게 되므로 아무것도 허용하지 않았습니다: {decisions}. 먼저 그곳에서 전부 확인해 주세요.",
  direct_open: "열려 있는 것 중 어느 것에 대한 답도 아닙니다: {decisions}. 선택지 하나를 쓰거나 그곳의 버튼을 눌러 주세요.",
  direct_settled: "이 말이 답하려던 것은 이미 결정되었습니다. 바뀐 것은 없습니다.",
  file_why_session: "파일은 세션 스레드에 쓴 메시지로만 보낼 수 있습니다",
};
