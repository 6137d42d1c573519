/**
 * Options whose own texts could be taken for a place: numbers, letters, dates, versions, units. A complete text wins;
 * a bare number or letter is a place only where it cannot be read as a text.
 */
import type { Group } from "../table.ts";

const words = true;

export const ownTexts: readonly Group[] = [
  {
    asked: { options: ["10", "20"], words },
    texts: {
      A: [
        "10",
        "10.",
        "１０",
        "10 please",
        "use 10",
        "10번",
        "10으로 해줘",
        "10으로",
        "10でお願いします",
        "10にして",
        "選10",
        "10吧",
        "A",
        "a번",
        "Aで",
        "選A",
        "first",
        "option 1",
        "1번",
        "첫 번째",
        "一番目",
        "第一個",
        "**10**",
      ],
      B: ["20", "20으로 할게요", "20で", "就20吧", "B", "second", "두 번째", "二番目", "第二個", "last", "go with 20"],
      unknown: ["1", "2", "0", "3", "30", "100", "C", "-10", "10.5", "一", "two"],
      several: ["10 or 20", "10이나 20", "10か20", "10或20"],
      negated: ["not 10", "10 말고", "10以外", "不要10"],
      question: ["10?", "10？", "10ですか？", "10嗎？"],
    },
  },
  {
    asked: { options: ["5", "10", "15"], words },
    texts: {
      A: ["5", "five", "5 please", "5로 해줘", "5で", "選5", "A"],
      B: ["10", "10으로", "10にします", "用10", "B", "the second", "2번", "2番目", "第2個", "#2", "option 2"],
      C: ["15", "last", "C", "3번"],
      unknown: ["1", "2", "3", "4", "50", "D", "4번"],
    },
  },
  {
    asked: { options: ["0", "1"], words },
    texts: {
      A: ["0", "０", "0으로 해줘", "0で", "選0", "A", "first"],
      B: ["1", "１", "1로 해줘", "1にして", "就1", "B", "second"],
      several: ["1번", "option 1", "#1", "1番", "0 or 1"],
      unknown: ["2", "3", "10", "01"],
    },
  },
  {
    asked: { options: ["3", "1", "2"], words },
    texts: {
      A: ["3", "3 please", "A"],
      B: ["1", "1로", "B"],
      C: ["2", "2で", "C"],
      several: ["1번", "option 2", "number 3", "3番"],
    },
  },
  {
    asked: { options: ["1", "2", "3"], words },
    texts: {
      A: ["1", "1번", "option 1", "one", "하나", "一", "1番"],
      B: ["2", "2번", "둘", "2で", "第2個"],
      C: ["3", "셋", "三", "3吧"],
      unknown: ["4", "0"],
    },
  },
  {
    asked: { options: ["-1", "0", "1"], words },
    texts: { A: ["-1", "A"], B: ["0", "B"], C: ["1", "C"], unknown: ["2", "3", "-2"] },
  },
  {
    asked: { options: ["B", "A"], words },
    texts: {
      A: ["B", "b", "B번", "B로 해줘", "Bで", "選B", "option B", "first", "1", "1번"],
      B: ["A", "a", "A.", "A please", "A로 해줘", "Aでお願いします", "選A", "second", "2"],
      unknown: ["C", "3"],
      several: ["A or B", "A나 B", "AかB", "A或B"],
    },
  },
  {
    asked: { options: ["S", "M", "L", "XL"], words },
    texts: {
      A: ["S", "s", "S로 해줘", "1"],
      B: ["M", "M please", "Mで"],
      C: ["L", "選L", "third"],
      D: ["XL", "xl", "last", "4"],
      unknown: ["A", "B", "C", "D", "XXL", "X"],
    },
  },
  {
    asked: { options: ["Y", "N"], words },
    texts: {
      A: ["Y", "y", "yes", "네", "はい", "是", "1"],
      B: ["N", "n", "no", "아니요", "いいえ", "不", "2"],
      unknown: ["A", "B", "3"],
    },
  },
  {
    asked: { options: ["C", "C++", "C#"], words },
    texts: {
      A: ["C", "c", "C please", "C로 해줘", "first"],
      B: ["C++", "c++", "C++로 해줘", "C++で", "選C++", "second", "2"],
      C: ["C#", "c#", "3"],
      unknown: ["A", "B", "D"],
    },
  },
  {
    asked: { options: ["1 replica", "3 replicas", "5 replicas"], words },
    texts: {
      A: ["1 replica", "1", "A", "1 replica please", "one replica", "the first"],
      B: ["3 replicas", "3 REPLICAS", "B", "3 replicas로 해줘", "second", "2번", "option 2"],
      C: ["5 replicas", "C", "last", "5 replicasで"],
      several: ["3", "３", "3번", "option 3", "three", "#3", "3番", "第3個", "replicas"],
      unknown: ["2", "4", "5", "6", "2 replicas", "D"],
    },
  },
  {
    asked: { options: ["레플리카 1개", "레플리카 3개", "레플리카 5개"], words },
    texts: {
      A: ["레플리카 1개", "1", "A번", "레플리카 1개로 해줘"],
      B: ["레플리카 3개", "레플리카 3개요", "두 번째", "B"],
      C: ["레플리카 5개", "마지막", "C"],
      several: ["3", "3번", "레플리카"],
      unknown: ["2", "5", "7"],
    },
  },
  {
    asked: { options: ["1개", "3개", "5개"], words },
    texts: {
      A: ["1개", "1", "1개로 해줘", "1개요", "첫 번째"],
      B: ["3개", "3개로 할게요", "B", "두번째"],
      C: ["5개", "5개 부탁해요", "C번"],
      several: ["3", "3번"],
      unknown: ["2", "2개", "5", "4개"],
    },
  },
  {
    asked: { options: ["1台", "3台", "5台"], words },
    texts: {
      A: ["1台", "1台でお願いします", "1", "最初の"],
      B: ["3台", "3台で", "3台にしてください", "二番目"],
      C: ["5台", "最後の", "C"],
      several: ["3", "3番"],
      unknown: ["2", "2台", "台"],
    },
  },
  {
    asked: { options: ["1個副本", "3個副本", "5個副本"], words },
    texts: {
      A: ["1個副本", "1", "選1個副本", "第一個"],
      B: ["3個副本", "3個副本吧", "第二個"],
      C: ["5個副本", "最後一個", "C"],
      several: ["3", "第3個", "副本"],
      unknown: ["2"],
      words: ["2個副本"],
    },
  },
  {
    asked: { options: ["10 minutes", "1 hour", "Never"], words },
    texts: {
      A: ["10 minutes", "10 minutes please", "minutes", "A", "10 minutes로"],
      B: ["1 hour", "1 HOUR.", "hour", "B", "second"],
      C: ["never", "Never", "C", "last"],
      several: ["1"],
      unknown: ["2", "3", "10"],
    },
  },
  {
    asked: { options: ["30분", "1시간", "2시간"], words },
    texts: {
      A: ["30분", "30분으로 해줘", "A"],
      B: ["1시간", "1시간으로", "B", "두 번째"],
      C: ["2시간", "2시간으로 부탁해", "C"],
      several: ["1", "2", "시간"],
      unknown: ["3", "30"],
    },
  },
  {
    asked: { options: ["512 MB", "1 GB", "2 GB"], words },
    texts: {
      A: ["512 MB", "512 mb", "A"],
      B: ["1 GB", "1 gb please", "B"],
      C: ["2 GB", "2 GBで", "C"],
      several: ["1", "2", "GB"],
      unknown: ["3", "512", "4 GB"],
    },
  },
  {
    asked: { options: ["$5", "$10", "$20"], words },
    texts: { A: ["$5", "A"], B: ["$10", "$10 please", "B"], C: ["$20", "last"], unknown: ["1", "2", "3", "$1"] },
  },
  {
    asked: { options: ["10%", "50%", "100%"], words },
    texts: {
      A: ["10%", "１０％", "10%로 해줘", "A"],
      B: ["50%", "50%で", "選50%"],
      C: ["100%", "C"],
      unknown: ["1", "2", "3", "5%"],
    },
  },
  {
    asked: { options: ["2026-01-05", "2026-02-09", "2026-03-10"], words },
    texts: {
      A: ["2026-01-05", "2026-01-05로 해줘", "A"],
      B: ["2026-02-09", "2026-02-09で", "2026-02-09 please", "second"],
      C: ["2026-03-10", "選2026-03-10", "last"],
      unknown: ["2026", "5", "4", "2026-01", "10"],
    },
  },
  {
    asked: { options: ["1월 3일", "2월 1일", "3월 2일"], words },
    texts: {
      A: ["1월 3일", "1월 3일로 해줘", "첫 번째", "A"],
      B: ["2월 1일", "2월 1일이요", "B"],
      C: ["3월 2일", "마지막"],
      several: ["1", "2", "3"],
      unknown: ["1월", "4"],
    },
  },
  {
    asked: { options: ["1月3日", "2月1日", "3月2日"], words },
    texts: {
      A: ["1月3日", "1月3日でお願いします", "選1月3日", "A"],
      B: ["2月1日", "2月1日で", "就2月1日吧"],
      C: ["3月2日", "最後の", "最後一個"],
      several: ["1", "2", "3"],
      unknown: ["1月", "4"],
    },
  },
  {
    asked: { options: ["09:00", "10:30", "18:00"], words },
    texts: {
      A: ["09:00", "09:00으로 해줘", "A"],
      B: ["10:30", "10:30で", "B"],
      C: ["18:00", "選18:00", "C"],
      unknown: ["1", "2", "3", "9", "10", "30", "18"],
    },
  },
  {
    asked: { options: ["1.5", "2.0", "3.0"], words },
    texts: {
      A: ["1.5", "v1.5", "1.5로 해줘", "A"],
      B: ["2.0", "2.0で", "2.0 please", "v2.0", "B"],
      C: ["3.0", "選3.0", "last"],
      unknown: ["5", "0", "4", "1.0", "1.50"],
    },
  },
  {
    asked: { options: ["v1.2.3", "v2.0.0", "v2.1.0"], words },
    texts: {
      A: ["v1.2.3", "1.2.3", "V1.2.3", "A"],
      B: ["v2.0.0", "2.0.0", "2.0.0で", "v2.0.0로 해줘"],
      C: ["v2.1.0", "選v2.1.0", "last"],
      several: ["2", "1", "v2"],
      unknown: ["2.0", "v3.0.0", "4"],
    },
  },
  {
    asked: { options: ["Python 2", "Python 3"], words },
    texts: {
      A: ["Python 2", "python 2로 해줘", "A", "1", "first"],
      B: ["Python 3", "Python 3で", "B", "second"],
      several: ["2", "2번", "option 2", "python"],
      unknown: ["3", "4"],
    },
  },
  {
    asked: { options: ["Phase 0", "Phase 1", "Phase 2"], words },
    texts: {
      A: ["Phase 0", "A", "first"],
      B: ["phase 1", "B", "second"],
      C: ["Phase 2", "last"],
      several: ["1", "2", "phase"],
      unknown: ["0"],
    },
  },
  {
    asked: { options: ["Node 20", "Node 22", "Node 24"], words },
    texts: {
      A: ["Node 20", "1", "1번", "A"],
      B: ["Node 22", "2", "B"],
      C: ["node 24", "3", "C", "Node 24で"],
      unknown: ["20", "22", "24", "4"],
    },
  },
  {
    asked: { options: ["Plan B", "Plan A"], words },
    texts: {
      A: ["Plan B", "plan b", "1", "first"],
      B: ["Plan A", "plan a please", "2", "second"],
      several: ["A", "B", "A로 해줘", "Aで", "選A"],
    },
  },
  {
    asked: { options: ["plan b", "plan a"], words },
    texts: { A: ["plan b", "1", "first"], B: ["plan a", "second"], several: ["A", "a", "b", "A로 해줘", "Aで", "選A"] },
  },
  {
    asked: { options: ["Delete all of them", "Keep 1 backup", "Keep 3 backups"], words },
    texts: {
      A: ["delete all of them", "A", "first"],
      B: ["2", "keep 1 backup"],
      C: ["C", "keep 3 backups"],
      several: ["1", "1번", "option 1"],
    },
  },
  {
    asked: { options: ["1 second", "10 minutes", "the last time that worked", "never"], words },
    texts: {
      A: ["1 second", "A", "first"],
      B: ["10 minutes", "B"],
      D: ["never", "D"],
      several: ["second", "last", "the second", "last one"],
    },
  },
  {
    asked: { options: ["don't", "do it for T only"], words },
    texts: { A: ["A", "don't", "1"], B: ["B", "2"] },
  },
  {
    asked: { options: ["Keep it", "Open a PR", "A fresh start"], words },
    texts: {
      A: ["A", "Keep it", "1"],
      B: ["B", "open a pr", "PR", "2"],
      C: ["C", "a fresh start", "3"],
      unknown: ["D"],
    },
  },
  {
    asked: { options: ["two", "one"], words },
    texts: { A: ["two", "TWO"], B: ["one", "One please"], several: ["1", "2", "둘"] },
  },
  {
    asked: { options: ["하나", "둘", "셋"], words },
    texts: {
      A: ["하나", "하나로 해줘", "1"],
      B: ["둘", "둘로 해줘", "2"],
      C: ["셋", "3", "세 번째"],
      unknown: ["넷", "4"],
    },
  },
  {
    asked: { options: ["main", "1.x", "2.x"], words },
    texts: {
      A: ["main", "A"],
      B: ["1.x", "1.xで", "B"],
      C: ["2.x", "2.x로 해줘", "C"],
      several: ["1", "2"],
      unknown: ["3", "x"],
    },
  },
  {
    asked: { options: ["8080", "9090", "3000"], words },
    texts: {
      A: ["8080", "8080번", "8080번으로 해줘", "8080でお願いします"],
      B: ["9090", "選9090"],
      C: ["3000", "3000번", "last"],
      unknown: ["1", "2", "3", "80", "808"],
    },
  },
  {
    asked: { options: ["1", "2", "3"], many: true, words },
    texts: {
      A: ["1"],
      AB: ["1, 2", "1 and 2", "1과 2", "1と2", "1和2"],
      ABC: ["all", "전부", "全部", "1, 2, 3"],
      unknown: ["1, 4"],
    },
  },
  {
    asked: { options: ["10", "20", "30"], many: true, words },
    texts: {
      AC: ["10, 30", "10 and 30", "10이랑 30", "10と30", "10和30", "A, C"],
      B: ["20"],
      unknown: ["1, 3", "1 2"],
    },
  },
  {
    asked: { options: ["Yes", "yes", "YES!"], words },
    texts: { A: ["Yes"], B: ["yes", " yes "], C: ["YES!"], several: ["YES", "yEs"] },
  },
];
