/**
 * Which operation of Discord's a request means. Where a literal and a variable segment both fit
 * (`@me`, `@original`, `pins`, `bulk-delete`), the literal one wins.
 */
import type { Description, Operation, Parameter } from "./description.ts";

export interface Route {
  template: string;
  operation: Operation;
  parameters: readonly Parameter[];
  /** The variable segments of this request, decoded. */
  values: Record<string, string>;
}

type Candidate = Omit<Route, "values"> & { method: string; segments: readonly string[] };

/** Finds the route of a method and a path (with or without `/api/v10` in front), or undefined. */
export function router(description: Description): (method: string, path: string) => Route | undefined {
  const candidates = Object.entries(description.paths).flatMap(([template, item]) => candidatesOf(template, item));
  candidates.sort(literalFirst);
  return (method, path) => {
    const segments = segmentsOf(path.replace(/^\/api(\/v[0-9]+)?(?=\/)/, ""));
    const found = candidates.find(
      (candidate) => candidate.method === method.toLowerCase() && fits(candidate.segments, segments),
    );
    if (found === undefined) return undefined;
    return {
      template: found.template,
      operation: found.operation,
      parameters: found.parameters,
      values: valuesOf(found.segments, segments),
    };
  };
}

function candidatesOf(template: string, item: Description["paths"][string]): Candidate[] {
  const { parameters: shared = [], ...operations } = item;
  return Object.entries(operations as Record<string, Operation>).map(([method, operation]) => ({
    template,
    operation,
    method,
    segments: segmentsOf(template),
    parameters: [...shared, ...(operation.parameters ?? [])],
  }));
}

function segmentsOf(path: string): string[] {
  return (path.split("?")[0] ?? "").split("/").slice(1);
}

function isVariable(segment: string): boolean {
  return segment.startsWith("{");
}

function literalFirst(a: Candidate, b: Candidate): number {
  for (const [index, segment] of a.segments.entries()) {
    const order = Number(isVariable(segment)) - Number(isVariable(b.segments[index] ?? ""));
    if (order !== 0) return order;
  }
  return 0;
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((part, index) =>
    isVariable(part) ? segments[index] !== "" : part === decode(segments[index] ?? ""),
  );
}

function valuesOf(template: readonly string[], segments: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    if (isVariable(part)) values[part.slice(1, -1)] = decode(segments[index] ?? "");
  }
  return values;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
