/**
 * The sentences in Traditional Chinese as written in Taiwan: the same keys and the same braces as `en.ts`,
 * with a space between Chinese and Latin text.
 */
import type { en } from "./en.ts";

export const zhTW: Record<keyof typeof en, string> = {
  // Errors (base/errors.ts), in the table's order.
  E_OWNER_ONLY: "只有這個 Bellhop 的擁有者可以這麼做。請找擁有者處理，或執行你自己的 Bellhop。",
  E_NOT_IN_MANAGED_THREAD: "這裡不是工作階段的討論串。請到工作階段的討論串，或用 /start 開一個新的。",
  E_PROJECT_NOT_FOUND: "沒有名為 {project} 的專案。請用 /project list 查看現有專案。",
  E_PROJECT_EXISTS: "已經有名為 {project} 的專案。請換一個名稱。",
  E_INVALID_PATH: "{path} 不是可用的目錄。請提供 Bellhop 所在電腦上既有目錄的絕對路徑。",
  E_INVALID_TOOLSET: "工具設定不正確：{found}。請從 {known} 中列出一個以上，並讓預設工具包含在內。",
  E_TOOL_NOT_ENABLED: "專案 {project} 沒有啟用 {tool}。請從 {tools} 中選擇。",
  E_SESSION_NOT_FOUND: "找不到工作階段 {session}。請用 /start 開一個新的。",
  E_THREAD_ACCESS_FAILED: "Discord 不讓 Bellhop 存取討論串 {thread}。請確認它還在，而且機器人有檢視、發言和管理的權限，然後再試一次。",
  E_QUEUE_FULL: "這則訊息沒有排入佇列：這個討論串已有 {limit} 則在等候。請等其中一些完成後再傳送。",
  E_JOB_NOT_RETRYABLE: "{job} 無法重試；只有失敗或因當機中斷的工作才可以。請把需求當成新訊息傳送。",
  E_CLI_TIMEOUT: "代理程式太久沒有任何輸出，已被停止。請重試，或調高 config.json 的 limits.cli_timeout_sec。",
  E_CLI_EXIT_NONZERO: "代理程式因錯誤而結束。詳情在這個工作的記錄檔裡；請排除原因後再重試。",
  E_ADAPTER_PARSE: "無法理解代理程式的輸出。請在工作的記錄檔裡確認它是否為新版本，然後再重試。",
  E_ADAPTER_MISSING_RESULT: "代理程式沒有給出結果就結束了。它寫出的內容在工作的記錄檔裡，請先查看再重試。",
  E_ADAPTER_SESSION_KEY_MISSING: "代理程式沒有回報它的工作階段，因此之後無法接續這段對話。請重試。",
  E_DISCORD_RATE_LIMIT: "Discord 要求 Bellhop 放慢速度。該送的內容都已保留，會自動送出，你不需要做任何事。",
  E_AGENT_START_FAILED: "無法啟動代理程式。請確認 Bellhop 所在的電腦已安裝並能執行它的命令，然後再重試。",
  E_AGENT_SILENT: "代理程式太久沒有動靜，已被結束。請開一個新的工作階段繼續。",
  E_NO_ACTIVE_SESSION: "這裡沒有開啟的工作階段。請用 /start 開一個。",
  E_SESSION_CLOSED: "這個工作階段已關閉，訊息沒有排入佇列。請重新開啟它，或用 /start 開一個新的。",
  E_MODEL_UNAVAILABLE: "代理程式沒有提供 {model} 這個模型。請從它建議的模型中選擇。",
  E_DECISION_CLOSED: "這項請求已經回答過或已過期，沒有任何變更。如果代理程式仍然需要，它會再問一次。",
  E_ATTACHMENT_REFUSED: "{name} 沒有交給代理：目前還不接收檔案。請把內容貼在這裡，或把檔案放進專案目錄並告知檔名。",
  E_JOURNAL_CORRUPT: "事件日誌已損壞：{file}，第 {offset} 位元組，序號 {seq}：{found}。沒有啟動或變更任何東西。請用 `bellhop journal verify` 查看損壞範圍，再用 `bellhop journal repair` 修復；原始檔會先複製一份。",
  E_JOURNAL_WRITE: "無法寫入事件日誌（{reason}）。為了不遺失已接受的內容，Bellhop 已停止。請清出磁碟空間或修復磁碟，然後重新啟動 Bellhop。",
  E_CONFIG_INVALID: "{where}：找到的是 {found}，應為 {expected}。{mend}",
  E_DAEMON_RUNNING: "另一個 Bellhop（程序 {pid}）正在使用 {path}。請使用那一個、先停止它，或把 STATE_DIR 設成別的目錄。",
  E_WORKTREE_DIRTY: "工作樹 {path} 裡有尚未提交或推送的內容，因此保留下來。請先保存那些內容，或確認可以移除。",
  E_TOKEN_REFUSED: "Discord 拒絕了機器人的權杖。請到 Discord 開發者入口網站，從應用程式的 Bot 頁面複製新的權杖，然後重新啟動。",
  E_INTENT_REFUSED: "Discord 拒絕了機器人的 intents。請到 Discord 開發者入口網站，在應用程式的 Bot 頁面開啟 Message Content Intent，然後重新啟動。",
  E_EMPTY_PROMPT: "這則訊息裡沒有可以交給代理程式的內容。請寫下你想做的事。",
  E_PROMPT_TOO_LONG: "這則訊息超過可交給代理程式的 {limit} 個字元。請縮短，或以檔案傳送。",
  E_INTERNAL: "Bellhop 內部發生了沒有預料到的問題。詳情在記錄檔 app.ndjson 裡。請再試一次；如果又發生，請回報。",
};
