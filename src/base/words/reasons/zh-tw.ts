/** Why something failed, in Traditional Chinese: parts of sentences, without a full stop. */
import type { reasonWords as en } from "./en.ts";

export const reasonWords: Record<keyof typeof en, string> = {
  why_nothing_said: "它沒有說明原因",
  why_not_in_path: "PATH 中沒有 `{command}`",
  why_no_program: "`{command}` 不存在，或不是可執行的程式",
  why_exit_code: "它以結束代碼 {exit_code} 結束",
  why_signal: "它被 {signal} 終止",
  why_cancelled_itself: "它自行取消了這個回合",
  why_lines_unread: "無法讀取的行數：{lines}",
  why_answer_unknown: "回答的格式不明",
  why_answer_cut: "回答中途被截斷",
  why_key_refused: "儲存的值不是工作階段 ID",
  why_other_conversation: "它開始了另一個對話",

  why_version: "它使用的通訊協定版本是 {version}，不是 {ours}",
  why_no_session: "它沒有在 {seconds} 秒內開啟工作階段",
  why_no_session_id: "它開啟的工作階段沒有 ID",
  why_no_resume: "它無法接續先前的對話",
  why_mode_loose: "它以可能不詢問就動作的模式 `{mode}` 啟動，而且無法改為會詢問的模式",
  why_mode_kept: "它以模式 `{mode}` 啟動，而且無法改回先前的模式",

  why_window_closed: "它的視窗已被關閉",
  why_window_gone: "它的視窗已不存在",
  why_window_left: "它在視窗中被關閉",

  why_disk_full: "磁碟已滿",
  why_no_more_files: "無法再開啟檔案，需要提高可開啟檔案數的上限",

  why_moved: "它不在建立時的位置",
  why_link: "那裡是一個符號連結",
  why_no_directory: "無法建立目錄",
  why_git_code: "`{command}` 以結束代碼 {exit_code} 結束",
  why_git_late: "`{command}` 花了太久時間或無法啟動",
  why_git_nothing: "git 回報成功，但沒有建立工作樹",

  why_killed: "它被強制終止",
  why_no_calls: "它沒有在 {seconds} 秒內接受呼叫",

  why_identity: "正在向 Discord 詢問機器人的資訊",
  why_rights: "機器人在那裡缺少這些權限：{rights}",
  why_too_many_threads: "伺服器的使用中討論串已達 Discord 的上限，必須先封存一些",
  why_connecting: "正在連線",
  why_asked: "Discord 要求重新連線",
  why_invalid_session: "工作階段無效",
  why_no_heartbeat: "最後一次心跳沒有得到回應",
  why_disconnected: "連線已關閉（{close_code}）",
  why_no_greeting: "Discord 沒有回應連線",
  why_nothing_received: "連線期間沒有收到任何資料",
  why_asleep: "電腦先前處於睡眠狀態",
  why_nothing_since_sleep: "睡眠之後沒有收到任何資料",
  why_no_events: "有回應，但沒有送出事件",
  why_gateway_address: "收到的閘道位址 {address} 不是 Discord 的",
  why_identify_day: "今天剩下的連線次數太少",
  why_identify_restarts: "未能持續執行，一再重新啟動",
  why_identify_short_sessions: "工作階段無法持續",
  why_identify_pace: "Discord 要求兩次連線間隔 5 秒",
};
