/** What is no answer yet: a wish for time, or a question back. Both keep the question open. */
import { type Group, chinese, japanese, korean, labelled, open, plain } from "../table.ts";

const wishes = [
  "later", "Later.", "later please", "not now", "not yet", "let me think", "Let me think about it", "let me think about that", "I need to think about it", "I'll think about it", "give me a minute", "give me 5 minutes", "Give me some time", "I need more time", "one moment", "one sec", "just a moment", "just a sec", "hang on", "hold on", "wait a minute", "ask me later", "ask me again later", "ask me again in an hour", "remind me tomorrow", "remind me later", "remind me in 15 minutes", "I'll get back to you", "I'll decide later", "I'll answer later", "snooze", "busy", "I'm busy right now", "in a minute", "in an hour", "let me check", "let me check first", "let me sleep on it", "brb", "tonight", "ok, later", "hmm, let me think",
  "나중에", "나중에요", "나중에 할게", "나중에 답할게요", "나중에 결정할게요", "이따가", "이따가 할게요", "좀 이따", "잠깐만", "잠깐만요", "잠시만요", "잠시만 기다려 주세요", "기다려줘", "생각 좀 해볼게", "생각 좀 해볼게요", "생각해 볼게요", "생각할 시간이 필요해요", "시간 좀 줘", "시간을 주세요", "고민해볼게요", "아직이요", "아직 모르겠어요", "지금 바빠요", "나중에 다시 물어봐 줘",
  "後で", "あとで", "また後で", "後にして", "後にしてください", "後ほど", "待って", "ちょっと待って", "ちょっと待ってください", "少々お待ちください", "考えさせて", "考えさせてください", "考えてみます", "少し考えます", "検討します", "検討させてください", "時間をください", "まだ決められない", "後でもう一度聞いてください", "今忙しい",
  "稍後", "稍后", "晚點", "晚点再说", "晚點再說", "等一下", "等一會", "等一会儿", "待會", "待会儿", "讓我想想", "让我想想", "我想想", "我再想想", "我考慮一下", "让我考虑一下", "以後再說", "以后再说", "給我一點時間", "给我点时间", "還沒想好", "还没想好", "我在忙", "稍後再問我", "先等等",
] as const;

const questionsBack = [
  "what does B mean?", "What does B mean", "what is option B?", "what's the difference?", "What is the difference between A and B?", "why do you ask?", "Why would you do that?", "which one is safer?", "which do you recommend?", "what do you recommend", "what do you suggest?", "how long does it take?", "how long would A take", "can you explain B?", "could you explain the options?", "please explain B?", "what happens to the data?", "is it safe?", "are the tests green?", "I don't know, what would you suggest?", "A?", "B??",
  "B가 뭐야?", "B가 뭐야", "B는 무슨 뜻이야?", "차이가 뭐야?", "뭐가 다른 거야?", "왜 그래야 해?", "어느 게 더 안전해?", "추천은 뭐야?", "얼마나 걸려?", "데이터는 어떻게 돼?", "B가 무슨 뜻인가요", "무슨 차이인가요?", "테스트는 통과했나요?",
  "Bとは何ですか？", "Bって何？", "Bはどういう意味ですか", "違いは何ですか？", "どちらが安全ですか", "なぜですか？", "どのくらいかかりますか？", "おすすめはどれですか？", "テストは通りましたか",
  "B是什麼意思？", "B是什么意思", "有什麼差別？", "有什么区别", "為什麼要這樣做？", "哪個比較安全？", "你推薦哪個？", "要多久？", "測試過了嗎", "安全吗？",
] as const;

/** They ask for something to be done, however politely. */
const requests = [
  "Could you run the tests first?", "can you deploy to staging first?", "would you please rebase it onto main?", "will you add a test for it first?", "wait for the review, then execute", "deploy it tomorrow at nine instead",
  "먼저 테스트를 돌려줄래?", "스테이징에 먼저 배포해 주시겠어요?", "리뷰를 기다렸다가 배포해줘",
  "先にテストを実行してくれますか？", "先にステージングに入れてもらえますか？", "レビューを待ってから実行してください",
  "可以先跑測試嗎？", "能不能先部署到測試環境？", "先跑完測試再執行",
] as const;

export const later: readonly Group[] = [
  { asked: labelled, texts: { later: wishes, question: questionsBack, words: requests } },
  { asked: plain, texts: { later: [...wishes, "wait", "tomorrow", "기다려", "내일", "明日", "明天", "等等"], question: questionsBack, words: requests } },
  // What stands in one option's own text means that option.
  { asked: labelled, texts: { B: ["wait", "tomorrow", "until tomorrow"] } },
  { asked: korean, texts: { later: ["나중에", "잠깐만요"], B: ["대기", "내일"] } },
  { asked: japanese, texts: { later: ["後で", "考えさせてください"], B: ["明日"] } },
  { asked: chinese, texts: { later: ["稍後", "讓我想想"], B: ["明天"] } },
  // An option that says so is chosen by it.
  { asked: { options: ["Now", "Later"], words: true }, texts: { A: ["now", "A", "now please"], B: ["later", "Later.", "later please", "B", "2"] } },
  { asked: { options: ["지금", "나중에"], words: true }, texts: { A: ["지금", "지금 해줘"], B: ["나중에", "나중에요", "나중에 해줘"] } },
  { asked: { options: ["今すぐ", "後で"], words: true }, texts: { A: ["今すぐ"], B: ["後で", "後でお願いします"] } },
  { asked: { options: ["現在", "稍後"], words: true }, texts: { A: ["現在"], B: ["稍後", "稍後吧"] } },
  { asked: { options: ["What is it?", "Why?"], words: true }, texts: { A: ["What is it?", "what is it"], B: ["why?", "Why?", "why"] } },
  // Where any text is an answer, only what can hardly be one keeps it open.
  {
    asked: open,
    texts: {
      later: ["later", "let me think", "give me a minute", "ask me again tomorrow", "나중에", "잠깐만요", "생각 좀 해볼게요", "後で", "考えさせてください", "稍後", "讓我想想"],
      question: ["what do you mean?", "What do you mean", "why do you ask?", "무슨 뜻이야?", "무슨 말이야?", "どういう意味ですか？", "什麼意思？", "什么意思"],
      words: ["Are you sure?", "later-branch", "wait-for-it", "release/later", "Deploy it later today, after the backup", "tomorrow", "9:00", "why not both?", "나중에 배포해줘", "後で実行してください", "?"],
    },
  },
];
