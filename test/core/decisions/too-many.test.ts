/** One asker has so many open questions and no more: it is told so, and others ask on. */
import { expect, test } from "vitest";
import { CHANNEL, job, message, Scene, T1 } from "../scene.ts";

const refused = expect.objectContaining({ code: "E_TOO_MANY_QUESTIONS", details: { limit: 32 } });

test("an agent's client has 32 questions open at a time, asks one of them again, and asks another when one is settled", () => {
  const scene = new Scene().withSessions(T1);
  for (let n = 0; n < 32; n += 1) scene.question(`q${n}`, [`Which ${n}?`]);
  expect(() => scene.question("q32", ["One more?"])).toThrow(refused);
  scene.question("q-again", ["Which 3?"]);
  expect(Object.keys(scene.state.decisions)).toHaveLength(32);
  scene.do({ type: "void", decision_id: "q0", why: "withdrawn" });
  scene.question("q32", ["One more?"]);
  expect(scene.state.decisions["q32"]?.state).toBe("open");
  const asker = {
    by: "mcp",
    project: "other",
    pending_dir: "/p",
    timeout_seconds: null,
    wanted_thread: null,
    channel_id: CHANNEL,
    bot_id: "4",
  } as const;
  scene.question("other", ["And here?"], null, { asker });
  expect(scene.state.decisions["other"]?.state).toBe("open");
});

test("what an agent has cancelled, and can still be answered, does not count among the 32; no agent asks and cancels for ever", () => {
  const scene = new Scene().withSessions(T1);
  const asks = (n: number): unknown => scene.question(`q${n}`, [`Which ${n}?`]);
  for (let n = 0; n < 32; n += 1) asks(n);
  expect(() => asks(32)).toThrow(refused);
  scene.do({ type: "disconnect", decision_id: "q3" });
  asks(32);
  expect(scene.state.decisions["q3"]?.state).toBe("disconnected");
  expect(() => asks(33)).toThrow(refused);
  for (let n = 0; n <= 32; n += 1) scene.do({ type: "disconnect", decision_id: `q${n}` });
  for (let n = 33; n < 320; n += 1) {
    asks(n);
    scene.do({ type: "disconnect", decision_id: `q${n}` });
  }
  expect(() => asks(320)).toThrow(expect.objectContaining({ code: "E_TOO_MANY_QUESTIONS", details: { limit: 320 } }));
  // One that it asks again is the one it has.
  scene.question("q-again", ["Which 3?"]);
  expect(scene.state.decisions["q3"]?.state).toBe("open");
  scene.checkReplay();
});

test("a job asks for 32 permissions at a time", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  for (let n = 0; n < 32; n += 1) scene.ask(job(1), `dec_${n}`);
  expect(() => scene.ask(job(1), "dec_32")).toThrow(refused);
});

test("clients under many names ask eight million characters at a time, which keeps no job from asking", () => {
  const scene = new Scene().withSessions(T1);
  const asker = (name: number) =>
    ({
      by: "mcp",
      project: `p${name}`,
      pending_dir: "/p",
      timeout_seconds: null,
      wanted_thread: null,
      channel_id: CHANNEL,
      bot_id: "4",
    }) as const;
  const asks = (n: number): unknown =>
    scene.question(`q${n}`, [`Which ${n}?`], null, { asker: asker(n % 10), context: "c".repeat(99_000) });
  for (let n = 0; n < 80; n += 1) asks(n);
  expect(() => asks(80)).toThrow(expect.objectContaining({ code: "E_QUESTIONS_TOO_LONG", details: { limit: 8 } }));
  scene.hear(T1, message(1));
  scene.ask(job(1), "dec_1");
  expect(scene.state.decisions["dec_1"]?.state).toBe("open");
  scene.do({ type: "void", decision_id: "q7", why: "withdrawn" });
  asks(80);
  expect(scene.state.decisions["q80"]?.state).toBe("open");
});
