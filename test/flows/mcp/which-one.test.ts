/**
 * A plain yes to options that are not yes and no, through the built daemon and Discord: nothing is chosen, and it is
 * asked which one.
 */
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { descriptionOf, recorded } from "../workshop.ts";
import { ask, events, openAsking, type Asking } from "./asked.ts";
import { mirror } from "./asker.ts";

const asksWhich = (message: APIMessage): boolean => message.embeds[0]?.title === "Which one?";

interface Told extends Asking {
  thread: string;
  which: APIMessage;
  answer: Awaited<ReturnType<typeof ask>>["answer"];
}

/** Asked, and the owner has written each of these; resolves with what he is told. */
async function told(question: string, options: string[], ...words: string[]): Promise<Told> {
  const asking = await openAsking();
  const { thread, answer } = await ask(asking.world, asking.client, { question, context: "", options });
  for (const text of words) await asking.world.owner(thread).send(text);
  const which = await asking.world.saying(thread, (said) => said.find(asksWhich));
  await recorded(
    asking.world,
    ({ type, payload }) =>
      type === "DecisionReasked" &&
      words.length === events(asking.world, "DecisionReasked").length &&
      payload["why"] === "which",
  );
  return { ...asking, thread, which, answer };
}

test("a yes, however often, chooses none of them and counts once; all of them can be pressed, and the press is the answer", async () => {
  const { world, thread, which, answer } = await told(
    "Do we still need this table?",
    ["Delete", "Keep"],
    "yes",
    "Yes!",
    "네",
    "no",
  );
  expect(which.components).toMatchObject([
    {
      components: [
        { label: "A · Delete", style: 2 },
        { label: "B · Keep", style: 2 },
      ],
    },
  ]);
  expect(events(world, "DecisionAnswered")).toEqual([]);
  const [{ decision_id = "" } = {}] = events(world, "DecisionAsked") as { decision_id?: string }[];
  expect(await mirror(world, decision_id, "pending", (file) => file["clarify_attempts"] !== 0)).toMatchObject({
    clarify_attempts: 1,
    selected_option: null,
  });
  expect(world.said(thread).filter(asksWhich)).toHaveLength(1);
  await (await world.owner(thread).clickButton(which.id, "B · Keep")).acknowledged();
  expect((await answer).structured).toMatchObject({ success: true, answer: "Keep", selected_option: "Keep" });
  await world.sandbox.until(({ messages }) => !messages(thread).some(asksWhich));
  expect(await mirror(world, decision_id, "resolved")).toMatchObject({ clarify_attempts: 1, resolution: "Keep" });
});

test("a new daemon knows that it has asked, and the name of one is the answer", async () => {
  const { world, daemon, thread, answer } = await told("문제가 있나요?", ["진행", "중단"], "네");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  const { id } = await world.owner(thread).send("아니요");
  await world.marked(id, "❓");
  await world.owner(thread).send("아니요, 진행해주세요");
  expect((await answer).structured).toMatchObject({ success: true, answer: "진행", selected_option: "진행" });
  expect(events(world, "DecisionReasked").map(({ why }) => why)).toEqual(["which", "which"]);
  expect(world.said(thread).filter((message) => descriptionOf(message).includes("This is the last time"))).toEqual([]);
});

test("where they are yes and no, a yes is the answer at once, and a polite request is a yes", async () => {
  const asking = await openAsking();
  const { thread, answer } = await ask(asking.world, asking.client, {
    question: "삭제할까요?",
    context: "",
    options: ["예, 삭제합니다", "아니요, 그대로 둡니다"],
  });
  await asking.world.owner(thread).send("진행해주세요");
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "예, 삭제합니다" });
});

test("where they are not, a polite request is an answer in one's own words", async () => {
  const asking = await openAsking();
  const { thread, answer } = await ask(asking.world, asking.client, {
    question: "이 테이블이 아직 필요한가요?",
    context: "",
    options: ["삭제", "유지"],
  });
  await asking.world.owner(thread).send("진행해주세요");
  expect((await answer).structured).toMatchObject({ success: true, answer: "진행해주세요", selected_option: null });
});
