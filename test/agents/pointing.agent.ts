/** What the owner's message points at and brings along, as the real agents' models get it. */
import { expect, it } from "vitest";
import { configure } from "../flows/workshop.ts";
import { openReal } from "./real-world.ts";

const BUILD = "build 7 failed: \u202eerror\u202c in login.ts";

it.each(["claude", "codex", "gemini", "claude-agent-acp"])(
  "%s reads what is replied to, the message its thread was opened on and a paste",
  async (tool) => {
    const { world, model, start } = await openReal([tool]);
    const channel = world.sandbox.channelId;
    configure(world, ({ projects }) => Object.assign(projects.app, { channel_id: channel }));
    const daemon = await start();
    const colleague = world.sandbox.addUser("ci");
    const alert = await world.sandbox.channel(channel).user(colleague.id).send(BUILD);
    const { id: thread } = await world.owner(channel).createThread("the build", { messageId: alert.id });
    const owner = world.owner(thread);
    const given = async (id: string): Promise<string> => {
      await world.marked(id, "✅");
      return JSON.stringify(model.asked.at(-1));
    };

    const first = await owner.send("echo:first", { files: [{ name: "log.txt", bytes: Buffer.from("E: 7\n") }] });
    const opened = await given(first.id);
    expect(opened).toMatch(/wrote in a thread opened on the message .*somebody else, called/);
    expect(opened).toContain("⟨U+202E RLO⟩error⟨U+202C PDF⟩ in login.ts");

    const reply = await given((await owner.send("echo:second", { replyTo: first.id })).id);
    expect(reply).toMatch(/replies to the message .*written by the user/);
    expect(reply.match(/quoted_\w{12}/g)?.length).toBeGreaterThan(1);

    const words = `echo:third ${"and so on, ".repeat(400)}`;
    const file = { name: "message.txt", bytes: Buffer.from(words), contentType: "text/plain; charset=utf-8" };
    const pasted = await given((await owner.upload([file])).id);
    expect(pasted).toContain("and so on, and so on, and so on");
    expect(pasted).not.toMatch(/- \S+message\.txt/);
    await daemon.kill("SIGTERM");
  },
);
