/** The Traditional Chinese sentences of errors, in the order of `base/errors.ts`. */
import type { errorWords as en } from "./en.ts";

export const errorWords: Record<keyof typeof en, string> = {
  E_OWNER_ONLY: "只有這個 Bellhop 的擁有者可以這麼做。請聯絡擁有者，或執行您自己的 Bellhop。",
  E_NOT_IN_MANAGED_THREAD: "這裡不是工作階段的討論串。請到工作階段的討論串，或用 `/start` 開一個新的。",
  E_PROJECT_NOT_FOUND: "沒有名為 {project} 的專案。請用 `/project list` 查看現有專案。",
  E_PROJECT_EXISTS: "已經有名為 {project} 的專案。請換一個名稱。",
  E_INVALID_PATH: "{path} 不是可用的目錄。請提供 Bellhop 所在電腦上既有目錄的絕對路徑。",
  E_PROJECT_CHANGED: "{project} 與您上次看到的不同，因此未執行其中任何東西。請在其討論串中留言，會先在那裡詢問您。",
  E_INVALID_TOOLSET: "無法使用這些工具：{found}。請從 {known} 中列出一個以上，不要重複，並從中選擇預設工具。",
  E_TOOL_NOT_ENABLED: "{tool} 不在這個專案的工具（{tools}）之中。請從中選擇。",
  E_SESSION_NOT_FOUND: "找不到工作階段 {session}。請用 `/start` 開一個新的。",
  E_THREAD_ACCESS_FAILED:
    "Discord 不讓 Bellhop 存取討論串 {thread}。請確認它還在，而且機器人有檢視、發言和管理的權限，然後再試一次。",
  E_THREAD_FOREIGN:
    "{thread} 既不是這個 MCP 伺服器的頻道，也不是該頻道的討論串，因此沒有在那裡張貼任何內容。請使用先前結果的 thread_id，或不要指定。",
  E_PLACE_REFUSED: "無法使用 {place}：{reason}。請在 Discord 更改後再試一次。",
  E_COMMANDS_REFUSED:
    "Discord 不允許註冊斜線指令：邀請機器人時沒有包含 applications.commands 範圍。請用 {link} 重新邀請，指令就會自動出現。",
  E_QUEUE_FULL: "這則訊息沒有排入佇列：這個討論串已有 {limit} 則在等待。請等其中一些完成後再傳送。",
  E_SEND_FAILED: "執行中的代理程式沒有接收這則訊息，所以它照舊等待，現在排在佇列最前。您不需要做任何事。",
  E_JOB_NOT_RETRYABLE: "{job} 無法重試；只有失敗或因當機而中斷的工作才可以。請把需求當成新訊息傳送。",
  E_CLI_TIMEOUT: "代理程式太久沒有任何輸出，已被停止。請重試，或調高 config.json 的 limits.cli_timeout_sec。",
  E_CLI_EXIT_NONZERO: "{tool} 已停止：{reason}。請排除原因後按「重試」。",
  E_ADAPTER_PARSE: "無法理解代理程式的輸出（{reason}）。請在工作的記錄檔裡確認它是否為新版本，然後再重試。",
  E_LINE_REFUSED:
    "代理程式的輸出有一行太長或巢狀太深，因此結束時沒有 Bellhop 能讀取的結果。請要求它把大量輸出寫入檔案，然後再重試。",
  E_ADAPTER_MISSING_RESULT: "代理程式沒有給出結果就結束了。它寫出的內容在工作的記錄檔裡，請先查看再重試。",
  E_ADAPTER_SESSION_KEY_MISSING: "代理程式沒有回報它的工作階段，因此之後無法接續這段對話。請重試。",
  E_DISCORD_RATE_LIMIT:
    "Discord 一再要求 Bellhop 放慢速度，因此這則訊息沒有送出，之後也不會自動送出。請過幾分鐘再送一次。",
  E_AGENT_START_FAILED: "無法啟動代理程式。請確認 Bellhop 所在的電腦已安裝它的指令而且可以執行，然後再重試。",
  E_AGENT_UNGUARDED:
    "已停止代理程式：它處於可以不詢問就執行的 {mode} 模式，而且無法切換回來。請在 Bellhop 所在電腦上，從代理程式自己的設定移除這個模式，然後再重試。",
  E_BACKGROUND_ENDED: "代理程式在背景進行的工作已隨它的行程結束：{what}。如果仍然需要，請再要求一次。",
  E_BACKGROUND_SILENT:
    "代理程式在背景進行的工作超過 config.json 的 limits.background_work_sec 沒有任何動靜，因此已結束：{what}。如果仍然需要，請再要求一次，或調高這項上限。",
  E_AGENT_SILENT:
    "代理程式太久沒有回應，已被停止，工作階段也已關閉。要重新開啟，請在這裡寫訊息並按「重新開啟並送出」，或用 `/start` 開一個新的。",
  E_NO_ACTIVE_SESSION: "這裡沒有開啟的工作階段。請用 `/start` 開一個。",
  E_SESSION_CLOSED: "這個工作階段已關閉，訊息沒有排入佇列。請重新開啟它，或用 `/start` 開一個新的。",
  E_SESSION_BUSY:
    "這個工作階段還有正在執行、等候中或等您回答的項目，所以沒有清除任何內容。請用 `/cancel` 或 `/agent stop` 停止它，用 `/queue` 清空佇列，回答提問，然後再試一次。",
  E_SESSION_FORGETTING: "正在清除這個工作階段的內容。請稍後再試。",
  E_MODEL_UNAVAILABLE: "代理程式沒有提供 {model} 這個模型。請從 `/agent model` 建議的模型中選擇。",
  E_MODE_UNAVAILABLE:
    "這裡無法選擇 {mode} 模式。代理程式執行過一次之後，`/agent mode` 會列出可選的模式。若要使用詢問較少的模式，請您先在專案的引數中指定。",
  E_EFFORT_UNAVAILABLE: "這個代理程式無法選擇 {effort} 這個思考強度。`/agent effort` 會列出可選的值。",
  E_NOT_COMPACTED: "對話沒有壓縮：{reason}。對話會照原樣繼續；要開始新的對話，請用 `/new`。",
  E_LOCKED: "Bellhop 已鎖定：在擁有者用 `/unlock` 解鎖之前，不會開始或允許任何事，訊息也不會保留。",
  E_KEPT_OUT: "這則訊息寫於 Bellhop 解鎖之前，所以沒有接收。如果是你寫的而且仍然需要，請再傳一次。",
  E_NOT_LOCKED: "Bellhop 沒有鎖定，不需要解鎖。",
  E_WORD_WRONG: "密語不對。再錯 {left} 次，`/unlock` 會關閉 15 分鐘。在電腦上執行 bellhop unlock 會顯示新的密語。",
  E_WORD_CLOSED:
    "錯誤次數太多，`/unlock` 在 {minutes} 分鐘內不接受密語。之後在電腦上執行 bellhop unlock 會顯示新的密語。",
  E_BUDGET_INVALID:
    "「{found}」不是金額。請寫大於 0 的數字和單位，例如 `5 USD` 或 `200k tokens`；`off` 表示沒有預算；`default` 表示依 config.json。",
  E_BUDGET_UNIT: "這個預算的單位是 {unit}，不做換算。請以 {unit} 寫新的上限。",
  E_BUDGET_USED: "已用 {used} {unit}，新的上限必須更高。",
  E_DECISION_CLOSED: "這項請求已經回答過或已過期，沒有任何變更。如果代理程式仍然需要，它會再問一次。",
  E_TOO_MANY_QUESTIONS: "這個問題沒有送出：已有 {limit} 個問題在等待回答。請等其中一些有了回答。",
  E_QUESTIONS_TOO_LONG:
    "這個問題沒有送出：加上已在等待回答的問題，總共超過 {limit}00 萬個字元。請等其中一些有了回答，或縮短說明再提出。",
  E_ATTACHMENT_REFUSED: "{name} 沒有交給代理程式：{why}。",
  E_ATTACHMENT_CHANGED:
    "{name} 已經不是您送出的檔案：在交給代理程式之前，它在這台電腦上被修改、替換或移除了。沒有任何內容交給代理程式。請重新傳送檔案。",
  E_JOURNAL_CORRUPT:
    "無法讀取事件日誌：{file}，第 {offset} 位元組，序號 {seq}：「{found}」。沒有啟動或變更任何東西。若其中提到其他版本，請啟動寫入它的 Bellhop，或將 STATE_DIR 設為空目錄；否則就是已損壞，請用 `bellhop journal verify` 查看損壞範圍，再用 `bellhop journal repair` 修復；原始檔會先複製一份。",
  E_JOURNAL_WRITE:
    "無法寫入事件日誌（`{reason}`）。為了不遺失已接受的內容，Bellhop 已停止。請清出磁碟空間或修復磁碟，然後重新啟動 Bellhop。",
  E_JOURNAL_MISSING: "{path} 裡還沒有事件日誌。第一次執行 `{command}` 時會建立。如果應該已經有，請檢查 STATE_DIR。",
  E_CONFIG_INVALID: "{where}：找到的是 {found}，應為 {expected}。{mend}",
  E_CONFIG_WRITE:
    "無法寫入 {path}（`{reason}`）。您在 Discord 所做的選擇依然有效；讓 Bellhop 可以寫入這個檔案，就會補上。",
  E_FILE_REFUSED: "在 Bellhop 所在的電腦上無法讀寫檔案：{reason}。請排除原因，然後重試。",
  E_DISK_FULL: "Bellhop 所在電腦的磁碟已滿，因此不會開始任何新的工作。請釋出空間後重試。佇列中等待的工作會自動開始。",
  E_DAEMON_RUNNING:
    "另一個 Bellhop（行程 {pid}）正在使用 {path}。請使用那一個、先停止它，或把 STATE_DIR 設成別的目錄。",
  E_WORKTREE_DIRTY: "工作樹 {path} 裡有尚未提交或推送的內容，因此保留下來。請先保存那些內容，或確認可以移除。",
  E_WORKTREE_NO_COMMIT:
    "無法為 {path} 建立工作樹：它不在 git 儲存庫裡，或儲存庫還沒有任何提交。請先提交，或在 config.json 的專案裡移除 `isolation`，再重試。",
  E_WORKTREE_IN_USE: "沒有建立工作樹：{path} 或分支 {branch} 已經存在，而且不屬於這個工作階段。請改名或移除，再重試。",
  E_WORKTREE_FAILED:
    "git 無法處理工作樹 {path}：{reason}。沒有留下做到一半的東西。請檢查儲存庫與磁碟剩餘空間，再試一次。",
  E_WORKTREE_GONE:
    "這個工作階段的工作樹 {path} 已經不見了，因此這裡不會再執行任何東西。請封存這個討論串，並用 `/start` 開始新的工作階段。除非也被刪除，分支 {branch} 仍然存在。",
  E_TOKEN_REFUSED:
    "Discord 拒絕了機器人的權杖。請到 Discord 開發者入口網站，從應用程式的 Bot 頁面複製新的權杖，然後重新啟動。",
  E_INTENT_REFUSED:
    "Discord 拒絕了機器人的 intents。請到 Discord 開發者入口網站，在應用程式的 Bot 頁面開啟 Message Content Intent，然後重新啟動。",
  E_GATEWAY_REFUSED: "Discord 不接受這個版本的 Bellhop 連線（關閉代碼 {close_code}）。請安裝最新版本，然後重新啟動。",
  E_GATEWAY_ADDRESS:
    "收到的 Discord 閘道位址是 {address}，但那不是 Discord 的位址，因此 Bellhop 不會把機器人權杖送到那裡，並會重新詢問位址。如果一直如此，請檢查這台電腦與 Discord 之間的設備或服務（例如代理伺服器或 DNS 伺服器），以及 `BELLHOP_DISCORD_API`。",
  E_EMPTY_PROMPT:
    "這則訊息裡沒有可以交給代理程式的內容。請寫下您要做的事。如果您確實寫了內容，那是 Discord 沒有傳過來：請到 Discord 開發者入口網站，在應用程式的 Bot 頁面開啟 Message Content Intent。",
  E_NOT_A_PROMPT: "沒有把任何內容交給代理程式：{reason}。請寫下您要做的事。",
  E_PROMPT_TOO_LONG: "這則訊息超過可交給代理程式的 {limit} 個字元。請縮短，或以檔案傳送。",
  E_INVALID_NAME: "{name} 不能當專案名稱。請用 a–z、0–9、- 和 _，1 到 40 個字元。",
  E_NOT_IN_TEXT_CHANNEL: "工作階段要在文字頻道開啟，不能在討論串裡。請到文字頻道使用 `/start`。",
  E_RESUME_UNKNOWN:
    "代理程式已不記得這段對話，因此無法接續。您在這裡的下一則訊息會開始新的對話；先前的內容仍保留在上方。",
  E_CONVERSATION_IN_USE: "這段對話已經有討論串：{thread}。請在那裡輸入以繼續。",
  E_CONVERSATION_IN_WINDOW:
    "這段對話仍在一個視窗中開著，而那個視窗的討論串已經不在了。請先用 `/agent stop` 關閉視窗，再到這裡接續對話。",
  E_CONVERSATION_NOT_FOUND:
    "在這台電腦上找不到 {project} 的對話 {conversation}。請再輸入一次 `/resume`，並從清單中選擇。",
  E_ARGUMENT_REFUSED:
    "{argument} 不能作為專案中 {tool} 的引數：這由 Bellhop 設定，或會讓代理程式不先詢問就行動。請移除後再試。",
  any_acp_agent: "支援 ACP 的代理程式",
  E_CONVERSATION_FULL: "這段對話已滿，模型無法再接收。要繼續，請開始新的對話。",
  E_OUT_OF_CREDITS:
    "代理程式使用的帳號額度已用完，或已達支出上限。管理該帳號的人可以解除。之後再試一次，或用 `/tool` 選擇其他代理程式。",
  E_SERVICE_BUSY: "模型服務目前沒有回應。請幾分鐘後再試。",
  E_USAGE_LIMIT: "代理程式的帳號已達用量上限。請等上限解除後再重試，或改用其他工具執行。",
  E_TERMINAL_BUSY: "無法在 Claude 的視窗中輸入。請用 {attach} 連上視窗查看；工作會等待。",
  E_PROMPT_NOT_TAKEN: "提示已輸入 Claude 的視窗，但 Claude 沒有確認。Claude 可能已經收到，重試之前請先查看視窗。",
  E_PROMPT_IS_COMMAND: "Claude 的終端機會把 `{first}` 當成指令，因此沒有輸入這則提示。請在前面加上一個詞再送出。",
  E_ADOPTION_CLOSED: "這個 Claude 已經無法接管：它已結束、已被接管，或已被忽略。在終端機重新啟動 Claude 後會再次詢問。",
  E_TMUX_MISSING: "Bellhop 所在的電腦沒有 tmux，或版本低於 3.2。請安裝 tmux 3.2 以上版本後再重試。",
  E_NO_DAEMON: "沒有 Bellhop 在使用 {dir}。請用 `bellhop start` 啟動。",
  E_LINK_REFUSED: "執行中的 Bellhop 拒絕了這個呼叫：「{why}」。若版本不同，請重新啟動它。",
  E_TOO_MANY_CALLS: "這個呼叫者已有 {limit} 個呼叫正在進行，已達上限。請等其中一個結束後再試。",
  E_METHOD_UNKNOWN: "執行中的 Bellhop 不認得 {method}，或不允許這個呼叫者使用。若版本不同，請重新啟動它。",
  E_JOB_NOT_FOUND: "沒有工作 {job}。請在討論串的卡片或 `bellhop status` 查看現有的工作。",
  E_UNIT_FOREIGN: "{path} 不是 Bellhop 寫入的檔案，因此沒有變更。請先把它移走，再執行一次這個指令。",
  E_SERVICE_REFUSED: "服務沒有變更：{why}",
  E_HOOKS_REFUSED: "{path} 沒有變更：{why}",
  E_BACKUP_REFUSED: "沒有寫入任何內容。{path}：{why}",
  E_PATH_REFUSED:
    "無法使用 {path}（`{reason}`）。請確認它存在、您的使用者可以讀寫，而且磁碟還有空間，然後重新執行指令。",
  E_INTERNAL: "Bellhop 內部發生了未預期的問題。詳情在記錄檔 app.ndjson 裡。請再試一次；如果再次發生，請回報。",
};
