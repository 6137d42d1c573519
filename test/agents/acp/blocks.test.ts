/** The files of a prompt reach the agent as images or texts where it takes them, else as links. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { UploadedFile } from "../../../src/core/jobs/run.ts";
import { blocksOf } from "../../../src/agents/acp/blocks.ts";
import { acpScene, scripted } from "./acp-scene.ts";

function files(...names: string[]): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), "bellhop-blocks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return names.map((name) => {
    writeFileSync(path.join(folder, name), "bytes");
    return path.join(folder, name);
  });
}

/** As it is now. */
function sent(file: string): UploadedFile {
  return { path: file, sha256: existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "" };
}

const images = { images: true, texts: false };
const link = (file: string): object => ({
  type: "resource_link",
  uri: pathToFileURL(file).href,
  name: path.basename(file),
});
const image = (file: string, mimeType: string): object => ({
  type: "image",
  mimeType,
  data: Buffer.from("bytes").toString("base64"),
  uri: pathToFileURL(file).href,
});

describe("the files of a prompt", () => {
  test("are links, and images where the agent takes them", async () => {
    const [picture = "", photo = "", notes = ""] = files("a b.png", "c.JPG", "notes.txt");
    const text = { type: "text", text: "look" };
    expect(await blocksOf("look", [picture, photo, notes].map(sent), images)).toEqual([
      text,
      image(picture, "image/png"),
      image(photo, "image/jpeg"),
      link(notes),
    ]);
    expect(await blocksOf("look", [picture, notes].map(sent))).toEqual([text, link(picture), link(notes)]);
    expect(await blocksOf("look", [], images)).toEqual([text]);
  });

  test("are their texts for an agent that may not open them, if they are short and text", async () => {
    const [notes = "", picture = "", binary = "", latin = "", long = ""] = files(
      "notes.txt",
      "a.png",
      "b.bin",
      "c.txt",
      "d.log",
    );
    writeFileSync(binary, Buffer.from([1, 0, 2]));
    writeFileSync(latin, Buffer.from([0x66, 0xfc, 0x72]));
    writeFileSync(long, "x".repeat(200 * 1024 + 1));
    const embedded = {
      type: "resource",
      resource: { uri: pathToFileURL(notes).href, mimeType: "text/plain", text: "bytes" },
    };
    expect(
      await blocksOf("look", [notes, picture, binary, latin, long, "/gone.txt"].map(sent), {
        images: true,
        texts: true,
      }),
    ).toEqual([
      { type: "text", text: "look" },
      embedded,
      image(picture, "image/png"),
      link(binary),
      link(latin),
      link(long),
      link("/gone.txt"),
    ]);
  });

  test("stay links where they are too large for a model, or gone", async () => {
    const [large = ""] = files("large.png");
    truncateSync(large, 6 * 1024 * 1024);
    expect(await blocksOf("look", [large, "/gone.png"].map(sent), images)).toEqual([
      { type: "text", text: "look" },
      link(large),
      link("/gone.png"),
    ]);
  });

  test("stay links where they are not what their owner sent any more", async () => {
    const [other = "", ...names] = files("other.png", "grown.png", "replaced.png", "linked.txt");
    const all = names.map(sent);
    const [grown = "", replaced = "", linked = ""] = names;
    writeFileSync(grown, "bytes and more");
    writeFileSync(replaced, "bytez");
    rmSync(linked);
    symlinkSync(other, linked);
    expect(await blocksOf("look", all, { images: true, texts: true })).toEqual([
      { type: "text", text: "look" },
      link(grown),
      link(replaced),
      link(linked),
    ]);
  });

  test.each([
    ["fine", "image"],
    ["load", "resource_link"],
  ])("go with the prompt as the agent declares it (%s: %s)", async (start, type) => {
    const scene = await acpScene(scripted(start));
    const agent = await scene.open();
    const [picture = ""] = files("a.png");
    const turn = scene.say(agent, "echo", undefined, [picture]);
    for await (const _update of turn.updates);
    await turn.over;
    await agent.close();
    const prompt = scene.received().find(({ method }) => method === "session/prompt") as {
      params: { prompt: { type: string }[] };
    };
    expect(prompt.params.prompt.map((block) => block.type)).toEqual(["text", type]);
  });
});
