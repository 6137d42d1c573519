/**
 * A bot written with discord.js, as most bots are, against the sandbox: its own client logs in, hears, answers,
 * makes threads, uploads and takes presses. What Discord would refuse it, it is refused here.
 */
import {
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  ActionRowBuilder,
  Client,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  MessageFlags,
  ModalBuilder,
  SlashCommandBuilder,
  TextInputBuilder,
  TextInputStyle,
  LabelBuilder,
  type Interaction,
  type Message,
} from "discord.js";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startSandbox, type Sandbox, type UserActor } from "../src/discord-sandbox.ts";
import { contract } from "./contract/contract.ts";

const intents = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent];
let sandbox: Sandbox;
let client: Client<true>;
let owner: UserActor;

beforeEach(async () => {
  const judge = contract({ refusals: true });
  sandbox = await startSandbox({ observe: judge.observe });
  owner = sandbox.channel(sandbox.channelId).user(sandbox.owner.id);
  client = await logIn();
  onTestFinished(async () => {
    await client.destroy();
    await sandbox.close();
    // What discord.js sends beyond what Discord describes (`tts` in an edit) is its own affair; the answers are ours.
    expect(judge.breaches.filter((line) => !line.startsWith("request of "))).toEqual([]);
  });
});

/** Nothing but the address differs from a bot on Discord. */
async function logIn(): Promise<Client<true>> {
  const bot = new Client({ intents, rest: { api: sandbox.api } });
  const ready = new Promise<Client<true>>((resolve) => void bot.once(Events.ClientReady, resolve));
  await bot.login(sandbox.botToken);
  return ready;
}

/** Answers messages as a test says; what goes wrong there fails the test. */
function onMessage(answer: (message: Message) => Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    client.on(Events.MessageCreate, (message) => {
      if (!message.author.bot && !message.system) answer(message).then(resolve, reject);
    });
  });
}

function onInteraction(answer: (interaction: Interaction) => Promise<unknown>): void {
  client.on(Events.InteractionCreate, (interaction) => void answer(interaction));
}

async function refusal(attempt: Promise<unknown>): Promise<Pick<DiscordAPIError, "status" | "code">> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DiscordAPIError)) throw new Error("It was not refused", { cause: error });
  return { status: error.status, code: error.code };
}

