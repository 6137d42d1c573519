/** Options with pictures in them, and options that are nothing but pictures. */
import type { Group } from "../table.ts";

const words = true;

export const emoji: readonly Group[] = [
  {
    asked: { options: ["🚀 Ship it", "🛑 Stop"], words },
    texts: {
      A: [
        "ship it",
        "Ship it!",
        "🚀 Ship it",
        "🚀Ship it",
        "🚀",
        "ship it 🚀",
        "ship it please",
        "let's ship it",
        "ship",
        "ship it로 해줘",
        "ship itで",
        "A",
        "1",
      ],
      which: ["yes", "no", "네", "아니요", "はい", "好"],
      B: ["stop", "🛑", "🛑 Stop", "stop!", "stop 🛑", "B"],
      negated: ["don't ship it", "not ship it", "🚀❌", "🚀 ship it 👎"],
      question: ["ship it?", "🚀?"],
      unknown: ["🎉"],
    },
  },
  {
    asked: { options: ["🚀 지금 배포", "⏸️ 보류"], words },
    texts: {
      A: ["지금 배포", "지금 배포해줘", "🚀", "지금배포"],
      B: ["보류", "보류해주세요", "⏸️", "⏸"],
      which: ["네", "아니요"],
    },
  },
  {
    asked: { options: ["🚀 今すぐ実行", "⏸️ 保留"], words },
    texts: {
      A: ["今すぐ実行", "今すぐ実行してください", "🚀"],
      B: ["保留", "保留で", "⏸️"],
      which: ["はい", "いいえ"],
    },
  },
  {
    asked: { options: ["🚀 馬上部署", "⏸️ 暫停"], words },
    texts: { A: ["馬上部署", "馬上部署吧", "🚀"], B: ["暫停", "暫停吧", "⏸️"], which: ["好", "不要"] },
  },
  {
    asked: { options: ["✅ Deploy", "❌ Cancel"], words },
    texts: {
      A: ["✅", "deploy", "✅ Deploy"],
      B: ["❌", "cancel", "❌ Cancel"],
      which: ["yes", "👍", "네", "no", "👎", "아니요"],
      several: ["deploy ❌"],
    },
  },
  {
    asked: { options: ["👍", "👎"], words },
    texts: { A: ["👍", "👍🏽", "yes", "A", "네"], B: ["👎", "👎🏿", "no", "B", "아니요"] },
  },
  {
    asked: { options: ["🔴", "🟡", "🟢"], words },
    texts: { A: ["🔴", "A", "1"], B: ["🟡", "second"], C: ["🟢", "last"], unknown: ["🔵"] },
  },
  {
    asked: { options: ["Deploy 🚀", "Deploy 🐢"], words },
    texts: { A: ["deploy 🚀", "🚀", "A"], B: ["Deploy 🐢", "🐢", "B"], several: ["deploy", "deploy please"] },
  },
  {
    asked: { options: ["👨‍👩‍👧 Family", "👨 Single"], words },
    texts: { A: ["👨‍👩‍👧", "family", "👨‍👩‍👧 Family"], B: ["👨", "single", "👨 Single"] },
  },
  {
    asked: { options: ["A) 🚀 Ship it", "B) 🐢 Wait for CI"], words },
    texts: {
      A: ["ship it", "A", "🚀", "🚀 ship it", "A) 🚀 Ship it", "하나", "옵션 A"],
      B: ["wait for ci", "B", "🐢", "옵션 B로 해줘"],
      which: ["yes", "no"],
    },
  },
];
