/** The Traditional Chinese sentences for the owner's direct messages with the bot. */
import type { earWords as en } from "./en.ts";

export const earWords: Record<keyof typeof en, string> = {
  direct_nothing: "目前沒有任何待決事項可以用這句話回答。要交代工作給代理程式，請寫在它工作階段的討論串裡；在伺服器的頻道使用 `/start` 會開啟一個。",
  direct_which: "這可能是在回答不只一項待決事項，所以一項都沒有回答：{decisions}。請寫在您所指那一項的討論串裡。",
  direct_unseen: "這會允許尚未完整顯示給您的內容，所以什麼都沒有允許：{decisions}。請先在那裡看完全部。",
  direct_open: "這沒有回答任何待決事項：{decisions}。請寫出其中一個選項，或在那裡按按鈕。",
  direct_settled: "這句話要回答的事項先前已經決定，沒有任何改變。",
  file_why_session: "只有寫在工作階段討論串裡的訊息才能附帶檔案",
};
