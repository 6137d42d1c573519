/** `/session forget` says what is removed and what stays, and its button does exactly that, once. */
import { describe, expect, test } from "vitest";
import { CommandScene, inThread, STAYS, T1 } from "./scene.ts";

interface Asked {
  content: string;
  components: { components: { custom_id: string; label: string; style: number }[] }[];
}

/** The last answer's words and its button. */
function asked(scene: CommandScene): { content: string; id: string } {
  const answer = scene.sent.at(-1)?.body as Asked | undefined;
  const { content = "", components = [] } = answer ?? {};
  const [button] = components.flatMap((row) => row.components);
  return { content, id: button?.custom_id ?? "" };
}

describe("/session forget", () => {
  test("answers its owner alone, in a session's thread without an argument, and names what stays and where", async () => {
    const scene = await new CommandScene().withSession();
    await scene.engine.submit({ type: "name_session", thread_id: T1, name: "Mend the login" });
    await scene.slash("session forget", {}, inThread);
    expect(scene.sent[0]?.body).toEqual({ type: 5, data: { flags: 64 } });
    const { content, id } = asked(scene);
    expect(content).toContain(`Forget **<#${T1}> (Mend the login)**? This cannot be undone.`);
    expect(content).toContain("delete the thread there");
    expect(content).toContain(STAYS.records[0]?.place);
    expect(content).toContain(STAYS.copies[0]);
    expect(id).toMatch(new RegExp(`^s-forget:${T1}:[0-9a-f]{32}$`));
    expect(scene.engine.state.threads[T1]?.name).toBe("Mend the login");
  });

  test("the press forgets the session, and says so once it is done; another press finds nothing to press", async () => {
    const scene = await new CommandScene().withSession();
    await scene.slash("session forget", { session_id: T1 });
    const { id } = asked(scene);
    await scene.press(id, { alone: true });
    expect(scene.engine.state.threads[T1]).toMatchObject({ closed: "forgotten" });
    expect(scene.engine.state.threads[T1]?.name).toBeUndefined();
    expect(JSON.stringify(scene.sent.at(-1)?.body)).toContain("7 events blanked");
    await scene.press(id, { alone: true });
    expect(JSON.stringify(scene.sent.at(-1)?.body)).toContain("E_DECISION_CLOSED");
  });

  test("a press counts for what was shown: once more was said there it does nothing", async () => {
    const scene = await new CommandScene().withSession();
    await scene.slash("session forget", {}, inThread);
    const { id } = asked(scene);
    await scene.hear("one more");
    await scene.press(id, { alone: true });
    expect(JSON.stringify(scene.sent.at(-1)?.body)).toContain("E_DECISION_CLOSED");
    expect(scene.engine.state.threads[T1]?.closed).toBeUndefined();
  });

  test("while something runs there, it says what to do and offers nothing", async () => {
    const scene = await new CommandScene().withSession(1);
    expect(await scene.slash("session forget", {}, inThread)).toContain("`E_SESSION_BUSY`");
    expect(await scene.slash("session forget", {})).toContain("`E_NOT_IN_MANAGED_THREAD`");
  });
});