describe("a bot of discord.js", () => {
  test("logs in and knows its server, channel and owner", async () => {
    expect(client.user.id).toBe(sandbox.botId);
    expect(client.guilds.cache.map(({ id }) => id)).toEqual([sandbox.guildId]);
    expect(client.channels.cache.has(sandbox.channelId)).toBe(true);
    expect((await client.application.fetch()).owner?.id).toBe(sandbox.owner.id);
    expect(sandbox.violations).toEqual([]);
  });

  test("answers a message, reacts to it and edits what it said", async () => {
    const answered = onMessage(async (message) => {
      await message.react("👀");
      const reply = await message.reply(`You said: ${message.content}`);
      await reply.edit("Done.");
    });
    const { id } = await owner.send("hello");
    await answered;
    expect(sandbox.reactions(id)).toEqual({ "👀": [sandbox.botId] });
    const [, reply] = sandbox.messages(sandbox.channelId);
    expect(reply).toMatchObject({
      content: "Done.",
      author: { id: sandbox.botId },
      message_reference: { message_id: id },
    });
    expect(sandbox.violations).toEqual([]);
  });

  test("makes a thread from a message, talks in it and archives it", async () => {
    const talked = onMessage(async (message) => {
      const thread = await message.startThread({ name: "Work", autoArchiveDuration: 60 });
      await thread.send("In here.");
      await thread.setArchived(true);
    });
    await owner.send("please");
    await talked;
    const [thread] = sandbox.threads(sandbox.channelId);
    expect(thread).toMatchObject({ name: "Work", thread_metadata: { archived: true } });
    expect(sandbox.messages(thread?.id ?? "").map(({ content }) => content)).toContain("In here.");
    expect(sandbox.violations).toEqual([]);
  });

  test("uploads a file, and reads one it was sent", async () => {
    const read = onMessage(async (message) => {
      const text = await (await fetch(message.attachments.first()?.url ?? "")).text();
      await message.reply({ files: [new AttachmentBuilder(Buffer.from(text.toUpperCase()), { name: "loud.txt" })] });
    });
    await owner.upload([{ name: "quiet.txt", bytes: Buffer.from("words") }]);
    await read;
    const file = sandbox.messages(sandbox.channelId).at(-1)?.attachments[0];
    expect(file).toMatchObject({ filename: "loud.txt", size: 5 });
    expect(await (await fetch(file?.url ?? "")).text()).toBe("WORDS");
  });

  test("registers a command, defers, and takes the press of its button and the text of its modal", async () => {
    const command = new SlashCommandBuilder()
      .setName("order")
      .setDescription("Orders something")
      .addStringOption((option) => option.setName("what").setDescription("What").setRequired(true));
    await client.application.commands.set([command], sandbox.guildId);
    onInteraction(async (interaction) => {
      if (interaction.isChatInputCommand()) {
        await interaction.deferReply({ flags: MessageFlags.Ephemeral });
        const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
          new ButtonBuilder().setCustomId("note").setLabel("Add a note").setStyle(ButtonStyle.Primary),
        );
        await interaction.editReply({ content: `One ${interaction.options.getString("what")}`, components: [row] });
      } else if (interaction.isButton()) {
        const note = new LabelBuilder()
          .setLabel("Note")
          .setTextInputComponent(new TextInputBuilder().setCustomId("text").setStyle(TextInputStyle.Short));
        await interaction.showModal(
          new ModalBuilder().setCustomId("noted").setTitle("A note").addLabelComponents(note),
        );
      } else if (interaction.isModalSubmit()) {
        await interaction.reply(`Noted: ${interaction.fields.getTextInputValue("text")}`);
      }
    });
    const used = await owner.slash("order", { what: "tea" });
    const shown = await used.answer();
    expect(shown.content).toBe("One tea");
    expect(await used.ephemeral()).toBe(true);
    const opened = await owner.clickButton(shown.id, "Add a note");
    const noted = await owner.submitModal(opened, { text: "no sugar" });
    expect((await noted.answer()).content).toBe("Noted: no sugar");
    expect(sandbox.violations).toEqual([]);
  });
});

describe("a bot of discord.js is refused", () => {
  test("a press: buttons are pressed by people", async () => {
    const body = {
      type: 3,
      application_id: sandbox.applicationId,
      channel_id: sandbox.channelId,
      guild_id: sandbox.guildId,
      session_id: "x",
      message_id: "1",
      data: { component_type: 2, custom_id: "yes" },
    };
    expect(await refusal(client.rest.post("/interactions", { body }))).toEqual({ status: 403, code: 20001 });
  });

  test("a channel it does not see, and the deletion of one it does", async () => {
    const hidden = sandbox.addChannel("secret", { hidden: true });
    expect(await refusal(client.channels.fetch(hidden))).toEqual({ status: 403, code: 50001 });
    const general = await client.channels.fetch(sandbox.channelId);
    if (general === null) throw new Error("There is no channel");
    expect(await refusal(general.delete())).toEqual({ status: 403, code: 50013 });
  });

  test("a text that is too long, and a second answer to one interaction; both are on the record", async () => {
    await client.application.commands.set(
      [new SlashCommandBuilder().setName("ping").setDescription("Answers")],
      sandbox.guildId,
    );
    const second = new Promise<unknown>((resolve) => {
      onInteraction(async (interaction) => {
        if (!interaction.isChatInputCommand()) return;
        await interaction.reply("Pong.");
        resolve(
          await refusal(
            client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, {
              auth: false,
              body: { type: 4, data: { content: "Again." } },
            }),
          ),
        );
      });
    });
    await owner.slash("ping");
    expect(await second).toEqual({ status: 400, code: 40060 });
    const general = await client.channels.fetch(sandbox.channelId);
    if (general?.isSendable() !== true) throw new Error("Nothing can be said there");
    expect(await refusal(general.send("x".repeat(2001)))).toEqual({ status: 400, code: 50035 });
    expect(sandbox.violations.map(({ kind, code }) => ({ kind, code }))).toEqual([
      { kind: "double_ack", code: 40060 },
      { kind: "bad_request", code: 50035 },
    ]);
  });
});
