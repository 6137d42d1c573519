/**
 * What is typed under a permission or a plan: in any of the four languages, whichever its buttons are in. `yes` and
 * `no` are read so, `session` only by the option's own words; the others settle nothing and are the next job.
 */
export const permissions: Readonly<Record<"yes" | "no" | "neither", readonly string[]>> = {
  yes: [
    "allow", "Allow", "ALLOW.", "allow!", "allow it", "allow please", "please allow", "yes allow", "ok", "OK", "okay", "Ok.", "yes", "y", "Yes!", "yes please", "sure", "go ahead", "Go ahead.", "do it", "approve", "👍", "✅", "ｏｋ",
    "허용", "허용해", "허용해줘", "허용해 주세요", "승인", "네", "예", "응", "ㅇㅇ", "좋아요", "진행해", "네, 허용해줘",
    "許可", "許可する", "許可します", "許可してください", "承認", "はい", "いいよ", "進めて", "はい、許可します",
    "允許", "允许", "批准", "同意", "核准", "好", "好的", "可以", "是", "继续", "好，批准",
    "A", "1", "option 1", "the first",
  ],
  no: [
    "deny", "Deny.", "deny it", "no", "No!", "n", "nope", "nah", "no thanks", "don't", "please don't", "reject", "👎", "❌", "ｎｏ",
    "거부", "거부해", "거부해줘", "거절", "아니요", "아니", "안돼", "안 돼요", "하지 마", "ㄴㄴ",
    "却下", "拒否", "拒否します", "いいえ", "だめ", "やめて", "しないで", "いいえ、却下",
    "拒绝", "拒絕", "駁回", "不", "不行", "不可以", "不要", "不允許", "不允许", "不批准", "别",
  ],
  neither: [
    "yes but…", "yes, but…", "yes but...", "yes but only once", "yes, but not on main", "ok but be careful", "yes and then deploy", "allow it after lunch?", "allow it after lunch", "allow?", "ok?", "yes?", "go ahead?", "yes?!",
    "don't allow", "do not allow it", "don't deny", "never", "never allow", "no way", "not yes", "of course not", "not ok", "not now", "yes no", "yes or no", "allow or deny", "allow all", "allow always", "always", "yes to all",
    "maybe", "not sure", "dunno", "why?", "why not", "what does it do?", "wait", "stop", "later", "hm", "deny: too risky", "no, use rm instead", "no but show me first", "run the tests instead", "allowance", "okra", "noon", "yesterday",
    "허용할까?", "허용해?", "허용하지 마", "허용 안 해", "거부하지 마", "네 그런데 컨테이너에서 실행해 줘", "점심 먹고 허용해", "왜?", "모르겠어", "잠깐만", "네 아니요",
    "許可しないで", "許可しない", "許可？", "許可していいですか？", "昼食の後で許可", "はい、でもコンテナの中で", "拒否しないで", "たぶん", "ちょっと待って", "なぜ？",
    "允许吗", "允許嗎？", "午飯後再允許", "可以，但是在容器裡跑", "别允许", "不要拒绝", "為什麼", "等等", "不知道", "好不好", "可不可以",
    "4", "D", "0", "-1", "1 or 2", "", " ", "...", "?",
  ],
};
