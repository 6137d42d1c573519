/** The Traditional Chinese sentences for direct messages with the bot and for a watcher's terminal. */
import type { intakeWords as en } from "./en.ts";

export const intakeWords: Record<keyof typeof en, string> = {
  direct_nothing:
    "沒有提問與這則訊息相符。要交代工作給代理程式，請寫在它的工作階段的討論串裡；在伺服器的頻道使用 `/start` 可以開啟一個。",
  direct_which: "這可能是不只一項請求的回答，所以沒有回答任何一項：{decisions}。請在您所指那一項的討論串裡回答。",
  direct_no_yes: "沒有允許任何事：這裡無法同意，原因寫在該請求中，只能拒絕：{decisions}",
  direct_unseen: "這裡沒有完整顯示內容，所以沒有允許任何事。請到那裡看完全部再回答：{decisions}",
  direct_open: "這沒有回答任何等待中的請求：{decisions}。請寫出其中一個選項，或在那裡按按鈕。",
  direct_settled: "這件事先前已經處理，沒有任何變更。",
  file_why_option: "只有用自己的話寫的回答才能附帶檔案",
  file_why_session: "只有在工作階段的討論串裡，或回答還沒有回答的問題時，才能附帶檔案",
  with_forward: "附上轉傳的訊息",
  forward_held:
    "這是別人寫的內容，所以不會自動執行。一分鐘內的下一則訊息，或對它的回覆，會把它當成引用文字一起交給代理程式。",
  forward_send: "以引用文字傳送",
  forward_sent: "已當成引用文字交給代理程式。",
  forward_dropped: "已捨棄。",
  forward_crowded: "有 {limit} 則較新的轉傳訊息在等待，所以這則已捨棄。要傳送的話，請再轉傳一次。",
  forward_nowhere: "轉傳的訊息只能從工作階段的討論串交給代理程式。請轉傳到那裡；`/start` 會開啟工作階段。",
  "cli.watch": "顯示監看頻道收到的訊息",
  "cli.watch.usage":
    "用法：bellhop watch [--interval 秒] [--channel ID] [--json]\n\n監看頻道的訊息一進入收件匣就顯示出來，代理程式從收件匣讀取。頻道是\nDISCORD_CHANNEL_ID，或以 --channel 指定的每個頻道。訊息下方的一行顯示目前狀態，\n每 10 秒或依 --interval 的間隔更新；在 tmux 裡也會顯示在窗格標題。沒有常駐程式\n在執行時會啟動一個。Ctrl-C 只會停止這個指令。別名：discord-watch。",
  "cli.watch.unread": "{unread} 則未讀",
  "cli.watch.unreadable": "無法讀取：Discord 不允許機器人存取",
  "cli.watch.live": "已連線",
  "cli.watch.away": "連線中斷，每隔幾秒讀取一次",
  "cli.watch.refused":
    "Discord 不顯示頻道 {channel}。請確認它是機器人所在伺服器的頻道，而且機器人可以檢視它並讀取歷史訊息。",
  "cli.watch.not_started": "無法啟動常駐程式：{why}",
  "cli.watch.wrong_channel": "{channel} 不是頻道 ID。請提供 Discord「複製頻道 ID」得到的 17 到 20 位數字。",
};
