/**
 * The page in a real browser against the real server: what a person does there arrives as a user's traffic, and
 * what a bot does shows. Each test looks at both ends.
 */
import {
  ComponentType,
  InteractionType,
  type APIApplicationCommandAutocompleteInteraction,
  type APIInteraction,
} from "discord-api-types/v10";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, hasChromium, openStage, shoot, type Stage } from "./stage.ts";

if (!hasChromium)
  process.stderr.write(
    `The page's browser tests are skipped: there is no ${chromiumPath} (Debian: apt-get install chromium).\n`,
  );

const commands = [
  { name: "start", description: "Begin a session", options: [] },
  {
    name: "project",
    description: "Projects",
    options: [
      {
        type: 1,
        name: "create",
        description: "Register a project",
        options: [
          { type: 3, name: "name", description: "Its name", required: true, max_length: 32 },
          { type: 3, name: "path", description: "Its directory", required: true, autocomplete: true },
          { type: 4, name: "depth", description: "How deep", min_value: 1, max_value: 5 },
        ],
      },
      { type: 1, name: "list", description: "All projects" },
    ],
  },
  { name: "ask", description: "Opens a form" },
  { name: "silent", description: "Never answers" },
];

describe.skipIf(!hasChromium)("the page", () => {
  let stage: Stage;
  let page: Page;
  let troubles: string[];
  const channel = (): string => stage.sandbox.channelId;

  beforeAll(async () => {
    stage = await openStage(commands);
    ({ page, troubles } = await stage.browser.open({ colorScheme: "dark" }));
    await page.goto(stage.sandbox.link);
    await box(page).waitFor();
  });
  afterAll(async () => {
    await stage?.close();
  });

  test("takes the token out of the address bar and keeps it for this tab only", async () => {
    expect(page.url()).not.toContain("token");
    expect(await page.evaluate("localStorage.length && JSON.stringify(localStorage)")).not.toContain(
      stage.sandbox.owner.token,
    );
    await page.reload();
    await box(page).waitFor();
  });

  test("a message written there is a message of the user's, once", async () => {
    await box(page).fill("Hello **there** :tada:");
    await box(page).press("Enter");
    const sent = await stage.sandbox.until((w) =>
      w.messages(channel()).find((m) => m.content === "Hello **there** 🎉"),
    );
    expect(sent.author.id).toBe(stage.sandbox.owner.id);
    await page.locator(`[data-id="${sent.id}"] strong`, { hasText: "there" }).waitFor();
    expect(await page.locator(".message", { hasText: "Hello there" }).count()).toBe(1);
  });

  test("Shift and Enter make a new line, the arrow edits the last own message", async () => {
    await box(page).pressSequentially("one");
    await box(page).press("Shift+Enter");
    await box(page).pressSequentially("two");
    await box(page).press("Enter");
    await stage.sandbox.until((w) => w.messages(channel()).find((m) => m.content === "one\ntwo"));
    await box(page).press("ArrowUp");
    await page.locator(".editor textarea").fill("one\nthree");
    await page.locator(".editor textarea").press("Enter");
    const edited = await stage.sandbox.until((w) => w.messages(channel()).find((m) => m.content === "one\nthree"));
    await page.locator(`[data-id="${edited.id}"] .edited`).waitFor();
  });

  test("an Enter that ends an input method's composition sends nothing", async () => {
    await box(page).fill("안녕");
    await page.dispatchEvent(".composer-row textarea", "keydown", { key: "Enter", keyCode: 229 });
    await box(page).press("Enter");
    await stage.sandbox.until((w) => w.messages(channel()).find((m) => m.content === "안녕"));
    expect(stage.sandbox.messages(channel()).filter((m) => m.content === "안녕")).toHaveLength(1);
  });

  test("a message that was refused says so and goes on a second try; one whose answer was lost is there once", async () => {
    const write = async (content: string): Promise<void> => {
      await box(page).fill(content);
      await box(page).press("Enter");
    };
    const sent = (content: string): number =>
      stage.sandbox.messages(channel()).filter((m) => m.content === content).length;
    stage.sandbox.faults.fail({ operationId: "create_message", auth: "user", status: 500, when: "before", times: 1 });
    await write("second try");
    const failed = page.locator(".local-failed", { hasText: "second try" });
    await failed.getByText("This message was not sent.").waitFor();
    expect(sent("second try")).toBe(0);
    await failed.getByRole("button", { name: "Try again" }).click();
    await failed.waitFor({ state: "detached" });
    await stage.sandbox.until(() => sent("second try") === 1);

    stage.sandbox.faults.fail({ operationId: "create_message", auth: "user", status: 500, when: "after", times: 1 });
    const answered = page.waitForResponse((r) => r.status() === 500);
    await write("once only");
    await answered;
    await page.locator(".message:not(.local-sending):not(.local-failed)", { hasText: "once only" }).waitFor();
    expect([sent("once only"), await page.locator(".message", { hasText: "once only" }).count()]).toEqual([1, 1]);
    expect(troubles.splice(0).every((line) => line.includes("500"))).toBe(true);
  });

  test("a bot's message streams in place and carries its mark", async () => {
    const message = await stage.bot.say(channel(), { content: "…" });
    const row = page.locator(`[data-id="${message.id}"]`);
    await row.locator(".tag").waitFor();
    for (const text of ["Reading", "Reading the **code**", "Reading the **code**\n```ts\nconst a = 1;\n```"])
      await stage.bot.edit(message, text);
    await row.locator("pre .tok-keyword", { hasText: "const" }).waitFor();
    expect(await page.locator(".message", { hasText: "Reading the" }).count()).toBe(1);
  });

  test("a command is found, completed by the application, checked, and sent as a client sends it", async () => {
    stage.bot.on((interaction: APIInteraction) => {
      if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
        const typed = focused(interaction);
        return stage.bot.answer(interaction, {
          type: 8,
          data: {
            choices: ["/srv/house", "/srv/hotel"].filter((p) => p.includes(typed)).map((p) => ({ name: p, value: p })),
          },
        });
      }
      return stage.bot.answer(interaction, { type: 4, data: { content: "Created.", flags: 64 } });
    });
    // The card's command opens its form, so that what is typed next is its first value.
    await page.locator(".welcome-step", { hasText: "/project create" }).click();
    await page.locator("input[name=name]:focus").waitFor();
    await page.keyboard.type("shop");
    expect(await page.locator("input[name=name]").inputValue()).toBe("shop");
    await page.getByRole("button", { name: "Close the command" }).click();
    await box(page).fill("");
    await box(page).pressSequentially("/pro");
    await page.getByRole("option", { name: /project create/ }).waitFor();
    await box(page).press("Enter");
    await page.locator("input[name=name]").fill("house");
    await page.locator("input[name=name]").press("Enter");
    await page.getByText("path: This is required.").waitFor();
    // The choices for nothing typed are there before the first letter.
    await page.getByRole("option", { name: "/srv/hotel" }).waitFor();
    await page.locator("input[name=path]").pressSequentially("hou");
    await page.locator("input[name=path]").press("Enter");
    await page.locator("input[name=path][aria-activedescendant]").press("Enter");
    await page.getByRole("button", { name: "Send" }).press("Enter");
    const ran = await stage.sandbox.until((w) => w.interactions().find((i) => i.kind === 2 && i.callback === 4));
    expect(ran.data).toMatchObject({
      name: "project",
      options: [
        {
          name: "create",
          options: [
            { name: "name", value: "house" },
            { name: "path", value: "/srv/house" },
          ],
        },
      ],
    });
    const only = page.locator(".message.ephemeral", { hasText: "Created." });
    await only.getByText("Only you can see this").waitFor();
    await only.getByRole("button", { name: "Dismiss" }).click();
    await only.waitFor({ state: "detached" });
  });

  test("a button waits for its acknowledgement and the answer edits its message", async () => {
    const press = Promise.withResolvers<APIInteraction>();
    stage.bot.on((interaction) => press.resolve(interaction));
    const message = await stage.bot.say(channel(), {
      content: "May it?",
      components: [
        {
          type: 1,
          components: [
            { type: 2, style: 3, label: "Allow", custom_id: "allow" },
            { type: 2, style: 4, label: "Refuse", custom_id: "refuse" },
            { type: 2, style: 2, label: "Never", custom_id: "never", disabled: true },
          ],
        },
      ],
    });
    const row = page.locator(`[data-id="${message.id}"]`);
    expect(await row.getByRole("button", { name: "Never" }).isDisabled()).toBe(true);
    await row.getByRole("button", { name: "Allow" }).click();
    await row.locator("button[aria-busy=true]").waitFor();
    await stage.bot.answer(await press.promise, { type: 7, data: { content: "Allowed.", components: [] } });
    await row.getByText("Allowed.").waitFor();
    expect(await row.locator("button.button").count()).toBe(0);
  });

  test("an application that does not answer is said to have failed, by command and by button", async () => {
    stage.bot.on(() => undefined);
    const message = await stage.bot.say(channel(), {
      content: "Dead button",
      components: [{ type: 1, components: [{ type: 2, style: 1, label: "Press", custom_id: "dead" }] }],
    });
    const row = page.locator(`[data-id="${message.id}"]`);
    await box(page).fill("/silent");
    await box(page).press("Enter");
    await page.getByRole("button", { name: "Send" }).press("Enter");
    await row.getByRole("button", { name: "Press" }).click();
    await row.getByText("This interaction failed").waitFor();
    await page.getByText("The application did not respond").waitFor();
    expect(await row.getByRole("button", { name: "Press" }).isEnabled()).toBe(true);
    await page.locator(".pending-command").getByRole("button", { name: "Dismiss" }).click();
  });

  test("a modal is filled in, checked, and sent in the nesting it came in", async () => {
    stage.bot.on((interaction) =>
      interaction.type === InteractionType.ModalSubmit
        ? stage.bot.answer(interaction, { type: 4, data: { content: "Thank you." } })
        : stage.bot.answer(interaction, {
            type: 9,
            data: {
              custom_id: "form",
              title: "A question",
              components: [
                {
                  type: 18,
                  label: "Why",
                  description: "In one sentence",
                  component: { type: 4, custom_id: "why", style: 2, required: true, min_length: 3 },
                },
                {
                  type: 18,
                  label: "Which",
                  component: {
                    type: 3,
                    custom_id: "which",
                    options: [
                      { label: "One", value: "1" },
                      { label: "Two", value: "2" },
                    ],
                  },
                },
              ],
            },
          }),
    );
    await box(page).fill("/ask");
    await box(page).press("Enter");
    await page.getByRole("button", { name: "Send" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "A question" });
    await dialog.getByRole("button", { name: "Submit" }).click();
    await dialog.getByText("This is required.").first().waitFor();
    await dialog.getByLabel("Why").fill("Because it must");
    await dialog.getByRole("button", { name: "Choose…" }).click();
    await page.getByRole("option", { name: "Two" }).click();
    await dialog.getByRole("button", { name: "Submit" }).click();
    const sent = await stage.sandbox.until((w) => w.interactions().find((i) => i.kind === 5));
    expect(sent.data).toMatchObject({
      custom_id: "form",
      components: [
        { type: ComponentType.Label, component: { custom_id: "why", value: "Because it must" } },
        { type: ComponentType.Label, component: { custom_id: "which", values: ["2"] } },
      ],
    });
    await page.locator(".message", { hasText: "Thank you." }).waitFor();
  });

  test("a form that nobody takes keeps what was written in it", async () => {
    stage.bot.on((interaction) =>
      interaction.type === InteractionType.ModalSubmit
        ? undefined
        : stage.bot.answer(interaction, {
            type: 9,
            data: {
              custom_id: "again",
              title: "Once more",
              components: [{ type: 1, components: [{ type: 4, custom_id: "text", label: "Text", style: 1 }] }],
            },
          }),
    );
    await box(page).fill("/ask");
    await box(page).press("Enter");
    await page.getByRole("button", { name: "Send" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Once more" });
    await dialog.getByLabel("Text").fill("a long thought");
    await shoot(page, "dark-modal");
    await dialog.getByRole("button", { name: "Submit" }).click();
    await dialog.getByText("The application did not respond").waitFor();
    expect(await dialog.getByLabel("Text").inputValue()).toBe("a long thought");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("a deferred answer thinks until it is filled in", async () => {
    const deferred = Promise.withResolvers<APIInteraction>();
    stage.bot.on(async (interaction) => {
      await stage.bot.answer(interaction, { type: 5, data: { flags: 64 } });
      deferred.resolve(interaction);
    });
    await box(page).fill("/start");
    await box(page).press("Enter");
    await page.getByRole("button", { name: "Send" }).press("Enter");
    const interaction = await deferred.promise;
    await page.locator(".message.ephemeral .thinking").waitFor();
    await stage.bot.rest.patch(`/webhooks/${stage.sandbox.applicationId}/${interaction.token}/messages/@original`, {
      body: { content: "A thread is open." },
      auth: false,
    });
    const row = page.locator(".message.ephemeral", { hasText: "A thread is open." });
    await row.waitFor();
    await row.locator(".reference", { hasText: "/start" }).waitFor();
    expect(await page.locator(".thinking").count()).toBe(0);
  });

  test("a select sends what was chosen, one at once, several when it closes", async () => {
    const pressed: string[][] = [];
    const both = Promise.withResolvers<void>();
    stage.bot.on(async (interaction) => {
      if (interaction.type !== InteractionType.MessageComponent || !("values" in interaction.data)) return;
      pressed.push(interaction.data.values);
      await stage.bot.answer(interaction, { type: 6 });
      if (pressed.length === 2) both.resolve();
    });
    const options = ["red", "green", "blue"].map((value) => ({ label: value, value }));
    const message = await stage.bot.say(channel(), {
      content: "Choose",
      components: [
        { type: 1, components: [{ type: 3, custom_id: "one", placeholder: "One colour", options }] },
        {
          type: 1,
          components: [
            { type: 3, custom_id: "more", placeholder: "Some colours", options, min_values: 1, max_values: 2 },
          ],
        },
      ],
    });
    const row = page.locator(`[data-id="${message.id}"]`);
    await row.getByRole("button", { name: "One colour" }).click();
    await page.getByRole("option", { name: "green" }).press("ArrowDown");
    await shoot(page, "dark-select");
    await page.locator("[role=option]:focus", { hasText: "blue" }).press("Enter");
    await row.locator("button:enabled", { hasText: "Some colours" }).click();
    await page.getByRole("option", { name: "red" }).click();
    await page.getByRole("option", { name: "blue" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    await both.promise;
    expect(pressed).toEqual([["blue"], ["red", "blue"]]);
  });

  test("files go up by button, drop and paste, and come back as links and pictures", async () => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload files" }).click();
    await (
      await chooser
    ).setFiles([
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") },
      {
        name: "dot.png",
        mimeType: "image/png",
        buffer: Buffer.from(
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
          "base64",
        ),
      },
    ]);
    await page.locator(".file-chip img").waitFor();
    await drop(page, "dropped.md", "# dropped");
    await page.locator(".file-chip", { hasText: "dropped.md" }).waitFor();
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(["x"], "pasted.txt"));
      document.querySelector(".composer-row textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    await page.locator(".file-chip", { hasText: "pasted.txt" }).waitFor();
    await box(page).fill("four files");
    await box(page).press("Enter");
    const sent = await stage.sandbox.until((w) => w.messages(channel()).find((m) => m.attachments.length === 4));
    expect(sent.attachments.map((a) => a.filename)).toEqual(["notes.txt", "dot.png", "dropped.md", "pasted.txt"]);
    const row = page.locator(`[data-id="${sent.id}"]`);
    await row.locator("a", { hasText: "notes.txt" }).waitFor();
    await row.locator("img").waitFor();
    expect(
      await page.evaluate(
        `(image => image.decode().then(() => image.naturalWidth))(document.querySelector('[data-id="${sent.id}"] img'))`,
      ),
    ).toBe(1);
  });

  test("a reaction is put on, counted and taken off", async () => {
    const message = await stage.bot.say(channel(), { content: "React to me" });
    const row = page.locator(`[data-id="${message.id}"]`);
    await row.hover();
    await row.getByRole("button", { name: "Add reaction" }).first().click();
    await shoot(page, "dark-emoji");
    await page.getByRole("searchbox", { name: "Find an emoji" }).fill("rocket");
    await page.getByRole("searchbox", { name: "Find an emoji" }).press("Enter");
    await stage.sandbox.until((w) => w.reactions(message.id)["🚀"]?.includes(stage.sandbox.owner.id));
    const reaction = row.getByRole("button", { name: /🚀, 1/ });
    await reaction.click();
    await reaction.waitFor({ state: "detached" });
    expect(stage.sandbox.reactions(message.id)).toEqual({});
  });

  test("a reply shows what it answers", async () => {
    const message = await stage.bot.say(channel(), { content: "What now?" });
    const row = page.locator(`[data-id="${message.id}"]`);
    await row.hover();
    await row.getByRole("button", { name: "Reply" }).click();
    await box(page).fill("This.");
    await box(page).press("Enter");
    const reply = await stage.sandbox.until((w) => w.messages(channel()).find((m) => m.content === "This."));
    expect(reply.message_reference?.message_id).toBe(message.id);
    await page.locator(`[data-id="${reply.id}"] .reference`, { hasText: "What now?" }).waitFor();
  });

  test("a thread is made from a message, archived, found again and reopened", async () => {
    const message = await stage.bot.say(channel(), { content: "Thread me" });
    const row = page.locator(`[data-id="${message.id}"]`);
    await row.hover();
    await row.getByRole("button", { name: "Create thread" }).click();
    await page.getByLabel("Thread name").fill("a session");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "a session" }).first().waitFor();
    await page.getByRole("button", { name: "Archive thread" }).click();
    await page.locator(".tag", { hasText: "Archived" }).waitFor();
    await page.locator(".sidebar").getByRole("button", { name: "general" }).click();
    await page.getByRole("button", { name: "Threads" }).click();
    await page.locator(".thread-item").first().waitFor();
    await shoot(page, "dark-threads");
    await page.locator(".thread-item", { hasText: "a session" }).click();
    await page.getByRole("button", { name: "Reopen thread" }).click();
    await stage.sandbox.until((w) =>
      w.threads().find((t) => t.name === "a session" && t.thread_metadata?.archived === false),
    );
    await page.locator(".sidebar").getByRole("button", { name: "general" }).click();
    await row.locator(".thread-chip", { hasText: "a session" }).waitFor();
  });

  test("a hostile message is only text: nothing runs, no address but http and https is a link", async () => {
    const message = await stage.bot.say(channel(), {
      content: "<img src=x onerror=document.title='owned'> [click](javascript:alert(1)) </div><script>1</script>",
    });
    await page.locator(`[data-id="${message.id}"]`, { hasText: "<img src=x" }).waitFor();
    expect(await page.locator(`[data-id="${message.id}"] .content :is(img, script, a)`).count()).toBe(0);
    expect(await page.title()).not.toContain("owned");
  });

  test("nothing in all of this was complained about by the browser", () => {
    expect(troubles).toEqual([]);
  });
});

function box(page: Page): ReturnType<Page["locator"]> {
  return page.locator(".composer-row textarea");
}

function focused(interaction: APIApplicationCommandAutocompleteInteraction): string {
  const [sub] = interaction.data.options;
  const options = sub && "options" in sub ? (sub.options ?? []) : [];
  const option = options.find((o) => "focused" in o && o.focused);
  return option && "value" in option ? String(option.value) : "";
}

/** A file dragged from outside onto the channel. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: "text/markdown" }));
    return transfer;
  })()`);
  await page.dispatchEvent(".chat", "dragenter", { dataTransfer: transfer });
  await page.locator(".drop").waitFor();
  await page.dispatchEvent(".chat", "drop", { dataTransfer: transfer });
}
