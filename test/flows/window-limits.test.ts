/**
 * Answers of a Claude in a window that are longer than its hooks can carry: whole all the same, or said to be missing.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { did, hasTmux, openDesk, started, type Desk } from "./desk.ts";
import { learnt, open, textOf } from "./workshop.ts";
import { inFolder, type World } from "./world.ts";

const MIB = 1024 * 1024;

/** Answers so many characters, and what stands of them on the disk. */
async function answered({ world }: Desk, thread: string, chars: number): Promise<string> {
  const { id } = await world.owner(thread).send(`long:${chars}:kept`);
  await world.marked(id, "✅");
  return latest(world);
}

function latest({ stateDir }: World): string {
  const results = join(stateDir, "results");
  const name =
    readdirSync(results)
      .filter((one) => one.endsWith(".md"))
      .toSorted()
      .at(-1) ?? "";
  return readFileSync(join(results, name), "utf8");
}

function isWhole(text: string, chars: number): boolean {
  return (
    text ===
    "words and 한국어\n"
      .repeat(Math.ceil(chars / 14))
      .slice(0, chars)
      .trimEnd()
  );
}

test.skipIf(!hasTmux)(
  "an answer of millions of characters that is told only at its end is posted whole; one that no hook can carry is read where Claude wrote it",
  async () => {
    const desk = await openDesk();
    const { world } = desk;
    await started(world);
    const thread = await world.session();
    expect(isWhole(await answered(desk, thread, 3_000_000), 3_000_000)).toBe(true);
    const file = await world.saying(thread, (said) =>
      said.find(({ attachments: [one] }) => one?.filename.endsWith(".md")),
    );
    expect(isWhole((await textOf(file)).trim(), 3_000_000)).toBe(true);
    expect(isWhole(await answered(desk, thread, 12 * MIB), 12 * MIB)).toBe(true);
  },
);

test.skipIf(!hasTmux)("a permission that no hook can carry is refused, and Claude says so", async () => {
  const { world } = await openDesk();
  await started(world);
  const thread = await world.session();
  const { id } = await world.owner(thread).send("heavy:17:two");
  await world.marked(id, "✅");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("I may not 17:two")));
  await world.marked((await world.owner(thread).send("count:three")).id, "✅");
  expect(did(world)).toEqual(["three"]);
});

test.skipIf(!hasTmux).each([
  ["kept", "✅"],
  ["unkept", "❌"],
])("the end of a long answer that no daemon heard, which Claude has written down (%s): %s", async (how, sign) => {
  const desk = await openDesk();
  const { world } = desk;
  const daemon = await started(world);
  const thread = await world.session();
  const { id } = await world.owner(thread).send(`long:${MIB}:${how}:gate`);
  await learnt(world, "process");
  await daemon.kill("SIGKILL");
  open(world, "gate");
  const spool = join(world.stateDir, "hooks", "spool");
  await inFolder(spool, () =>
    readdirSync(spool).some(
      (name) => !name.startsWith(".") && readFileSync(join(spool, name), "utf8").startsWith("Stop "),
    ),
  );
  await started(world);
  await world.marked(id, sign);
  if (sign === "✅") expect(isWhole(latest(world), MIB)).toBe(true);
  else await world.saying(thread, (said) => JSON.stringify(said).includes("E_LINE_REFUSED"));
});
