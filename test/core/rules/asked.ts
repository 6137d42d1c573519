/** Requests for permission, as they are kept, and the rules that their owner could make of them. */
import { posix } from "node:path";
import { digestOf } from "../../../src/base/digest.ts";
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
  definition: null,
};

export function request(asked: ToolRequest): RuleRequest {
  const bytes = bytesOf(asked);
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
    },
    bytes,
  };
}

/** Facts of a machine on which no path of the request is a link. */
export function placed(asked: RuleRequest, at: RuleFacts = facts): RuleFacts {
  return {
    ...at,
    real: new Map(pathsOf(asked, at).map(({ name, at: path }) => [name, path && posix.normalize(path)])),
  };
}

/** A rule of the owner for this thread, from the widest offer of the family. */
export function ruleFor(asked: RuleRequest, family: Cover["family"], at: RuleFacts = facts): StandingRule {
  const offer = offersFor(asked, at).findLast(({ cover }) => cover.family === family);
  if (offer === undefined) throw new Error(`no ${family} for ${asked.bytes}`);
  return {
    rule_id: family,
    effect: "allow",
    scope: { by: "thread", thread_id: "1" },
    root: at.root ?? "",
    cover: offer.cover,
  };
}
