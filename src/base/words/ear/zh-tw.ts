/** The Traditional Chinese sentences for direct messages with the bot and for a watcher's terminal. */
import type { earWords as en } from "./en.ts";

export const earWords: Record<keyof typeof en, string> = {
  direct_nothing: "目前沒有任何待決事項可以用這句話回答。要交代工作給代理程式，請寫在它工作階段的討論串裡；在伺服器的頻道使用 `/start` 會開啟一個。",
  direct_which: "這可能是在回答不只一項待決事項，所以一項都沒有回答：{decisions}。請寫在您所指那一項的討論串裡。",
  direct_unseen: "這會允許尚未完整顯示給您的內容，所以什麼都沒有允許：{decisions}。請先在那裡看完全部。",
  direct_open: "這沒有回答任何待決事項：{decisions}。請寫出其中一個選項，或在那裡按按鈕。",
  direct_settled: "這句話要回答的事項先前已經決定，沒有任何改變。",
  file_why_session: "只有寫在工作階段討論串裡的訊息才能附帶檔案",
  "cli.watch": "顯示監看頻道收到的訊息",
  "cli.watch.usage": "用法：bellhop watch [--interval 秒] [--channel id] [--json]\n\n監看頻道裡寫的內容一進入收件匣就顯示出來，代理程式從那裡讀取。頻道是\nDISCORD_CHANNEL_ID，或以 --channel 指定的每個頻道。訊息下方有一行狀態，\n每 10 秒或依 --interval 的間隔更新；在 tmux 裡窗格標題也會更新。沒有\n常駐程式時會啟動一個，Ctrl-C 只會停止這個指令。別名：discord-watch。",
  "cli.watch.unread": "{unread} 則未讀",
  "cli.watch.live": "已連線",
  "cli.watch.away": "連線中斷，每隔幾秒讀取",
  "cli.watch.refused": "Discord 不讓我們看頻道 {channel}。請確認它是機器人所在伺服器的頻道，且機器人可以檢視它並讀取歷史訊息。",
  "cli.watch.not_started": "無法啟動常駐程式：{why}",
  "cli.watch.wrong_channel": "{channel} 不是頻道。請提供 Discord「複製頻道 ID」得到的 17 到 20 位數字。",
};
