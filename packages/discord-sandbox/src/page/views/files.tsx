/** The files about to be sent: chosen by button, pasted or dropped, held against Discord's limits before they leave. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon, IconButton } from "../icons.tsx";
import { sizeText } from "../state/times.ts";
import { useClient, useWords } from "../ui.ts";

const MAX_FILES = 10;
const MAX_BYTES = 10 * 1024 * 1024;

export interface Chosen {
  key: number;
  file: File;
  preview: string | undefined;
}

export interface Files {
  chosen: Chosen[];
  refused: string | undefined;
  add: (files: FileList | readonly File[]) => void;
  drop: (key: number) => void;
  browse: () => void;
  clear: () => void;
}

export function useFiles(): Files {
  const say = useWords();
  const { locale } = useClient();
  const [chosen, setChosen] = useState<Chosen[]>([]);
  const [refused, setRefused] = useState<string | undefined>();
  const add = (files: FileList | readonly File[]): void => {
    const all = [...files];
    const large = all.find((f) => f.size > MAX_BYTES);
    const fitting = all
      .filter((f) => f.size <= MAX_BYTES)
      .map((file) => ({ key: Math.random(), file, preview: undefined }));
    const tooMany = chosen.length + fitting.length > MAX_FILES;
    setRefused(
      large
        ? say("fileTooLarge", { name: large.name, limit: sizeText(MAX_BYTES, locale) })
        : tooMany
          ? say("tooManyFiles", { limit: MAX_FILES })
          : undefined,
    );
    setChosen((before) => [...before, ...fitting].slice(0, MAX_FILES));
    for (const item of fitting) {
      if (item.file.type.startsWith("image/"))
        void preview(item.file).then((url) =>
          setChosen((now) => now.map((c) => (c.key === item.key ? { ...c, preview: url } : c))),
        );
    }
  };
  return {
    chosen,
    refused,
    add,
    drop: (key) => setChosen((before) => before.filter((c) => c.key !== key)),
    browse: () => browse(add),
    clear: () => {
      setChosen([]);
      setRefused(undefined);
    },
  };
}

function browse(add: (files: FileList) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.addEventListener("change", () => {
    if (input.files) add(input.files);
  });
  input.click();
}

/** As a data address: the page's content policy allows no other kind of local picture. */
function preview(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}

export function FileChips({ files }: { files: Files }): JSX.Element | null {
  const { locale } = useClient();
  const say = useWords();
  if (files.chosen.length === 0 && !files.refused) return null;
  return (
    <div class="file-chips">
      {files.chosen.map(({ key, file, preview: picture }) => (
        <div key={key} class="file-chip">
          {picture ? <img src={picture} alt="" /> : <Icon name="file" size={40} />}
          <span class="file-name">{file.name}</span>
          <small>{sizeText(file.size, locale)}</small>
          <IconButton
            icon="trash"
            size={16}
            label={say("removeFile", { name: file.name })}
            onClick={() => files.drop(key)}
          />
        </div>
      ))}
      {files.refused && (
        <p class="failed" role="alert">
          {files.refused}
        </p>
      )}
    </div>
  );
}
