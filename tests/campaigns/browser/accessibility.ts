import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Tally } from '../stage/tally.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** That axe finds no violation of WCAG 2.2 AA in the visible page. The debugger injects axe, since the page's policy forbids it. */
export async function checkAccessible({ holds }: Tally, page: Page, name: string): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const violations = (await page.evaluate(RUN)) as readonly Violation[];
  const faults = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  holds(name, faults.length === 0, faults);
}

/** Nodes without a violation are not described, which would take most of its time. */
const RUN = `axe.run({
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}).then(({ violations }) => violations)`;
