/** A text area that is as high as its text, up to half the window. */
export function fitHeight(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, innerHeight / 2)}px`;
}
