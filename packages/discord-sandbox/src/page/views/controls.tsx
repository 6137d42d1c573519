/**
 * A message's components: buttons in every style, selects, and the layout kinds. What was pressed shows
 * that it waits, and says so when the application has not answered in time.
 */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { AttachmentView, barColour, Picture } from "./embed.tsx";
import { Icon } from "../icons.tsx";
import { Markdown } from "../text/markdown-view.tsx";
import { safeHref } from "../text/markdown-inline.ts";
import { COMPONENT, type Component, type Message } from "../state/model.ts";
import { Popover } from "./popover.tsx";
import { nameOf, type Pending, type State } from "../state/state.ts";
import { useAttempt, useClient, useStore, useWords } from "../ui.ts";

export function Controls({ message }: { message: Message }): JSX.Element {
  const pending = useStore((s) => Object.values(s.pending).find((p) => p.messageId === message.id));
  const say = useWords();
  return (
    <div class="controls">
      {(message.components ?? []).map((component, i) => (
        <ComponentView key={i} component={component} message={message} pending={pending} />
      ))}
      {pending?.failed && (
        <p class="failed" role="alert">
          {say("interactionFailed")}
        </p>
      )}
    </div>
  );
}

interface Shown {
  component: Component;
  message: Message;
  pending: Pending | undefined;
}

function ComponentView({ component, message, pending }: Shown): JSX.Element | null {
  const all = (components: Component[] | undefined): JSX.Element[] =>
    (components ?? []).map((child, i) => (
      <ComponentView key={i} component={child} message={message} pending={pending} />
    ));
  switch (component.type) {
    case COMPONENT.row:
      return <div class="row">{all(component.components)}</div>;
    case COMPONENT.button:
      return <ButtonView component={component} message={message} pending={pending} />;
    case COMPONENT.text:
      return <Markdown text={component.content ?? ""} />;
    case COMPONENT.separator:
      return <hr class={component.divider === false ? "space" : "line"} />;
    case COMPONENT.container:
      return (
        <div class="embed container" style={barColour(component.accent_color ?? undefined)}>
          {all(component.components)}
        </div>
      );
    case COMPONENT.section:
      return (
        <div class="section">
          <div>{all(component.components)}</div>
          {component.accessory && all([component.accessory])}
        </div>
      );
    case COMPONENT.thumbnail:
      return <Picture class="embed-thumbnail" url={component.media?.url ?? ""} alt={component.description ?? ""} />;
    case COMPONENT.gallery:
      return (
        <div class="gallery">
          {(component.items ?? []).map((item, i) => (
            <Picture key={i} class="attachment-image" url={item.media.url} alt={item.description ?? ""} />
          ))}
        </div>
      );
    case COMPONENT.file:
      return <FileView component={component} message={message} />;
    default:
      return selects.has(component.type) ? <Select component={component} message={message} pending={pending} /> : null;
  }
}

function FileView({ component, message }: { component: Component; message: Message }): JSX.Element | null {
  const file = message.attachments?.find(
    (a) => a.url === component.file?.url || component.file?.url === `attachment://${a.filename}`,
  );
  return file ? <AttachmentView attachment={file} /> : null;
}

const styleNames: Record<number, string> = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link" };

function ButtonView({ component, message, pending }: Shown): JSX.Element {
  const { interactions } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  const look = `button ${styleNames[component.style ?? 2] ?? "secondary"}`;
  const content = (
    <>
      {component.emoji?.name && (
        <span class="emoji">{component.emoji.id ? `:${component.emoji.name}:` : component.emoji.name}</span>
      )}
      {component.label && <span>{component.label}</span>}
    </>
  );
  const href = component.style === 5 ? safeHref(component.url ?? "") : undefined;
  if (href && !component.disabled) {
    return (
      <a class={look} href={href} target="_blank" rel="noopener noreferrer">
        {content}
        <Icon name="link" size={16} />
      </a>
    );
  }
  const waiting = pending !== undefined && !pending.failed;
  const loading = waiting && pending.customId === component.custom_id;
  return (
    <button
      type="button"
      class={loading ? `${look} loading` : look}
      disabled={component.disabled || waiting}
      aria-busy={loading}
      aria-label={loading ? say("waiting") : undefined}
      onClick={() => attempt(interactions.press(message, COMPONENT.button, component.custom_id ?? ""))}
    >
      {content}
    </button>
  );
}

