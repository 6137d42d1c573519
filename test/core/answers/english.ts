/** Answers in English, and those that are in no language: letters, digits, signs. */
import { type Group, labelled, open, plain, several, yesNo } from "./table.ts";

export const english: readonly Group[] = [
  {
    asked: labelled,
    texts: {
      A: [
        "A", "a", "A.", "a)", "(a)", "[A]", "A!", "  A  ", "a\n", "**A**", "`a`", "\"A\"", "'a'", "Ａ", "ａ", "（Ａ）", "Ⓐ", "A:", "A。", "A👍",
        "1", "1.", "1)", "(1)", "#1", "#A", "１", "①", "No. 1", "no.1", "number 1", "number one", "Nr. 1", "one", "first", "the first", "the first one", "1st", "1st one", "first option",
        "option A", "Option 1", "choice A", "answer A", "A please", "a, please", "A pls", "A thanks", "please A", "go with A", "Let's go with A", "lets do A", "do A", "choose A",
        "I choose A", "I'd go with A", "I’ll take A", "I pick A", "I want A", "I prefer A", "pick option A", "take the first one", "use A", "A it is", "A is fine", "A sounds good", "A then",
        "ok A", "OK, A", "yes A", "yes, A", "yes, option A please", "A, yes", "sure, A", "my answer is A", "it's A", "let's take 1", "I'd like A, please",
        "A) Execute now", "a) execute now", "Execute now", "execute now", "EXECUTE NOW!", "execute  now.", "execute", "now", "Execute now please", "let's execute now", "A - Execute now", "A: execute now", "1. Execute now",
      ],
      B: ["B", "b", "2", "２", "2nd", "second", "the second one", "two", "option b", "go with b please", "wait", "Wait until tomorrow", "wait until tomorrow.", "B) wait until tomorrow", "ⓑ", "②"],
      C: ["C", "3", "the third", "three", "last", "the last one", "last one please", "cancel", "cancel it", "C) Cancel it"],
      several: ["A or B", "a/b", "A and B", "A, B", "A & B", "1 2", "1 or 2", "either A or B", "A B", "A+C", "first or second", "both", "all", "all of them"],
      negated: ["A❌", "A 👎", "🚫 A", "~~A~~", "!A", "no 1", "No. A", "yes A no", "not A", "not a.", "no A", "don't A", "do not do A", "B, not A", "not A but B", "anything but A", "never A", "no, not A", "A isn't ok", "without A", "A no", "no, A", "not execute now", "don't cancel it", "neither", "none", "no way A", "except A", "A instead of B", "A rather than B"],
      unsure: ["don't know", "dunno", "I don't know", "idk", "not sure", "no idea", "maybe", "perhaps", "maybe A", "perhaps A", "probably A", "A I guess", "hmm", "hm", "whatever", "any", "either", "you decide", "up to you"],
      question: ["A?", "A?!", "1?", "what is A?", "why?", "what?", "execute now?", "which one?", "？", "I don't know, what would you suggest?", "What is the difference between A and B?"],
      which: ["yes", "no", "ok", "sure", "👍"],
      unknown: ["D", "4", "0", "-1", "foo", "abc", "x", "the fourth", "1.5", "11", "AA", "A1", "1A", "stop", "A) wait"],
      words: [
        "Deploy to staging first and let me look", "please do not do A, it would break the build", "I would rather have you write a test first",
        "wait for the review, then execute", "not A, because the tests are red", "either A or B would be fine with me", "https://example.com/runbook",
      ],
      nothing: ["", " ", "\n", "\u200b", "...", "!!", "—", "**", "\u0000"],
    },
  },
  {
    asked: plain,
    texts: {
      A: ["postgresql", "PostgreSQL.", "use postgresql", "Let's use PostgreSQL", "PostgreSQL please", "A", "1", "a. PostgreSQL", "postgres"],
      B: ["sqlite", "SQLite", "b", "2", "the second", "go for SQLite"],
      C: ["mysql", "mysql 8", "MySQL 8", "3", "c", "last"],
      several: ["PostgreSQL or SQLite", "sqlite, mysql 8", "A SQLite", "1 SQLite"],
      negated: ["not SQLite", "not sqlite!", "no postgresql", "anything but SQLite", "SQLite, not MySQL 8"],
      which: ["yes"],
      unknown: ["8", "SQL", "sqlite3", "Oracle"],
      question: ["sqlite?"],
      words: ["use DuckDB, it is embedded", "whichever needs no server"],
    },
  },
  {
    asked: yesNo,
    texts: {
      A: ["yes", "Yes", "YES!", "y", "yeah", "yep", "yup", "sure", "ok", "okay", "OK.", "go ahead", "do it", "yes please", "Yes, deploy", "please do", "👍", "✅", "of course", "lgtm", "deploy", "deploy please", "sounds good", "yes yes", "ok, do it", "ｙｅｓ"],
      B: ["no", "No", "NO!", "n", "nope", "nah", "no thanks", "no, leave it", "leave it", "No.", "👎", "❌", "please don't", "don't", "no no", "don't do it", "ｎｏ"],
      several: ["yes and no", "yes or no", "yes no"],
      negated: ["not yes", "not no", "don't deploy"],
      unsure: ["maybe", "not sure", "maybe yes"],
      question: ["yes?", "yes?!", "no?"],
      unknown: ["perchance", "deploy it all"],
      words: ["yes but not now", "yes, but only after the tests pass", "no, first show me the diff"],
    },
  },
  {
    asked: open,
    texts: {
      words: ["A", "yes", "no", "7", "x", "main", "?", "not sure", "8080", "네", "好", "maybe"],
      nothing: ["", "  ", "\u200b\u200b"],
    },
  },
  {
    asked: several,
    texts: {
      A: ["A", "lint", "only lint", "just A", "1"],
      AB: ["A, B", "a and b", "A & B", "1 2", "1,2", "lint and tests", "lint, tests", "A+B", "B, A", "A, A, B", "1 and tests", "the first and the second"],
      AC: ["A C", "lint and docs", "1/3"],
      ABC: ["all", "all of them", "A, B and C", "1, 2, 3", "everything", "lint, tests, and docs"],
      several: ["A or B", "either lint or docs", "both"],
      negated: ["not A", "all but B", "A, not B", "everything except docs", "none", "no docs"],
      unknown: ["A, D", "lint, foo", "4"],
    },
  },
];
