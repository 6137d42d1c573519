/** The beginning of a channel: where one is, and what to type first. */
import type { JSX } from "preact";
import type { Invocable } from "../composer/commands.ts";
import { Icon } from "../icons.tsx";
import { isThread, type Channel } from "../state/model.ts";
import { nameOf } from "../state/state.ts";
import { useStore, useWords } from "../ui.ts";
import { useCommands } from "../composer/use-suggestions.ts";

/** The commands a newcomer needs, in their order; only those that exist are offered. */
const FIRST_STEPS = ["/project create", "/start"] as const;

export function Welcome({
  channel,
  empty,
  onCommand,
}: {
  channel: Channel;
  empty: boolean;
  onCommand: (step: Invocable) => void;
}): JSX.Element {
  const say = useWords();
  const thread = isThread(channel);
  const all = useCommands(channel.guild_id, false);
  const owner = useStore((s) => (channel.owner_id ? nameOf(s, channel.owner_id) : ""));
  const steps = thread ? [] : FIRST_STEPS.flatMap((title) => all.find((i) => `/${i.path.join(" ")}` === title) ?? []);
  return (
    <section class="welcome">
      <span class="welcome-icon">
        <Icon name={thread ? "thread" : "hash"} size={40} />
      </span>
      <h2>{thread ? channel.name : say("welcome", { name: channel.name ?? "" })}</h2>
      <p>
        {thread
          ? say("threadBegin", { name: owner })
          : channel.topic || say("channelBegin", { name: channel.name ?? "" })}
      </p>
      {empty && thread && <p class="welcome-hint">{say("threadHint")}</p>}
      {!thread && all.length === 0 && <p class="welcome-hint">{say("noCommands")}</p>}
      {steps.length > 0 && (
        <ol class="welcome-steps">
          {steps.map((step) => (
            <li key={step.title}>
              <button type="button" class="welcome-step" onClick={() => onCommand(step)}>
                <code>{step.title}</code>
                <span>{step.description}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
