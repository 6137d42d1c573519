/** Edits one's own message in place: Enter saves, Escape leaves it as it was, and an empty text is not saved. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { withEmoji } from "../text/emoji.ts";
import { fitHeight } from "./text-area.ts";
import type { Message } from "../state/model.ts";
import { isComposing, useAttempt, useClient, useWords } from "../ui.ts";

export function Editor({ message, onDone }: { message: Message; onDone: () => void }): JSX.Element {
  const { edit } = useClient();
  const attempt = useAttempt();
  const say = useWords();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(message.content);
  useLayoutEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(text.length, text.length);
  }, []);
  useLayoutEffect(() => fitHeight(area.current), [text]);
  const save = (): void => {
    const content = withEmoji(text.trim());
    if (content === "" || content.length > 2000) return;
    if (content !== message.content) attempt(edit(message, content));
    onDone();
  };
  return (
    <div class="editor">
      <textarea
        ref={area}
        aria-label={say("edit")}
        value={text}
        rows={1}
        maxLength={4000}
        onInput={(e) => setText(e.currentTarget.value)}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === "Escape") onDone();
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            save();
          }
        }}
      />
      <p class="subtext">
        {text.length > 2000 ? say("tooLong", { count: text.length - 2000 }) : say("editorHint")}{" "}
        <button type="button" class="text-button" onClick={onDone}>
          {say("cancel")}
        </button>
        {" · "}
        <button type="button" class="text-button" onClick={save}>
          {say("save")}
        </button>
      </p>
    </div>
  );
}
