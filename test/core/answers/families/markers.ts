/** How options are marked in different scripts, and how a marked or an unmarked one is called. */
import type { Group } from "../table.ts";

const words = true;

export const markers: readonly Group[] = [
  {
    asked: { options: ["가) 지금 배포", "나) 내일 배포", "다) 취소"], words },
    texts: {
      A: [
        "가",
        "가)",
        "(가)",
        "가.",
        "가번",
        "가안",
        "가안으로 해줘",
        "가로 해줘",
        "가 선택",
        "옵션 가",
        "지금 배포",
        "가) 지금 배포",
        "A",
        "1번",
        "첫 번째",
        "하나",
      ],
      B: ["나", "나)", "나번", "나로 해줘", "나로 부탁드려요", "내일 배포", "2", "B", "둘"],
      C: ["다", "다)", "다번으로", "취소", "마지막", "3번"],
      unknown: ["라", "라)", "4번"],
      several: ["배포"],
      negated: ["가 말고", "나 말고 다"],
    },
  },
  {
    asked: { options: ["지금 배포", "내일 배포", "취소"], words },
    texts: {
      A: [
        "가)",
        "(가)",
        "가.",
        "가번",
        "가안",
        "옵션 A",
        "옵션A",
        "옵션 1",
        "A옵션",
        "1번 옵션",
        "선택지 A",
        "하나",
        "하나로 해줘",
        "1번째 옵션",
      ],
      B: [
        "나)",
        "나번",
        "나안으로 해줘",
        "옵션 B",
        "옵션B",
        "옵션 B로 해줘",
        "옵션 B요",
        "옵션 2",
        "B 옵션으로",
        "선택지 2",
        "둘",
        "둘째",
      ],
      C: ["다)", "옵션 C", "옵션 3으로 할게요", "셋", "셋째"],
      unknown: ["라)", "옵션 D", "옵션 4", "옵션", "넷", "나", "가"],
    },
  },
  {
    asked: { options: ["A) Deploy", "B) Wait", "C) Cancel"], words },
    texts: {
      A: [
        "하나",
        "옵션 A",
        "オプションA",
        "選択肢A",
        "選項A",
        "选项A",
        "プランA",
        "Option A",
        "option (A)",
        "A옵션",
        "ひとつ目",
        "一つ目",
      ],
      B: ["옵션 B", "옵션 B로", "オプションBで", "選択肢B", "選項B", "둘", "方案B"],
      C: ["셋", "옵션 C로 해주세요", "選択肢3"],
    },
  },
  {
    asked: { options: ["ア) 今すぐ", "イ) 明日", "ウ) 中止"], words },
    texts: {
      A: ["ア", "ア)", "（ア）", "アで", "アでお願いします", "今すぐ", "A", "1"],
      B: ["イ", "イ）", "イにします", "2番", "明日"],
      C: ["ウ", "ウでお願いします", "最後の", "中止"],
      unknown: ["エ", "4"],
    },
  },
  {
    asked: { options: ["甲：現在部署", "乙：明天部署", "丙：取消"], words },
    texts: {
      A: ["甲", "選甲", "甲吧", "甲案", "現在部署", "1"],
      B: ["乙", "選乙", "就乙吧", "第二個"],
      C: ["丙", "丙。", "取消"],
      unknown: ["丁"],
    },
  },
  {
    asked: { options: ["一、現在部署", "二、明天部署", "三、取消"], words },
    texts: {
      A: ["一", "第一個", "1", "現在部署"],
      B: ["二", "選二", "2號"],
      C: ["三", "取消", "最後一個"],
      unknown: ["四", "4"],
    },
  },
  {
    asked: { options: ["① Deploy", "② Wait", "③ Cancel"], words },
    texts: {
      A: ["①", "1", "1번", "1番", "deploy", "① deploy", "A", "1️⃣"],
      B: ["②", "2", "wait", "2️⃣", "第2個"],
      C: ["③", "3", "cancel"],
      unknown: ["④", "4"],
    },
  },
  {
    asked: { options: ["1️⃣ Deploy", "2️⃣ Wait"], words },
    texts: { A: ["1️⃣", "1", "①", "deploy", "1️⃣ Deploy"], B: ["2️⃣", "2", "wait", "2번"] },
  },
  {
    asked: { options: ["🅰️ Deploy", "🅱️ Wait"], words },
    texts: { A: ["🅰️", "A", "deploy", "1"], B: ["🅱️", "B", "wait", "B로 해줘"] },
  },
  {
    asked: { options: ["Deploy", "Wait"], words },
    texts: { A: ["1️⃣", "①", "🅰️", "Ⓐ", "ⓐ"], B: ["2️⃣", "②", "🅱️", "ⓑ"], unknown: ["3️⃣"] },
  },
  {
    asked: { options: ["i) Deploy", "ii) Wait", "iii) Cancel"], words },
    texts: {
      A: ["i", "i)", "I", "(i)", "1", "deploy"],
      B: ["ii", "ii)", "Ⅱ", "2", "wait"],
      C: ["iii", "III", "3"],
      unknown: ["iv", "4"],
    },
  },
  {
    asked: { options: ["0) None", "1) One node", "2) Two nodes"], words },
    texts: {
      A: ["0", "0)", "none", "A", "first"],
      B: ["1", "1)", "one node", "B"],
      C: ["2", "two nodes", "last"],
      unknown: ["3", "D"],
    },
  },
  {
    asked: { options: ["2) Wait", "1) Deploy"], words },
    texts: { A: ["2", "2)", "wait", "first", "A"], B: ["1", "1)", "deploy", "second", "B"] },
  },
  {
    asked: { options: ["B) Wait", "A) Deploy"], words },
    texts: { A: ["B", "b)", "wait", "1"], B: ["A", "a)", "deploy", "2"], unknown: ["C"] },
  },
  {
    asked: { options: ["A) B", "B) A"], words },
    texts: { A: ["A) B", "first", "1"], B: ["B) A", "second", "2"], several: ["A", "B"] },
  },
  {
    asked: { options: ["1) 5", "2) 1", "3) 2"], words },
    texts: { A: ["1) 5", "5", "A"], B: ["2) 1", "B"], C: ["3) 2", "3", "C"], several: ["1", "2"] },
  },
  {
    asked: { options: ["1. 5 GB", "2. 10 GB"], words },
    texts: { A: ["1", "5 GB", "1. 5 GB", "A"], B: ["2", "10 GB", "B", "10 gbで"], unknown: ["5", "10", "3"] },
  },
  {
    asked: { options: ["A안", "B안"], words },
    texts: { A: ["A안", "A", "A안으로 해줘", "1번"], B: ["B안", "B", "B안이요"] },
  },
  {
    asked: { options: ["B案", "A案"], words },
    texts: { A: ["B案", "B案で", "1"], B: ["A案", "A案でお願いします", "2"], several: ["A", "B"] },
  },
  {
    asked: { options: ["[A] Deploy", "[B] Wait"], words },
    texts: { A: ["A", "[A]", "deploy", "[A] Deploy", "1"], B: ["B", "wait"], unknown: ["C"] },
  },
];
