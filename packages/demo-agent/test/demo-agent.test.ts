/**
 * The demo agent as a client sees it, spoken to over pipes with the protocol's own library. What could differ between
 * the agent and its command is tried with a real process.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { methods, type RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { connect, start, temporary, type Answers } from "./demo-client.ts";

const choose = (optionId: string): Answers => ({ permission: () => ({ outcome: { outcome: "selected", optionId } }) });

describe("a prompt", () => {
  test("that names nothing is repeated, with a hint at the rest", async () => {
    const client = await connect();
    const session = await client.open();
    expect(await client.prompt(session, "good morning")).toEqual({ stopReason: "end_turn" });
    expect(client.said()).toMatch(/^You said: good morning\n\n.*`help`/);
  });

  test("may begin with a slash, and keeps its lines", async () => {
    const client = await connect();
    const session = await client.open();
    await client.prompt(session, "/echo one\n  two");
    expect(client.said()).toBe("one\n  two");
  });

  test("is read without the notes that a client puts before it", async () => {
    const client = await connect();
    const session = await client.open();
    await client.prompt(session, "[Note from the client: be brief.]\n\n[Another one.]\n\necho [this] one");
    expect(client.said()).toBe("[this] one");
  });

  test("names the files that came with it", async () => {
    const client = await connect();
    const sessionId = await client.open();
    await client.connection.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "echo here" },
        { type: "resource_link", name: "a.txt", uri: "file:///a.txt" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "image", mimeType: "image/gif", data: "AAA=" },
      ],
    });
    expect(client.said()).toBe(
      "here\n\nWith it came: a.txt, an image (image/png, 3 bytes), an image (image/gif, 2 bytes)",
    );
  });

  test("`help` names everything it can do, and a client can complete the same", async () => {
    const client = await connect();
    const session = await client.open();
    await client.prompt(session, "help");
    await client.seen("available_commands_update");
    const told = client.updates.flatMap((update) =>
      update.sessionUpdate === "available_commands_update" ? update.availableCommands.map(({ name }) => name) : [],
    );
    const said = client.said();
    for (const name of told) expect(said).toContain(`\`${name}`);
    expect(told).toEqual(["echo", "stream", "plan", "ask", "write", "history", "wait", "fail", "help"]);
  });

  test("is streamed in pieces", async () => {
    const client = await start();
    const session = await client.open();
    await client.prompt(session, "stream 3");
    expect(
      client.updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk").length,
    ).toBeGreaterThan(10);
    expect(client.said()).toBe([1, 2, 3].map((line) => `Line ${line} of 3, written word by word.\n`).join(""));
  });

  test("is refused while another one runs, and the other goes on", async () => {
    const client = await connect();
    const session = await client.open();
    const first = client.prompt(session, "stream 5");
    await expect(client.prompt(session, "echo two")).rejects.toMatchObject({ code: -32600 });
    expect(await first).toEqual({ stopReason: "end_turn" });
  });

  test("fails where it was asked to, and the next one is answered", async () => {
    const client = await connect();
    const session = await client.open();
    await expect(client.prompt(session, "fail no luck")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("no luck") as string,
    });
    await client.prompt(session, "echo again");
    expect(client.said()).toBe("again");
  });
});

test("a plan is shown whole at each step, with a thought and one tool that only reads", async () => {
  const client = await connect();
  const session = await client.open();
  writeFileSync(path.join(client.cwd, "a.txt"), "");
  await client.prompt(session, "plan 0");
  const plans = client.updates.flatMap((update) =>
    update.sessionUpdate === "plan" ? [update.entries.map(({ status }) => status)] : [],
  );
  expect(plans).toEqual([
    ["in_progress", "pending", "pending"],
    ["completed", "in_progress", "pending"],
    ["completed", "completed", "in_progress"],
    ["completed", "completed", "completed"],
  ]);
  expect(client.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(
    expect.arrayContaining(["agent_thought_chunk", "tool_call", "tool_call_update", "usage_update"]),
  );
  expect(client.said()).toContain("There are 1 entries");
});

describe("a question", () => {
  test("is a form, and its answer is repeated", async () => {
    const client = await connect({
      form: () => ({
        action: "accept",
        content: { colour: "blue", count: 3, toppings: ["Olives", "Basil"], gift: true },
      }),
    });
    const session = await client.open();
    await client.prompt(session, "ask more");
    expect(client.said()).toBe("You answered:\n- colour: blue\n- count: 3\n- toppings: Olives, Basil\n- gift: true");
  });

  test.each([
    ["decline", "You declined to answer."],
    ["cancel", "You did not answer."],
  ] as const)("that is not answered (%s) is said", async (action, sentence) => {
    const client = await connect({ form: () => ({ action }) });
    const session = await client.open();
    await client.prompt(session, "ask");
    expect(client.said()).toBe(sentence);
  });

  test("is not sent to a client that cannot show it", async () => {
    const client = await connect();
    const session = await client.open();
    await client.prompt(session, "ask");
    expect(client.said()).toBe("Your client cannot show questions.");
  });
});

describe("a file", () => {
  test("is written once its very bytes are allowed", async () => {
    const asked: RequestPermissionRequest[] = [];
    const client = await connect({
      permission(request) {
        asked.push(request);
        expect(existsSync(path.join(client.cwd, "note.md"))).toBe(false);
        return { outcome: { outcome: "selected", optionId: "once" } };
      },
    });
    const session = await client.open();
    await client.prompt(session, "write note.md hello\nthere");
    expect(readFileSync(path.join(client.cwd, "note.md"), "utf8")).toBe("hello\nthere\n");
    expect(asked).toMatchObject([
      {
        toolCall: {
          rawInput: { path: path.join(client.cwd, "note.md"), content: "hello\nthere\n" },
          content: [{ type: "diff", oldText: null }],
        },
      },
    ]);
    expect(asked[0]?.options.map(({ kind }) => kind)).toEqual(["allow_once", "allow_always", "reject_once"]);
  });

  test.each(["no", "unknown"])("is not written where the answer is %s", async (option) => {
    const client = await connect(choose(option));
    const session = await client.open();
    await client.prompt(session, "write note.md hello");
    expect(readdirSync(client.cwd)).toEqual([]);
    expect(client.said()).toBe("I did not write note.md. You did not allow it.");
    expect(client.updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: "tool_call_update", status: "failed" }),
    );
  });

  test("allowed for the session is not asked about again, by this process", async () => {
    let times = 0;
    const client = await connect({
      permission() {
        times += 1;
        return { outcome: { outcome: "selected", optionId: "session" } };
      },
    });
    const session = await client.open();
    await client.prompt(session, "write a.md 1");
    await client.prompt(session, "write b.md 2");
    expect(times).toBe(1);
    expect(readdirSync(client.cwd).sort()).toEqual(["a.md", "b.md"]);
  });

  test("that changed while the user was asked is left alone", async () => {
    const client = await connect({
      permission() {
        writeFileSync(path.join(client.cwd, "a.md"), "mine");
        return { outcome: { outcome: "selected", optionId: "once" } };
      },
    });
    const session = await client.open();
    await client.prompt(session, "write a.md theirs");
    expect(readFileSync(path.join(client.cwd, "a.md"), "utf8")).toBe("mine");
    expect(client.said()).toBe("I did not write a.md. It changed meanwhile.");
  });

  test("outside the project, in .git, behind a link, or that is no file is not even asked about", async () => {
    const client = await connect({ permission: () => Promise.reject(new Error("asked")) });
    const session = await client.open();
    const elsewhere = temporary();
    writeFileSync(path.join(elsewhere, "secret"), "");
    mkdirSync(path.join(client.cwd, ".git"));
    symlinkSync(elsewhere, path.join(client.cwd, "out"));
    symlinkSync(path.join(elsewhere, "secret"), path.join(client.cwd, "link"));
    for (const name of [
      "../x",
      "/etc/passwd",
      ".git/config",
      ".GIT/config",
      "out/x",
      "link",
      ".git",
      ".",
      "missing/x",
    ]) {
      expect(await client.prompt(session, `write ${name} text`), name).toEqual({ stopReason: "end_turn" });
    }
    await client.prompt(session, "write");
    expect(client.updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toEqual([]);
    expect(readFileSync(path.join(elsewhere, "secret"), "utf8")).toBe("");
    expect(readdirSync(elsewhere)).toEqual(["secret"]);
  });
});

describe("cancelling", () => {
  test("ends a turn that waits, and the session goes on", async () => {
    const client = await connect();
    const sessionId = await client.open();
    const turn = client.prompt(sessionId, "wait 600");
    await client.seen("agent_message_chunk");
    await client.connection.notify(methods.agent.session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    client.said();
    await client.prompt(sessionId, "echo here");
    expect(client.said()).toBe("here");
  });

  test("ends a turn that asks, also where the client never answers", async () => {
    const asked = Promise.withResolvers<void>();
    const client = await connect({
      permission() {
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    const sessionId = await client.open();
    const turn = client.prompt(sessionId, "write a.md x");
    await asked.promise;
    await client.connection.notify(methods.agent.session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(readdirSync(client.cwd)).toEqual([]);
  });

  test("an answer of `cancelled` cancels the turn", async () => {
    const client = await connect();
    const session = await client.open();
    expect(await client.prompt(session, "write a.md x")).toEqual({ stopReason: "cancelled" });
  });
});

describe("a session", () => {
  test("is resumed by another process, with what was said and its model", async () => {
    const home = temporary();
    const first = await start({ home });
    const sessionId = await first.open();
    await first.connection.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: "model",
      value: "demo-large",
    });
    await first.prompt(sessionId, "echo remember me");
    expect(await first.end()).toBe(0);
    const second = await start({ home });
    const resumed = await second.connection.request(methods.agent.session.resume, {
      sessionId,
      cwd: second.cwd,
      mcpServers: [],
    });
    expect(resumed.configOptions).toMatchObject([{ category: "model", currentValue: "demo-large" }]);
    await second.prompt(sessionId, "history");
    expect(second.said()).toBe("You wrote before:\n1. echo remember me");
  });

  test("that is loaded is replayed before the answer to the request", async () => {
    const home = temporary();
    const first = await connect({ home });
    const sessionId = await first.open();
    await first.prompt(sessionId, "echo one");
    await first.end();
    const second = await connect({ home });
    await second.connection.request(methods.agent.session.load, { sessionId, cwd: second.cwd, mcpServers: [] });
    expect(second.updates.map(({ sessionUpdate }) => sessionUpdate).slice(0, 2)).toEqual([
      "user_message_chunk",
      "agent_message_chunk",
    ]);
    expect(second.said()).toBe("one");
  });

  test.each(["../../etc/passwd", "00000000-0000-4000-8000-000000000000"])(
    "that is not there is refused: %s",
    async (sessionId) => {
      const client = await connect();
      await expect(
        client.connection.request(methods.agent.session.resume, { sessionId, cwd: client.cwd, mcpServers: [] }),
      ).rejects.toMatchObject({ code: -32002 });
      await expect(client.prompt(sessionId, "hello")).rejects.toMatchObject({ code: -32002 });
    },
  );

  test("takes only the models it names", async () => {
    const client = await connect();
    const sessionId = await client.open();
    await expect(
      client.connection.request(methods.agent.session.setConfigOption, { sessionId, configId: "model", value: "gpt" }),
    ).rejects.toMatchObject({ code: -32602 });
  });
});

test("the command says what it is, its version, and what is wrong with a call", () => {
  const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [path.join(import.meta.dirname, "../src/demo-agent.ts"), ...args], {
      encoding: "utf8",
      input: "",
    });
  expect(run("--help")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: acp-demo-agent/) as string });
  expect(run("--version")).toMatchObject({ status: 0, stdout: "0.1.0\n" });
  expect(run("--pace", "fast")).toMatchObject({ status: 64, stdout: "" });
  expect(run()).toMatchObject({ status: 0, stdout: "", stderr: "" });
});
