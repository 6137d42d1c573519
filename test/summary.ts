/**
 * The end of a test run: names everything that was skipped, and closes with the one line that counts. Where all
 * tests are demanded, a skip fails the run.
 */
import type { Reporter, TestCase, TestModule } from "vitest/node";

export class Summary implements Reporter {
  readonly #demandAll: boolean;

  constructor(demandAll: boolean) {
    this.#demandAll = demandAll;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed");
    const failed = tests.filter((test) => test.result().state === "failed");
    const skipped = tests.filter((test) => !["passed", "failed"].includes(test.result().state));
    // A file that cannot be loaded has no tests to fail, and an error outside all tests has no test at all.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandled.length;
    const lines = skipped.map((test) => `skipped: ${describe(test)}`);
    if (this.#demandAll && skipped.length > 0) {
      lines.push("BELLHOP_TEST_ALL=1 demands every test, so these skips fail the run.");
      process.exitCode = 1;
    }
    lines.push(`${passed.length} passed, ${failed.length + broken} failed, ${skipped.length} skipped`);
    process.stdout.write(`${lines.join("\n")}\n`);
  }
}

function describe(test: TestCase): string {
  const result = test.result();
  const note = result.state === "skipped" && result.note !== undefined ? ` (${result.note})` : "";
  return `${test.module.relativeModuleId}: ${test.fullName}${note}`;
}
