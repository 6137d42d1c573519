/**
 * Things that float: a panel beside what opened it, kept inside the window, and a real modal dialog.
 * Both close on Escape and give the focus back.
 */
import type { ComponentChildren, JSX } from "preact";
import { createPortal } from "preact/compat";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** `fitted`: as wide as its anchor at least, and in line with it. */
export function Popover({
  anchor,
  label,
  onClose,
  children,
  fitted = false,
}: {
  anchor: HTMLElement;
  label: string;
  onClose: () => void;
  children: ComponentChildren;
  fitted?: boolean;
}): JSX.Element {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = panel.current;
    if (!box) return;
    const at = anchor.getBoundingClientRect();
    if (fitted) box.style.minWidth = `${at.width}px`;
    const { width, height } = box.getBoundingClientRect();
    const above = at.top - height - 8;
    const below = Math.min(at.bottom + 8, innerHeight - height - 8);
    box.style.left = `${Math.max(8, Math.min(at.right - width, innerWidth - width - 8))}px`;
    box.style.top = `${Math.max(8, above >= 8 ? above : below)}px`;
    box.querySelector<HTMLElement>("input, button")?.focus();
    return () => anchor.focus();
  }, [anchor, fitted]);
  useEffect(() => {
    const outside = (event: Event): void => {
      if (!panel.current?.contains(event.target as Node) && !anchor.contains(event.target as Node)) onClose();
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [anchor, onClose]);
  return createPortal(
    <div
      ref={panel}
      class="popover"
      role="dialog"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      {children}
    </div>,
    anchor.closest("dialog") ?? document.body,
  );
}

export function Dialog({
  label,
  onClose,
  children,
  class: extra = "",
}: {
  label: string;
  onClose: () => void;
  children: ComponentChildren;
  class?: string;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${extra}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
