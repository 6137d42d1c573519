/**
 * What is typed while a permission or a plan is open, by what it says to it, in any of the four languages, whichever its
 * buttons are in. Only `yes` and `no` can settle it; `place`, `stop` and `other` say nothing else either, so they are no work;
 * `work` is.
 */
export const permissions: Readonly<Record<"yes" | "no" | "place" | "stop" | "other" | "work", readonly string[]>> = {
  yes: [
    "allow", "Allow", "ALLOW.", "allow!", "allow it", "allow please", "please allow", "yes allow", "ok", "OK", "okay", "Ok.", "yes", "Yes!", "yes please", "sure", "go ahead", "Go ahead.", "do it", "approve", "ｏｋ", "yes, do it, please", "yeah", "yep", "**yes**", "“yes”", "yes 🙂",
    "허용", "허용해", "허용해줘", "허용해 주세요", "승인", "승인합니다", "네", "예", "응", "진행해", "진행해주세요", "네, 허용해줘", "네 부탁드려요",
    "許可", "許可する", "許可します", "許可してください", "承認", "はい", "進めて", "はい、許可します", "はい、お願いします",
    "允許", "允许", "批准", "批准吧", "同意", "核准", "好", "好的", "可以", "是", "继续", "好，批准", "請允許",
  ],
  no: [
    "deny", "Deny.", "deny it", "no", "No!", "nope", "nah", "no thanks", "don't", "please don't", "reject", "ｎｏ", "never", "no way", "no, don't do it",
    "거부", "거부해", "거부해줘", "거절", "아니요", "아니", "안돼", "안 돼요", "하지 마",
    "却下", "拒否", "拒否します", "いいえ", "だめ", "やめて", "しないで", "いいえ、却下",
    "拒绝", "拒絕", "駁回", "不", "不行", "不可以", "不要", "不允許", "不允许", "不批准", "别",
  ],
  place: ["y", "n", "A", "1", "4", "D", "0", "2.", "(2)", "#2", "②", "2️⃣", "option 1", "the first", "second", "two", "2번", "두 번째", "둘", "二番目", "第二", "一", "я"],
  stop: [
    "stop", "Stop.", "STOP!", "stop it", "please stop", "abort", "cancel", "/cancel", "/stop",
    "멈춰", "멈춰 줘", "그만", "중지해줘", "취소", "止めて", "止めてください", "ストップ", "停止", "キャンセル", "停", "停！", "停下来", "取消",
  ],
  other: [
    "👍", "👍🏽", "✅", "👎", "❌", "🎉🎉", "🇩🇪", "<:ok:123456789012345678>", "<a:go:123456789012345678>", "ㅇㅇ", "ㅇㅋ", "좋아요", "いいよ", "了解", "looks good", "LGTM!", "sounds good", "of course",
    "allow?", "ok?", "yes?", "go ahead?", "yes?!", "no?", "허용해?", "許可？", "yes no", "네 아니요", "don't allow", "do not allow it", "never allow", "don't deny", "허용 안 해", "ok stop",
  ],
  work: [
    "yes but…", "yes, but…", "yes but...", "yes but only once", "yes, but not on main", "ok but be careful", "yes and then deploy", "allow it after lunch?", "allow it after lunch", "not yes", "of course not", "not ok", "not now",
    "allow all", "allow always", "always", "yes to all", "maybe", "not sure", "dunno", "why?", "why not", "what does it do?", "wait", "later", "hm", "deny: too risky", "no, use rm instead", "no but show me first", "run the tests instead", "allowance", "okra", "noon", "yesterday", "stop the server and restart it",
    "허용할까?", "허용하지 마", "거부하지 마", "네 그런데 컨테이너에서 실행해 줘", "점심 먹고 허용해", "왜?", "모르겠어", "잠깐만", "취소 버튼을 추가해줘",
    "許可しないで", "許可しない", "許可していいですか？", "昼食の後で許可", "はい、でもコンテナの中で", "拒否しないで", "たぶん", "ちょっと待って", "なぜ？", "停止ボタンを追加して",
    "允许吗", "允許嗎？", "午飯後再允許", "可以，但是在容器裡跑", "别允许", "不要拒绝", "不要執行", "為什麼", "等等", "不知道", "好不好", "可不可以", "取消按鈕的顏色改成紅色",
    "-1", "1 or 2", "2 files are left", "", " ", "...", "?", "yes\nyes, and delete the rest too, all of it, and then push it to main as well",
  ],
};
