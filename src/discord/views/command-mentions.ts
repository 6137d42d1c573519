/** What we say names our commands as Discord does, so that each reader sees them in his language and can press them. */
import { MessageFlags } from "discord-api-types/v10";
import type { Body } from "./message.ts";

/** The ids that Discord has given our commands, each by its whole name. */
export type CommandIds = ReadonlyMap<string, string>;

/**
 * What we say, with each command that stands in it as code as Discord's mention, which shows every reader its name in
 * his language and fills it in when it is pressed. An agent's text stays as it is.
 */
export function withCommands<T extends Pick<Body, "content" | "embeds"> & { flags?: number }>(
  body: T,
  ids: CommandIds,
): T {
  const linked = (text: string): string =>
    text.replace(/`\/([a-z]+(?: [a-z]+)?)`/g, (as, name: string) => {
      const id = ids.get(name);
      return id === undefined ? as : `</${name}:${id}>`;
    });
  const isAgents = ((body.flags ?? 0) & MessageFlags.SuppressEmbeds) !== 0;
  return {
    ...body,
    content: isAgents ? body.content : linked(body.content),
    embeds: body.embeds.map((embed) =>
      embed.description === undefined ? embed : { ...embed, description: linked(embed.description) },
    ),
  };
}
