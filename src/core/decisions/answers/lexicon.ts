/**
 * The words of typed answers, in English, Korean, Japanese and Chinese, after case, width and punctuation are
 * normalized. Words that can be removed around an option without changing its meaning are separate from everything that
 * negates, doubts or asks back; nothing of the second kind may ever be in the first. At the end are the texts that are
 * no answer yet and keep a question open: requests for more time, and counter-questions.
 */

const spaced = (text: string): string[] => text.normalize("NFKC").split("|");

/** Say yes, and not to what. An option that begins with one is the yes of its question. */
export const mereYes = spaced(
  "yes|y|yeah|yep|yup|sure|ok|okay|of course|" +
    "네|예|예스|응|넵|네네|예예|ㅇㅇ|그래|그래요|좋아|좋아요|좋습니다|오케이|ㅇㅋ|그럼요|물론|물론이죠|물론이지|맞아|맞아요|" +
    "はい|ハイ|イエス|うん|ええ|お願いします|オーケー|いいよ|いいですよ|了解|了解です|もちろん|" +
    "是|是的|對|对|好|好的|好啊|好吧|可以|可以的|行|嗯|沒問題|没问题|當然|当然",
);
/** The same for a no. */
export const mereNo = spaced(
  "no|n|nope|nah|no thanks|no thank you|" +
    "아니요|아니오|아니|아뇨|ㄴㄴ|노|싫어|싫어요|안돼|안돼요|안 돼|안 돼요|안됩니다|안 됩니다|" +
    "いいえ|いや|ううん|だめ|ダメ|だめです|ダメです|ノー|" +
    "不|不是|不要|不行|不可以|不用|不用了|不了|否|別|别|不好|先不要",
);
/** Ask that something be done or left. They are a yes or a no only to a question whose options are yes and no. */
const yesRequests = spaced(
  "해줘|해주세요|해 줘|해 주세요|그렇게 해줘|그렇게 해주세요|진행해줘|진행해 줘|진행해주세요|진행해 주세요|진행하자|진행합시다|そうして|そうしてください|進めて|進めてください|請繼續|请继续|做吧",
);
const noRequests = spaced(
  "하지마|하지 마|하지마세요|하지 마세요|やめて|やめてください|やめる|しないで|しないでください",
);

/** The others also say what they agree to or refuse, so an option may be called by them. */
export const yesWords = [
  ...mereYes,
  ...yesRequests,
  ...spaced(
    "go ahead|do it|please do|lgtm|sounds good|looks good|approve|approved|approve it|allow|allow it|accept|accepted|" +
      "진행|진행해|동의|동의합니다|허용|한 번만 허용|승인|許可|許可します|承認|承認します|同意|繼續|继续|允許|允许|批准|准許|准许|核准",
  ),
];
export const noWords = [
  ...mereNo,
  ...noRequests,
  ...spaced(
    "don't|dont|do not|don't do it|do not do it|please don't|please do not|deny|denied|deny it|reject|rejected|reject it|refuse|" +
      "안해|안 해|안해요|안 해요|거부|거절|반려|拒否|拒否します|却下|却下します|不同意|不允許|不允许|不批准|拒絕|拒绝|駁回|驳回",
  ),
];
export const pleas = new Set([...yesRequests, ...noRequests]);

/** Agree, disagree or only say that one has read it: neither is an answer where there is something to choose from. */
export const nods = spaced(
  "yea|aye|absolutely|definitely|certainly|exactly|right|correct|agreed|fine|alright|all right|great|perfect|got it|understood|roger|not really|nay|" +
    "그렇습니다|그렇죠|그렇지|맞습니다|알겠습니다|알겠어요|알았어|알았어요|괜찮아|괜찮아요|괜찮습니다|넹|옙|당연하지|당연하죠|확인|확인했습니다|아닙니다|아니에요|아니예요|아니야|아니죠|" +
    "そうです|そうですね|わかりました|分かりました|わかった|承知しました|かしこまりました|大丈夫|大丈夫です|いいです|結構です|違います|ちがいます|" +
    "沒錯|没错|正確|正确|知道了|明白|明白了|收到|好喔|好啦|不對|不对|不會|不会|不需要|沒有|没有|沒關係|没关系|是啊|是呀|是喔|對啊|对啊|對呀|对呀",
);

