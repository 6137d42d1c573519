/** What hangs below a message's text: embeds with their coloured bar, attachments, reactions. */
import type { JSX } from "preact";
import { Icon } from "../icons.tsx";
import { InlineMarkdown, Markdown } from "../text/markdown-view.tsx";
import { safeHref } from "../text/markdown-inline.ts";
import { emojiKey, type Attachment, type Embed, type Message, type Reaction } from "../state/model.ts";
import { shortTime, sizeText } from "../state/times.ts";
import { useAttempt, useClient, useNow, useWords } from "../ui.ts";

export function EmbedView({ embed }: { embed: Embed }): JSX.Element {
  const { locale } = useClient();
  const now = useNow(60_000);
  const when = embed.timestamp ? shortTime(Date.parse(embed.timestamp), now, locale) : undefined;
  const foot = [embed.footer?.text, when].filter(Boolean).join(" • ");
  return (
    <article class="embed" style={barColour(embed.color)}>
      {embed.thumbnail && <Picture class="embed-thumbnail" url={embed.thumbnail.url} alt="" />}
      {embed.author && (
        <div class="embed-author">
          <Linked url={embed.author.url}>{embed.author.name}</Linked>
        </div>
      )}
      {embed.title && (
        <div class="embed-title">
          <Linked url={embed.url}>
            <InlineMarkdown text={embed.title} />
          </Linked>
        </div>
      )}
      {embed.description && (
        <div class="embed-description">
          <Markdown text={embed.description} />
        </div>
      )}
      {embed.fields && embed.fields.length > 0 && (
        <div class="embed-fields">
          {embed.fields.map((field, i) => (
            <div key={i} class={field.inline ? "embed-field inline" : "embed-field"}>
              <div class="embed-field-name">
                <InlineMarkdown text={field.name} />
              </div>
              <Markdown text={field.value} />
            </div>
          ))}
        </div>
      )}
      {embed.image && <Picture class="embed-image" url={embed.image.url} alt={embed.image.description ?? ""} />}
      {foot && <footer class="embed-footer">{foot}</footer>}
    </article>
  );
}

/** The coloured bar at the side, in the colour that Discord gives as a number. */
export function barColour(color: number | undefined): { borderInlineStartColor?: string } {
  return color === undefined ? {} : { borderInlineStartColor: `#${color.toString(16).padStart(6, "0")}` };
}

function Linked({ url, children }: { url: string | undefined; children: JSX.Element | string }): JSX.Element {
  const href = url ? safeHref(url) : undefined;
  return href ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <>{children}</>
  );
}

/** Pictures come from this server only (the page's content policy); one from elsewhere is a link to it. */
export function Picture({ url, alt, class: extra }: { url: string; alt: string; class: string }): JSX.Element | null {
  const href = safeHref(url);
  if (!href) return null;
  if (new URL(href).origin !== location.origin)
    return (
      <a class={extra} href={href} target="_blank" rel="noopener noreferrer">
        {alt || href}
      </a>
    );
  return (
    <a class={extra} href={href} target="_blank" rel="noopener noreferrer">
      <img src={href} alt={alt} loading="lazy" />
    </a>
  );
}

export function AttachmentView({ attachment }: { attachment: Attachment }): JSX.Element {
  const { locale } = useClient();
  const href = safeHref(attachment.url);
  const name =
    attachment.title === undefined
      ? attachment.filename
      : `${attachment.title}${/\.\w+$/.exec(attachment.filename)?.[0] ?? ""}`;
  const isImage = /^image\/(?:png|jpeg|gif|webp|avif)$/.test(attachment.content_type ?? "");
  if (isImage && href) return <Picture class="attachment-image" url={href} alt={attachment.description ?? name} />;
  return (
    <div class="attachment-file">
      <Icon name="file" size={28} />
      <div>
        {href ? (
          <a href={href} download={name} target="_blank" rel="noopener noreferrer">
            {name}
          </a>
        ) : (
          name
        )}
        <div class="attachment-size">{sizeText(attachment.size, locale)}</div>
      </div>
    </div>
  );
}

export function Reactions({ message, onAdd }: { message: Message; onAdd: (anchor: HTMLElement) => void }): JSX.Element {
  const say = useWords();
  return (
    <div class="reactions">
      {(message.reactions ?? []).map((reaction) => (
        <ReactionButton key={emojiKey(reaction.emoji)} message={message} reaction={reaction} />
      ))}
      <button
        type="button"
        class="reaction add"
        aria-label={say("addReaction")}
        title={say("addReaction")}
        onClick={(event) => onAdd(event.currentTarget)}
      >
        <Icon name="smile" size={16} />
      </button>
    </div>
  );
}

function ReactionButton({ message, reaction }: { message: Message; reaction: Reaction }): JSX.Element {
  const { react } = useClient();
  const say = useWords();
  const attempt = useAttempt();
  const name = reaction.emoji.id ? `:${reaction.emoji.name ?? ""}:` : (reaction.emoji.name ?? "");
  return (
    <button
      type="button"
      class="reaction"
      aria-pressed={reaction.me}
      aria-label={say("reactionCount", { emoji: name, count: reaction.count })}
      onClick={() => attempt(react(message, reaction.emoji, !reaction.me))}
    >
      <span class="emoji">{name}</span> <span class="count">{reaction.count}</span>
    </button>
  );
}
