/** The Korean sentences for direct messages with the bot and for a watcher's terminal. */
import type { intakeWords as en } from "./en.ts";

export const intakeWords: Record<keyof typeof en, string> = {
  direct_nothing:
    "이 메시지에 해당하는 열린 질문이 없습니다. 에이전트에게 일을 맡기려면 해당 세션의 스레드에 쓰세요. 서버 채널에서 `/start`로 세션을 시작할 수 있습니다.",
  direct_which:
    "둘 이상의 요청에 대한 답이 될 수 있어 어느 것에도 적용하지 않았습니다: {decisions}. 해당 요청의 스레드에서 답해 주세요.",
  direct_no_yes:
    "아무것도 허용하지 않았습니다. 여기서는 허용할 수 없으며, 이유는 요청에 적혀 있습니다. 거절만 할 수 있습니다: {decisions}",
  direct_unseen:
    "여기에 전체 내용이 표시되지 않아 아무것도 허용하지 않았습니다. 확인한 뒤 그곳에서 답해 주세요: {decisions}",
  direct_open: "열려 있는 요청에 대한 답이 아닙니다: {decisions}. 선택지 중 하나를 쓰거나 그곳의 버튼을 눌러 주세요.",
  direct_settled: "이미 처리된 요청입니다. 변경된 내용이 없습니다.",
  file_why_option: "파일은 직접 쓴 답에만 함께 보낼 수 있습니다",
  file_why_session: "파일은 세션 스레드나 아직 열려 있는 질문에만 보낼 수 있습니다",
  with_forward: "전달된 메시지와 함께",
  forward_held:
    "다른 사람이 쓴 글이라 저절로 실행되는 것은 없습니다. 1분 안에 보내는 다음 메시지나 이 메시지에 대한 답장과 함께 인용문으로 에이전트에게 전달됩니다.",
  forward_send: "인용문으로 보내기",
  forward_sent: "인용문으로 에이전트에게 전달했습니다.",
  forward_dropped: "버렸습니다.",
  forward_crowded: "더 새로운 전달 메시지 {limit}개가 기다리고 있어 이것은 버렸습니다. 보내려면 다시 전달하세요.",
  forward_nowhere:
    "전달한 메시지는 세션의 스레드에서만 에이전트에게 갑니다. 그 스레드로 전달하세요. `/start`로 세션을 열 수 있습니다.",
  "cli.watch": "감시하는 채널에 들어오는 메시지를 보여 줍니다",
  "cli.watch.usage":
    "사용법: bellhop watch [--interval 초] [--channel id] [--json]\n\n감시하는 채널에 쓰인 것이 수신함에 들어오는 대로 보여 줍니다. 에이전트는\n그곳에서 읽습니다. 채널은 DISCORD_CHANNEL_ID 또는 --channel로 지정한 각 채널\n입니다. 메시지 아래 한 줄이 상태를 10초마다, 또는 --interval이 정한 간격으로\n새로 보여 주며, tmux에서는 창 제목도 함께 바뀝니다. 데몬이 없으면 시작하고,\nCtrl-C는 이 명령만 멈춥니다. 다른 이름: discord-watch.",
  "cli.watch.unread": "안 읽음 {unread}",
  "cli.watch.unreadable": "읽을 수 없음: Discord가 봇의 접근을 허용하지 않습니다",
  "cli.watch.live": "연결됨",
  "cli.watch.away": "연결 끊김, 몇 초마다 읽음",
  "cli.watch.refused":
    "Discord가 채널 {channel}을(를) 보여 주지 않습니다. 봇의 서버에 있는 채널인지, 봇이 채널을 보고 기록을 읽을 수 있는지 확인하세요.",
  "cli.watch.not_started": "데몬을 시작하지 못했습니다: {why}",
  "cli.watch.wrong_channel":
    "{channel}은(는) 채널 ID가 아닙니다. Discord의 '채널 ID 복사'로 얻은 17~20자리 숫자를 입력하세요.",
};
