/**
 * The launchd agent. launchd cannot distinguish failures, so Bellhop is started with `--service=launchd`: an end that
 * no restart can help is then reported as a success, which launchd does not restart.
 */
import { join } from "node:path";
import { type Machine, type Start, MARK, type InitSystem } from "./machine.ts";

const LABEL = "bellhop";

export function launchd({ home, uid, run }: Machine): InitSystem {
  const domain = `gui/${uid}`;
  const unit = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const start = ["launchctl", "bootstrap", domain, unit];
  const stop = ["launchctl", "bootout", `${domain}/${LABEL}`];
  return {
    unit,
    text: plistText,
    adopt: [],
    isActive: async () => (await run(["launchctl", "print", `${domain}/${LABEL}`])).code === 0,
    start,
    restart: `${stop.join(" ")}; ${start.join(" ")}`,
    stop,
    forget: [],
    needsLinger: false,
  };
}

function plistText({ node, program, folder, settings, path, output }: Start): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${MARK}. Run that again after an update. -->`,
    '<plist version="1.0">',
    "<dict>",
    ...entry("Label", text(LABEL)),
    ...entry(
      "ProgramArguments",
      list([node, `--env-file-if-exists=${settings}`, program, "start", "--service=launchd"]),
    ),
    ...entry("WorkingDirectory", text(folder)),
    ...entry("EnvironmentVariables", `<dict><key>PATH</key>${text(path)}</dict>`),
    ...entry("RunAtLoad", "<true/>"),
    ...entry("KeepAlive", "<dict><key>SuccessfulExit</key><false/></dict>"),
    ...entry("ThrottleInterval", "<integer>30</integer>"),
    ...entry("ExitTimeOut", "<integer>60</integer>"),
    ...entry("StandardErrorPath", text(output)),
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function entry(key: string, value: string): string[] {
  return [`  <key>${key}</key>`, `  ${value}`];
}

function list(items: readonly string[]): string {
  return `<array>${items.map(text).join("")}</array>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function text(value: string): string {
  return `<string>${value.replace(/[&<>]/g, (sign) => entities[sign] ?? sign)}</string>`;
}
