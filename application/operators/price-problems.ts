import { STATUS } from '../../domain/limits.ts';
import { NO_REPLY, type ProcessReport } from '../../domain/market/source-health.ts';
import { latest } from './job-status.ts';
import type { StatusFigures } from './status-figures.ts';
import { listed, problem, type StatusProblem, second } from './status-problem.ts';

/**
 * Processes without a network as one problem, then each source that has failed for long, over all processes. A source that
 * failed a moment ago is asked again by itself.
 */
export function sourceProblems(figures: StatusFigures): readonly StatusProblem[] {
  const offline = processesOffline(figures);
  const failing = figures.sources.filter(
    (source) => !offline.has(source.process) && isDown(source, STATUS.sourceFailures, STATUS.sourceSilence, figures),
  );
  const bySource = [...Map.groupBy(failing, ({ source }) => source).values()];
  return [...networkProblem(figures, offline), ...bySource.map(sourceProblem)];
}

/** The processes that no source has answered for minutes, though they asked more than one, for want of a network. */
function processesOffline({ sources, ...figures }: StatusFigures): ReadonlySet<string> {
  const asked = sources.filter(({ state }) => state !== 'never asked');
  const isCutOff = (those: readonly ProcessReport[]) =>
    those.length > 1 &&
    those.every(
      (source) => source.last_error?.startsWith(NO_REPLY) && isDown(source, 1, STATUS.networkSilence, figures),
    );
  const byProcess = Map.groupBy(asked, ({ process }) => process);
  return new Set([...byProcess].filter(([, those]) => isCutOff(those)).map(([process]) => process));
}

/** Whether so many requests in a row failed, and none succeeded for so long. */
function isDown(
  { process, failures, last_success_at }: ProcessReport,
  atLeast: number,
  silence: number,
  { processes, now }: Pick<StatusFigures, 'processes' | 'now'>,
): boolean {
  // A process that has only begun has not heard from its sources yet.
  const begun = processes.find((each) => each.process === process)?.started_at ?? null;
  const heard = latest([last_success_at, begun]);
  return failures >= atLeast && (heard === null || now.getTime() - heard.getTime() > silence);
}

function networkProblem({ sources }: StatusFigures, offline: ReadonlySet<string>): readonly StatusProblem[] {
  if (offline.size === 0) return [];
  const silent = sources.filter(({ process, state }) => offline.has(process) && state !== 'never asked');
  const codes = new Set(silent.map(({ last_error }) => last_error?.slice(NO_REPLY.length) ?? ''));
  const asked = new Set(silent.map(({ source }) => source)).size;
  const heard = latest(silent.map(({ last_success_at }) => last_success_at));
  const since = heard === null ? 'since the start' : `since ${second(heard)}`;
  const where = offline.size === 1 ? [...offline].join() : `${offline.size} processes (${[...offline].join(', ')})`;
  return [
    problem(
      'sources',
      `No network: none of the ${asked} sources of prices that were asked in ${where} has answered ${since} (${listed([...codes])}).`,
      'Let the machine reach the sources, by its network, name server and firewall; npm run admin -- probe-sources asks ' +
        'each once. For a service without a network set MARKET_DATA_NETWORK=false.',
    ),
  ];
}

function sourceProblem(those: readonly ProcessReport[]): StatusProblem {
  const [worst] = those.toSorted((a, b) => b.failures - a.failures);
  const { source, serves, state, process, failures, last_error } = worst ?? ({} as ProcessReport);
  const others = those.length === 1 ? '' : ` It fails in ${those.length} processes.`;
  return problem(
    'sources',
    `${source} (${serves}) is ${state} in ${process} after ${failures} failures: ${last_error}.${others}`,
    'It is asked again by itself. npm run admin -- probe-sources shows whether this machine and its keys reach it; ' +
      'MARKET_DATA_... names another source.',
  );
}

/**
 * Circuits that are not normal; and as one problem the coins whose price is not known.
 * @param watchesPegs whether the service observes the prices of stablecoins, and nothing keeps it from that
 */
export function circuitProblems(figures: StatusFigures, watchesPegs: boolean): readonly StatusProblem[] {
  const { circuits, now } = figures;
  const open = circuits
    .filter(({ state }) => state !== 'normal')
    .map(({ coin, state }) =>
      problem(
        'circuits',
        `The circuit of ${coin} is ${state}.`,
        state === 'warming' ? 'Resolve it if the coin is sound again.' : 'See docs/circuits.md for what to look at.',
      ),
    );
  if (!watchesPegs || processesOffline(figures).size > 0) return open;
  const begun = latest(figures.processes.filter(({ runs_jobs }) => runs_jobs).map(({ started_at }) => started_at));
  const unknown = circuits.filter(({ stale, observed_at }) => {
    const known = latest([observed_at, begun]);
    return stale && known !== null && now.getTime() - known.getTime() > STATUS.pegSilence;
  });
  if (unknown.length === 0) return open;
  return [
    ...open,
    problem(
      'circuits',
      `There is no fresh price of ${listed(unknown.map(({ coin }) => coin))}.`,
      'Look at the sources peg-... and at the job observe-pegs; trip the circuit by hand if the coin does not hold.',
    ),
  ];
}
