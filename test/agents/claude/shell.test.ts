/** Where Claude's shell starts its next command is known only while nothing may have led it elsewhere. */
import { expect, test } from "vitest";
import { Shell } from "../../../src/agents/claude/messages.ts";

function after(...commands: string[]): string | null {
  const shell = new Shell();
  shell.began("/srv/app");
  for (const command of commands) shell.used("Bash", { command });
  return shell.cwd;
}

test.each([
  ["npm test"],
  ["npm test 2>&1 | tail -20"],
  ["git add src && git commit -m 'a, b'"],
  ["grep -n 'cd' src/a.ts > out.txt; wc -l out.txt"],
])("it is where it was after %s", (command) => {
  expect(after("git status", command)).toBe("/srv/app");
});

test.each([
  ["cd /tmp"],
  ["npm test && cd /tmp"],
  ["c\\\nd /tmp"],
  ["c$'d' /tmp"],
  ["c${n}d /tmp"],
  ["c$@d /tmp"],
  ["x=c; ! ${x}d /tmp"],
  ["x=c; if ${x}d /tmp; then :; fi"],
  ["a=1 ${x}d /tmp"],
  ["if . ./f.sh; then :; fi"],
  ["a=1 . ./f.sh"],
  ["git() { cd /tmp; }"],
  ["alias git='cd /tmp'"],
  ["git log\ncd /tmp"],
  ["git log & cd /tmp"],
  ["(git log)"],
  ["z /tmp"],
  ["git log '|' ; 'cd' /tmp"],
  ['git log "a > b" || cd /'],
  ["pushd /tmp"],
  ["eval git status"],
])("it is not known after %j, nor after anything later", (command) => {
  expect(after(command)).toBeNull();
  expect(after(command, "git status")).toBeNull();
});

test("it is not known after a command that was too long to be read, or a worktree", () => {
  for (const [tool, input] of [
    ["Bash", null],
    ["EnterWorktree", {}],
  ] as const) {
    const shell = new Shell();
    shell.began("/srv/app");
    shell.used(tool, input);
    expect(shell.cwd).toBeNull();
  }
});
