/** The Japanese sentences for direct messages with the bot and for a watcher's terminal. */
import type { earWords as en } from "./en.ts";

export const earWords: Record<keyof typeof en, string> = {
  direct_nothing: "これで答えられる未決の質問はありません。エージェントに仕事を頼むには、そのセッションのスレッドに書いてください。サーバーのチャンネルで `/start` を使うとスレッドが開きます。",
  direct_which: "未決のもの複数への答えになり得るため、どれにも答えませんでした: {decisions}。答えたいもののスレッドに書いてください。",
  direct_unseen: "まだ全部をお見せしていないものを許可することになるため、何も許可しませんでした: {decisions}。先にそこで全部を確認してください。",
  direct_open: "未決のもののどれへの答えでもありません: {decisions}。選択肢の一つを書くか、そこのボタンを押してください。",
  direct_settled: "これが答えようとしたものは、すでに決まっています。何も変わっていません。",
  file_why_session: "ファイルを渡せるのはセッションのスレッドに書いたメッセージだけです",
  "cli.watch": "見張っているチャンネルに届くものを表示します",
  "cli.watch.usage": "使い方: bellhop watch [--interval 秒] [--channel id] [--json]\n\n見張っているチャンネルに書かれたものを、受信箱に入りしだい表示します。\nエージェントはそこから読みます。対象は DISCORD_CHANNEL_ID、または --channel\nで挙げた各チャンネルです。メッセージの下の一行が状態を 10 秒ごと、または\n--interval の間隔で示し、tmux ではペインの題名も変わります。デーモンが\nなければ起動し、Ctrl-C はこのコマンドだけを止めます。別名: discord-watch。",
  "cli.watch.unread": "未読 {unread}",
  "cli.watch.live": "接続中",
  "cli.watch.away": "接続なし、数秒ごとに読み取り",
  "cli.watch.refused": "Discord がチャンネル {channel} を見せません。ボットのサーバーのチャンネルか、ボットがそれを見て履歴を読めるかを確認してください。",
  "cli.watch.not_started": "デーモンを起動できませんでした: {why}",
  "cli.watch.wrong_channel": "{channel} はチャンネルではありません。Discord の「チャンネル ID をコピー」で得られる 17〜20 桁の数字を渡してください。",
};
