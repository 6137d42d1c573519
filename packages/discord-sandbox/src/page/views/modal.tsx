/**
 * A modal an application has opened: text inputs, selects, checkboxes and their labels, checked as
 * Discord's client checks them before they are sent.
 */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SelectField } from "./controls.tsx";
import { interactionNonce, type Submitted, type SubmittedField } from "../connection/interactions.ts";
import { Markdown } from "../text/markdown-view.tsx";
import { COMPONENT, type Component } from "../state/model.ts";
import { Dialog } from "./popover.tsx";
import type { ModalShown } from "../state/state.ts";
import { useAttempt, useClient, useStore, useWords, type Say } from "../ui.ts";

type Values = Record<string, string | string[] | boolean>;

export function ModalHost(): JSX.Element | null {
  const modal = useStore((s) => s.modal);
  return modal ? <ModalView key={modal.nonce} modal={modal} /> : null;
}

function ModalView({ modal }: { modal: ModalShown }): JSX.Element {
  const { store, interactions } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  const [values, setValues] = useState<Values>(() => firstValues(modal.components));
  const [tried, setTried] = useState(false);
  const [nonce, setNonce] = useState("");
  const sent = useStore((s) => s.pending[nonce]);
  const close = (): void => store.act({ type: "closeModal" });
  const submit = (event: Event): void => {
    event.preventDefault();
    setTried(true);
    if (fieldsOf(modal.components).some((f) => problemOf(f, values[f.custom_id ?? ""], say))) return;
    const next = interactionNonce();
    setNonce(next);
    attempt(interactions.submit(modal, submitted(modal.components, values), next));
  };
  // What was written stays until the application has it: the form closes on its answer, not on the press.
  useEffect(() => {
    if (nonce && !sent) close();
  }, [nonce, sent]);
  useEffect(
    () => () => {
      if (nonce) store.act({ type: "settled", nonce });
    },
    [nonce],
  );
  const waiting = sent !== undefined && !sent.failed;
  const set = (id: string, value: Values[string]): void => setValues((before) => ({ ...before, [id]: value }));
  return (
    <Dialog label={modal.title} onClose={close} class="modal">
      <form onSubmit={submit} noValidate>
        <header>
          <h2>{modal.title}</h2>
          <p class="subtext">{modal.applicationName}</p>
        </header>
        <div class="modal-body">
          {modal.components.map((top, i) => (
            <Part key={i} top={top} values={values} set={set} tried={tried} />
          ))}
        </div>
        {sent?.failed && (
          <p class="failed" role="alert">
            {say("noAnswer")}
          </p>
        )}
        <footer>
          <button type="button" class="button secondary" onClick={close}>
            {say("cancel")}
          </button>
          <button
            type="submit"
            class={waiting ? "button primary loading" : "button primary"}
            disabled={waiting}
            aria-busy={waiting}
          >
            {say("submit")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface PartProps {
  top: Component;
  values: Values;
  set: (id: string, value: Values[string]) => void;
  tried: boolean;
}

function Part({ top, values, set, tried }: PartProps): JSX.Element | null {
  const say = useWords();
  if (top.type === COMPONENT.text) return <Markdown text={top.content ?? ""} />;
  const field = top.component ?? top.components?.[0];
  if (!field?.custom_id) return null;
  const id = `modal-${field.custom_id}`;
  const problem = tried ? problemOf(field, values[field.custom_id], say) : undefined;
  return (
    <div class="modal-field">
      <label for={id}>
        {top.label ?? field.label}
        {isRequired(field) && (
          <span class="required" aria-hidden="true">
            {" "}
            *
          </span>
        )}
      </label>
      {top.description && <p class="subtext">{top.description}</p>}
      <Field
        id={id}
        field={field}
        label={top.label ?? field.label ?? ""}
        value={values[field.custom_id]}
        problem={problem !== undefined}
        onChange={(value) => set(field.custom_id ?? "", value)}
      />
      {problem && (
        <p class="failed" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function Field({
  id,
  field,
  label,
  value,
  problem,
  onChange,
}: {
  id: string;
  field: Component;
  label: string;
  value: Values[string] | undefined;
  problem: boolean;
  onChange: (value: Values[string]) => void;
}): JSX.Element {
  const say = useWords();
  const common = {
    id,
    placeholder: field.placeholder,
    "aria-invalid": problem,
    "aria-required": isRequired(field),
    maxLength: field.max_length ?? 4000,
  };
  if (field.type === COMPONENT.textInput && field.style === 2) {
    return (
      <textarea {...common} rows={4} value={String(value ?? "")} onInput={(e) => onChange(e.currentTarget.value)} />
    );
  }
  if (field.type === COMPONENT.textInput) {
    return (
      <input
        {...common}
        type="text"
        autocomplete="off"
        value={String(value ?? "")}
        onInput={(e) => onChange(e.currentTarget.value)}
      />
    );
  }
  if (field.type === COMPONENT.checkbox) {
    return (
      <input id={id} type="checkbox" checked={value === true} onChange={(e) => onChange(e.currentTarget.checked)} />
    );
  }
  if (field.type === COMPONENT.radioGroup || field.type === COMPONENT.checkboxGroup) {
    return <Group id={id} field={field} label={label} value={Array.isArray(value) ? value : []} onChange={onChange} />;
  }
  return <SelectField component={field} label={field.placeholder ?? say("choose")} onChosen={onChange} />;
}

function Group({
  id,
  field,
  label,
  value,
  onChange,
}: {
  id: string;
  field: Component;
  label: string;
  value: string[];
  onChange: (value: string[]) => void;
}): JSX.Element {
  const one = field.type === COMPONENT.radioGroup;
  return (
    <div id={id} class="modal-group" role={one ? "radiogroup" : "group"} aria-label={label}>
      {(field.options ?? []).map((option) => (
        <label key={option.value}>
          <input
            type={one ? "radio" : "checkbox"}
            name={id}
            checked={value.includes(option.value)}
            onChange={(e) =>
              onChange(
                one
                  ? [option.value]
                  : e.currentTarget.checked
                    ? [...value, option.value]
                    : value.filter((v) => v !== option.value),
              )
            }
          />
          <span>
            {option.label}
            {option.description && <small>{option.description}</small>}
          </span>
        </label>
      ))}
    </div>
  );
}

function fieldsOf(components: readonly Component[]): Component[] {
  return components.flatMap((top) => top.component ?? top.components ?? []).filter((f) => f.custom_id);
}

function isRequired(field: Component): boolean {
  return field.required !== false && field.type !== COMPONENT.checkbox;
}

function firstValues(components: readonly Component[]): Values {
  return Object.fromEntries(fieldsOf(components).map((field) => [field.custom_id ?? "", firstValue(field)]));
}

function firstValue(field: Component): Values[string] {
  if (field.type === COMPONENT.textInput) return field.value ?? "";
  if (field.type === COMPONENT.checkbox) return field.default ?? false;
  return (field.options ?? []).filter((o) => o.default).map((o) => o.value);
}

function problemOf(field: Component, value: Values[string] | undefined, say: Say): string | undefined {
  const size = Array.isArray(value) || typeof value === "string" ? value.length : 1;
  if (size === 0) return isRequired(field) ? say("problem_required") : undefined;
  if (typeof value === "string" && size < (field.min_length ?? 0))
    return say("problem_shorter", { bound: field.min_length ?? 0 });
  if (Array.isArray(value) && size < (field.min_values ?? 0)) return say("problem_required");
  return undefined;
}

/** The fields in the nesting in which they were sent: within labels, or within rows. */
function submitted(components: readonly Component[], values: Values): Submitted[] {
  return components.flatMap((top): Submitted[] => {
    if (top.type === COMPONENT.text) return [];
    const sent = (top.component ? [top.component] : (top.components ?? [])).map((f) =>
      submittedField(f, values[f.custom_id ?? ""]),
    );
    const id = top.id === undefined ? {} : { id: top.id };
    return top.component && sent[0]
      ? [{ type: top.type, ...id, component: sent[0] }]
      : [{ type: top.type, ...id, components: sent }];
  });
}

function submittedField(field: Component, value: Values[string] | undefined): SubmittedField {
  const named = {
    type: field.type,
    custom_id: field.custom_id ?? "",
    ...(field.id === undefined ? {} : { id: field.id }),
  };
  if (field.type === COMPONENT.radioGroup) return { ...named, value: Array.isArray(value) ? (value[0] ?? null) : null };
  if (Array.isArray(value)) return { ...named, values: value };
  return { ...named, value: value ?? "" };
}
