/** The Japanese sentences for the owner's direct messages with the bot. */
import type { earWords as en } from "./en.ts";

export const earWords: Record<keyof typeof en, string> = {
  direct_nothing: "これで答えられる未決の質問はありません。エージェントに仕事を頼むには、そのセッションのスレッドに書いてください。サーバーのチャンネルで `/start` を使うとスレッドが開きます。",
  direct_which: "未決のもの複数への答えになり得るため、どれにも答えませんでした: {decisions}。答えたいもののスレッドに書いてください。",
  direct_unseen: "まだ全部をお見せしていないものを許可することになるため、何も許可しませんでした: {decisions}。先にそこで全部を確認してください。",
  direct_open: "未決のもののどれへの答えでもありません: {decisions}。選択肢の一つを書くか、そこのボタンを押してください。",
  direct_settled: "これが答えようとしたものは、すでに決まっています。何も変わっていません。",
  file_why_session: "ファイルを渡せるのはセッションのスレッドに書いたメッセージだけです",
};
