import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Tally } from '../stage/tally.ts';
import { until } from '../stage/until.ts';
import { ALERT_CASES, type AlertCase, type Series } from './alert-cases.ts';
import { FILES, type Program, startProgram } from './programs.ts';

interface Rule {
  readonly alert: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** promtool reads configuration and rules, and runs the cases of every alert. */
export function checkRules(folder: string, { check, holds }: Tally): void {
  cpSync(join(FILES, 'alerts.yaml'), join(folder, 'alerts.yaml'));
  for (const file of ['prometheus.yaml', 'prometheus.compose.yaml']) {
    // The secret is in the container alone.
    const text = readFileSync(join(FILES, file), 'utf8').replace('/run/secrets/metrics_token', join(folder, 'token'));
    writeFileSync(join(folder, 'token'), 'secret');
    writeFileSync(join(folder, file), text);
    const { status, stdout, stderr } = promtool(folder, 'check', 'config', file);
    holds(`promtool check config ${file}`, status === 0, stdout + stderr);
  }
  const rules: readonly Rule[] = parse(readFileSync(join(FILES, 'alerts.yaml'), 'utf8')).groups[0].rules;
  const tested = new Set(ALERT_CASES.map(({ alert }) => alert));
  const untested = rules.map(({ alert }) => alert).filter((alert) => !tested.has(alert));
  check('every alert has a case', untested);
  for (const each of ALERT_CASES) {
    const rule = rules.find(({ alert }) => alert === each.alert);
    if (!rule) throw new Error(`There is no alert ${each.alert}`);
    const file = join(folder, 'case.yaml');
    writeFileSync(
      file,
      stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests: testsOf(each, rule) }),
    );
    const { status, stdout, stderr } = promtool(folder, 'test', 'rules', 'case.yaml');
    holds(`${each.alert} fires after its time, and not before, nor at its bound`, status === 0, stdout + stderr);
  }
}

function testsOf({ alert, labels = {}, fires, at, quiet }: AlertCase, rule: Rule): readonly object[] {
  const summary = rule.annotations.summary?.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) => labels[name] ?? '');
  const firing = { exp_labels: { ...rule.labels, ...labels }, exp_annotations: { ...rule.annotations, summary } };
  const early = minutesOf(rule.for) - 1;
  const expected = (series: Series, minute: number, exp_alerts: readonly object[]) => ({
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: `${minute}m`, alertname: alert, exp_alerts }],
  });
  return [expected(fires, at, [firing]), expected(quiet, at, []), ...(early < 0 ? [] : [expected(fires, early, [])])];
}

function minutesOf(text = '0m'): number {
  const [, count = '', unit = ''] = /^(\d+)([mh])$/.exec(text) ?? [];
  return Number(count) * (unit === 'h' ? 60 : 1);
}

function promtool(cwd: string, ...args: readonly string[]) {
  return spawnSync('promtool', args, { cwd, encoding: 'utf8' });
}

interface Reply<T> {
  readonly data: T;
}
interface Target {
  readonly health: string;
  readonly lastError: string;
}
interface Evaluated {
  readonly groups: readonly { readonly rules: readonly { readonly name: string; readonly health: string }[] }[];
}

/** Prometheus itself scrapes the service with the file, and evaluates every rule. */
export async function checkScraping(folder: string, port: number, own: number, { holds }: Tally): Promise<void> {
  const text = readFileSync(join(FILES, 'prometheus.yaml'), 'utf8');
  const config = join(folder, 'scraping.yaml');
  cpSync(join(FILES, 'alerts.yaml'), join(folder, 'alerts.yaml'));
  const often = '1s\n  evaluation_interval: 1s';
  writeFileSync(config, text.replace('127.0.0.1:3000', `127.0.0.1:${port}`).replace('15s', often));
  const options = [`--config.file=${config}`, `--storage.tsdb.path=${folder}/tsdb`];
  const program: Program = startProgram('prometheus', [...options, `--web.listen-address=127.0.0.1:${own}`], folder);
  const read = async <T>(path: string): Promise<T> =>
    ((await (await fetch(`http://127.0.0.1:${own}/api/v1/${path}`)).json()) as Reply<T>).data;
  try {
    const isUp = await until(async () => {
      const { activeTargets } = await read<{ readonly activeTargets: readonly Target[] }>('targets');
      return activeTargets.length === 1 && activeTargets[0]?.health === 'up';
    });
    holds('Prometheus scrapes the service with prometheus.yaml', isUp, program.output());
    let rules: readonly { readonly name: string; readonly health: string }[] = [];
    const isEvaluated = await until(async () => {
      rules = (await read<Evaluated>('rules')).groups.flatMap((group) => group.rules);
      return rules.length > 30 && rules.every(({ health }) => health === 'ok');
    });
    holds('Prometheus evaluates every rule on the figures of the service', isEvaluated, rules);
  } finally {
    await program.stop();
  }
}
