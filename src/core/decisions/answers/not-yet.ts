/**
 * Texts that are not an answer yet: requests for more time, and counter-questions. Both keep a question open. In four
 * languages, after case, width and punctuation are normalized.
 */
import { stripped, trimmed } from "./normalize.ts";

/** Longer texts are more than that. */
const CHARS = 120;

const phrases = (text: string): Set<string> => new Set(text.normalize("NFKC").split("|"));

/** They almost certainly ask for more time. */
const wishes = phrases(
  "later|let me think|let me think about it|let me think about this|let me think about that|let me sleep on it|let me check|let me check first|let me look|let me look first|let me see|i need to think|i need to think about it|i have to think about it|i'll think about it|i'll get back to you|i will get back to you|i'll decide later|i'll answer later|i'll answer tomorrow|i'll look later|i'll look at it later|i'm busy|i'm busy right now|i'm busy now|hang on|hold on|brb|be right back|snooze|" +
    "나중에|나중에요|나중에 할게|나중에 할게요|나중에 답할게|나중에 답할게요|나중에 결정할게|나중에 결정할게요|나중에 볼게|나중에 볼게요|이따가|이따가요|이따가 할게|이따가 할게요|좀 이따|좀 이따가|조금 이따가|잠깐|잠깐만|잠깐만요|잠시만|잠시만요|잠깐만 기다려|잠깐만 기다려줘|잠시만 기다려줘|잠시만 기다려 주세요|잠시만 기다려주세요|지금 바빠|지금 바빠요|바빠|바빠요|" +
    "後で|あとで|また後で|またあとで|後にして|後にしてください|後ほど|ちょっと待って|ちょっと待ってください|少し待って|少し待ってください|少々お待ちください|お待ちください|今忙しい|今は忙しい|忙しい|まだ決められない|" +
    "稍後|稍后|晚點|晚点|晚點再說|晚点再说|等一下|等一等|等一會|等一会|等一會兒|等一会儿|等會|等会|待會|待会|待會兒|待会儿|先等等|先等一下|稍等|稍等一下|我在忙|在忙|現在忙|现在忙|以後再說|以后再说|回頭再說|回头再说|還沒想好|还没想好|明天再說|明天再说",
);
/** If there are options they ask for more time; if any text is an answer they may be the answer. */
const whens = phrases(
  "not now|not yet|wait|wait please|busy|tomorrow|tonight|this evening|in a minute|in a bit|in an hour|in a moment|after lunch|soon|" +
    "내일|오늘 저녁에|아직|아직이요|아직 아니|기다려|기다려요|기다려줘|기다려 줘|기다려주세요|기다려 주세요|지금은 말고|조금 있다가|좀 있다가|" +
    "明日|今夜|まだ|待って|待ってください|保留|" +
    "明天|今晚|等等|還沒|还没|現在不行|现在不行|保留",
);
const wishing: readonly RegExp[] = [
  /^(?:please )?(?:ask|remind|ping|call|tell) me (?:again )?(?:later|tomorrow|tonight|soon|(?:in|at|after|on) [^,.;]{1,24})$/,
  /^(?:please )?(?:give me|i need|i'd need|i want|need) (?:(?:some|a|an|one|a few|a bit more|a little|a little more|more|another|\d{1,3}|two|three|five|ten) )?(?:time|moment|while|bit|sec|seconds?|minutes?|min|hours?|days?)(?: more)?(?: to (?:think|decide|look|check)(?: about it)?)?$/,
  /^(?:just |only )?(?:a|one|wait a|wait one|hold on a|hang on a) (?:moment|minute|min|second|sec|bit)$/,
  /^(?:in|give me) \d{1,3} (?:min|minutes?|hours?|h|days?)$/,
  /^(?:아직|더|좀 더|조금 더)? ?(?:생각|고민|검토)(?:을|은)? ?(?:(?:좀|더|조금|한번|한 번) ?)*(?:해 ?볼게요?|해 ?보겠습니다|할게요?|중이에요|중이야|중입니다|해봐야겠어요?|해 봐야겠어요?)$/,
  /^(?:생각할|고민할|검토할)? ?시간(?:을|이)? ?(?:(?:좀|더|조금) ?)*(?:줘요?|주세요|필요해요?|필요합니다|달라)$/,
  /^아직 (?:잘 )?(?:모르겠어요?|모르겠습니다|못 정했어요?|결정 못 했어요?)$/,
  /^(?:나중에|이따가?|내일|조금 있다가?|좀 있다가?|\d{1,3} ?(?:분|시간) (?:뒤|후)에) ?(?:다시 )?(?:물어 ?봐|알려|말해|얘기해|이야기해|질문해) ?(?:줘요?|주세요|줄래요?)?$/,
  /^(?:少し|もう少し|ちょっと)?(?:考え(?:させて(?:ください)?|ます|てみます|たい(?:です)?|る時間をください|中です?)|検討(?:します|させて(?:ください)?|中です?)|時間(?:を|が)?(?:ください|欲しい(?:です)?|ほしい(?:です)?|必要です))$/,
  /^(?:後で|あとで|明日|また|また後で|\d{1,3}(?:分|時間)後に)(?:もう一度|また)?(?:聞いて|教えて|言って|連絡して|声をかけて)(?:ください)?$/,
  /^(?:讓我|让我|我)?(?:再|先)?(?:想想|想一想|想一下|考慮一下|考虑一下|考慮考慮|考虑考虑|看看)(?:再說|再说|吧)?$/,
  /^(?:給|给)我(?:一點|一点|一些|點|点|些)?(?:時間|时间)$|^(?:我)?需要(?:一點|一点|一些|更多)?(?:時間|时间)$/,
  /^(?:晚點|晚点|稍後|稍后|明天|待會|待会|等一下|之後|之后|以後|以后|晚一點|晚一点)(?:再)?(?:問|问|提醒|叫|通知)我(?:一次|吧)?$|^(?:晚點|晚点|稍後|稍后|待會|待会|等一下|之後|之后|以後|以后)再?(?:決定|决定|回答|回覆|回复|看)(?:吧)?$/,
];

const hedges = /^(?:(?:ok|okay|hmm+|hm|um+|uh|well|yes|no|sorry|음+|네|예|미안|うーん|はい|すみません|嗯|好|好的|抱歉)[, .…]+)+/;
const manners = /(?<![, ])[, ]+(?:please|pls|thanks|thank you|then)$/;

/** @param asked whether there are options to choose from */
export function wishesForTime(bare: string, asked: boolean): boolean {
  if (bare.length > CHARS) return false;
  const wish = trimmed(bare.replace(manners, ""));
  return [bare, wish, trimmed(wish.replace(hedges, ""))].some((text) => wishes.has(text) || (asked && whens.has(text)) || wishing.some((pattern) => pattern.test(text)));
}

/** They are almost certainly not an answer. */
const plainQuestions = phrases(
  "what do you mean|what does that mean|what does this mean|what does it mean|why do you ask|why are you asking|i don't understand|i don't understand the question|" +
    "무슨 뜻이야|무슨 뜻이에요|무슨 뜻인가요|무슨 말이야|무슨 말이에요|무슨 소리야|왜 물어봐|이해가 안 돼|이해가 안 돼요|" +
    "どういう意味|どういう意味ですか|どういうこと|どういうことですか|なぜ聞くのですか|意味がわからない|意味がわかりません|" +
    "什麼意思|什么意思|這是什麼意思|这是什么意思|為什麼問|为什么问|看不懂|不懂",
);
const asking: readonly RegExp[] = [
  /^(?:what(?:'s| is| are| does| do| did| would| will| happens| if| about)|which (?:one |of them )?(?:is|are|do|does|would|should)|why (?:do|does|did|would|should|is|are|not)|how (?:does|do|is|are|much|many|long|would|will|can)|who (?:is|will|does))(?![a-z])/,
  /(?:뭐야|뭐예요|뭐에요|뭔가요|무엇인가요|무슨 뜻(?:이야|이에요|인가요|입니까)|인가요|나요|습니까|까요|은가요|는지요|차이는|어때요?|어떻게 돼요?|얼마나 걸려요?)$/,
  /(?:ですか|ますか|ましたか|でしょうか|って何|とは何|は何|の違いは|とは)$/,
  /(?:嗎|吗|呢|什麼|什么|什麼意思|什么意思|差別|差别|區別|区别|多久|多少|哪個|哪个|如何)$/,
];
/** They ask for something to be done, in the form of a question. */
const requests: readonly RegExp[] = [
  /^(?:ok,? |please )?(?:can|could|would|will) you (?:please |first |also )?(?!explain|tell|say|describe|clarify|elaborate|remind|show|give me)[a-z]/,
  /(?<!설명해 ?|알려 ?|말해 ?|얘기해 ?|가르쳐 ?)(?:줄래|줄래요|주실래요|주시겠어요|주시겠습니까|줄 수 있어|줄 수 있어요|주실 수 있나요)$/,
  /(?<!説明して|教えて|言って)(?:くれますか|くれませんか|もらえますか|もらえませんか|いただけますか|いただけませんか|くれる|もらえる)$/,
  /^(?:可以|能不能|可不可以|能|能否|麻煩|麻烦|請|请)(?:你)?(?:先|幫|帮|再)(?!.*(?:說明|说明|解釋|解释|告訴|告诉)).+$/,
];

/** @param even with its punctuation; @param asked whether there are options to choose from */
export function asksBack(even: string, asked: boolean, marked: boolean): boolean {
  const bare = stripped(even);
  if (plainQuestions.has(bare)) return true;
  if (!asked) return false;
  if (requests.some((pattern) => pattern.test(bare))) return false;
  return marked || (bare.length <= CHARS && asking.some((pattern) => pattern.test(bare)));
}