/** Negates what follows, so combined with anything but a plain no it is not an answer. */
export const forbids = /^(?:please )?(?:don't|dont|do not)|^하지|^안 ?해|^しないで|^やめ|^(?:先不要|不要|不用|別|别)/;
/** A yes, a no or a nod as such: no option is called by it, even if it stands in its text. */
export const saysNothing = new Set([
  ...mereYes,
  ...mereNo,
  ...nods,
  ...pleas,
  ...noWords.filter((word) => forbids.test(word)),
]);
/** A plain no, which says nothing of the words beside it. */
export const plainNo = new Set(
  spaced("no|n|nope|nah|no thanks|아니요|아니오|아니|아뇨|ㄴㄴ|노|いいえ|いや|ううん|ノー|不|不是|否"),
);
/** A no that is an answer of its own: what follows it is another. */
export const noAndThen =
  /^(?:(?:no|nope|nah|아니|いいえ|いや|不|不是|否)[,.;:!]|(?:아니요|아니오|아뇨|いいえ)[,.;:! ])/;
/** Attached to another word, it changes only the tone. */
export const manner = /^해 ?[줘주]/;

/** Stand for what the question is about. */
export const pronouns = new Set(
  spaced("it|them|that|this|these|those|the|それ|これ|그거|그것|이거|이것|它|這個|这个|那個|那个"),
);
/** Stand in any text, so no option is called by them alone. */
export const littleWords = new Set(
  spaced(
    "do|does|to|of|at|by|for|with|and|or|is|be|are|am|my|me|you|your|we|us|our|if|as|so|then|합니다|해요|하기|する|して|した|します|しない|です|ます|こと|もの|から|まで|ください|だけ|ある|いる",
  ),
);
export const particles = new Set(spaced("を|は|が|の|に|で|も|と|へ|的|了|把"));
export const endings = /(?<=[가-힣]{2})(?:에서|으로|[은는이가을를도만로])$/;
/** Takes back what stands beside it. */
export const takingBack = new RegExp(
  "(?<![a-z])(?:not|no|never|without|except|(?:don't|dont|cancel|abort|stop|skip|undo|revert|avoid|prevent|block|ignore|refuse|reject|deny|decline|disable|drop|exclude|remove|delete|destroy|wipe|erase|purge|discard)(?:s|d|ed|l?ing|p?ing)?)(?![a-z])|" +
    "(?<![가-힣])안 |않|말고|말기|금지|제외|취소|중단|중지|건너|삭제|제거|지우|지움|폐기|없이|없음|거부|거절|ない|ません|ずに|なし|除外|中断|取り消|キャンセル|スキップ|削除|消去|破棄|やめ|[不別别沒没無无非免刪删拒]|禁止|取消|中止|停止|跳過|跳过|放棄|放弃|移除|清除|排除",
  "g",
);

/** Signs that are complete answers. */
export const yesSigns = spaced("👍|✅|👌|🆗|⭕|☑|✔");
export const noSigns = spaced("👎|❌|🚫|✖|🙅");

export const unsureWords = new Set(
  spaced(
    "don't know|dont know|i don't know|i dont know|i do not know|dunno|idk|not sure|i'm not sure|no idea|maybe|perhaps|possibly|hm|hmm|hmmm|whatever|any|anything|either|you decide|you choose|up to you|doesn't matter|" +
      "모르겠어|모르겠어요|모르겠습니다|잘 모르겠어|잘 모르겠어요|잘 모르겠습니다|몰라|몰라요|글쎄|글쎄요|아마|아마도|아무거나|아무거나요|상관없어|상관없어요|상관 없어|상관 없어요|알아서|알아서 해|알아서 해줘|알아서 해주세요|" +
      "わからない|わかりません|分からない|分かりません|たぶん|多分|どちらでも|どちらでもいい|どちらでもいいです|どっちでもいい|どれでも|どれでもいい|どれでもいいです|なんでもいい|何でもいい|任せます|お任せします|任せる|うーん|" +
      "不知道|我不知道|不確定|不确定|不清楚|我不清楚|隨便|随便|都可以|都行|你決定|你决定|看你|可能|也許|也许|大概",
  ),
);

export const questionWords = new Set(
  spaced(
    "why|why not|what|which|which one|how|how come|huh|왜|왜요|뭐|뭐야|뭐요|어느 거|어느 것|어떤 거|なぜ|なんで|どうして|何|なに|どれ|どっち|どちら|いいですか|為什麼|为什么|什麼|什么|哪個|哪个|哪一個|哪一个|是不是|是否|好不好|可不可以|行不行|要不要",
  ),
);

/** All options, and both of two. */
export const allWords = new Set(
  spaced(
    "all|all of them|everything|전부|모두|다|전부 다|모두 다|다요|全部|すべて|全て|ぜんぶ|都要|全都要|全要|全選|全选|全部都要|都",
  ),
);
export const bothWords = new Set(
  spaced("both|both of them|둘 다|둘다|両方|どちらも|兩個都要|两个都要|兩個都|两个都|兩者|两者"),
);
export const noneWords = new Set(
  spaced("none|none of them|neither|neither of them|nothing|never|둘 다 아니|없음|どれでもない|なし|都不要|都不"),
);

/** Ordinal words, from the first on. Higher places have only the number itself. */
export const counted: readonly (readonly string[])[] = [
  spaced("first|1st|일번|첫번째|첫 번째|첫째|一番目|一番|一つ目|ひとつ目|最初|第一|第1"),
  spaced("second|2nd|두번째|두 번째|둘째|二番目|二番|二つ目|ふたつ目|第二|第2"),
  spaced("third|3rd|삼번|세번째|세 번째|셋째|三番目|三番|三つ目|みっつ目|第三|第3"),
  spaced("fourth|4th|사번|네번째|네 번째|넷째|四番目|四番|四つ目|よっつ目|第四|第4"),
  spaced("fifth|5th|오번|다섯번째|다섯 번째|다섯째|五番目|五番|五つ目|第五|第5"),
  spaced("sixth|6th|여섯번째|여섯 번째|여섯째|六番目|六番|六つ目|第六|第6"),
  spaced("seventh|7th|일곱번째|일곱 번째|일곱째|七番目|七番|七つ目|第七|第7"),
  spaced("eighth|8th|여덟번째|여덟 번째|여덟째|八番目|八番|八つ目|第八|第8"),
  spaced("ninth|9th|아홉번째|아홉 번째|아홉째|九番目|九番|九つ目|第九|第9"),
  spaced("tenth|10th|열번째|열 번째|열째|十番目|十番|第十|第10"),
];
/** Numbers as words, from one on. Each may be a place or an amount. */
export const numerals: readonly (readonly string[])[] = [
  spaced("one|하나|한|一|いち|ひとつ|一つ"),
  spaced("two|둘|두|二|ふたつ|二つ|兩|两"),
  spaced("three|셋|세|三|さん|みっつ|三つ"),
  spaced("four|넷|四|よん|よっつ|四つ"),
  spaced("five|다섯|五|いつつ|五つ"),
  spaced("six|여섯|六|ろく|六つ"),
  spaced("seven|일곱|七|なな|七つ"),
  spaced("eight|여덟|八|はち|八つ"),
  spaced("nine|아홉|九|九つ"),
  spaced("ten|열|十"),
];
export const lastWords = new Set(spaced("last|마지막|最後|最后|最後一|最后一"));

/** What may precede an option. */
export const before: readonly RegExp[] = [
  /^(?:please|pls|let'?s|let us|so|well|then|um|i'd|i'll|i will|i would|i|go with|go for|go|do|use|take|choose|pick|select|want|prefer|like|option|choice|answer|number|the|it's|it is|my answer is|my choice is|only|just)[, ]+/,
  /^(?:#|n[or]\. ?(?=\d))/,
  /^(?:음|그럼|그냥|저는|나는),? +/,
  /^(?:옵션|선택지) ?|^v(?=\d)/,
  /^(?:じゃあ|じゃ|では|それでは)[, ]*/,
  /^(?:オプション|選択肢|プラン) ?/,
  /^(?:我|就|請|请|選擇|选择|選項|选项|選|选|用|要|那就|那|按|方案)[, ]*/,
];

/**
 * `안` alone has two meanings: "plan", when it belongs to what follows an option's name, and "not". So nothing is
 * removed right after it.
 */
const KOREAN_VERB =
  "(?:해 ?줘요?|해 ?주세요|해주십시오|할게요?|할래요?|하자|하죠|합시다|합니다|가자|갑시다|가죠|진행 ?(?:해 ?줘요?|해 ?주세요|하자|합시다|할게요?)?|부탁(?:해요?|해줘|드립니다|드려요|합니다)?|결정(?:할게요?|합니다)?|선택(?:할게요?|합니다|해 ?줘|해 ?주세요)?|좋아요?|좋겠어요?|좋을 것 같아요?|하는 게 좋겠어요?)";

/** What may follow an option. */
export const behind: readonly RegExp[] = [
  /(?<![, ])[, ]+(?:please|pls|thanks|thank you|then|it is|is fine|is good|is ok|sounds good|works|for me|one|option)$/,
  new RegExp(`(?<!^)(?: ?(?:으로|로)|(?<!안)(?<!안 )(?: ?(?:을|를|이|가))?) ?${KOREAN_VERB}$`),
  /(?<=[가-힣])(?<!안)해$/,
  /(?:입니다|이에요|예요|이요|으로요|로요|으로|로|요|을|를|이|가| ?번째| ?번|(?<! )안| ?거| ?걸| ?것| ?옵션| ?선택지)$/,
  /(?:で|に|を|が|の|ので)?(?:お願いします|お願い|してください|して|します|する|しよう|いいです|いい|選びます|選択|選ぶ|進めてください|進めて|頼む|行こう|いこう|です)$/,
  /(?:お願いします|お願い)$/,
  /(?:で|に|の)$/,
  /を実行してください$|を実行して$/,
  /(?:ので|案で|案|番目|番|つ目|で|に|の)$/,
  /(?<![, ])[, ]*(?:吧|好了|就好|就行|方案|可以|謝謝|谢谢|執行|执行|號|号|個|个|項|项|種|种|的|啦)$/,
];

/** What joins options: first signs and separate words, then suffixes, then a plain space. */
const WORDS_BETWEEN = ",|/|&|\\+|\\band\\b|\\bor\\b|그리고|또는|혹은|아니면|または|もしくは|あるいは|或者|還是|还是";
export const between: readonly RegExp[] = [
  new RegExp(`(?<!\\s)(?:\\s|${WORDS_BETWEEN})*(?:${WORDS_BETWEEN})(?:\\s|${WORDS_BETWEEN})*`),
  new RegExp(
    `(?<!\\s)(?:\\s|${WORDS_BETWEEN})*(?:${WORDS_BETWEEN}|이랑|랑|하고|와|과|이나|나|と|か|や|和|跟|與|与|或)(?:\\s|${WORDS_BETWEEN})*`,
  ),
  new RegExp(`(?:\\s|${WORDS_BETWEEN}|이랑|랑|하고|와|과|이나|나|と|か|や|和|跟|與|与|或)+`),
];
/** Leaves open which one. */
export const choosing = /\bor\b|\beither\b|또는|혹은|아니면|나(?= |$)|または|もしくは|あるいは|[かや]|或|還是|还是/;
export const beforeAList = /^either +/;

/** Negates what is next to it. */
export const negation = new RegExp(
  [
    "\\b(?:anything but|everything but|everything except|all but|all except|but not|not but|no way|do not do|don't do|dont do|do not|don't|dont|not|no|never|without|except|instead of|rather than)\\b",
    "\\b(?:isn't|is not|isnt) (?:ok|okay|fine|good|right)\\b",
    "(?:는|은)? ?(?:절대 ?)?안 ?(?:돼요?|되요?|됩니다|해요?|합니다)",
    " ?(?:으로|로)? ?하지 ?(?:마세요|마라|마|말아 ?줘요?|말아 ?주세요|말자|않)",
    " ?(?:는|은|이|가)? ?아니(?:야|에요|요|오)?",
    " ?(?:는|은)? ?싫어요?",
    " ?(?:말고|빼고|제외하고|제외|대신)",
    "(?:では|じゃ)(?:ない(?:です)?|なくて|なく)",
    "は(?:だめ|ダメ|やめてください|やめて|しないでください|しないで|いや)(?:です)?",
    "(?:に|を)?し(?:ないでください|ないで|ない|ません)",
    "(?:の代わりに|よりも|より|以外で|以外)",
    "いいえ",
    "[👎❌🚫✖🙅!~]+",
    "(?:先不要|不可以|不要|不選|不选|別選|别选|不是|不行|不好|不用|沒有|没有|除了|別|别|非|不)",
  ].join("|"),
  "gu",
);

/** Leads from what is not wanted to what is. */
export const insteadOf = /\bbut\b|而是|都要|要|是/;

/** Expresses doubt about what is next to it. */
export const doubt =
  /^(?:maybe|perhaps|probably|possibly|i guess|i think|아마도?|たぶん|多分|可能|也許|也许|大概|應該是|应该是)[, ]*|(?<![, ])[, ]*(?:i guess|i think|maybe|일까요?|인가| ?같기도|かもしれない|かも|かな)$/;

/** Turns what precedes it into a question. */
export const asking = /(?:ですか|でしょうか|嗎|吗)$/;

/** These almost certainly ask for more time. */
export const wishes = new Set(
  spaced(
    "later|let me think|let me think about it|let me think about this|let me think about that|let me sleep on it|let me check|let me check first|let me look|let me look first|let me see|i need to think|i need to think about it|i have to think about it|i'll think about it|i'll get back to you|i will get back to you|i'll decide later|i'll answer later|i'll answer tomorrow|i'll look later|i'll look at it later|i'm busy|i'm busy right now|i'm busy now|hang on|hold on|brb|be right back|snooze|" +
      "나중에|나중에요|나중에 할게|나중에 할게요|나중에 답할게|나중에 답할게요|나중에 결정할게|나중에 결정할게요|나중에 볼게|나중에 볼게요|이따가|이따가요|이따가 할게|이따가 할게요|좀 이따|좀 이따가|조금 이따가|잠깐|잠깐만|잠깐만요|잠시만|잠시만요|잠깐만 기다려|잠깐만 기다려줘|잠시만 기다려줘|잠시만 기다려 주세요|잠시만 기다려주세요|지금 바빠|지금 바빠요|바빠|바빠요|" +
      "後で|あとで|また後で|またあとで|後にして|後にしてください|後ほど|ちょっと待って|ちょっと待ってください|少し待って|少し待ってください|少々お待ちください|お待ちください|今忙しい|今は忙しい|忙しい|まだ決められない|" +
      "稍後|稍后|晚點|晚点|晚點再說|晚点再说|等一下|等一等|等一會|等一会|等一會兒|等一会儿|等會|等会|待會|待会|待會兒|待会儿|先等等|先等一下|稍等|稍等一下|我在忙|在忙|現在忙|现在忙|以後再說|以后再说|回頭再說|回头再说|還沒想好|还没想好|明天再說|明天再说",
  ),
);
/** If there are options, these ask for more time; if any text is an answer, they may be the answer. */
export const whens = new Set(
  spaced(
    "not now|not yet|wait|wait please|busy|tomorrow|tonight|this evening|in a minute|in a bit|in an hour|in a moment|after lunch|soon|" +
      "내일|오늘 저녁에|아직|아직이요|아직 아니|기다려|기다려요|기다려줘|기다려 줘|기다려주세요|기다려 주세요|지금은 말고|조금 있다가|좀 있다가|" +
      "明日|今夜|まだ|待って|待ってください|保留|" +
      "明天|今晚|等等|還沒|还没|現在不行|现在不行|保留",
  ),
);
export const wishing: readonly RegExp[] = [
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

/** What may stand around a request for more time. */
export const hedges =
  /^(?:(?:ok|okay|hmm+|hm|um+|uh|well|yes|no|sorry|음+|네|예|미안|うーん|はい|すみません|嗯|好|好的|抱歉)[, .…]+)+/;
export const manners = /(?<![, ])[, ]+(?:please|pls|thanks|thank you|then)$/;

/** Counter-questions that are almost certainly not an answer. */
export const plainQuestions = new Set(
  spaced(
    "what do you mean|what does that mean|what does this mean|what does it mean|why do you ask|why are you asking|i don't understand|i don't understand the question|" +
      "무슨 뜻이야|무슨 뜻이에요|무슨 뜻인가요|무슨 말이야|무슨 말이에요|무슨 소리야|왜 물어봐|이해가 안 돼|이해가 안 돼요|" +
      "どういう意味|どういう意味ですか|どういうこと|どういうことですか|なぜ聞くのですか|意味がわからない|意味がわかりません|" +
      "什麼意思|什么意思|這是什麼意思|这是什么意思|為什麼問|为什么问|看不懂|不懂",
  ),
);
export const asksBack: readonly RegExp[] = [
  /^(?:what(?:'s| is| are| does| do| did| would| will| happens| if| about)|which (?:one |of them )?(?:is|are|do|does|would|should)|why (?:do|does|did|would|should|is|are|not)|how (?:does|do|is|are|much|many|long|would|will|can)|who (?:is|will|does))(?![a-z])/,
  /(?:뭐야|뭐예요|뭐에요|뭔가요|무엇인가요|무슨 뜻(?:이야|이에요|인가요|입니까)|인가요|나요|습니까|까요|은가요|는지요|차이는|어때요?|어떻게 돼요?|얼마나 걸려요?)$/,
  /(?:ですか|ますか|ましたか|でしょうか|って何|とは何|は何|の違いは|とは)$/,
  /(?:嗎|吗|呢|什麼|什么|什麼意思|什么意思|差別|差别|區別|区别|多久|多少|哪個|哪个|如何)$/,
];
/** Questions that ask for something to be done. */
export const requests: readonly RegExp[] = [
  /^(?:ok,? |please )?(?:can|could|would|will) you (?:please |first |also )?(?!explain|tell|say|describe|clarify|elaborate|remind|show|give me)[a-z]/,
  /(?<!설명해 ?|알려 ?|말해 ?|얘기해 ?|가르쳐 ?)(?:줄래|줄래요|주실래요|주시겠어요|주시겠습니까|줄 수 있어|줄 수 있어요|주실 수 있나요)$/,
  /(?<!説明して|教えて|言って)(?:くれますか|くれませんか|もらえますか|もらえませんか|いただけますか|いただけませんか|くれる|もらえる)$/,
  /^(?:可以|能不能|可不可以|能|能否|麻煩|麻烦|請|请)(?:你)?(?:先|幫|帮|再)(?!.*(?:說明|说明|解釋|解释|告訴|告诉)).+$/,
];
