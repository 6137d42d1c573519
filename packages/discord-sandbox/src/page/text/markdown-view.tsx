/**
 * Draws parsed Markdown. Every piece of text becomes a text node and every link carries an address that
 * the parser has checked; there is no way from a message to markup.
 */
import { Fragment, type JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { cellsOf } from "./cells.ts";
import { isJumbo } from "./emoji.ts";
import { highlight } from "./highlight.ts";
import { Icon } from "../icons.tsx";
import { parseInline, type Inline } from "./markdown-inline.ts";
import { parseMarkdown, type Block } from "./markdown.ts";
import { nameOf } from "../state/state.ts";
import { timeText } from "../state/times.ts";
import { useClient, useNow, useStore, useWords } from "../ui.ts";

export function Markdown({ text, jumbo = false }: { text: string; jumbo?: boolean }): JSX.Element {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div class={jumbo && isJumbo(text) ? "markdown jumbo" : "markdown"}>
      <Blocks blocks={blocks} />
    </div>
  );
}

/** One line of Markdown without blocks: titles, names of fields, previews. */
export function InlineMarkdown({ text }: { text: string }): JSX.Element {
  const nodes = useMemo(() => parseInline(text), [text]);
  return <Inlines nodes={nodes} />;
}

function Blocks({ blocks }: { blocks: Block[] }): JSX.Element {
  return (
    <>
      {blocks.map((block, i) => (
        <BlockView key={i} block={block} />
      ))}
    </>
  );
}

function BlockView({ block }: { block: Block }): JSX.Element {
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <Inlines nodes={block.children} />
        </p>
      );
    case "subtext":
      return (
        <p class="subtext">
          <Inlines nodes={block.children} />
        </p>
      );
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.children} />
        </blockquote>
      );
    case "code":
      return <Code language={block.language} text={block.text} />;
    case "heading": {
      const Heading = `h${block.level + 2}` as "h3" | "h4" | "h5";
      return (
        <Heading class={`heading-${block.level}`}>
          <Inlines nodes={block.children} />
        </Heading>
      );
    }
    case "list": {
      const items = block.items.map((item, i) => (
        <li key={i}>
          <Blocks blocks={item} />
        </li>
      ));
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
  }
}

function Inlines({ nodes }: { nodes: Inline[] }): JSX.Element {
  return (
    <>
      {nodes.map((node, i) => (
        <Fragment key={i}>
          <InlineView node={node} />
        </Fragment>
      ))}
    </>
  );
}

function InlineView({ node }: { node: Inline }): JSX.Element {
  switch (node.kind) {
    case "text":
      return <>{node.text}</>;
    case "strong":
      return (
        <strong>
          <Inlines nodes={node.children} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inlines nodes={node.children} />
        </em>
      );
    case "underline":
      return (
        <u>
          <Inlines nodes={node.children} />
        </u>
      );
    case "strike":
      return (
        <s>
          <Inlines nodes={node.children} />
        </s>
      );
    case "spoiler":
      return <Spoiler nodes={node.children} />;
    case "code":
      return <code>{node.text}</code>;
    case "link":
      return (
        <a href={node.href} title={node.title ?? node.href} target="_blank" rel="noopener noreferrer">
          <Inlines nodes={node.children} />
        </a>
      );
    case "user":
      return <UserMention id={node.id} />;
    case "role":
      return <RoleMention id={node.id} />;
    case "channel":
      return <ChannelMention id={node.id} />;
    case "everyone":
      return <span class="mention">{node.text}</span>;
    case "command":
      return <span class="mention">/{node.name}</span>;
    case "emoji":
      return node.id ? (
        <span class="mention" title={`:${node.name}:`}>
          :{node.name}:
        </span>
      ) : (
        <span class="emoji">{node.name}</span>
      );
    case "time":
      return <Time seconds={node.seconds} style={node.style} />;
  }
}

function Spoiler({ nodes }: { nodes: Inline[] }): JSX.Element {
  const [shown, setShown] = useState(false);
  const say = useWords();
  if (shown)
    return (
      <span class="spoiler shown">
        <Inlines nodes={nodes} />
      </span>
    );
  return (
    <button type="button" class="spoiler" aria-label={say("spoiler")} onClick={() => setShown(true)}>
      <span aria-hidden="true">
        <Inlines nodes={nodes} />
      </span>
    </button>
  );
}

function Code({ language, text }: { language: string; text: string }): JSX.Element {
  const tokens = useMemo(() => highlight(text, language), [text, language]);
  const [copied, setCopied] = useState(false);
  const say = useWords();
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => setCopied(true));
  };
  return (
    <div class="code-block">
      <button type="button" class="code-copy" aria-label={say("copyCode")} title={say("copyCode")} onClick={copy}>
        <Icon name={copied ? "check" : "copy"} size={16} />
      </button>
      <pre tabIndex={0} role="group" aria-label={language || say("code")}>
        <code>
          {tokens.map((token, i) =>
            token.kind === "plain" ? (
              <Cells key={i} text={token.text} />
            ) : (
              <span key={i} class={`tok-${token.kind}`}>
                <Cells text={token.text} />
              </span>
            ),
          )}
        </code>
      </pre>
    </div>
  );
}

/** Code in cells, so that columns align in every script. */
function Cells({ text }: { text: string }): JSX.Element {
  return (
    <>
      {cellsOf(text).map((cell, i) =>
        cell.wide ? (
          <span key={i} class="wide">
            {cell.text}
          </span>
        ) : (
          cell.text
        ),
      )}
    </>
  );
}

function UserMention({ id }: { id: string }): JSX.Element {
  const name = useStore((s) => (s.users[id] ? nameOf(s, id) : id));
  const me = useStore((s) => s.me?.id === id);
  return <span class={me ? "mention mine" : "mention"}>@{name}</span>;
}

function RoleMention({ id }: { id: string }): JSX.Element {
  return <span class="mention">@{useStore((s) => s.roles[id] ?? id)}</span>;
}

function ChannelMention({ id }: { id: string }): JSX.Element {
  const { open } = useClient();
  const say = useWords();
  const channel = useStore((s) => s.channels[id]);
  if (!channel) return <span class="mention">#{say("unknownChannel")}</span>;
  return (
    <button type="button" class="mention" onClick={() => void open(id)}>
      #{channel.name}
    </button>
  );
}

function Time({ seconds, style }: { seconds: number; style: string }): JSX.Element {
  const { locale } = useClient();
  const ms = seconds * 1000;
  const now = useNow(Math.abs(Date.now() - ms) < 120_000 ? 1000 : 30_000);
  return (
    <time class="timestamp" dateTime={new Date(ms).toISOString()} title={timeText(ms, "F", now, locale)}>
      {timeText(ms, style, now, locale)}
    </time>
  );
}
