/** Requests for permission, as they are kept, and the rules that their owner could make of them. */
import { posix } from "node:path";
import { digestOf } from "../../../src/base/digest.ts";
import { mixedWords, namingTexts } from "../../../src/core/decisions/look-alikes.ts";
import { bytesOf } from "../../../src/core/decisions/review-text.ts";
import type { ToolRequest } from "../../../src/core/decisions/shapes.ts";
import {
  offersFor,
  pathsOf,
  type Cover,
  type RuleFacts,
  type StandingRule,
  type RuleRequest,
} from "../../../src/core/rules/judge.ts";

export const facts: RuleFacts = {
  thread_id: "1",
  project: "app",
  root: "/home/me/app",
  cwd: "/home/me/app",
  real: new Map(),
  files: new Set(),
  definition: null,
};

export function request(asked: ToolRequest): RuleRequest {
  const bytes = bytesOf(asked);
  const mixed = mixedWords([asked.tool, ...namingTexts("input" in asked ? asked.input : asked.call)]);
  return {
    kind: "permission",
    asker: { by: "job", job_id: "j", request_id: "r" },
    subject: {
      tool: asked.tool,
      title: "",
      sha256: digestOf(bytes),
      pages: 1,
      grant_until: "2026-01-01T00:00:00.000Z",
      ...("call" in asked && { described: true as const }),
      ...(mixed.length > 0 && { mixed }),
    },
    bytes,
  };
}

export function bash(command: string, more: Record<string, unknown> = {}): RuleRequest {
  return request({ tool: "Bash", input: { command, ...more } });
}

/** Facts of a machine on which no path of the request is a link. */
export function placed(asked: RuleRequest, at: RuleFacts = facts): RuleFacts {
  return {
    ...at,
    files: new Set(pathsOf(asked, at).map(({ name }) => name)),
    real: new Map(pathsOf(asked, at).map(({ name, at: path }) => [name, path && posix.resolve(path)])),
  };
}

/** The rules that its owner could make of it for this thread, narrowest first. */
export function rulesFor(asked: RuleRequest, at: RuleFacts = facts): StandingRule[] {
  return offersFor(asked, at).map(({ cover }) => ({
    rule_id: cover.family,
    effect: "allow",
    scope: { by: "thread", thread_id: "1" },
    root: at.root ?? "",
    cover,
  }));
}

/** The widest of a family. */
export function ruleFor(asked: RuleRequest, family: Cover["family"], at: RuleFacts = facts): StandingRule {
  const rule = rulesFor(asked, at).findLast(({ cover }) => cover.family === family);
  if (rule === undefined) throw new Error(`no ${family} for ${asked.bytes}`);
  return rule;
}
