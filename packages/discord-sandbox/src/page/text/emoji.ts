/**
 * The emoji the page can offer and the short names it understands. Not Unicode's whole list: those a
 * person steering agents is likely to reach for; every other one can be typed or pasted as itself.
 */
const GROUPS: readonly (readonly [group: string, pairs: string])[] = [
  [
    "reactions",
    "+1 👍 thumbsup 👍 -1 👎 thumbsdown 👎 white_check_mark ✅ x ❌ eyes 👀 tada 🎉 heart ❤️ rocket 🚀 fire 🔥 " +
      "hourglass_flowing_sand ⏳ hourglass ⌛ warning ⚠️ question ❓ exclamation ❗ 100 💯 pray 🙏 clap 👏 raised_hands 🙌 wave 👋 ok_hand 👌 muscle 💪 point_up ☝️ point_right 👉",
  ],
  [
    "faces",
    "smile 😄 grin 😁 joy 😂 rofl 🤣 slight_smile 🙂 wink 😉 blush 😊 sunglasses 😎 thinking 🤔 neutral_face 😐 " +
      "grimacing 😬 sweat_smile 😅 sob 😭 cry 😢 scream 😱 rage 😡 sleeping 😴 exploding_head 🤯 face_palm 🤦 shrug 🤷 partying_face 🥳 robot 🤖 ghost 👻 skull 💀",
  ],
  [
    "work",
    "computer 💻 keyboard ⌨️ bug 🐛 wrench 🔧 hammer 🔨 gear ⚙️ package 📦 memo 📝 pencil ✏️ mag 🔍 bulb 💡 link 🔗 " +
      "lock 🔒 unlock 🔓 key 🔑 bell 🔔 no_bell 🔕 calendar 📅 clipboard 📋 file_folder 📁 open_file_folder 📂 page_facing_up 📄 paperclip 📎 " +
      "chart_with_upwards_trend 📈 bar_chart 📊 test_tube 🧪 recycle ♻️ zap ⚡ sparkles ✨ star ⭐ boom 💥 construction 🚧 stop_sign 🛑 no_entry ⛔ " +
      "repeat 🔁 arrows_counterclockwise 🔄 fast_forward ⏩ pause_button ⏸️ arrow_forward ▶️ stop_button ⏹️ coffee ☕ bellhop 🛎️",
  ],
  [
    "marks",
    "green_circle 🟢 yellow_circle 🟡 red_circle 🔴 blue_circle 🔵 white_circle ⚪ black_circle ⚫ large_blue_diamond 🔷 " +
      "arrow_up ⬆️ arrow_down ⬇️ arrow_left ⬅️ arrow_right ➡️ heavy_plus_sign ➕ heavy_minus_sign ➖ heavy_check_mark ✔️ information_source ℹ️ one 1️⃣ two 2️⃣ three 3️⃣ four 4️⃣ five 5️⃣",
  ],
];

export interface EmojiGroup {
  group: string;
  emoji: { name: string; character: string }[];
}

/** What the picker shows, each character once, in its groups. */
export const emojiGroups: readonly EmojiGroup[] = GROUPS.map(([group, pairs]) => {
  const seen = new Set<string>();
  const emoji = pairsOf(pairs).filter(({ character }) => !seen.has(character) && seen.add(character));
  return { group, emoji };
});

const byName = new Map(
  GROUPS.flatMap(([, pairs]) => pairsOf(pairs).map(({ name, character }) => [name, character] as const)),
);

/** The character for a short name such as `tada`, without its colons. */
export function emojiNamed(name: string): string | undefined {
  return byName.get(name);
}

/** Short names that begin with what was typed, then those that contain it. */
export function emojiMatching(typed: string, limit: number): { name: string; character: string }[] {
  const all = [...byName].map(([name, character]) => ({ name, character }));
  const starting = all.filter(({ name }) => name.startsWith(typed));
  const containing = all.filter(({ name }) => !name.startsWith(typed) && name.includes(typed));
  return [...starting, ...containing].slice(0, limit);
}

/** Known short names within the text become their characters, as a client does before it sends. */
export function withEmoji(text: string): string {
  return text
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((part, i) =>
      i % 2 === 1 ? part : part.replace(/:([a-z0-9_+-]{1,32}):/g, (whole, name: string) => byName.get(name) ?? whole),
    )
    .join("");
}

/** Whether the message is nothing but a few emoji, which Discord shows large. */
export function isJumbo(text: string): boolean {
  const bare = text.replace(/<a?:\w{2,32}:\d{17,20}>/g, "🙂").trim();
  return (
    bare.length <= 200 &&
    /^(?:(?:\p{Extended_Pictographic}|\p{Emoji_Component})\s*){1,60}$/u.test(bare) &&
    /\p{Extended_Pictographic}/u.test(bare)
  );
}

function pairsOf(pairs: string): { name: string; character: string }[] {
  const words = pairs.trim().split(/\s+/);
  return words.flatMap((name, i) => (i % 2 === 0 ? [{ name, character: words[i + 1] ?? "" }] : []));
}
