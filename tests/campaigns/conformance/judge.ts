import type { Tally } from '../stage/tally.ts';
import type { ScenarioResult } from './suite.ts';

/**
 * A promise for each scenario: all its checks hold, except those that `excepted` names. An exception that holds is
 * stale, and so a fault. Returns how many checks held, and how many failed as expected.
 */
export function judgeResults(
  tally: Tally,
  where: string,
  results: ReadonlyMap<string, ScenarioResult>,
  excepted: readonly string[],
): { readonly held: number; readonly failed: number } {
  const isExcepted = (scenario: string, id: string) =>
    excepted.includes(scenario) || excepted.includes(`${scenario}:${id}`);
  for (const [scenario, { held, failed }] of results) {
    const open = failed.filter(({ id }) => !isExcepted(scenario, id));
    if (excepted.includes(scenario) || held.length + failed.length === 0) continue;
    const faults = open.map(({ id, message }) => `${id}: ${message}`);
    tally.check(`${where}: ${scenario}, ${held.length} checks`, faults);
  }
  const stale = excepted.filter((entry) => {
    const [scenario = '', check] = entry.split(':');
    const failed = results.get(scenario)?.failed ?? [];
    return !failed.some(({ id }) => check === undefined || id === check);
  });
  tally.check(`${where}: each exception fails`, stale);
  const all = [...results.values()];
  return { held: sum(all.map(({ held }) => held.length)), failed: sum(all.map(({ failed }) => failed.length)) };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