const selects = new Set<number>([
  COMPONENT.stringSelect,
  COMPONENT.userSelect,
  COMPONENT.roleSelect,
  COMPONENT.mentionableSelect,
  COMPONENT.channelSelect,
]);

export interface Option {
  label: string;
  value: string;
  description?: string;
  default?: boolean;
  emoji?: { name?: string | null };
}

/** What a select offers: its own options, or what the guild has of its kind. */
export function optionsOf(component: Component, state: State): Option[] {
  const users = (): Option[] => Object.values(state.users).map((u) => ({ label: nameOf(state, u), value: u.id }));
  const roles = (): Option[] => Object.entries(state.roles).map(([value, label]) => ({ label, value }));
  switch (component.type) {
    case COMPONENT.userSelect:
      return users();
    case COMPONENT.roleSelect:
      return roles();
    case COMPONENT.mentionableSelect:
      return [...users(), ...roles()];
    case COMPONENT.channelSelect:
      return Object.values(state.channels).map((c) => ({ label: `#${c.name ?? c.id}`, value: c.id }));
    default:
      return component.options ?? [];
  }
}

function Select({ component, message, pending }: Shown): JSX.Element {
  const { interactions } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  const waiting = pending !== undefined && !pending.failed;
  return (
    <SelectField
      component={component}
      disabled={component.disabled || waiting}
      label={component.placeholder ?? say("choose")}
      onChosen={(values) => attempt(interactions.press(message, component.type, component.custom_id ?? "", values))}
    />
  );
}

/** A list that opens beneath its field. One choice is sent at once; several are sent when the list closes. */
export function SelectField({
  component,
  disabled,
  label,
  onChosen,
}: {
  component: Component;
  disabled?: boolean | undefined;
  label: string;
  onChosen: (values: string[]) => void;
}): JSX.Element {
  const { store } = useClient();
  const say = useWords();
  const field = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const options = optionsOf(component, store.get());
  const [chosen, setChosen] = useState<string[]>(() => options.filter((o) => o.default).map((o) => o.value));
  const most = component.max_values ?? 1;
  const least = component.min_values ?? 1;
  const close = (values: string[]): void => {
    setOpen(false);
    if (values.length >= least) onChosen(values);
  };
  const pick = (value: string): void => {
    const without = chosen.filter((v) => v !== value);
    const next = most === 1 ? [value] : without.length < chosen.length ? without : [...chosen, value].slice(-most);
    setChosen(next);
    if (most === 1) close(next);
  };
  const shown = options
    .filter((o) => chosen.includes(o.value))
    .map((o) => o.label)
    .join(", ");
  return (
    <div class="select">
      <button
        ref={field}
        type="button"
        class="select-field"
        disabled={disabled}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-label={shown ? `${label}: ${shown}` : label}
        onClick={() => setOpen(!open)}
      >
        <span class={shown ? "" : "placeholder"}>{shown || label}</span>
        <Icon name="chevron" size={18} />
      </button>
      {open && field.current && (
        <Popover
          fitted
          anchor={field.current}
          label={label}
          onClose={() => (most === 1 ? setOpen(false) : close(chosen))}
        >
          <div class="select-list" role="listbox" aria-multiselectable={most > 1} aria-label={label} onKeyDown={arrows}>
            {options.map((option) => (
              <button
                key={option.value}
                type="button"
                role="option"
                aria-selected={chosen.includes(option.value)}
                onClick={() => pick(option.value)}
              >
                {option.emoji?.name && <span class="emoji">{option.emoji.name}</span>}
                <span class="select-text">
                  {option.label}
                  {option.description && <small>{option.description}</small>}
                </span>
                {chosen.includes(option.value) && <Icon name="check" size={18} />}
              </button>
            ))}
          </div>
          {most > 1 && (
            <button
              type="button"
              class="button primary wide"
              disabled={chosen.length < least}
              onClick={() => close(chosen)}
            >
              {say("done")}
            </button>
          )}
        </Popover>
      )}
    </div>
  );
}

/** Up and down move between the buttons of a list. */
export function arrows(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || !(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
}
