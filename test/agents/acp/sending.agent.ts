/**
 * The daemon is killed while a message is on its way into a turn of a real agent that speaks ACP, or after the agent
 * has taken it up: the agent is given it at most once without its owner's word, and the thread says what is known of
 * it.
 */
import { describe, expect, it } from "vitest";
import { controlsOf } from "../../flows/asked.ts";
import { sendNow } from "../../flows/sending.ts";
import { descriptionOf, recorded } from "../../flows/workshop.ts";
import { crashNotice } from "../../flows/world.ts";
import { eventsOf } from "../../flows/acceptance/stage.ts";
import { askReal, type Real } from "../real-world.ts";

/** How often these words are in the last of what the model was asked with them. */
const timesGiven = ({ model }: Real, words: string): number =>
  JSON.stringify(model.asked.findLast(({ body }) => JSON.stringify(body).includes(words))?.body ?? "").split(words)
    .length - 1;

describe.each(["claude-agent-acp", "codex-acp"])(
  "%s in a thread, the daemon killed",
  (tool) => {
    const answering = async (): Promise<Awaited<ReturnType<typeof askReal>>> => {
      // It goes on for longer than any of this takes.
      const session = await askReal(tool, "slow:4000:50");
      await session.world.saying(session.thread, (said) => said.some(({ content }) => content.includes("chunk5 ")));
      return session;
    };

    it("before it has answered to what was sent, nobody knows, and it is given it once at its owner's word", async () => {
      const session = await answering();
      const { real, world, thread, id, daemon } = session;
      const began = eventsOf(world).find(
        ({ type, payload }) => type === "JobProgress" && payload["kind"] === "process",
      );
      process.kill(Number(began?.payload["pid"]), "SIGSTOP");
      const sent = await sendNow(session, "echo:the apricots");
      await recorded(world, ({ type }) => type === "JobSendRequested");
      await daemon.kill("SIGKILL");
      const again = await real.start();
      await world.marked(id, "💥");
      await world.marked(sent, "💥");
      const lost = await world.saying(thread, (said) =>
        said.find((one) => descriptionOf(one).includes("while this message was being sent into a running answer")),
      );
      expect([lost.message_reference?.message_id, controlsOf(lost).includes("Continue")]).toEqual([sent, false]);
      const notice = await world.saying(thread, crashNotice);
      await (await world.owner(thread).clickButton(notice.id, "Discard")).acknowledged();
      expect(JSON.stringify(real.model.asked)).not.toContain("apricots");
      await (await world.owner(thread).clickButton(lost.id, "Retry")).acknowledged();
      await world.marked(sent, "✅");
      await world.saying(thread, (said) => said.some(({ content }) => content.includes("the apricots")));
      expect(timesGiven(real, "echo:the apricots")).toBe(1);
      await again.kill("SIGTERM");
    });

    it("after it has taken it up, it belongs to that answer, and Continue repeats it as a note", async () => {
      const session = await answering();
      const { real, world, thread, id, daemon } = session;
      // Codex asks its model anew at once, whose answer to this must not end the turn before the daemon is killed.
      const words = "slow:3999:50";
      const sent = await sendNow(session, words);
      await recorded(world, ({ type }) => type === "JobSent");
      await daemon.kill("SIGKILL");
      const again = await real.start();
      await world.marked(id, "💥");
      await world.marked(sent, "📨");
      const notice = await world.saying(thread, crashNotice);
      expect(descriptionOf(notice).replaceAll("\\", "")).toContain(`📨 Also answers: [${words}]`);
      await (await world.owner(thread).clickButton(notice.id, "Continue")).acknowledged();
      await world.saying(thread, (said) =>
        said.some((one) => BigInt(one.id) > BigInt(notice.id) && one.content.includes("chunk5 ")),
      );
      const note = "You may have it already. Do not do any of it twice";
      expect(timesGiven(real, note)).toBe(1);
      // Once in the note, and once more if the agent had written it down before it was killed.
      expect([1, 2]).toContain(timesGiven(real, words));
      expect(eventsOf(world).filter(({ type }) => type === "JobStarted")).toHaveLength(2);
      await again.kill("SIGTERM");
    });
  },
  120_000,
);
