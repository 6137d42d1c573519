/** Why something failed, in Traditional Chinese: parts of sentences, without a full stop. */
import type { reasonWords as en } from "./en.ts";

export const reasonWords: Record<keyof typeof en, string> = {
  why_nothing_said: "它沒有說明原因",
  why_not_in_path: "PATH 中沒有 `{command}`",
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

  why_moved: "它不在建立時的位置",
  why_link: "那裡是一個符號連結",
  why_no_directory: "無法建立目錄",
  why_disk_full: "磁碟已滿",
  why_git_code: "`{command}` 以結束代碼 {exit_code} 結束",
  why_git_late: "`{command}` 花了太久時間或無法啟動",
  why_git_nothing: "git 回報成功，但沒有建立工作樹",
};
