/** The Japanese sentences for direct messages with the bot and for a watcher's terminal. */
import type { intakeWords as en } from "./en.ts";

export const intakeWords: Record<keyof typeof en, string> = {
  direct_nothing:
    "このメッセージに当てはまる回答待ちの質問はありません。エージェントに仕事を頼むには、そのセッションのスレッドに書いてください。サーバーのチャンネルで `/start` を使うとセッションを開始できます。",
  direct_which:
    "複数の要求への回答に読めるため、どれにも回答していません: {decisions}。回答したい要求のスレッドで回答してください。",
  direct_no_yes:
    "何も許可していません。ここでは許可できず、理由はこの要求に書かれています。拒否だけができます: {decisions}",
  direct_unseen:
    "ここには全体が表示されていないため、何も許可していません。全体を確認して、そこで回答してください: {decisions}",
  direct_open:
    "回答待ちのどの要求への回答でもありません: {decisions}。選択肢の 1 つを書くか、そこでボタンを押してください。",
  direct_settled: "すでに対応済みのため、何も変更していません。",
  file_why_option: "ファイルを付けられるのは、自分の言葉で書いた回答だけです",
  file_why_session: "ファイルを送れるのは、セッションのスレッドか、回答待ちの質問への回答だけです",
  with_forward: "転送されたメッセージ付き",
  forward_held:
    "これは他の人が書いたものなので、自動では何も実行しません。1 分以内の次のメッセージか、これへの返信と一緒に、引用としてエージェントに渡します。",
  forward_send: "引用として送る",
  forward_sent: "引用としてエージェントに渡しました。",
  forward_dropped: "破棄しました。",
  forward_crowded:
    "より新しい転送メッセージが {limit} 件待っているため、これは破棄しました。送るには、もう一度転送してください。",
  forward_nowhere:
    "転送メッセージをエージェントに渡せるのは、セッションのスレッドからだけです。そこに転送してください。`/start` でセッションを開けます。",
  "cli.watch": "監視しているチャンネルに届くメッセージを表示します",
  "cli.watch.usage":
    "使い方: bellhop watch [--interval 秒] [--channel ID] [--json]\n\n監視しているチャンネルのメッセージを、エージェントが読む受信箱に届きしだい表示\nします。対象は DISCORD_CHANNEL_ID、または --channel で指定した各チャンネルで\nす。メッセージの下の 1 行に現在の状態を、10 秒ごと、または --interval の間隔で\n表示します。tmux ではペインのタイトルにも表示します。デーモンが動いていなければ\n起動します。Ctrl-C で止まるのはこのコマンドだけです。別名: discord-watch。",
  "cli.watch.unread": "未読 {unread}",
  "cli.watch.unreadable": "読めません: Discord がボットのアクセスを許可していません",
  "cli.watch.live": "接続中",
  "cli.watch.away": "接続が切れたため、数秒ごとに読み取り中",
  "cli.watch.refused":
    "Discord がチャンネル {channel} を表示しません。ボットのサーバーのチャンネルであること、ボットにチャンネルと履歴を見る権限があることを確認してください。",
  "cli.watch.not_started": "デーモンを起動できませんでした: {why}",
  "cli.watch.wrong_channel":
    "{channel} はチャンネル ID ではありません。Discord の「チャンネル ID をコピー」で得られる 17〜20 桁の数字を指定してください。",
};
