/** A conversation that shows everything the page can draw, for the pictures. */
import type { Stage } from "./stage.ts";

const markdown = `# The plan
I looked at **src/queue** and found *two* things, ~~three~~ __actually__ two:
1. \`enqueue()\` writes before it syncs
2. a retry loses its place
   - only after a crash
   - see [the notes](https://example.org/notes)

> A line that was quoted
> and its second line
-# read in 2.1 s · <t:1767225600:D> · ||a secret||
Ask <@USER> in <#CHANNEL> :thinking:`;

const code = `\`\`\`ts
/** Puts a job at the end; resolves once it is on disk. */
export async function enqueue(job: Job): Promise<number> {
  const line = JSON.stringify({ ...job, at: Date.now() }); // one line, one job
  await file.append(line + "\\n");
  return file.sync();
}
\`\`\``;

const diff = `\`\`\`diff
@@ -12,3 +12,3 @@
-  await file.write(line);
+  await file.append(line + "\\n");
   return file.sync();
\`\`\``;

const card = {
  title: "Finished: fix the queue",
  color: 0x2fa968,
  description: "Two files changed, **14 tests** pass.",
  fields: [
    { name: "Tool", value: "claude", inline: true },
    { name: "Took", value: "2 min 4 s", inline: true },
    { name: "Cost", value: "$0.18", inline: true },
    { name: "Changed", value: "`src/queue/append.ts` +4 −2\n`test/queue/append.test.ts` +21" },
  ],
  footer: { text: `Asked by ${"z".repeat(80)} · job_20260301_0007` },
};

const permission = {
  content: "Bellhop wants to run a command:\n```sh\nnpm test -- --run test/queue\n```",
  components: [
    {
      type: 1,
      components: [
        { type: 2, style: 3, label: "Allow once", custom_id: "allow" },
        { type: 2, style: 1, label: "For this session", custom_id: "session" },
        { type: 2, style: 4, label: "Refuse", custom_id: "refuse" },
        { type: 2, style: 2, label: "Later", custom_id: "later", disabled: true },
        { type: 2, style: 5, label: "Help", url: "https://example.org/help" },
      ],
    },
    {
      type: 1,
      components: [
        {
          type: 3,
          custom_id: "model",
          placeholder: "Choose a model",
          options: [
            { label: "large", value: "l", description: "slow and thorough" },
            { label: "small", value: "s" },
          ],
        },
      ],
    },
  ],
};

/** Fills the sandbox; returns the thread everything stands in and its last message. */
export async function showcase({ sandbox, bot }: Stage): Promise<{ thread: string; last: string }> {
  const here = sandbox.channel(sandbox.channelId).user(sandbox.owner.id);
  await here.send("Morning! Is the queue fixed?");
  await bot.say(sandbox.channelId, { content: "Almost. I will open a thread for it." });
  const thread = await here.createThread("house: fix the queue");
  await here.createThread("house: write the release notes");
  const there = sandbox.channel(thread.id).user(sandbox.owner.id);
  const asked = await there.send(
    "The queue loses a job when the machine dies in the middle of a write. Find out why and fix it.",
  );
  await there.send("Do not touch the format on disk.");
  await bot.say(thread.id, {
    content: markdown.replace("USER", sandbox.owner.id).replace("CHANNEL", sandbox.channelId),
    message_reference: { message_id: asked.id },
  });
  const streamed = await bot.say(thread.id, { content: "Reading…" });
  await bot.edit(streamed, `This is where it goes wrong:\n${code}\nand this mends it:\n${diff}`);
  await there.react(streamed.id, "👀");
  await there.react(streamed.id, "🎉");
  await there.upload([{ name: "trace.log", bytes: Buffer.from("x".repeat(70_000)) }], "Here is the log of last night.");
  await bot.say(thread.id, { embeds: [card] });
  const last = await bot.say(thread.id, permission);
  await bot.rest.post(`/channels/${thread.id}/typing`);
  return { thread: thread.id, last: last.id };
}
